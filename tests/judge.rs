//! `nigiri judge` as a script uses it: the real binary, lines or files in, lines of JSON out.
#![allow(missing_docs, reason = "a test")]

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
    process::{Command, Output, Stdio},
    thread,
};

use goban::{Preset, Rng, handicap_points, sgf};
use serde_json::{Value, json};

fn judge(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nigiri"));
    command.arg("judge").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What the judge says to an input, line by line. It always ends well.
fn answers(args: &[&str], input: &[u8]) -> Vec<Value> {
    let mut child = judge(args).spawn().expect("started");
    let mut pipe = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writing = thread::spawn(move || pipe.write_all(&input));
    let Output { status, stdout, stderr } = child.wait_with_output().expect("ended");
    writing.join().expect("joined").expect("written");
    assert!(status.success() && stderr.is_empty(), "{status}: {}", String::from_utf8_lossy(&stderr));
    lines(&stdout)
}

fn lines(output: &[u8]) -> Vec<Value> {
    let text = str::from_utf8(output).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// The answer to one request.
fn answer(request: &Value) -> Value {
    let [answer] = &answers(&[], request.to_string().as_bytes())[..] else { panic!("one answer") };
    answer.clone()
}

/// A request with everything in it is answered with everything, character for character as the format says.
#[test]
fn a_request_is_answered_in_the_documented_form() {
    let request =
        r#"{"id": "a1", "size": [5, 4], "preset": "quick", "rules": {"ko": "SIMPLE", "suicide": false},
        "komi": 0.5, "handicap": 0, "board": [".XO..", "XO.O.", ".XO..", "...X."], "to_move": "black",
        "moves": ["C3"], "plays": ["W pass"], "setup_black": ["E1"], "setup_white": [], "dead": ["D1", "E1"],
        "legal": true, "alive": true}"#
            .replace('\n', " ");
    let output = judge(&[])
        .spawn()
        .and_then(|mut child| {
            child.stdin.take().expect("a pipe").write_all(request.as_bytes())?;
            child.wait_with_output()
        })
        .expect("ended");
    assert_eq!(
        String::from_utf8(output.stdout).expect("UTF-8"),
        concat!(
            r#"{"id":"a1","ok":true,"board":[".XO..","X.XO.",".XO..","...XX"],"captures":{"black":1,"white":0},"#,
            r#""legal":["A1","B1","C1","A2","D2","E2","B3","E3","A4","D4","E4"],"illegal":{},"#,
            r#""alive":[".....",".....",".....","....."],"dead":["D1","E1"],"#,
            r#""owner":["XXO..","XXXO.",".XO..","....."],"score":{"black":6,"white":3.5},"result":"B+2.5","#,
            r#""parts":{"black":{"stones":4,"territory":2,"prisoners":0,"komi":0,"handicap":0,"tax":0},"#,
            r#""white":{"stones":3,"territory":0,"prisoners":0,"komi":0.5,"handicap":0,"tax":0}}}"#,
            "\n"
        )
    );
}

/// Whatever is wrong with a line, the answer says it with a word for programs and names the place for people.
#[test]
fn a_bad_line_is_answered_with_what_is_wrong() {
    let cases = [
        (r#"{"id":1,"size":9,"moves":["#, 1, "bad_json", None, "EOF"),
        (r#"{"id":1,"size":9,"size":9}"#, 1, "bad_json", None, "\"size\" stands there twice"),
        (r#"{"id":1,"size":9,"komii":7}"#, 1, "unknown_key", None, "\"komii\""),
        (r#"{"id":1}"#, 1, "missing_key", None, "\"size\""),
        (r#"{"id":1,"size":26}"#, 1, "bad_value", None, "\"size\" is a number from 1 to 25"),
        (r#"{"id":1,"size":9,"komi":6.25}"#, 1, "bad_value", None, "\"komi\""),
        (r#"{"id":1,"size":9,"preset":"ing"}"#, 1, "bad_value", None, "tromp-taylor"),
        (r#"{"id":1,"size":9,"rules":{"kou":"SIMPLE"}}"#, 1, "unknown_key", None, "\"kou\" is no rule"),
        (r#"{"id":1,"size":9,"rules":{"ko":"NONE"}}"#, 1, "bad_value", None, "POSITIONAL"),
        (r#"{"id":1,"size":2,"board":["..","..."]}"#, 1, "bad_value", None, "row 2 from the top"),
        (r#"{"id":1,"size":2,"board":["X#",".."]}"#, 1, "bad_value", None, "'#'"),
        (r#"{"id":1,"size":2,"board":["XO","O."]}"#, 1, "no_liberty", None, "a chain has no liberty"),
        (r#"{"id":1,"size":2,"setup_black":["A1"],"setup_white":["A1"]}"#, 1, "occupied", None, "A1"),
        (r#"{"id":1,"size":2,"setup_black":["C1"]}"#, 1, "off_board", None, "C1 is off the 2x2 board"),
        (r#"{"id":1,"size":7,"handicap":2}"#, 1, "bad_value", None, "no fixed points for 2 stones on 7x7"),
        (r#"{"id":1,"size":9,"moves":["D4","pass","D4"]}"#, 1, "occupied", Some(2), "occupied"),
        (r#"{"id":1,"size":9,"moves":["D4"],"plays":["W K1"]}"#, 1, "off_board", Some(1), "K1"),
        (r#"{"id":1,"size":9,"moves":["I5"]}"#, 1, "bad_point", Some(0), "'I' is not a column"),
        (r#"{"id":1,"size":9,"plays":["D5"]}"#, 1, "bad_value", Some(0), "W pass"),
        (r#"{"id":1,"size":2,"board":[".X","X."],"plays":["W A2"]}"#, 1, "suicide", Some(0), "suicide"),
        (
            r#"{"id":1,"size":[4,3],"board":[".XO.","X.XO",".XO."],"plays":["W B2","B C2"]}"#,
            1,
            "ko",
            Some(1),
            "ko",
        ),
        (
            concat!(
                r#"{"id":1,"size":[8,8],"board":[".XO.OXO.",".XOOXXO.",".XO.OXO.",".XOOXXO.",".XOX.XO.",".XOOXXO.","#,
                r#"".XXXOOO.","........"],"moves":["D8","E4","D6","E8","D4","E6"]}"#
            ),
            1,
            "superko",
            Some(5),
            "earlier position",
        ),
    ];
    let input: Vec<&str> = cases.iter().map(|case| case.0).collect();
    let answers = answers(&[], input.join("\n").as_bytes());
    assert_eq!(answers.len(), cases.len());
    for ((line, id, error, at, message), answer) in cases.iter().zip(answers) {
        assert_eq!((answer["id"].as_u64(), &answer["ok"]), (Some(*id), &json!(false)), "{line}\n{answer}");
        assert_eq!((&answer["error"], answer["at"].as_u64()), (&json!(error), *at), "{line}\n{answer}");
        assert!(answer["message"].as_str().is_some_and(|text| text.contains(message)), "{line}\n{answer}");
    }
}

/// Thousands of lines, broken ones among them, are each answered once and in order, however many threads work on them.
#[test]
fn every_line_is_answered_in_its_place() {
    let mut rng = Rng::new(5);
    let mut input = String::new();
    for id in 0..3_000 {
        let size = 1 + rng.below(25);
        _ = match rng.below(4) {
            0 => writeln!(input, "{{\"id\":{id},\"size\":{size},\"dead\":\"none\",\"moves\":[]}}"),
            1 => writeln!(input, "{{\"id\":{id},\"size\":{size},\"dead\":\"clear\",\"legal\":true}}\r"),
            2 => writeln!(input, "{{\"id\":{id},\"size\":{size},\"dead\":"),
            _ => writeln!(input, "\n{{\"id\":{id},\"sise\":{size}}}\n"),
        };
    }
    for threads in ["1", "2", "7"] {
        let answers = answers(&["--threads", threads], input.as_bytes());
        let ids: Vec<Option<u64>> = answers.iter().map(|answer| answer["id"].as_u64()).collect();
        assert_eq!(ids, (0..3_000).map(Some).collect::<Vec<_>>(), "with {threads} threads");
    }
}

/// Whoever asks a line at a time is answered a line at a time.
#[test]
fn an_answer_comes_before_the_next_question() {
    let mut child = judge(&[]).spawn().expect("started");
    let mut questions = child.stdin.take().expect("a pipe");
    let mut answers = BufReader::new(child.stdout.take().expect("a pipe"));
    for id in 0..5 {
        writeln!(questions, "{{\"id\":{id},\"size\":9,\"dead\":\"none\"}}").expect("written");
        let mut line = String::new();
        answers.read_line(&mut line).expect("read");
        assert!(line.starts_with(&format!("{{\"id\":{id},\"ok\":true")), "{line}");
    }
    drop(questions);
    assert!(child.wait().expect("ended").success());
}

/// Each byte of a good line changed, lost or doubled, and random bytes: there is always one answer, and it is JSON.
#[test]
fn no_line_stops_the_judge() {
    let good = br#"{"id":"a","size":[9,5],"preset":"aga","rules":{"tax":"ALL"},"komi":-3.5,"handicap":2,"setup_black":["C3","G3"],"plays":["W E3","B pass"],"dead":["E3"],"legal":true,"alive":true}"#;
    let mut rng = Rng::new(11);
    let mut input = Vec::new();
    for at in 0..good.len() {
        for change in 0..4 {
            let mut line = good.to_vec();
            let byte = rng.below(256) as u8;
            match change {
                0 => line[at] = byte,
                1 => _ = line.remove(at),
                2 => line.insert(at, byte),
                _ => line.truncate(at),
            }
            line.retain(|byte| *byte != b'\n');
            if !line.trim_ascii().is_empty() {
                input.extend(line);
                input.push(b'\n');
            }
        }
    }
    let asked = input.iter().filter(|byte| **byte == b'\n').count();
    let answers = answers(&[], &input);
    assert_eq!(answers.len(), asked);
    for answer in answers {
        assert!(answer["ok"] == true || answer["error"].is_string(), "{answer}");
        assert_ne!(answer["error"], "internal");
    }
}

/// Each ruleset gives White its bonus for each handicap, stands where nothing else is said on the fixed points, and lets White move first.
#[test]
fn a_handicap_is_placed_and_paid_as_the_rules_say() {
    for preset in Preset::ALL {
        for stones in 0..=9_u8 {
            let asked = json!({"id": 0, "size": 9, "preset": preset.name(), "komi": 0, "handicap": stones,
                "dead": "none", "moves": ["A9"]});
            let answer = answer(&asked);
            let bonus = match preset {
                _ if stones < 2 => 0,
                Preset::Chinese | Preset::ChineseSuperko => stones,
                Preset::Aga => stones - 1,
                _ => 0,
            };
            let first = if stones < 2 { 'X' } else { 'O' };
            let board = answer["board"].as_array().expect("a board");
            assert!(board[0].as_str().is_some_and(|row| row.starts_with(first)), "{answer}");
            let black =
                board.iter().filter_map(Value::as_str).flat_map(str::chars).filter(|&c| c == 'X').count();
            let placed = handicap_points(goban::Size::NINE, stones).map_or(1, |points| points.len());
            assert_eq!(black, placed, "{answer}");
            let white = if preset.rules().scoring == goban::Scoring::Area && stones >= 2 { 1 } else { 0 };
            assert_eq!(answer["score"]["white"], json!(bonus + white), "{preset}, {stones} stones: {answer}");
        }
    }
}

/// Each game of each file is a line, broken ones too; the exit code says whether all could be judged.
#[test]
fn games_in_files_are_judged_at_their_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    };
    let good = file(
        "good.sgf",
        "(;GM[1]SZ[5]RU[Japanese]KM[0.5]RE[B+R]AB[ca:ce]AW[da:de];B[];W[aa](;B[])(;B[bb]))(;SZ[3]RU[?];B[bb])",
    );
    let bad = file("bad.sgf", "(;SZ[3]\n;B[dd])");
    let output = judge(&["--dead", "none", "--preset", "tromp-taylor", &good, &bad]).output().expect("ended");
    assert_eq!(output.status.code(), Some(1));
    let [first, second, third] = &lines(&output.stdout)[..] else { panic!("{output:?}") };
    assert_eq!(first["board"], json!(["O.XO.", "..XO.", "..XO.", "..XO.", "..XO."]));
    let known = ["rules", "recorded", "result"].map(|key| first[key].as_str());
    assert_eq!(known, [Some("japanese"), Some("B+R"), Some("W+5.5")]);
    assert_eq!((&second["rules"], &second["result"]), (&json!("tromp-taylor"), &json!("B+9")));
    assert_eq!((&third["id"], &third["error"]), (&json!(format!("{bad}#1")), &json!("bad_sgf")));
    assert!(
        third["message"].as_str().is_some_and(|text| text.starts_with("line 2, column 4: \"dd\"")),
        "{third}"
    );
    let output = judge(&["--dead", "none", &good]).output().expect("ended");
    assert_eq!((output.status.code(), lines(&output.stdout).len()), (Some(0), 2));
}

/// A random game says the same as a file and as a line.
#[test]
fn a_file_and_a_line_with_the_same_game_agree() {
    let folder = tempfile::tempdir().expect("a folder");
    for seed in 0..6 {
        let mut rng = Rng::new(seed);
        let size = goban::Size::square(5 + seed as u8).expect("a size");
        let mut record = sgf::Record::new(size);
        record.rules = sgf::preset_to_name(Preset::NewZealand).to_owned();
        let mut position = goban::Position::new(size, Preset::NewZealand.rules());
        let mut plays = Vec::new();
        for _ in 0..120 {
            let legal = position.legal_points();
            let chosen = legal.get(rng.below(legal.len() as u32) as usize).copied();
            let (color, chosen) = (position.turn(), chosen.map_or(goban::Move::Pass, goban::Move::Play));
            position.play(chosen).expect("legal");
            plays.push(format!("{} {chosen}", color.letter()));
            record.steps.push(sgf::Step::Play { color, chosen, left: [None; 2], comment: String::new() });
        }
        let path = folder.path().join("game.sgf");
        std::fs::write(&path, record.to_string()).expect("written");
        let output = judge(&["--dead", "clear", path.to_str().expect("UTF-8")]).output().expect("ended");
        let size = size.rows();
        let asked = json!({"id": 0, "size": size, "preset": "new-zealand", "plays": plays, "dead": "clear"});
        let (file, line) = (&lines(&output.stdout)[0], answer(&asked));
        for key in ["ok", "board", "captures", "dead", "owner", "score", "result"] {
            assert_eq!(file[key], line[key], "{key}");
        }
    }
}

/// All cases whose answers other engines gave, through the tool itself, when they lie beside the project.
#[test]
fn cases_with_known_answers_are_answered_right() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    if !folder.is_dir() {
        println!("skipped: there is no {}", folder.display());
        return;
    }
    for file in ["legality", "ko", "rules", "score", "alive"] {
        let text = std::fs::read_to_string(folder.join(file).with_extension("jsonl")).expect("a file");
        let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        let input: Vec<String> = cases.iter().map(|case| case["input"].to_string()).collect();
        let answers = answers(&[], input.join("\n").as_bytes());
        assert_eq!(answers.len(), cases.len());
        for (case, answer) in cases.iter().zip(&answers) {
            for (key, expected) in case["expect"].as_object().expect("an object") {
                let found = found(key, answer, expected);
                assert_eq!(&found, expected, "{}: {key}\n{answer}", case["input"]["id"]);
            }
        }
    }
}

/// What an answer says about something that is known; numbers are compared as numbers.
fn found(key: &str, answer: &Value, expected: &Value) -> Value {
    let names = |names: BTreeSet<&str>| json!(names);
    match key {
        "illegal_points" => {
            names(answer["illegal"].as_object().expect("points").keys().map(String::as_str).collect())
        }
        "legal" => {
            names(answer["legal"].as_array().expect("points").iter().filter_map(Value::as_str).collect())
        }
        "no_result" => json!(answer["result"] == "Void"),
        // Not asked where there is no result.
        "white_minus_black" if answer["result"] == "Void" => expected.clone(),
        "white_minus_black" => {
            let points = |color: &str| answer["score"][color].as_f64().expect("points");
            json!(points("white") - points("black"))
        }
        _ => answer[key].clone(),
    }
}
