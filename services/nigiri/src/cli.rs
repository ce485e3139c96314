use std::{ffi::OsString, process::ExitCode};

use clap::{
    CommandFactory, Parser, Subcommand,
    error::{ContextKind, ContextValue},
};

use crate::{
    admin, dev, export, gtp, judge, log, play, ratings, run::run, simulate, single, swarm, top, verify,
};

/// The exit code of a wrong configuration (EX_USAGE).
const WRONG_USAGE: u8 = 64;

/// A Go server for many players.
#[derive(Debug, Parser)]
#[command(name = "nigiri", version)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one, and it is read once")]
enum Command {
    /// Runs every service in this process, on an embedded store: nothing else is needed.
    Dev(dev::Args),
    /// Runs the session service: who somebody is.
    Session(single::Session),
    /// Runs the game service: the referee.
    Game(single::Game),
    /// Runs the matchmaking service: who meets whom.
    Matchmaking(single::Matchmaking),
    /// Runs the rating service: how strong somebody is.
    Rating(single::Rating),
    /// Runs the bot service: the house's AI players.
    Bot(single::Bot),
    /// Runs the operator service: the tower.
    Operator(single::Operator),
    /// Brings the schema of the Postgres store up to date.
    Migrate(single::Migrate),
    /// Scores boards and games: JSON Lines on standard input, or SGF files.
    Judge(judge::Args),
    /// Looks after the ratings.
    Ratings(ratings::Args),
    /// Plays as an engine of the Go Text Protocol, on standard input and output.
    Gtp(gtp::Args),
    /// Has two engines of the Go Text Protocol play each other.
    GtpMatch(gtp::matches::Args),
    /// Plays as a bot with an engine of the Go Text Protocol; `nigiri bot --engine` is the same.
    GtpBot(gtp::bot::Args),
    /// What operators do: looks, acts, answers in JSON.
    Admin(admin::Args),
    /// The whole system live in this terminal, for operators.
    Top(top::Args),
    /// Plays in this terminal.
    Play(play::Args),
    /// Writes accounts, archive and ratings of a store into a file.
    Export(export::Export),
    /// Reads such a file into an empty store.
    Import(export::Import),
    /// Prints the entries of a game.
    Log(log::Args),
    /// Plays every game of the archive again, and fails if a result does not come out.
    Verify(verify::Args),
    /// Plays many games at once and checks that everything was counted right.
    Swarm(swarm::Args),
    /// Simulates the queue of a server, under our pairing and under that of others.
    SimulateMatchmaking(simulate::Args),
}

impl Cli {
    /// Reads the command line and the environment; on a mistake says what it was and what would be right.
    pub fn parse() -> Result<Self, ExitCode> {
        Self::parse_from(std::env::args_os())
    }

    fn parse_from(args: impl IntoIterator<Item = OsString>) -> Result<Self, ExitCode> {
        Self::try_parse_from(with_engine(args)).map_err(|error| {
            // Help and version are no mistakes.
            let mistake = error.use_stderr();
            let variable = variable(&error);
            if error.print().is_err() {
                return ExitCode::FAILURE;
            }
            if let Some(variable) = variable {
                eprintln!("\nThe value may also come from the environment variable {variable}.");
            }
            if mistake { ExitCode::from(WRONG_USAGE) } else { ExitCode::SUCCESS }
        })
    }

    /// Does what was asked for.
    pub fn run(self) -> ExitCode {
        match self.command {
            Command::Dev(args) => run(dev::run(args)),
            Command::Session(args) => run(args.run()),
            Command::Game(args) => run(args.run()),
            Command::Matchmaking(args) => run(args.run()),
            Command::Rating(args) => run(args.run()),
            Command::Bot(args) => run(args.run()),
            Command::Operator(args) => run(args.run()),
            Command::Migrate(args) => run(args.run()),
            Command::Judge(args) => judge::run(&args),
            Command::Ratings(args) => run(ratings::run(args)),
            Command::Gtp(args) => gtp::run(&args),
            Command::GtpMatch(args) => run(gtp::matches::run(args)),
            Command::GtpBot(args) => run(gtp::bot::run(args)),
            Command::Admin(args) => run(admin::run(args)),
            Command::Top(args) => run(top::run(args)),
            Command::Play(args) => run(play::run(args)),
            Command::Export(args) => run(export::export(args)),
            Command::Import(args) => run(export::import(args)),
            Command::Log(args) => run(log::run(args)),
            Command::Verify(args) => run(verify::run(args)),
            Command::Swarm(args) => run(swarm::run(args)),
            Command::SimulateMatchmaking(args) => simulate::run(&args),
        }
    }
}

/// `bot --engine` is a bot of somebody's, not the house's service: it needs none of the service's options.
fn with_engine(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.into_iter().collect();
    let is_engine =
        |arg: &OsString| arg.to_str().is_some_and(|a| a == "--engine" || a.starts_with("--engine="));
    if args.get(1).is_some_and(|arg| arg == "bot") && args.iter().any(is_engine) {
        args[1] = "gtp-bot".into();
    }
    args
}

/// The environment variable of the option that an error is about.
fn variable(error: &clap::Error) -> Option<String> {
    let option = match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(text) => text.clone(),
        ContextValue::Strings(texts) => texts.first()?.clone(),
        _ => return None,
    };
    let long = option.trim_start_matches('-').split([' ', '=', '<', '[']).next()?.to_owned();
    let command = Cli::command();
    let all = command.get_subcommands().flat_map(clap::Command::get_arguments);
    let found = all.filter(|arg| arg.get_long() == Some(long.as_str())).find_map(clap::Arg::get_env);
    found.map(|name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The command line is consistent, every option of a service can come from the environment, and a wrong value names its variable.
    #[test]
    fn every_option_has_a_variable_that_errors_name() {
        Cli::command().debug_assert();
        let tools = [
            "admin",
            "judge",
            "gtp",
            "gtp-bot",
            "gtp-match",
            "play",
            "log",
            "verify",
            "swarm",
            "simulate-matchmaking",
            "top",
        ];
        for command in Cli::command().get_subcommands().filter(|command| !tools.contains(&command.get_name()))
        {
            for arg in command.get_arguments().filter(|arg| arg.get_long().is_some_and(|long| long != "help"))
            {
                let name = arg.get_env().map(|name| name.to_string_lossy().into_owned());
                assert!(
                    name.is_some_and(|name| name.starts_with("NIGIRI_")),
                    "{}: {arg}",
                    command.get_name()
                );
                assert!(arg.get_help().is_some(), "{}: {arg} says nothing", command.get_name());
            }
        }
        let error = Cli::try_parse_from(["nigiri", "dev", "--listen", "nowhere"]).unwrap_err();
        assert_eq!(variable(&error).as_deref(), Some("NIGIRI_LISTEN"));
        let error = Cli::try_parse_from(["nigiri", "game"]).unwrap_err();
        assert_eq!(variable(&error).as_deref(), Some("NIGIRI_SERVICE_SECRET"));
        let args = ["nigiri", "bot", "--engine", "gnugo --mode gtp", "--name", "Gnu", "--secret", "s"];
        let bot = Cli::try_parse_from(with_engine(args.map(OsString::from)));
        assert!(matches!(bot, Ok(Cli { command: Command::GtpBot(_) })), "{bot:?}");
    }

    /// What the manifests of deploy/ set is what the commands read: a variable that was renamed, or misspelt, would be ignored in silence.
    #[test]
    fn the_manifests_set_variables_that_are_read() {
        let command = Cli::command();
        let options = command.get_subcommands().flat_map(clap::Command::get_arguments);
        let read: std::collections::BTreeSet<String> =
            options.filter_map(clap::Arg::get_env).map(|name| name.to_string_lossy().into_owned()).collect();
        let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")];
        let mut set = std::collections::BTreeSet::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|end| end == "yaml") {
                    let text = std::fs::read_to_string(path).unwrap();
                    let words = text.split(|c: char| !(c.is_ascii_uppercase() || c == '_'));
                    set.extend(words.filter(|word| word.starts_with("NIGIRI_")).map(str::to_owned));
                }
            }
        }
        assert!(set.len() > 12, "{set:?}");
        assert_eq!(set.difference(&read).collect::<Vec<_>>(), Vec::<&String>::new());
    }
}
