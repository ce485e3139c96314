//! What the hard level sees on the board.

use goban::{Board, Color, Komi, Move, Point, Position, Preset, Size};
use search::{Budget, Choice, Level, Terms, analyse, choose};

fn position(drawing: &str, preset: Preset, to_move: Color) -> Position {
    Position::from_board(Board::parse(drawing).expect("the drawing is a board"), preset.rules(), to_move)
}

fn hard(position: &Position, komi: Komi) -> Choice {
    choose(position, &Terms::even(komi), Level::Hard, &Budget::playouts(3_000), 5)
}

/// Takes what decides the game, kills with the one vital point, and lives with it: with Black and with White to move, and with the colours
/// exchanged.
#[test]
fn tactics_are_seen() {
    let problems = [
        // Both are in atari at the same point; with a komi of -60 that decides the game.
        (
            "
            . . . . . . . . .
            . O O O O O O . .
            O X X X X X X O .
            O X O O O O . O .
            O X X X X X X O .
            . O O O O O O . .
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .",
            "G6",
            -120,
        ),
        // The middle of three points makes two eyes, or prevents them; with a komi of 60 that decides the game.
        (
            "
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            X X X X X X X . .
            O O O O O O X . .
            O O O O O O X X .
            . . . O O O X . .",
            "B1",
            120,
        ),
    ];
    for (drawing, answer, komi) in problems {
        let swapped = |c| match c {
            'X' => 'O',
            'O' => 'X',
            c => c,
        };
        let swapped: String = drawing.chars().map(swapped).collect();
        for (drawing, komi) in [(drawing, komi), (&swapped, -komi)] {
            let komi = Komi::from_half_points(komi).unwrap();
            for turn in Color::BOTH {
                let position = position(drawing, Preset::Quick, turn);
                let choice = hard(&position, komi);
                let wanted = Choice::Move(Move::Play(answer.parse().unwrap()));
                assert_eq!(choice, wanted, "{turn} in\n{}", position.board());
            }
        }
    }
}

/// Two groups without an eye that share two liberties are left alone by whoever is ahead while they stand.
#[test]
fn a_seki_is_left_alone() {
    let drawing = "
        . . . . . . . . .
        . . . . . . . . .
        . . X . X . X . .
        X X X X X X X X X
        O O O O O O O O O
        . . . . . . . . .
        O O O O O O O . .
        X X X X X X O . .
        . O O O . X O . .";
    let shared: Vec<Point> = ["A1", "E1"].map(|p| p.parse().unwrap()).to_vec();
    // As it stands Black has 43 points and White 36.
    for (turn, komi) in [(Color::Black, 10), (Color::White, 18)] {
        let position = position(drawing, Preset::Quick, turn);
        let choice = hard(&position, Komi::from_half_points(komi).unwrap());
        let is_shared = matches!(choice, Choice::Move(Move::Play(point)) if shared.contains(&point));
        assert!(!is_shared && choice != Choice::Resign, "{turn}: {choice:?} in\n{}", position.board());
    }
}

/// A closed board on which neutral points are left: under area scoring they are filled before the game ends; under territory scoring a
/// stone is played neither there nor on one's own ground.
#[test]
fn neutral_points_are_filled_where_they_count() {
    let drawing = "
        . . . X . O . . .
        . . . X . O . . .
        . . . X O O . . .
        . . X X . O . . .
        . . . X X O . . .
        . . . X . O . . .
        . . . X O O . . .
        . . X X O . . . .
        . . . X O . . . .";
    let neutral: Vec<Point> = ["E9", "E8", "E6", "E4"].map(|p| p.parse().unwrap()).to_vec();
    for turn in Color::BOTH {
        // White is ahead by three points when both take two of the four.
        let even = Komi::from_half_points(if turn == Color::Black { -7 } else { -5 }).unwrap();
        let area = hard(&position(drawing, Preset::Quick, turn), even);
        assert!(
            matches!(area, Choice::Move(Move::Play(point)) if neutral.contains(&point)),
            "{area:?} as {turn}"
        );
        for komi in [Komi::ZERO, Preset::Territory.komi()] {
            let territory = hard(&position(drawing, Preset::Territory, turn), komi);
            assert_eq!(territory, Choice::Move(Move::Pass), "{turn} with a komi of {komi}");
        }
    }
}

/// The same seed, playouts and threads give the same analysis, whichever thread is faster; another seed another one.
#[test]
fn a_search_repeats_on_several_threads() {
    let position = Position::new(Size::NINE, Preset::Quick.rules());
    let terms = Terms::even(Preset::Quick.komi());
    let three = Budget { threads: 3, ..Budget::playouts(1_000) };
    let first = analyse(&position, &terms, &three, 1);
    assert_eq!(first, analyse(&position, &terms, &three, 1));
    assert_ne!(first, analyse(&position, &terms, &three, 2));
    assert_eq!(first.playouts, 1_000);
    assert_eq!(first.moves.iter().map(|candidate| candidate.visits).sum::<u32>(), 1_000);
}

/// A search stops when its time is over, on however many threads, with a move that makes sense; a tree that is full grows no more and still learns.
#[test]
fn a_search_stops_on_time_and_keeps_to_its_memory() {
    let position = Position::new(Size::NINETEEN, Preset::Weiqi.rules());
    let terms = Terms::even(Preset::Weiqi.komi());
    for threads in [1, 2] {
        let time = std::time::Duration::from_millis(200);
        let began = std::time::Instant::now();
        let analysis = analyse(&position, &terms, &Budget { threads, ..Budget::time(time) }, 1);
        // The machine may have other things to do; a search that forgot its time would take for ever.
        assert!(began.elapsed() < time * 20, "{:?}", began.elapsed());
        assert!(analysis.playouts > 0 && analysis.moves.len() > 300);
    }
    let small = Budget { nodes: 400, ..Budget::playouts(300) };
    let analysis = analyse(&position, &terms, &small, 1);
    assert_eq!(analysis.playouts, 300);
    let deepest = analysis.moves.iter().map(|candidate| candidate.line.len()).max();
    assert!(deepest <= Some(3), "{deepest:?}");
}

/// With a handicap bonus that turns a won game into a lost one, the bonus is part of what the player reckons with.
#[test]
fn a_handicap_bonus_counts() {
    let rules = Preset::Chinese.rules();
    let position = Position::new(Size::NINE, rules);
    let lead = |handicap| {
        let terms = Terms { handicap, ..Terms::even(Komi::ZERO) };
        analyse(&position, &terms, &Budget::playouts(300), 3).lead
    };
    let (even, nine) = (lead(0), lead(9));
    assert!((even - nine - 9.0).abs() < 3.0, "{even} and {nine}");
}
