//! What holds of every count: parts add up to the board, and only colours and places change when the board is turned or its colours are
//! swapped.

#![expect(clippy::unwrap_used, reason = "a helper of tests")]

use goban::{
    Board, Color, Dead, HandicapBonus, Illegal, KoRule, Komi, Move, Outcome, Point, Position, Preset, Rng,
    Rules, Scoring, Size, Tax, Verdict, clearly_dead, judge, pass_alive, playout,
};
use proptest::prelude::*;

fn rules(scoring: Scoring, tax: Tax) -> Rules {
    Rules {
        ko: KoRule::Simple,
        scoring,
        multi_stone_suicide: false,
        tax,
        handicap_bonus: HandicapBonus::None,
    }
}

/// A board after that many moves of a random game: near the end most of it is settled.
fn random_board(size: Size, seed: u64, moves: usize) -> Board {
    playout::stopped(size, moves, &mut Rng::new(seed))
}

fn count(board: &Board, rules: Rules, dead: Dead<'_>) -> Verdict {
    judge(&Position::from_board(board.clone(), rules, Color::Black), Komi::ZERO, 0, dead)
}

/// The same stones on other places, perhaps with other colours.
fn moved(board: &Board, size: Size, swap: bool, place: impl Fn(Point) -> Point) -> Board {
    let stones = |color| board.stones(color).map(&place).collect::<Vec<_>>();
    let (black, white) = (stones(Color::Black), stones(Color::White));
    if swap { Board::with_stones(size, &white, &black) } else { Board::with_stones(size, &black, &white) }
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Area of both sides and neutral points are the whole board, and each owner is the colour that Tromp-Taylor gives it.
    #[test]
    fn areas_and_neutral_points_are_the_whole_board(side in 2..20_u8, seed: u64, moves in 0..700_usize) {
        let size = Size::square(side).unwrap();
        let verdict = count(&random_board(size, seed, moves), rules(Scoring::Area, Tax::None), Dead::Clear);
        let neutral = verdict.owner.iter().filter(|owner| owner.is_none()).count() as i32;
        let areas = [verdict.black, verdict.white].map(|score| score.half_points() / 2);
        prop_assert_eq!(areas[0] + areas[1] + neutral, size.area() as i32);
        for (color, area) in Color::BOTH.into_iter().zip(areas) {
            prop_assert_eq!(verdict.owner.iter().filter(|&&o| o == Some(color)).count() as i32, area);
        }
    }

    /// A quarter turn, a mirror and a swap of colours change a verdict in nothing but places and colours.
    #[test]
    fn a_verdict_turns_with_the_board(columns in 2..14_u8, rows in 2..14_u8, seed: u64, moves in 0..300_usize) {
        let size = Size::new(columns, rows).unwrap();
        let turned_size = Size::new(rows, columns).unwrap();
        let board = random_board(size, seed, moves);
        let turn = |p: Point| Point::new(p.row(), columns - 1 - p.column());
        let mirror = |p: Point| Point::new(columns - 1 - p.column(), p.row());
        let turned = moved(&board, turned_size, false, turn);
        let mirrored = moved(&board, size, true, mirror);
        for (scoring, tax) in [
            (Scoring::Area, Tax::None),
            (Scoring::Area, Tax::Seki),
            (Scoring::Territory, Tax::None),
            (Scoring::Territory, Tax::Seki),
            (Scoring::Territory, Tax::All),
        ] {
            let [here, there, swapped] =
                [&board, &turned, &mirrored].map(|b| count(b, rules(scoring, tax), Dead::Clear));
            let places = |f: &dyn Fn(Point) -> Point, verdict: &Verdict| {
                let mut dead: Vec<Point> = verdict.dead.iter().map(|&p| f(p)).collect();
                dead.sort();
                dead
            };
            prop_assert_eq!(places(&turn, &here), there.dead.clone());
            prop_assert_eq!(places(&mirror, &here), swapped.dead.clone());
            prop_assert_eq!((here.black, here.white), (there.black, there.white), "\n{}", board);
            prop_assert_eq!((here.black, here.white), (swapped.white, swapped.black), "\n{}", board);
            for point in size.points() {
                let owner = here.owner[size.index(point)];
                prop_assert_eq!(there.owner[turned_size.index(turn(point))], owner);
                prop_assert_eq!(swapped.owner[size.index(mirror(point))].map(Color::opposite), owner);
            }
        }
    }

    /// Pass-alive chains stand whatever the opponent plays: a hundred random moves of one side in a row take none of the
    /// other's, and clearly dead stones never have company in what is pass-alive.
    #[test]
    fn pass_alive_chains_survive_an_opponent_who_moves_alone(side in 4..12_u8, seed: u64, moves in 40..400_usize) {
        let size = Size::square(side).unwrap();
        let board = random_board(size, seed, moves);
        let alive = pass_alive(&board, false);
        let mut rng = Rng::new(seed ^ 1);
        for color in Color::BOTH {
            let mut attacked = board.clone();
            for _ in 0..100 {
                let points: Vec<Point> =
                    size.points().filter(|&p| attacked.is_legal_simple(color.opposite(), p)).collect();
                if points.is_empty() {
                    break;
                }
                attacked.play_unchecked(color.opposite(), points[rng.below(points.len() as u32) as usize]);
            }
            for stone in board.stones(color).filter(|&p| alive.owner[size.index(p)] == Some(color)) {
                prop_assert_eq!(attacked.stone(stone), Some(color), "{} of\n{}", stone, board);
            }
        }
        let dead = clearly_dead(&board);
        for stone in &dead {
            prop_assert_ne!(alive.owner[size.index(*stone)], board.stone(*stone));
        }
        prop_assert!(alive.dead.iter().all(|stone| dead.contains(stone)));
    }
}

/// Prisoners, dead stones, komi and the handicap bonus each go where the rules say.
#[test]
fn each_part_of_a_score_goes_where_the_rules_say() {
    let board = Board::parse(".XO.\n.XOX\n.XO.\n.XO.").unwrap();
    let dead = ["D3".parse().unwrap()];
    let komi: Komi = "6.5".parse().unwrap();
    let verdict = |rules: Rules, handicap| {
        judge(&Position::from_board(board.clone(), rules, Color::Black), komi, handicap, Dead::Given(&dead))
    };
    let area = verdict(Preset::Chinese.rules(), 3);
    assert_eq!((area.black.to_string(), area.white.to_string()), ("8".into(), "17.5".into()));
    assert_eq!((area.white.handicap, area.white.prisoners, area.white.territory), (3, 0, 4));
    assert_eq!(area.result.to_string(), "W+9.5");
    let territory = verdict(Preset::Igo.rules(), 3);
    assert_eq!((territory.black.to_string(), territory.white.to_string()), ("4".into(), "11.5".into()));
    assert_eq!((territory.white.handicap, territory.white.prisoners), (0, 1));
    for (preset, bonuses) in
        [(Preset::Chinese, [0, 0, 2, 9]), (Preset::Aga, [0, 0, 1, 8]), (Preset::Igo, [0; 4])]
    {
        let bonus = |stones| preset.rules().handicap_bonus.points(stones);
        assert_eq!([0, 1, 2, 9].map(bonus), bonuses);
    }
}

/// A tie is a draw, half a point decides, and no result is called void.
#[test]
fn results_are_written_as_players_write_them() {
    let written = [0, 1, -1, 4, -15].map(|lead| Outcome::from_lead(lead).to_string());
    assert_eq!(written, ["Draw", "B+0.5", "W+0.5", "B+2", "W+7.5"]);
    assert_eq!(Outcome::Void.to_string(), "Void");
}

/// A stone in a pass-alive region without room is clearly dead; in a seki, and with room for two eyes, it is not.
#[test]
fn clearly_dead_is_what_has_no_hope_and_never_a_seki() {
    let hopeless = Board::parse(".X..O\nXXXX.\nO..XX\nXXXX.\n.X.X.").unwrap();
    let dead = |board: &Board| clearly_dead(board).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(dead(&hopeless), ["A3", "E5"]);
    let seki = Board::parse(".OX.XO.\nOOXXXOO\nXXOOOXX\n.XO.OX.\nXXOOOXX\nOOXXXOO\n.OX.XO.").unwrap();
    assert_eq!(dead(&seki), Vec::<String>::new());
    let roomy =
        Board::parse(".X.X.....\nXXXX.....\n...X.....\n...X..O..\n...X.....\nXXXX.....\n.X.X.....").unwrap();
    assert_eq!(dead(&roomy), Vec::<String>::new());
}

/// A third time the same stones with the same player to move: no result under simple ko, which superko forbids before it happens.
#[test]
fn a_triple_ko_is_void_under_simple_ko_and_forbidden_under_superko() {
    let board = Board::parse(
        ".XO.OXO..\n.XOOXXO..\n.XO.OXO..\n.XOOXXO..\n.XOX.XO..\n.XOOXXO..\n.XXXOOO..\n.........\n.........",
    )
    .unwrap();
    let cycle = ["D9", "E5", "D7", "E9", "D5", "E7"].map(|p| Move::Play(p.parse().unwrap()));
    let play = |ko: KoRule| {
        let rules = Rules { ko, ..Preset::Igo.rules() };
        let mut position = Position::from_board(board.clone(), rules, Color::Black);
        let mut played = 0;
        while !position.repetition() && played < 40 {
            position.play(cycle[played % 6]).map_err(|why| (played, why))?;
            played += 1;
        }
        Ok((played, judge(&position, Komi::ZERO, 0, Dead::None).result))
    };
    assert_eq!(play(KoRule::Simple), Ok((12, Outcome::Void)));
    assert_eq!(play(KoRule::Positional), Err((5, Illegal::Superko)));
    assert_eq!(play(KoRule::Situational), Err((5, Illegal::Superko)));
}
