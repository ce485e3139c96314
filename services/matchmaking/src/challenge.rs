//! Games by agreement: a challenge is made, shown to whoever has its code, and accepted once.
//!
//! The store decides who was first. The game's id follows from the challenge's, so whoever finds an accepted challenge without its game makes
//! exactly that game: the call that accepted it, the same call when it comes again, or any replica a little later.

mod busy;
mod feed;
mod rules;

use std::cmp::Ordering;

use kernel::{GameId, PlayerId, Timestamp};
use nigiri_proto::{
    game::v1::{Color, GameSettings},
    matchmaking::v1::{self as pb, ChallengeState, EndedReason},
};
use platform::{convert::to_proto_time, status::Violation};
use url::Url;
use uuid::Uuid;

use crate::{
    error::Error,
    games::{GameError, Games},
    kinds::SIDES,
    players::Players,
    ratings::Ratings,
    replica::Handle,
    store::{Block, Store},
    ticket::{Match, Player},
    wave, wire,
};

pub use busy::game_of;
pub use feed::{Feed, follow, tend};
pub use rules::Proposal;

/// Somebody who plays: a person, or somebody else's bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// Who.
    pub player: Player,
    /// Whether it is a program.
    pub bot: bool,
}

/// A game that is proposed.
#[derive(Clone, Debug, PartialEq)]
pub struct Challenge {
    /// Its own id, of which the game's is made.
    pub id: Uuid,
    /// What names it in calls and links.
    pub code: String,
    /// Who proposes it.
    pub challenger: Player,
    /// To whom it is addressed, or who has accepted it.
    pub opponent: Option<Party>,
    /// Whether it is addressed to one player: nobody else may see it.
    pub addressed: bool,
    /// What is played.
    pub settings: GameSettings,
    /// The challenger's colour; unspecified when it is dealt.
    pub color: Color,
    /// Where it stands in the store: an open one whose time is up may still be called open there.
    pub state: ChallengeState,
    /// Whether the game is known to be there.
    pub begun: bool,
    /// When it was made, by the ledger's clock.
    pub created: Timestamp,
    /// Until when it can be accepted.
    pub expires: Timestamp,
}

impl Challenge {
    /// Where it stands at this moment.
    pub fn state(&self, now: Timestamp) -> ChallengeState {
        if self.state == ChallengeState::Open && self.expires <= now {
            ChallengeState::Expired
        } else {
            self.state
        }
    }

    /// Whether a player is one of the two whom it concerns.
    pub fn concerns(&self, player: PlayerId) -> bool {
        self.challenger.id == player || self.is_for(player)
    }

    /// Whether it is addressed to this player, or accepted by them.
    fn is_for(&self, player: PlayerId) -> bool {
        self.opponent.as_ref().is_some_and(|opponent| opponent.player.id == player)
    }

    /// The game that comes of it.
    pub fn game(&self) -> GameId {
        busy::game_of(self.id)
    }
}

/// Challenges, and what they need.
#[derive(Clone)]
pub struct Challenges {
    /// Where they are kept.
    pub store: Store,
    /// Who makes the games.
    pub games: Games,
    /// Who players are.
    pub players: Players,
    /// How strong they are, and whether they may have rated games.
    pub ratings: Ratings,
    /// The queue, which players leave when their game begins.
    pub handle: Handle,
    /// Who hears of changes.
    pub feed: Feed,
    /// Where browsers find this server, if that is known.
    pub public_url: Option<Url>,
    /// Whether guests may have rated games.
    pub rated_guests: bool,
}

impl Challenges {
    /// Makes a challenge, or finds it made by the same request.
    ///
    /// # Errors
    /// [`Error::Settings`], [`Error::NoSuchPlayer`], [`Error::Blocked`], [`Error::RatedNeedsAccount`], [`Error::TooManyChallenges`], and more.
    pub async fn create(&self, player: Player, proposal: Proposal) -> Result<Challenge, Error> {
        if proposal.settings.rated {
            self.may_be_rated(&Party { player: player.clone(), bot: false })?;
            self.ratings.admit(player.id).await?;
        }
        self.games.check(&proposal.settings).await?;
        let opponent = match proposal.opponent.as_deref() {
            None => None,
            Some(name) => Some(self.addressee(&player, name, proposal.settings.rated).await?),
        };
        let now = self.handle.now();
        let new = Challenge {
            id: chance::uuid(),
            code: rules::code(),
            challenger: player,
            addressed: opponent.is_some(),
            opponent,
            settings: proposal.settings,
            color: proposal.color,
            state: ChallengeState::Open,
            begun: false,
            created: now,
            expires: now + proposal.valid_for,
        };
        let kept = self.store.add_challenge(&new, &proposal.request_id).await?;
        self.feed.look();
        kept.ok_or(Error::TooManyChallenges)
    }

    /// The challenge with this code, if the caller may see it.
    ///
    /// # Errors
    /// [`Error::NoChallenge`].
    pub async fn get(&self, code: &str, caller: PlayerId) -> Result<Challenge, Error> {
        let found = self.store.challenge(code).await?;
        found.filter(|one| !one.addressed || one.concerns(caller)).ok_or(Error::NoChallenge)
    }

    /// Accepts a challenge: its game is there when this returns.
    ///
    /// # Errors
    /// [`Error::ChallengeClosed`], [`Error::OwnChallenge`], [`Error::AlreadyPlaying`], [`Error::OpponentPlaying`], [`Error::Blocked`],
    /// [`Error::RatedNeedsAccount`], and more.
    pub async fn accept(&self, code: &str, party: Party) -> Result<Challenge, Error> {
        let mut challenge = self.get(code, party.player.id).await?;
        if challenge.challenger.id == party.player.id {
            return Err(Error::OwnChallenge);
        }
        if challenge.state == ChallengeState::Open {
            self.may_accept(&challenge, &party).await?;
            self.take(&challenge, &party).await?;
            challenge = self.get(code, party.player.id).await?;
        }
        let state = challenge.state(self.handle.now());
        if state != ChallengeState::Accepted || !challenge.is_for(party.player.id) {
            return Err(Error::ChallengeClosed(state));
        }
        self.begin(&challenge).await?;
        Ok(Challenge { begun: true, ..challenge })
    }

    /// Declines a challenge that is addressed to the caller.
    ///
    /// # Errors
    /// [`Error::NoChallenge`], [`Error::ChallengeClosed`].
    pub async fn decline(&self, code: &str, caller: PlayerId) -> Result<(), Error> {
        let challenge = self.get(code, caller).await?;
        if !challenge.is_for(caller) {
            return Err(Error::NoChallenge);
        }
        self.close(&challenge, ChallengeState::Declined).await
    }

    /// Withdraws a challenge of the caller's own.
    ///
    /// # Errors
    /// [`Error::NoChallenge`], [`Error::ChallengeClosed`].
    pub async fn cancel(&self, code: &str, caller: PlayerId) -> Result<(), Error> {
        let challenge = self.get(code, caller).await?;
        if challenge.challenger.id != caller {
            return Err(Error::NoChallenge);
        }
        self.close(&challenge, ChallengeState::Cancelled).await
    }

    /// Blocks a player for another: the challenges between them end.
    ///
    /// # Errors
    /// [`Error::TooManyBlocks`]; [`Error::Invalid`] when both are the same.
    pub async fn block(&self, player: PlayerId, other: &Player) -> Result<Block, Error> {
        if player == other.id {
            return Err(Error::Invalid(vec![Violation::new("player", "that is you")]));
        }
        let since = self.handle.now();
        if !self.store.block(player, other.id, &other.name, since).await? {
            return Err(Error::TooManyBlocks);
        }
        self.store.close_all(player, Some(other.id), since).await?;
        self.feed.look();
        Ok(Block { player: other.id, name: other.name.to_string(), since })
    }

    async fn close(&self, challenge: &Challenge, wanted: ChallengeState) -> Result<(), Error> {
        let now = self.handle.now();
        if self.store.close(challenge.id, wanted, now).await? {
            self.feed.look();
            return Ok(());
        }
        match self.store.challenge(&challenge.code).await?.map(|one| one.state(now)) {
            Some(state) if state != wanted => Err(Error::ChallengeClosed(state)),
            _ => Ok(()),
        }
    }

    /// Whether somebody's games can be rated at all.
    fn may_be_rated(&self, party: &Party) -> Result<(), Error> {
        if party.bot {
            return Err(Error::Settings(vec![Violation::new("settings.rated", "bots play no rated games")]));
        }
        if party.player.guest && !self.rated_guests { Err(Error::RatedNeedsAccount) } else { Ok(()) }
    }

    /// The player to whom a challenge is to be addressed.
    async fn addressee(&self, challenger: &Player, name: &str, rated: bool) -> Result<Party, Error> {
        let party = self.players.named(name).await?;
        if party.player.id == challenger.id {
            return Err(Error::OwnChallenge);
        }
        if rated {
            self.may_be_rated(&party)?;
        }
        self.not_blocked(challenger.id, party.player.id).await?;
        Ok(party)
    }

    async fn may_accept(&self, challenge: &Challenge, party: &Party) -> Result<(), Error> {
        if challenge.settings.rated {
            self.may_be_rated(party)?;
            self.ratings.admit(party.player.id).await?;
        }
        self.not_blocked(challenge.challenger.id, party.player.id).await
    }

    async fn not_blocked(&self, a: PlayerId, b: PlayerId) -> Result<(), Error> {
        if self.store.is_block_between(a, b).await? { Err(Error::Blocked) } else { Ok(()) }
    }

    /// Makes the game of an accepted challenge, if it is not there, and takes its players out of the queue.
    ///
    /// # Errors
    /// [`Error::GameAway`]; [`Error::AlreadyPlaying`], [`Error::OpponentPlaying`], [`Error::GameRefused`] and [`Error::Settings`], and then the challenge is
    /// closed.
    pub async fn begin(&self, challenge: &Challenge) -> Result<(), Error> {
        let Some(opponent) = &challenge.opponent else { return Err(Error::NoChallenge) };
        if challenge.begun {
            return Ok(());
        }
        if let Some((player, game)) = self.elsewhere(challenge, opponent).await?
            && self.goes_on(challenge.game()).await?.is_none()
        {
            self.store.give_up(challenge.id, self.handle.now()).await?;
            self.feed.look();
            let own = player == opponent.player.id;
            return Err(if own { Error::AlreadyPlaying(game) } else { Error::OpponentPlaying });
        }
        let color = self.challengers_color(challenge, opponent).await;
        let made = self.made(challenge, opponent, color);
        match self.games.create(&made).await {
            // Somebody made it before; with what colours that was does not matter here.
            Ok(_) | Err(GameError::Exists) => {}
            Err(GameError::Away(cause)) => {
                tracing::warn!(game = %made.game, cause, "the game of a challenge cannot be made yet");
                return Err(Error::GameAway);
            }
            Err(GameError::Refused { words, violations, .. }) => {
                tracing::warn!(game = %made.game, words, "the game of a challenge was refused");
                self.store.give_up(challenge.id, self.handle.now()).await?;
                self.feed.look();
                return Err(if violations.is_empty() {
                    Error::GameRefused(words)
                } else {
                    Error::Settings(violations)
                });
            }
        }
        self.store.begun(challenge.id, self.handle.now()).await?;
        self.feed.look();
        for player in [challenge.challenger.id, opponent.player.id] {
            self.handle.leave_for(player, EndedReason::Playing).await?;
        }
        Ok(())
    }

    fn made(&self, challenge: &Challenge, opponent: &Party, color: Color) -> Match {
        let other = if color == Color::Black { Color::White } else { Color::Black };
        let mut seats = vec![
            wire::seat(&challenge.challenger, color, false),
            wire::seat(&opponent.player, other, opponent.bot),
        ];
        seats.sort_by_key(|seat| seat.color);
        let settings = challenge.settings.clone();
        Match { game: challenge.game(), tickets: Vec::new(), settings, seats }
    }

    /// The colour that was asked for; with a handicap the weaker one has Black; else a coin falls.
    async fn challengers_color(&self, challenge: &Challenge, opponent: &Party) -> Color {
        if challenge.color != Color::Unspecified {
            return challenge.color;
        }
        let handicap = challenge.settings.options.as_ref().map_or(0, |options| options.handicap);
        let side = SIDES.into_iter().find(|side| u32::from(*side) == challenge.settings.board_size);
        if let (1.., Some(side)) = (handicap, side) {
            let (own, other) = tokio::join!(
                self.ratings.on(challenge.challenger.id, side),
                self.ratings.on(opponent.player.id, side)
            );
            match own.zip(other).map(|(own, other)| own.0.cmp(&other.0)) {
                Some(Ordering::Less) => return Color::Black,
                Some(Ordering::Greater) => return Color::White,
                Some(Ordering::Equal) | None => {}
            }
        }
        if wave::heads(challenge.game()) { Color::Black } else { Color::White }
    }

    /// The colour of a player in the game that came of a challenge.
    ///
    /// # Errors
    /// [`Error::GameAway`].
    pub async fn color_of(&self, challenge: &Challenge, player: PlayerId) -> Result<Color, Error> {
        let look = self.games.look(challenge.game()).await.map_err(|_| Error::GameAway)?;
        let seats = look.map(|look| look.created.seats.clone()).unwrap_or_default();
        let own = seats.iter().find(|seat| seat.player_id == player.to_string());
        Ok(own.map(|seat| seat.color()).unwrap_or_default())
    }

    /// A challenge as a player may see it.
    pub fn show(&self, challenge: &Challenge, viewer: PlayerId) -> pb::Challenge {
        let path = format!("/join/{}", challenge.code);
        let absolute = self.public_url.as_ref().and_then(|url| url.join(&path).ok());
        let state = challenge.state(self.handle.now());
        let concerned = challenge.concerns(viewer);
        let opponent = challenge.opponent.as_ref().filter(|_| concerned);
        let mut settings = challenge.settings.clone();
        if !concerned {
            // The key to a private game is for its players to give away.
            settings.watch_key.clear();
        }
        let game_id = if concerned && challenge.begun { challenge.game().to_string() } else { String::new() };
        pb::Challenge {
            code: challenge.code.clone(),
            url: absolute.map_or(path, String::from),
            challenger: Some(wire::seat(&challenge.challenger, Color::Unspecified, false)),
            opponent: opponent.map(|party| wire::seat(&party.player, Color::Unspecified, party.bot)),
            settings: Some(settings),
            challenger_color: challenge.color.into(),
            state: state.into(),
            create_time: Some(to_proto_time(challenge.created)),
            expire_time: Some(to_proto_time(challenge.expires)),
            game_id,
        }
    }
}
