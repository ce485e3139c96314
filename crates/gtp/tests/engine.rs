//! The engine, command by command.
#![allow(missing_docs, reason = "a test")]

use std::cell::Cell;
use std::io::Cursor;

use goban::{Preset, Size};
use gtp::{Command, Engine, Options, serve};
use search::Level;

fn engine(rules: Preset) -> Engine {
    Engine::new(Options { level: Level::Hard, playouts: Some(60), rules, ..Options::default() })
}

/// What the engine answers to each line.
fn dialogue(engine: &mut Engine, lines: &str) -> Vec<String> {
    let answer = |line: &str| {
        let mut out = Vec::new();
        let command = Command::parse(line)?;
        engine.answer(&command, &mut out, &|| true).expect("a vector takes everything, and answers are text");
        Some(
            String::from_utf8(out)
                .expect("a vector takes everything, and answers are text")
                .trim_end()
                .to_owned(),
        )
    };
    lines.lines().filter_map(answer).collect()
}

fn say(rules: Preset, lines: &str) -> Vec<String> {
    dialogue(&mut engine(rules), lines)
}

/// Every command that is listed is known, those that the protocol requires are listed, and what nobody knows is refused.
#[test]
fn listed_commands_are_known() {
    let mut engine = engine(Preset::Chinese);
    let list = dialogue(&mut engine, "1 list_commands").remove(0);
    let names: Vec<String> = list.trim_start_matches("=1 ").lines().map(str::to_owned).collect();
    for name in &names {
        assert_eq!(dialogue(&mut engine, &format!("known_command {name}")), ["= true"]);
    }
    for required in [
        "protocol_version",
        "name",
        "version",
        "known_command",
        "list_commands",
        "quit",
        "boardsize",
        "clear_board",
        "komi",
        "play",
        "genmove",
        "undo",
        "fixed_handicap",
        "place_free_handicap",
        "set_free_handicap",
        "time_settings",
        "time_left",
        "final_score",
        "final_status_list",
        "loadsgf",
        "reg_genmove",
        "showboard",
        "kgs-genmove_cleanup",
        "lz-analyze",
        "kata-analyze",
    ] {
        assert!(names.iter().any(|name| name == required), "{required}");
    }
    assert_eq!(
        dialogue(&mut engine, "7 frobnicate\nknown_command frobnicate"),
        ["?7 unknown command", "= false"]
    );
}

/// Wrong arguments are refused in the protocol's words, and change nothing.
#[test]
fn what_is_wrong_is_refused() {
    let answers = say(
        Preset::Chinese,
        "boardsize 26\nboardsize x\nboardsize 9\nkomi much\nplay b K1\nplay x E5\nplay b\nplay b E5\nplay w E5\nundo\nundo\n\
         fixed_handicap 1\nplay b C3\nfixed_handicap 2\nset_free_handicap C3 C3\ntime_left b 1\nfinal_status_list odd\nloadsgf /no/such/file",
    );
    let refused = [
        true, true, false, true, true, true, true, false, true, false, true, true, false, true, true, true,
        true, true,
    ];
    for (answer, refused) in answers.iter().zip(refused) {
        assert_eq!(answer.starts_with('?'), refused, "{answers:?}");
    }
    assert_eq!(answers.len(), refused.len());
}

/// Handicaps stand where they should and leave White to move, on a board that has none of its own too.
#[test]
fn handicaps_are_placed() {
    let fixed = say(Preset::Chinese, "boardsize 19\nfixed_handicap 3\nshowboard");
    assert_eq!(fixed[1], "= D4 Q16 D16");
    assert!(fixed[2].contains("White to move"), "{}", fixed[2]);
    let free = say(Preset::Chinese, "boardsize 7\nplace_free_handicap 4");
    assert_eq!(free[1].split_whitespace().count(), 5, "{free:?}");
    let set =
        say(Preset::Chinese, "boardsize 9\nset_free_handicap C3 G7\nfinal_score\nset_free_handicap C7 G3");
    assert_eq!(set[3], "? board not empty");
}

/// A finished game is scored by the rules of the game, with the dead stones of each side taken off, and a seki told apart.
#[test]
fn a_finished_game_is_scored() {
    let setup = "boardsize 7\nkomi 0.5\nplay b D1\nplay b D2\nplay b D3\nplay b D4\nplay b D5\nplay b D6\nplay b D7\n\
        play w E1\nplay w E2\nplay w E3\nplay w E4\nplay w E5\nplay w E6\nplay w E7\nplay b G4\nplay w B4\nfinal_score\n\
        final_status_list dead\nfinal_status_list seki\nfinal_status_list alive";
    let area = say(Preset::Chinese, setup);
    // 28 points to 21.
    assert_eq!(area[18], "= B+6.5");
    let mut dead: Vec<&str> = area[19].trim_start_matches("= ").lines().collect();
    dead.sort_unstable();
    assert_eq!((dead, area[20].as_str()), (vec!["B4", "G4"], "="));
    assert_eq!(area[21].split_whitespace().count(), 15);
    // Territory and one prisoner each: 21 + 1 to 14 + 1.
    assert_eq!(say(Preset::Japanese, setup)[18], "= B+6.5");
}

/// Moves are chosen again by the same engine, and played unless they are only asked for; a seed makes others.
#[test]
fn moves_repeat_and_are_played() {
    let ask = "boardsize 9\nreg_genmove b\nreg_genmove b\ngenmove b\ngenmove w\nundo\nundo\nundo";
    let answers = say(Preset::Chinese, ask);
    assert_eq!(answers, say(Preset::Chinese, ask));
    assert_eq!(answers[1], answers[2]);
    assert_eq!((answers[6].as_str(), answers[7].as_str()), ("=", "? cannot undo"));
}

/// An analysis says what it has found and stops when the next command comes; graphical boards can read it.
#[test]
fn an_analysis_is_told_until_the_next_command() {
    let mut engine = engine(Preset::Chinese);
    dialogue(&mut engine, "boardsize 9");
    for (name, marks) in
        [("lz-analyze b 1", "winrate "), ("9 kata-analyze w interval 5 ownership true", "scoreLead ")]
    {
        let (mut out, asked) = (Vec::new(), Cell::new(0));
        let command = Command::parse(name).unwrap();
        let interrupted = || {
            asked.set(asked.get() + 1);
            asked.get() > 2
        };
        engine.answer(&command, &mut out, &interrupted).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with('=') && text.ends_with("\n\n"), "{text}");
        let infos: Vec<&str> = text.lines().filter(|line| line.starts_with("info move ")).collect();
        assert!(
            !infos.is_empty() && infos.iter().all(|line| line.contains(marks) && line.contains(" pv ")),
            "{text}"
        );
        assert_eq!(text.contains("ownership"), name.contains("ownership"));
    }
    assert!(dialogue(&mut engine, "lz-analyze nonsense").remove(0).starts_with('?'));
}

/// A record is loaded to its end, or to the position before a move.
#[test]
fn a_record_is_loaded_to_a_move() {
    let path = std::env::temp_dir().join(format!("nigiri-gtp-{}.sgf", std::process::id()));
    std::fs::write(&path, "(;GM[1]SZ[9]KM[5.5]AB[cc];W[gg];B[ee];W[gc])").unwrap();
    let path = path.display().to_string();
    let answers =
        say(Preset::Chinese, &format!("loadsgf {path} 3\nplay b E5\nloadsgf {path}\nplay b E5\nundo"));
    std::fs::remove_file(path).unwrap();
    assert_eq!(answers, ["= white", "? illegal move", "= black", "? illegal move", "="]);
}

/// Over a pair of streams each command is answered in turn, to `quit` and no further.
#[test]
fn a_stream_is_served_until_quit() {
    let mut out = Vec::new();
    let lines = "1 boardsize 9\n# nothing\n\n2 lz-analyze 1\n3 name\nquit\n4 name\n";
    let mut engine = engine(Preset::Chinese);
    serve(&mut engine, Cursor::new(lines), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with('=')).collect();
    assert_eq!(heads, ["=1", "=2", "=3 Nigiri", "="]);
    assert_eq!(engine.position().size(), Size::NINE);
}
