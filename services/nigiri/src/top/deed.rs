//! What is done at the top.

use std::fmt;

use nigiri_proto::{game::v1::Color, operator::v1 as api};

use super::Tower;
use crate::admin::refusal;

/// Something that an operator asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Ends a game without a result.
    Abort(String),
    /// Decides a game for a colour; it counts.
    Decide(String, Color),
    /// Gives a minute to the player whose clock runs.
    GiveTime(String),
    /// Ends a player's sessions.
    Kick(String),
    /// Bans a player for a day.
    Ban(String),
    /// Lets a process end.
    Drain(String),
    /// Puts all dead letters of a group back into their topic.
    Replay(String, String),
    /// Stops making matches, or goes on.
    Pause(bool),
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Abort(game) => write!(f, "Abort the game {game}"),
            Self::Decide(game, color) => {
                let winner = if *color == Color::Black { "Black" } else { "White" };
                write!(f, "Decide the game {game} for {winner}")
            }
            Self::GiveTime(game) => write!(f, "Give 60 s in the game {game}"),
            Self::Kick(player) => write!(f, "Kick {player}"),
            Self::Ban(player) => write!(f, "Ban {player} for a day"),
            Self::Drain(replica) => write!(f, "Drain the process {replica}"),
            Self::Replay(topic, group) => write!(f, "Replay the dead letters of {group} on {topic}"),
            Self::Pause(true) => f.write_str("Pause matchmaking"),
            Self::Pause(false) => f.write_str("Make matches again"),
        }
    }
}

const fn seconds(seconds: i64) -> Option<prost_types::Duration> {
    Some(prost_types::Duration { seconds, nanos: 0 })
}

impl Deed {
    /// Does it, and says so.
    pub async fn perform(&self, tower: &mut Tower, reason: &str) -> Result<String, String> {
        let done = self.ask(tower, reason.trim().to_owned()).await;
        done.map(|()| format!("done: {self}")).map_err(|status| refusal(status).to_string())
    }

    async fn ask(&self, tower: &mut Tower, reason: String) -> Result<(), tonic::Status> {
        match self.clone() {
            Self::Abort(game_id) => {
                tower.abort_game(api::AbortGameRequest { game_id, reason }).await.map(drop)
            }
            Self::Decide(game_id, winner) => {
                let winner = winner.into();
                let ruling = api::AdjudicateGameRequest { game_id, winner, counts: true, reason };
                tower.adjudicate_game(ruling).await.map(drop)
            }
            Self::GiveTime(game_id) => {
                tower.give_time(api::GiveTimeRequest { game_id, time: seconds(60), reason }).await.map(drop)
            }
            Self::Kick(player_id) => {
                tower.kick_player(api::KickPlayerRequest { player_id, reason }).await.map(drop)
            }
            Self::Ban(player_id) => {
                let ban = api::BanPlayerRequest { player_id, duration: seconds(86_400), reason };
                tower.ban_player(ban).await.map(drop)
            }
            Self::Drain(replica_id) => {
                tower.drain_replica(api::DrainReplicaRequest { replica_id, reason }).await.map(drop)
            }
            Self::Replay(topic, group) => replay(tower, topic, group, reason).await,
            Self::Pause(paused) => {
                tower.pause_matchmaking(api::PauseMatchmakingRequest { paused, reason }).await.map(drop)
            }
        }
    }
}

async fn replay(
    tower: &mut Tower,
    topic: String,
    group: String,
    reason: String,
) -> Result<(), tonic::Status> {
    let asked = api::ListDeadLettersRequest {
        topic: topic.clone(),
        group: group.clone(),
        limit: 1_000,
        ..Default::default()
    };
    for letter in tower.list_dead_letters(asked).await?.into_inner().letters {
        let replay = api::ReplayDeadLetterRequest {
            topic: topic.clone(),
            group: group.clone(),
            letter_id: letter.letter_id,
            reason: reason.clone(),
        };
        tower.replay_dead_letter(replay).await?;
    }
    Ok(())
}
