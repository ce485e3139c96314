//! Several replicas that read one log at different speeds and write into it what seems right to each.

use std::time::Duration;

use kernel::Timestamp;
use matchmaking::{
    queue::{Change, Queue},
    ticket::{Hold, Match},
    wave::{self, Patience, Seen, View},
};
use nigiri_proto::{
    events::v1::{MatchMade, MatchRefused, MatchStarted, QueueEntry, QueueFact, queue_fact::Fact},
    matchmaking::v1::AiLevel,
};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};

use crate::oracle::{Facts, Oracle, Places, at, game, player};

const REPLICAS: usize = 3;
const PLAYERS: u32 = 7;
const KEEP: u64 = 10_000;

/// The bot that plays only so many games at once.
const LIMITED: u32 = 90;
const LIMIT: u32 = 2;

/// What happens next. Each replica acts on what it has read, and appends without looking whether that is still the end: harder than
/// in life, where the ledger would refuse.
#[derive(Clone, Debug)]
enum Act {
    Wait(u64),
    Read(usize, usize),
    Open(usize, u32),
    Cancel(usize, u32),
    Release(usize, u32),
    Hold(usize, u32),
    Renew(usize),
    Offer(u32),
    Seat(usize),
    Free(usize),
    Wave(usize),
    Start(usize),
    Refuse(usize, bool),
    Resume(usize, u32),
    Snapshot,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let replica = 0..REPLICAS;
    let who = 0..PLAYERS;
    let act = prop_oneof![
        3 => (1_u64..2_500).prop_map(Act::Wait),
        4 => (replica.clone(), 1_usize..6).prop_map(|(r, n)| Act::Read(r, n)),
        4 => replica.clone().prop_map(|r| Act::Read(r, usize::MAX)),
        5 => (replica.clone(), who.clone()).prop_map(|(r, p)| Act::Open(r, p)),
        1 => (replica.clone(), who.clone()).prop_map(|(r, p)| Act::Cancel(r, p)),
        1 => (replica.clone(), who.clone()).prop_map(|(r, p)| Act::Release(r, p)),
        2 => (replica.clone(), who.clone()).prop_map(|(r, p)| Act::Hold(r, p)),
        4 => (replica.clone(), who).prop_map(|(r, p)| Act::Resume(r, p)),
        4 => replica.clone().prop_map(Act::Renew),
        2 => (90_u32..92).prop_map(Act::Offer),
        2 => replica.clone().prop_map(Act::Seat),
        1 => replica.clone().prop_map(Act::Free),
        5 => replica.clone().prop_map(Act::Wave),
        4 => replica.clone().prop_map(Act::Start),
        1 => (replica, any::<bool>()).prop_map(|(r, all)| Act::Refuse(r, all)),
        1 => Just(Act::Snapshot),
    ];
    proptest::collection::vec(act, 1..220)
}

#[derive(Default)]
struct World {
    log: Vec<(QueueEntry, Timestamp)>,
    now: u64,
    replicas: [(Queue, usize); REPLICAS],
    tickets: u32,
    /// Games that were begun with a bot by its name.
    by_name: u32,
    /// Places of snapshots in the log.
    snapshots: Vec<usize>,
}

impl World {
    fn append(&mut self, facts: Facts) {
        if !facts.0.is_empty() {
            self.log.push((facts.entry(), at(self.now)));
        }
    }

    fn read(&mut self, replica: usize, entries: usize) {
        let (queue, place) = &mut self.replicas[replica];
        for (entry, stamp) in self.log.iter().skip(*place).take(entries) {
            queue.apply(entry, *stamp);
            *place += 1;
        }
    }

    fn act(&mut self, act: &Act) {
        let until = self.now + KEEP;
        let by = |replica: usize| u32::try_from(replica).unwrap();
        let mine = |world: &Self, replica: usize, who: u32| {
            let queue = &world.replicas[replica].0;
            let ticket = queue.ticket_of(player(who))?;
            let number = u32::try_from(ticket.id.as_uuid().as_u128() - 0x2000).unwrap();
            Some((number, ticket.hold))
        };
        match *act {
            Act::Wait(millis) => self.now += millis,
            Act::Read(replica, entries) => self.read(replica, entries),
            Act::Open(replica, who) => {
                self.tickets += 1;
                let opened = Facts::new().open(self.tickets, who, by(replica), until);
                // Every third takes an AI, and keeps looking.
                self.append(if self.tickets.is_multiple_of(3) { opened.keep_looking() } else { opened });
            }
            Act::Cancel(replica, who) => {
                if let Some((ticket, _)) = mine(self, replica, who) {
                    self.append(Facts::new().close(ticket));
                }
            }
            Act::Release(replica, who) => {
                if let Some((ticket, _)) = mine(self, replica, who) {
                    self.append(Facts::new().release(ticket, by(replica), until));
                }
            }
            Act::Hold(replica, who) => {
                if let Some((ticket, hold)) = mine(self, replica, who) {
                    let holder = |id| (0..3).find(|number| crate::oracle::replica(*number) == id);
                    let from = match hold {
                        Hold::By(id) => holder(id),
                        Hold::Until(_) => None,
                    };
                    self.append(Facts::new().hold(ticket, from, by(replica), until));
                }
            }
            Act::Renew(replica) => self.append(Facts::new().renew(by(replica), until)),
            Act::Offer(bot) => {
                let offer = Facts::new().offer(bot, AiLevel::Normal, self.now + 30_000);
                self.append(if bot == LIMITED { offer.limit(LIMIT) } else { offer });
            }
            Act::Seat(replica) => {
                // Each replica gives what it takes for the last place.
                self.by_name += 1;
                let (queue, game) = (&self.replicas[replica].0, game(&[LIMITED, self.by_name]));
                if queue.has_room(player(LIMITED), game) {
                    self.append(Facts::new().seat(LIMITED, game));
                }
            }
            Act::Free(replica) => {
                let games = self.replicas[replica].0.games_of_bot(player(LIMITED));
                self.append(games.first().map(|game| Facts::new().free(LIMITED, *game)).unwrap_or_default());
            }
            Act::Wave(replica) => self.wave(replica),
            Act::Start(replica) => self
                .outcome(replica, |made| Fact::MatchStarted(MatchStarted { game_id: made.game.to_string() })),
            Act::Refuse(replica, all) => self.outcome(replica, |made| {
                let closed = made.tickets.iter().take(if all { 2 } else { 1 });
                Fact::MatchRefused(MatchRefused {
                    game_id: made.game.to_string(),
                    closed_ticket_ids: closed.map(ToString::to_string).collect(),
                    apart: !all,
                    ..MatchRefused::default()
                })
            }),
            Act::Resume(replica, who) => {
                let ticket = self.replicas[replica].0.ticket_of(player(who));
                if let Some((id, game)) = ticket.and_then(|ticket| Some((ticket.id, ticket.aside?))) {
                    let number = u32::try_from(id.as_uuid().as_u128() - 0x2000).unwrap();
                    self.append(Facts::new().resume(number, game));
                }
            }
            Act::Snapshot => self.snapshot(),
        }
    }

    fn wave(&mut self, replica: usize) {
        let patience = Patience { usual: Duration::from_secs(8), soonest: Duration::from_secs(8) };
        let view = View { now: at(self.now), patience, gone_after: Duration::from_secs(3) };
        let matches = wave::plan(&self.replicas[replica].0, view, &Seen::default());
        let fact = |made: Match| {
            Fact::MatchMade(MatchMade {
                game_id: made.game.to_string(),
                ticket_ids: made.tickets.iter().map(ToString::to_string).collect(),
                settings: Some(made.settings),
                seats: made.seats,
            })
        };
        self.append(Facts(matches.into_iter().map(fact).collect()));
    }

    fn outcome(&mut self, replica: usize, fact: impl Fn(&Match) -> Fact) {
        let pending = self.replicas[replica].0.pending().next();
        if let Some(fact) = pending.map(|pending| fact(&pending.made)) {
            self.append(Facts(vec![fact]));
        }
    }

    /// Whoever writes a snapshot has read everything: the ledger sees to that.
    fn snapshot(&mut self) {
        self.read(0, usize::MAX);
        self.snapshots.push(self.log.len());
        let snapshot = self.replicas[0].0.snapshot();
        self.append(Facts(vec![Fact::Snapshot(snapshot)]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever replicas propose, and however far behind they are: nobody is in two matches, no ticket is lost or outlives its time, a bot is in no more games than it wants, all
    /// replicas agree, and so does one that starts at a snapshot, or reads the log from its beginning as if no snapshot had been.
    #[test]
    fn replicas_agree_and_nobody_is_in_two_matches(acts in acts()) {
        let mut world = World::default();
        for act in &acts {
            world.act(act);
        }
        let mut oracle = Oracle::default();
        let mut places = Places::default();
        let mut full = Queue::default();
        for (entry, stamp) in &world.log {
            let is_snapshot = matches!(entry.facts[0].fact, Some(Fact::Snapshot(_)));
            let entry = if is_snapshot { &QueueEntry::default() } else { entry };
            let changes = full.apply(entry, *stamp);
            prop_assert!(!changes.contains(&Change::Restored));
            oracle.learn_hold(&full);
            oracle.observe(entry, *stamp, &changes);
            oracle.learn_hold(&full);
            oracle.agree(&full);
            prop_assert!(places.observe(entry, &changes, player(LIMITED)) <= LIMIT as usize);
        }
        for replica in 0..REPLICAS {
            world.read(replica, usize::MAX);
            prop_assert_eq!(&world.replicas[replica].0, &full, "replica {}", replica);
        }
        for start in &world.snapshots {
            let mut late = Queue::default();
            for (entry, stamp) in &world.log[*start..] {
                late.apply(entry, *stamp);
            }
            prop_assert_eq!(&late, &full, "from the snapshot at {}", start);
        }
    }
}

/// The property above is not empty: worlds of that kind make matches, start games, and contradict each other.
#[test]
fn the_worlds_of_the_property_make_matches_and_contradictions() {
    let mut runner = TestRunner::deterministic();
    let (mut proposals, mut matches, mut games, mut resumed) = (0, 0, 0, 0);
    let (mut wanted_places, mut places) = (0, 0);
    for _ in 0..130 {
        let mut world = World::default();
        acts().new_tree(&mut runner).unwrap().current().iter().for_each(|act| world.act(act));
        let mut queue = Queue::default();
        for (entry, stamp) in &world.log {
            let made = |fact: &&QueueFact| matches!(fact.fact, Some(Fact::MatchMade(_)));
            proposals += entry.facts.iter().filter(made).count();
            let seated = |fact: &&QueueFact| matches!(fact.fact, Some(Fact::BotSeated(_)));
            wanted_places += entry.facts.iter().filter(seated).count();
            for change in queue.apply(entry, *stamp) {
                matches += usize::from(matches!(change, Change::Matched(_)));
                games += usize::from(matches!(change, Change::Started(_)));
                resumed += usize::from(matches!(change, Change::Resumed(_)));
                places += usize::from(matches!(change, Change::Seated(..)));
            }
        }
    }
    println!("{proposals} proposals, {matches} matches, {games} games, {resumed} taken up beside an AI");
    println!("{places} places with a bot of {wanted_places} that replicas gave");
    assert!(resumed > 0 && places > 50 && wanted_places > places + 50);
    assert!(matches > 300 && games > 150 && proposals > matches + 100);
}
