//! `nigiri gtp-match`: two engines play each other, a third one counts.

use std::{path::PathBuf, process::ExitCode, time::Duration};

use anyhow::Context as _;
use goban::{Color, Komi, Preset, Size};
use gtp::{Game, Match, Summary, Tally, play_match};
use serde_json::{Value, json};

use super::seconds;

/// Who plays what.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The command line of the engine that is Black in the first game; then colours alternate. `{game}` stands for the game's number.
    #[arg(long)]
    black: String,

    /// The command line of the other engine.
    #[arg(long)]
    white: String,

    /// The command line of the engine that counts the games that both have ended by passing. It counts by area.
    #[arg(long, default_value = "gnugo --mode gtp --chinese-rules")]
    referee: String,

    /// How many games.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    games: u32,

    /// Lines of the board.
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u8).range(5..=25))]
    size: u8,

    /// What White receives.
    #[arg(long, default_value = "7")]
    komi: Komi,

    /// The rules that moves are held against; they score by area.
    #[arg(long, default_value = "chinese")]
    rules: Preset,

    /// The longest time for a move, in seconds; who takes longer loses.
    #[arg(long, default_value = "60", value_parser = seconds)]
    limit: Duration,

    /// Folder for the games' records, one SGF file each.
    #[arg(long)]
    sgf: Option<PathBuf>,

    /// Print one line of JSON for each game, and one for the sum, instead of text.
    #[arg(long)]
    json: bool,
}

/// Plays the match, and tells of each game as it ends.
///
/// # Errors
/// When an engine cannot be started, the referee does not count, or a record cannot be written.
#[expect(clippy::unused_async, reason = "every command is run alike")]
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    if let Some(folder) = &args.sgf {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let wanted = Match {
        engines: [args.black.clone(), args.white.clone()],
        referee: args.referee.clone(),
        games: args.games,
        size: Size::square(args.size)?,
        komi: args.komi,
        rules: args.rules,
        limit: args.limit,
    };
    let mut written = Ok(());
    let summary = tokio::task::block_in_place(|| {
        play_match(&wanted, |number, game| {
            if args.json {
                println!("{}", of_game(number, game));
            } else {
                println!("{}", line(number, game));
            }
            if let Some(folder) = &args.sgf {
                let path = folder.join(format!("{number:05}.sgf"));
                let result = std::fs::write(&path, game.record.to_string());
                if let Err(error) = result.with_context(|| format!("cannot write {}", path.display())) {
                    written = Err(error);
                }
            }
        })
    })?;
    if args.json {
        println!("{}", of_summary(&summary));
    } else {
        println!("{summary}");
    }
    written.map(|()| ExitCode::SUCCESS)
}

/// Seconds a move that each engine took in the mean.
fn pace(game: &Game) -> [f64; 2] {
    game.thought.map(|(time, moves)| time.as_secs_f64() / f64::from(moves.max(1)))
}

fn line(number: u32, game: &Game) -> String {
    let [first, second] = pace(game);
    format!(
        "game {number}: {} ({}), the first is {}, {} moves, {first:.2} and {second:.2} s a move",
        game.result,
        game.ending.name(),
        if game.black == 0 { Color::Black } else { Color::White },
        game.moves()
    )
}

fn of_game(number: u32, game: &Game) -> Value {
    let winner = game.winner.map(|color| usize::from(color == Color::White) ^ game.black);
    json!({
        "game": number,
        "black": game.black,
        "winner": winner,
        "result": game.result,
        "ending": game.ending.name(),
        "moves": game.moves(),
        "seconds_a_move": pace(game),
        "longest_seconds": game.longest.map(|time| time.as_secs_f64()),
    })
}

fn of_summary(summary: &Summary) -> Value {
    let engine = |tally: &Tally| {
        json!({
            "won": tally.won,
            "won_as_black": tally.won_as_black,
            "illegal": tally.illegal,
            "overruns": tally.overruns,
            "failed": tally.failed,
            "resigned": tally.resigned,
        })
    };
    let (share, width) = summary.share();
    json!({
        "games": summary.games,
        "draws": summary.draws,
        "engines": summary.engines.each_ref().map(engine),
        "share": share,
        "plus_or_minus": width,
    })
}
