//! A game on the server, as the protocol sees it.

use std::time::Duration;

use anyhow::{Context as _, bail};
use futures::StreamExt;
use goban::{Color, Preset};
use nigiri_client::{AiLevel, Color as Seat, Finding, Game, GameId, Session, Watched, follow};
use nigiri_proto::{
    game::v1::{Agreement, GameSnapshot, TurnState},
    matchmaking::v1::{FindMatchRequest, MatchSettings},
};
use tokio::{sync::watch, task::JoinHandle};

use super::Opponent;
use crate::play::{explain, plain, unrated_settings};

/// How long the stream of a new game may take to say how it stands.
const PATIENCE: Duration = Duration::from_secs(20);

/// What is wanted of the server.
pub struct Wanted {
    /// The rules.
    pub preset: Preset,
    /// Lines of the board.
    pub side: u8,
    /// The colour that the controller plays.
    pub color: Color,
    /// Who the opponent shall be.
    pub opponent: Opponent,
    /// Whether an AI may fill in for a person.
    pub allow_ai: bool,
}

/// How a game stands, as far as the server has said.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The game; none before the first word of it.
    pub game: Option<GameSnapshot>,
    /// Why there will be no more.
    pub failed: Option<String>,
}

impl Seen {
    /// The result as record keepers write it, once there is one.
    pub fn result(&self) -> Option<&str> {
        Some(self.game.as_ref()?.result.as_ref()?.text.as_str())
    }

    /// Whose turn it is and what may be played.
    pub fn state(&self) -> Option<&TurnState> {
        self.game.as_ref()?.state.as_ref()
    }

    /// All moves so far.
    pub fn moves(&self) -> &[String] {
        self.game.as_ref().map_or(&[], |game| &game.moves)
    }
}

/// A game that the controller plays. Its stream is followed, and so the player is there, until this is dropped.
pub struct Table {
    /// The game.
    pub game: Game,
    /// The controller's colour.
    pub me: Color,
    /// Moves that the controller knows.
    pub told: usize,
    seen: watch::Receiver<Seen>,
    following: JoinHandle<()>,
}

impl Drop for Table {
    fn drop(&mut self) {
        self.following.abort();
    }
}

impl Table {
    /// Finds an opponent and sits down.
    ///
    /// # Errors
    /// When the server refuses, or nobody is found.
    pub async fn find(session: &Session, wanted: &Wanted) -> anyhow::Result<Self> {
        let id = match wanted.opponent {
            Opponent::Person => meet(session, wanted).await?,
            Opponent::Easy => begin(session, wanted, AiLevel::Easy).await?,
            Opponent::Normal => begin(session, wanted, AiLevel::Normal).await?,
            Opponent::Hard => begin(session, wanted, AiLevel::Hard).await?,
        };
        Self::sit(session, id).await
    }

    /// Sits down at a game.
    async fn sit(session: &Session, id: GameId) -> anyhow::Result<Self> {
        let game = session.game(id);
        let me = session.player().id;
        let (sender, mut seen) = watch::channel(Seen::default());
        let following = tokio::spawn(attend(game.clone(), me.clone(), sender));
        let known = seen.wait_for(|seen| seen.game.is_some() || seen.failed.is_some());
        let seen_first =
            tokio::time::timeout(PATIENCE, known).await.context("the game does not answer")??.clone();
        let snapshot = seen_first.game.with_context(|| seen_first.failed.unwrap_or_default())?;
        let seat =
            snapshot.seats.iter().find(|seat| seat.player_id == me).context("the seat belongs to others")?;
        let color = if seat.color() == Seat::White { Color::White } else { Color::Black };
        for other in snapshot.seats.iter().filter(|seat| seat.player_id != me) {
            let ai = if other.bot { " (an AI)" } else { "" };
            eprintln!("nigiri gtp: game {id}: you play {color:?} against {}{ai}", plain(&other.name));
        }
        Ok(Self { game, me: color, told: 0, seen, following })
    }

    /// How it stands.
    pub fn seen(&self) -> Seen {
        self.seen.borrow().clone()
    }

    /// How it stands as soon as it stands so; the server's last word when there will be no more.
    pub async fn when(&mut self, fits: impl Fn(&Seen) -> bool) -> Seen {
        // Who follows ends only after the last word, which is seen all the same.
        let _ended = self.seen.wait_for(|seen| seen.failed.is_some() || fits(seen)).await.is_err();
        self.seen()
    }
}

/// Looks for a person.
async fn meet(session: &Session, wanted: &Wanted) -> anyhow::Result<GameId> {
    let accepted = MatchSettings {
        preset: wanted.preset.name().to_owned(),
        board_sizes: vec![wanted.side.into()],
        paces: Vec::new(),
    };
    // The other presets deal the colours.
    let chooses = matches!(wanted.preset, Preset::Weiqi | Preset::Igo);
    let request = FindMatchRequest {
        accepts: vec![accepted],
        allow_ai: wanted.allow_ai,
        seen_game_id: Some(String::new()),
        color: if chooses { seat_of(wanted.color).into() } else { 0 },
        ..FindMatchRequest::default()
    };
    let mut finding = session.find_match(request);
    while let Some(found) = finding.next().await {
        match found {
            Ok(Finding::Matched(matched)) => return Ok(matched.game_id.parse()?),
            Ok(Finding::Ended(reason)) => bail!("the search has ended: {}", reason.as_str_name()),
            Ok(Finding::Interrupted(why)) => eprintln!("nigiri gtp: {}; still looking", plain(&why)),
            Ok(_) => {}
            Err(error) => return error.game().with_context(|| explain(&error)),
        }
    }
    bail!("the search ended without a game")
}

/// Begins a game against an AI.
async fn begin(session: &Session, wanted: &Wanted, level: AiLevel) -> anyhow::Result<GameId> {
    let settings = unrated_settings(wanted.preset, wanted.side)?;
    match session.start_ai_game_of(level, seat_of(wanted.color), Some(settings)).await {
        Ok(begun) => Ok(begun.game_id.parse()?),
        Err(error) => error.game().with_context(|| explain(&error)),
    }
}

const fn seat_of(color: Color) -> Seat {
    match color {
        Color::Black => Seat::Black,
        Color::White => Seat::White,
    }
}

/// Follows a game to its end, and answers for the controller what the protocol has no words for: the score that the server proposes is accepted, other
/// proposals are declined.
async fn attend(game: Game, me: String, seen: watch::Sender<Seen>) {
    let mut answered = (0, 0);
    'anew: loop {
        let mut watch = game.watch(None);
        while let Some(item) = watch.next().await {
            let watched = match item {
                Ok(Watched::Interrupted(why)) => {
                    eprintln!(
                        "nigiri gtp: the connection broke ({}); going on as soon as the server is back",
                        plain(&why)
                    );
                    continue;
                }
                Ok(watched) => watched,
                Err(error) => {
                    seen.send_modify(|seen| seen.failed = Some(explain(&error)));
                    return;
                }
            };
            let mut lost = false;
            seen.send_modify(|seen| {
                // The first thing that a stream says is how the game stands.
                let snapshot = seen.game.get_or_insert_default();
                lost = follow(snapshot, watched).is_err();
            });
            if lost {
                // It begins with the server's own view of the game.
                continue 'anew;
            }
            let now = seen.borrow().clone();
            answer(&game, &me, &now, &mut answered).await;
        }
        break;
    }
    // Nothing comes after the end.
    seen.send_modify(|seen| seen.failed = seen.failed.take().or_else(|| Some("the game is over".to_owned())));
}

/// Answers the score (by its version) and the proposal (by its number) that are new.
async fn answer(game: &Game, me: &str, seen: &Seen, answered: &mut (u32, u32)) {
    let (Some(snapshot), Some(state)) = (&seen.game, seen.state()) else { return };
    let Some(color) = snapshot.seats.iter().find(|seat| seat.player_id == me).map(|seat| seat.color()) else {
        return;
    };
    let mut said = Ok(0);
    if let Some(Agreement { version, .. }) = &state.agreement
        && answered.0 < *version
    {
        answered.0 = *version;
        said = game.accept_score(*version).await;
    }
    let theirs = state.proposals.iter().find(|proposal| proposal.color() != color);
    if let Some(proposal) = theirs
        && answered.1 < proposal.proposal_id
    {
        answered.1 = proposal.proposal_id;
        said = game.answer(proposal.proposal_id, proposal.version, false).await;
    }
    if let Err(error) = said {
        eprintln!("nigiri gtp: {}", explain(&error));
    }
}
