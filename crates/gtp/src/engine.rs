//! Our player as an engine.

mod analysis;
mod game;
mod play;
mod score;
mod time;

use std::io::{self, Write};
use std::time::Duration;

use goban::{Komi, Position, Preset, Size};
use search::{Budget, Level};

use crate::command::{Command, Reply, render};
use time::Clocks;

/// How the engine plays.
#[derive(Debug, Clone)]
pub struct Options {
    /// How strong.
    pub level: Level,
    /// Playouts for a move; none for what the level has, or what the time allows.
    pub playouts: Option<u32>,
    /// Time for a move; none for what the controller's clock allows.
    pub time: Option<Duration>,
    /// Threads that search.
    pub threads: u32,
    /// Where the random numbers begin.
    pub seed: u64,
    /// The rules.
    pub rules: Preset,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            level: Level::Hard,
            playouts: None,
            time: None,
            threads: 1,
            seed: 0,
            rules: Preset::ChineseSuperko,
        }
    }
}

/// An engine in the middle of a game.
#[derive(Debug)]
pub struct Engine {
    options: Options,
    komi: Komi,
    handicap: u8,
    /// The positions of the game, from the start to the one on the board.
    positions: Vec<Position>,
    clocks: Clocks,
    /// Moves that were thought about: no two of them with the same random numbers.
    thoughts: u64,
}

type Handler = fn(&mut Engine, &[String]) -> Reply;

/// Commands that are answered at once, in the order of their names.
const COMMANDS: [(&str, Handler); 26] = [
    ("boardsize", Engine::boardsize),
    ("clear_board", Engine::clear_board),
    ("final_score", Engine::final_score),
    ("final_status_list", Engine::final_status_list),
    ("fixed_handicap", Engine::fixed_handicap),
    ("genmove", Engine::genmove),
    ("kgs-genmove_cleanup", Engine::genmove_cleanup),
    ("kgs-time_settings", Engine::kgs_time_settings),
    ("known_command", Engine::known_command),
    ("komi", Engine::set_komi),
    ("list_commands", Engine::list_commands),
    ("loadsgf", Engine::loadsgf),
    ("name", |_, _| Ok("Nigiri".to_owned())),
    ("nigiri-level", Engine::set_level),
    ("nigiri-rules", Engine::set_rules),
    ("place_free_handicap", Engine::place_free_handicap),
    ("play", Engine::play),
    ("protocol_version", |_, _| Ok("2".to_owned())),
    ("quit", |_, _| Ok(String::new())),
    ("reg_genmove", Engine::reg_genmove),
    ("set_free_handicap", Engine::set_free_handicap),
    ("showboard", Engine::showboard),
    ("time_left", Engine::time_left),
    ("time_settings", Engine::time_settings),
    ("undo", Engine::undo),
    ("version", |_, _| Ok(env!("CARGO_PKG_VERSION").to_owned())),
];

/// Commands that answer bit by bit.
const ANALYSES: [&str; 3] = ["analyze", "kata-analyze", "lz-analyze"];

impl Engine {
    /// An engine with an empty board of 19 lines.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let start = Position::new(Size::NINETEEN, options.rules.rules());
        Self {
            komi: options.rules.komi(),
            handicap: 0,
            positions: vec![start],
            clocks: Clocks::default(),
            thoughts: 0,
            options,
        }
    }

    /// Answers a command. Analysis goes on until `interrupted` says so, which it is asked about ten times a second at least.
    ///
    /// # Errors
    /// When the answer cannot be written.
    pub fn answer(
        &mut self,
        command: &Command,
        out: &mut dyn Write,
        interrupted: &dyn Fn() -> bool,
    ) -> io::Result<()> {
        if ANALYSES.contains(&command.name.as_str()) {
            return self.analyze(command, out, interrupted);
        }
        let reply = self.reply(&command.name, &command.arguments);
        out.write_all(render(command.id, &reply).as_bytes())?;
        out.flush()
    }

    fn reply(&mut self, name: &str, arguments: &[String]) -> Reply {
        match COMMANDS.iter().find(|(known, _)| *known == name) {
            Some((_, handler)) => handler(self, arguments),
            None => Err("unknown command".to_owned()),
        }
    }

    /// The position on the board.
    #[must_use]
    pub fn position(&self) -> &Position {
        // There is always a first one.
        &self.positions[self.positions.len() - 1]
    }

    fn known_command(&mut self, arguments: &[String]) -> Reply {
        let known = |name: &String| Self::names().any(|n| n == name);
        Ok(arguments.first().is_some_and(known).to_string())
    }

    fn list_commands(&mut self, _: &[String]) -> Reply {
        Ok(Self::names().collect::<Vec<_>>().join("\n"))
    }

    fn names() -> impl Iterator<Item = &'static str> {
        COMMANDS.iter().map(|(name, _)| *name).chain(ANALYSES)
    }

    fn set_level(&mut self, arguments: &[String]) -> Reply {
        self.options.level =
            word(arguments, 0)?.parse().map_err(|error: search::LevelError| error.to_string())?;
        Ok(String::new())
    }

    /// Other rules; the board stays, and what ko and superko look back on begins anew.
    fn set_rules(&mut self, arguments: &[String]) -> Reply {
        let preset: Preset =
            word(arguments, 0)?.parse().map_err(|error: goban::PresetError| error.to_string())?;
        self.options.rules = preset;
        let position = self.position();
        self.positions =
            vec![Position::from_board(position.board().clone(), preset.rules(), position.turn())];
        Ok(String::new())
    }

    /// What may be thought about a move of that colour.
    fn budget(&self, color: goban::Color) -> Budget {
        let options = &self.options;
        let usual = Budget::of(options.level).playouts;
        let allowed = options.time.or_else(|| self.clocks.allowance(color, self.position()));
        let playouts = match (options.playouts, allowed) {
            (Some(playouts), _) => playouts,
            // With a time of its own the hard level thinks for as long as it may; the others stay what they are.
            (None, Some(_)) if options.level == Level::Hard => u32::MAX,
            (None, _) => usual,
        };
        let mut budget = Budget::playouts(playouts);
        budget.time = if options.playouts.is_some() && options.time.is_none() { None } else { allowed };
        budget.threads = options.threads;
        budget
    }
}

/// An argument that has to be there.
fn word(arguments: &[String], at: usize) -> Result<&str, String> {
    arguments.get(at).map(String::as_str).ok_or_else(|| "syntax error: an argument is missing".to_owned())
}
