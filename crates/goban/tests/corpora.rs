//! Cases with known answers, in the format of `nigiri judge`, when they lie beside the workspace.

#![expect(clippy::unwrap_used, reason = "a case that cannot be read fails its test")]

use std::path::PathBuf;

use goban::{
    Color, Dead, HandicapBonus, Illegal, KoRule, Komi, Move, Point, Position, Preset, Rules, Scoring, Size,
    Tax, clearly_dead, draw, judge, pass_alive,
};
use serde_json::Value;

/// A case: what is asked and what is known.
struct Case {
    id: String,
    input: Value,
    expect: Value,
}

/// The cases of a file; `None`, with a word about it, when the folder is not there.
fn cases(file: &str) -> Option<Vec<Case>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    if !folder.is_dir() {
        println!("skipped: there is no {}", folder.display());
        return None;
    }
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let case = |line: &str| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        let (input, expect) = (value["input"].take(), value["expect"].take());
        Case { id: input["id"].as_str().unwrap_or_default().to_owned(), input, expect }
    };
    Some(text.lines().map(case).collect())
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().map(|list| list.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

fn rules(input: &Value) -> Rules {
    let preset = input["preset"].as_str().map_or(Preset::TrompTaylor, |name| name.parse().unwrap());
    let mut rules = Rules { multi_stone_suicide: false, ..preset.rules() };
    for (key, value) in input["rules"].as_object().into_iter().flatten() {
        match (key.as_str(), value.as_str()) {
            ("ko", Some("SIMPLE")) => rules.ko = KoRule::Simple,
            ("ko", Some("POSITIONAL")) => rules.ko = KoRule::Positional,
            ("ko", Some("SITUATIONAL")) => rules.ko = KoRule::Situational,
            ("scoring", Some("AREA")) => rules.scoring = Scoring::Area,
            ("scoring", Some("TERRITORY")) => rules.scoring = Scoring::Territory,
            ("tax", Some("NONE")) => rules.tax = Tax::None,
            ("tax", Some("SEKI")) => rules.tax = Tax::Seki,
            ("tax", Some("ALL")) => rules.tax = Tax::All,
            ("suicide", None) => rules.multi_stone_suicide = value.as_bool().unwrap(),
            ("whiteHandicapBonus", Some("0")) => rules.handicap_bonus = HandicapBonus::None,
            _ => panic!("{key}: {value}"),
        }
    }
    rules
}

/// The position before the moves.
fn start(input: &Value) -> Position {
    let size = match &input["size"] {
        Value::Array(sides) => {
            let side = |i: usize| sides[i].as_u64().unwrap() as u8;
            Size::new(side(0), side(1)).unwrap()
        }
        side => Size::square(side.as_u64().unwrap() as u8).unwrap(),
    };
    let mut stones = [Vec::new(), Vec::new()];
    let rows = strings(&input["board"]);
    for (row, line) in rows.iter().enumerate() {
        for (column, character) in line.chars().enumerate() {
            let point = Point::new(column as u8, (rows.len() - 1 - row) as u8);
            match character {
                'X' => stones[0].push(point),
                'O' => stones[1].push(point),
                _ => {}
            }
        }
    }
    for (list, key) in stones.iter_mut().zip(["setup_black", "setup_white"]) {
        list.extend(strings(&input[key]).into_iter().map(|p| size.parse_point(p).unwrap()));
    }
    let to_move = if input["to_move"].as_str() == Some("white") { Color::White } else { Color::Black };
    Position::setup(size, rules(input), &stones[0], &stones[1], to_move).unwrap()
}

/// The position after the moves, or the index of the first illegal one.
fn position(input: &Value) -> Result<Position, (usize, Illegal)> {
    let mut position = start(input);
    let size = position.size();
    let parse =
        |text: &str| if text == "pass" { Move::Pass } else { Move::Play(size.parse_point(text).unwrap()) };
    for (i, text) in strings(&input["moves"]).into_iter().enumerate() {
        position.play(parse(text)).map_err(|why| (i, why))?;
    }
    for (i, text) in strings(&input["plays"]).into_iter().enumerate() {
        let (color, text) = text.split_once(' ').unwrap();
        let color = if color == "B" { Color::Black } else { Color::White };
        position.play_as(color, parse(text)).map_err(|why| (i, why))?;
    }
    Ok(position)
}

fn sorted(points: impl IntoIterator<Item = Point>) -> Vec<String> {
    let mut names: Vec<String> = points.into_iter().map(|p| p.to_string()).collect();
    names.sort();
    names
}

/// What is wrong with our answer, if anything.
fn wrong(case: &Case) -> Option<String> {
    let (input, expect) = (&case.input, &case.expect);
    let position = match (position(input), expect["ok"].as_bool()) {
        (played, Some(ok)) => return (played.is_ok() != ok).then(|| format!("{:?}", played.err())),
        (Err(at), None) => return Some(format!("refused: {at:?}")),
        (Ok(position), None) => position,
    };
    let differ = |what: &str, ours: String, theirs: String| {
        (ours != theirs).then(|| format!("{what}: {ours}, expected {theirs}\n{}", position.board()))
    };
    let list = |key: &str| strings(&expect[key]).join(" ");
    let has = |key: &str| !expect[key].is_null();
    let illegal = || position.illegal_points().into_iter().map(|(p, _)| p);
    let captures = Color::BOTH.map(|c| u64::from(position.captures(c)));
    let known = || ["black", "white"].map(|c| expect["captures"][c].as_u64().unwrap());
    None.or_else(|| {
        has("board").then(|| differ("board", position.board().to_rows().join(" "), list("board")))?
    })
    .or_else(|| {
        has("captures").then(|| differ("captures", format!("{captures:?}"), format!("{:?}", known())))?
    })
    .or_else(|| {
        has("legal").then(|| differ("legal", sorted(position.legal_points()).join(" "), list("legal")))?
    })
    .or_else(|| {
        let key = "illegal_points";
        has(key).then(|| differ(key, sorted(illegal()).join(" "), list(key)))?
    })
    .or_else(|| has("alive").then(|| differ("alive", alive(&position), list("alive")))?)
    .or_else(|| differ("score", score(&position, input, expect), known_score(expect)))
}

fn alive(position: &Position) -> String {
    let size = position.size();
    let owner = pass_alive(position.board(), position.rules().multi_stone_suicide).owner;
    let rows = owner.chunks(size.columns().into()).rev();
    rows.map(|row| row.iter().map(|&o| draw(o)).collect::<String>()).collect::<Vec<_>>().join(" ")
}

/// Our score, of the parts that are known.
fn score(position: &Position, input: &Value, expect: &Value) -> String {
    let komi = input["komi"].as_f64().map_or(Komi::ZERO, |komi| komi.to_string().parse().unwrap());
    let size = position.size();
    let dead: Vec<Point> =
        strings(&input["dead"]).into_iter().map(|p| size.parse_point(p).unwrap()).collect();
    let verdict = judge(position, komi, 0, Dead::Given(&dead));
    if !expect["score"].is_null() {
        format!("{} {}", verdict.black, verdict.white)
    } else if expect["no_result"].as_bool() == Some(true) {
        verdict.result.to_string()
    } else if expect["white_minus_black"].is_null() {
        String::new()
    } else {
        f64::from(verdict.white.half_points() - verdict.black.half_points()).to_string()
    }
}

fn known_score(expect: &Value) -> String {
    if !expect["score"].is_null() {
        format!("{} {}", expect["score"]["black"], expect["score"]["white"])
    } else if expect["no_result"].as_bool() == Some(true) {
        "Void".to_owned()
    } else {
        expect["white_minus_black"].as_f64().map_or_else(String::new, |lead| (2.0 * lead).to_string())
    }
}

fn all_right(file: &str) {
    let Some(cases) = cases(file) else { return };
    let failures: Vec<String> =
        cases.iter().filter_map(|case| wrong(case).map(|why| format!("{}: {why}", case.id))).collect();
    assert!(failures.is_empty(), "{} of {} wrong\n{}", failures.len(), cases.len(), failures.join("\n"));
}

/// Illegal points, captures and final boards of random games, as another engine's rules code has them.
#[test]
fn legality_is_as_another_engine_has_it() {
    all_right("legality.jsonl");
}

/// The classical repetitions under each ko rule.
#[test]
fn ko_and_superko_are_as_in_engines_rule_tests() {
    all_right("ko.jsonl");
}

/// Legal points and results of odd positions, the void result of a long cycle among them.
#[test]
fn rules_are_as_in_engines_rule_tests() {
    all_right("rules.jsonl");
}

/// Area and territory with given dead stones, no points in seki, and false eyes.
#[test]
fn scores_are_as_a_scoring_library_has_them() {
    all_right("score.jsonl");
}

/// Benson's chains and regions.
#[test]
fn pass_alive_chains_are_as_in_an_engines_tests() {
    all_right("alive.jsonl");
}

/// Not one stone that strong players call alive, or in seki, is removed as clearly dead.
#[test]
fn clearly_dead_removes_no_living_stone() {
    let mut found = 0;
    for file in ["estimate-finished.jsonl", "estimate-unfinished.jsonl", "estimate-trouble.jsonl"] {
        for case in cases(file).into_iter().flatten() {
            let position = position(&case.input).unwrap();
            let known = &case.expect["dead"];
            let known = [strings(known), strings(&case.expect["ignore"])].concat();
            let dead = sorted(clearly_dead(position.board()));
            let alive: Vec<&String> = dead.iter().filter(|p| !known.contains(&p.as_str())).collect();
            assert!(alive.is_empty(), "{}: {alive:?}\n{}", case.id, position.board());
            found += dead.len();
        }
    }
    println!("{found} stones are clearly dead");
}

/// Real games, counted with the dead stones that both players agreed on, end as they were recorded.
#[test]
fn agreed_games_end_as_recorded() {
    let mut wrong = Vec::new();
    for case in cases("estimate-finished.jsonl").into_iter().flatten() {
        let Some(known) = case.expect["result"].as_str() else { continue };
        let position = position(&case.input).unwrap();
        let size = position.size();
        let dead: Vec<Point> =
            strings(&case.expect["dead"]).into_iter().map(|p| size.parse_point(p).unwrap()).collect();
        let komi = case.input["komi"].as_f64().unwrap().to_string().parse().unwrap();
        let handicap = case.input["handicap"].as_u64().unwrap_or(0) as u8;
        let ours = judge(&position, komi, handicap, Dead::Given(&dead)).result.to_string();
        // B+10.00 and B+10 are one result.
        let points =
            |result: &str| (result.chars().next(), result.get(2..).and_then(|n| n.parse::<f64>().ok()));
        if points(known) != points(&ours) {
            wrong.push(format!("{}: {ours}, recorded {known}\n{}", case.id, position.board()));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
