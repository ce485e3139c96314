//! `nigiri admin`: the operator's calls for scripts and terminals. Answers are JSON on standard output.

mod json;

pub use json::refusal;

use std::{io::Write as _, time::Duration};

use kernel::{GameId, PlayerId};
use nigiri_client::{Service, SessionChannel};
use nigiri_proto::{
    game::v1::Color,
    operator::v1::{self as api, operator_service_client::OperatorServiceClient},
};
use platform::convert::to_proto_duration;
use uuid::Uuid;

use crate::play::{Who, connect};

/// What an operator wants, and as whom.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    who: Who,

    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Clone, Debug)]
enum What {
    /// Who one is: the id that --session-operators names.
    Whoami,
    /// The whole system.
    Overview,
    /// Games that are played now.
    Games {
        /// Only games of this player.
        #[arg(long)]
        player: Option<PlayerId>,
        /// Only games of this preset.
        #[arg(long, default_value = "")]
        preset: String,
        /// Only games on boards of so many lines.
        #[arg(long, default_value_t = 0)]
        size: u32,
        /// Only rated games (true), or only unrated ones (false).
        #[arg(long)]
        rated: Option<bool>,
        /// At most so many.
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// Where to go on: `nextPageToken` of the page before.
        #[arg(long, default_value = "")]
        page: String,
    },
    /// Open tickets.
    Tickets {
        /// Only those that accept this preset.
        #[arg(long, default_value = "")]
        preset: String,
        /// At most so many.
        #[arg(long, default_value_t = 100)]
        limit: u32,
    },
    /// Everything about one game.
    Game {
        /// The game.
        game: GameId,
    },
    /// Everything about one player.
    Player {
        /// The player.
        player: PlayerId,
    },
    /// Decides a game.
    Adjudicate {
        /// The game.
        game: GameId,
        /// Who has won.
        winner: Winner,
        /// It changes no ratings.
        #[arg(long)]
        uncounted: bool,
        #[command(flatten)]
        why: Why,
    },
    /// Ends a game without a result.
    Abort {
        /// The game.
        game: GameId,
        #[command(flatten)]
        why: Why,
    },
    /// Takes a finished game out of the ratings.
    Annul {
        /// The game.
        game: GameId,
        #[command(flatten)]
        why: Why,
    },
    /// Gives time to the player whose clock runs.
    GiveTime {
        /// The game.
        game: GameId,
        /// How much, for example 30s.
        #[arg(value_parser = humantime::parse_duration)]
        time: Duration,
        #[command(flatten)]
        why: Why,
    },
    /// Ends all sessions of a player.
    Kick {
        /// The player.
        player: PlayerId,
        #[command(flatten)]
        why: Why,
    },
    /// Bans a player, for good unless --for says for how long.
    Ban {
        /// The player.
        player: PlayerId,
        /// For how long, for example 7d.
        #[arg(long = "for", value_parser = humantime::parse_duration)]
        time: Option<Duration>,
        #[command(flatten)]
        why: Why,
    },
    /// Lifts a ban.
    Unban {
        /// The player.
        player: PlayerId,
        #[command(flatten)]
        why: Why,
    },
    /// Gives a player another name.
    Rename {
        /// The player.
        player: PlayerId,
        /// The name.
        name: String,
        #[command(flatten)]
        why: Why,
    },
    /// Tells all players something; an empty text takes it back.
    Notice {
        /// The text.
        text: String,
        /// For how long, for example 2h.
        #[arg(long = "for", value_parser = humantime::parse_duration)]
        time: Option<Duration>,
        #[command(flatten)]
        why: Why,
    },
    /// Stops making matches.
    Pause {
        #[command(flatten)]
        why: Why,
    },
    /// Makes matches again.
    Resume {
        #[command(flatten)]
        why: Why,
    },
    /// The processes that serve.
    Replicas,
    /// Lets a process end as by SIGTERM.
    Drain {
        /// The process.
        replica: Uuid,
        #[command(flatten)]
        why: Why,
    },
    /// Consumer groups, their lag and their dead letters.
    Groups,
    /// Dead letters of a group.
    Letters {
        /// The topic.
        topic: String,
        /// The group.
        group: String,
        /// Only this letter.
        #[arg(default_value = "")]
        letter: String,
    },
    /// Puts a dead letter back into its topic.
    Replay {
        #[command(flatten)]
        letter: Letter,
        #[command(flatten)]
        why: Why,
    },
    /// Forgets a dead letter for good.
    Discard {
        #[command(flatten)]
        letter: Letter,
        #[command(flatten)]
        why: Why,
    },
    /// The audit log, the newest act first.
    Acts {
        /// Only acts of this operator.
        #[arg(long)]
        operator: Option<PlayerId>,
        /// Only acts on this.
        #[arg(long, default_value = "")]
        on: String,
        /// At most so many.
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// Where to go on: `nextPageToken` of the page before.
        #[arg(long, default_value = "")]
        page: String,
    },
}

/// Why: the audit log keeps it.
#[derive(clap::Args, Clone, Debug)]
struct Why {
    /// Why: 1 to 200 characters; the audit log keeps it, and players read it where it concerns them.
    #[arg(long)]
    reason: String,
}

/// A dead letter.
#[derive(clap::Args, Clone, Debug)]
struct Letter {
    /// The topic.
    topic: String,
    /// The group.
    group: String,
    /// The letter.
    letter: String,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Winner {
    Black,
    White,
    /// A draw, or nobody if it does not count.
    None,
}

impl From<Winner> for Color {
    fn from(winner: Winner) -> Self {
        match winner {
            Winner::Black => Self::Black,
            Winner::White => Self::White,
            Winner::None => Self::Unspecified,
        }
    }
}

/// Asks, and prints the answer.
///
/// # Errors
/// When the server cannot be reached, refuses, or the answer cannot be printed.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let client = connect(&args.who)?;
    let entered = args.who.quietly(&client).await?;
    let mut out = std::io::stdout().lock();
    if let What::Whoami = args.what {
        let player = entered.session.player();
        let claims = serde_json::json!({ "playerId": player.id, "name": player.name });
        return Ok(writeln!(out, "{claims}")?);
    }
    let client = OperatorServiceClient::new(entered.session.channel(Service::Session));
    let answer = ask(client, args.what).await?;
    Ok(writeln!(out, "{answer}")?)
}

/// A call, and its answer as JSON.
macro_rules! call {
    ($client:ident . $method:ident($request:ident { $($field:ident: $value:expr),* $(,)? }) -> $answer:ident) => {{
        let request = api::$request { $($field: $value),* };
        let answer = $client.$method(request).await.map_err(json::refusal)?.into_inner();
        json::of(concat!("nigiri.operator.v1.", stringify!($answer)), &answer)
    }};
}

async fn ask(mut client: OperatorServiceClient<SessionChannel>, what: What) -> anyhow::Result<String> {
    let optional = |player: Option<PlayerId>| player.map(|player| player.to_string()).unwrap_or_default();
    match what {
        What::Whoami | What::Overview => {
            call!(client.get_overview(GetOverviewRequest {}) -> GetOverviewResponse)
        }
        What::Games { player, preset, size, rated, limit, page } => {
            call!(client.list_live_games(ListLiveGamesRequest {
                player_id: optional(player), preset: preset, board_size: size, rated: rated,
                page_size: limit, page_token: page,
            }) -> ListLiveGamesResponse)
        }
        What::Tickets { preset, limit } => {
            call!(client.list_tickets(ListTicketsRequest {
                preset: preset, rated: None, limit: limit,
            }) -> ListTicketsResponse)
        }
        What::Game { game } => {
            call!(client.get_game(GetGameRequest { game_id: game.to_string() }) -> GetGameResponse)
        }
        What::Player { player } => {
            call!(client.get_player(GetPlayerRequest { player_id: player.to_string() }) -> GetPlayerResponse)
        }
        What::Adjudicate { game, winner, uncounted, why } => {
            call!(client.adjudicate_game(AdjudicateGameRequest {
                game_id: game.to_string(), winner: Color::from(winner).into(), counts: !uncounted, reason: why.reason,
            }) -> AdjudicateGameResponse)
        }
        What::Abort { game, why } => {
            call!(client.abort_game(AbortGameRequest {
                game_id: game.to_string(), reason: why.reason,
            }) -> AbortGameResponse)
        }
        What::Annul { game, why } => {
            call!(client.annul_game(AnnulGameRequest {
                game_id: game.to_string(), reason: why.reason,
            }) -> AnnulGameResponse)
        }
        What::GiveTime { game, time, why } => {
            call!(client.give_time(GiveTimeRequest {
                game_id: game.to_string(), time: Some(to_proto_duration(time)), reason: why.reason,
            }) -> GiveTimeResponse)
        }
        What::Kick { player, why } => {
            call!(client.kick_player(KickPlayerRequest {
                player_id: player.to_string(), reason: why.reason,
            }) -> KickPlayerResponse)
        }
        What::Ban { player, time, why } => {
            call!(client.ban_player(BanPlayerRequest {
                player_id: player.to_string(), duration: time.map(to_proto_duration), reason: why.reason,
            }) -> BanPlayerResponse)
        }
        What::Unban { player, why } => {
            call!(client.unban_player(UnbanPlayerRequest {
                player_id: player.to_string(), reason: why.reason,
            }) -> UnbanPlayerResponse)
        }
        What::Rename { player, name, why } => {
            call!(client.rename_player(RenamePlayerRequest {
                player_id: player.to_string(), name: name, reason: why.reason,
            }) -> RenamePlayerResponse)
        }
        What::Notice { text, time, why } => {
            call!(client.set_notice(SetNoticeRequest {
                text: text, duration: time.map(to_proto_duration), reason: why.reason,
            }) -> SetNoticeResponse)
        }
        What::Pause { why } => {
            call!(client.pause_matchmaking(PauseMatchmakingRequest {
                paused: true, reason: why.reason,
            }) -> PauseMatchmakingResponse)
        }
        What::Resume { why } => {
            call!(client.pause_matchmaking(PauseMatchmakingRequest {
                paused: false, reason: why.reason,
            }) -> PauseMatchmakingResponse)
        }
        What::Replicas => call!(client.list_replicas(ListReplicasRequest {}) -> ListReplicasResponse),
        What::Drain { replica, why } => {
            call!(client.drain_replica(DrainReplicaRequest {
                replica_id: replica.to_string(), reason: why.reason,
            }) -> DrainReplicaResponse)
        }
        What::Groups => call!(client.list_groups(ListGroupsRequest {}) -> ListGroupsResponse),
        What::Letters { topic, group, letter } => {
            call!(client.list_dead_letters(ListDeadLettersRequest {
                topic: topic, group: group, letter_id: letter, limit: 0,
            }) -> ListDeadLettersResponse)
        }
        What::Replay { letter: Letter { topic, group, letter }, why } => {
            call!(client.replay_dead_letter(ReplayDeadLetterRequest {
                topic: topic, group: group, letter_id: letter, reason: why.reason,
            }) -> ReplayDeadLetterResponse)
        }
        What::Discard { letter: Letter { topic, group, letter }, why } => {
            call!(client.discard_dead_letter(DiscardDeadLetterRequest {
                topic: topic, group: group, letter_id: letter, reason: why.reason,
            }) -> DiscardDeadLetterResponse)
        }
        What::Acts { operator, on, limit, page } => {
            call!(client.list_acts(ListActsRequest {
                operator_id: optional(operator), target: on, page_size: limit, page_token: page,
            }) -> ListActsResponse)
        }
    }
}
