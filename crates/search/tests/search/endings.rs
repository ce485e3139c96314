use goban::{Board, Color, Dead, Komi, Move, Position, Preset, judge};
use search::{Budget, Choice, Level, Terms, choose};

const PASS: Choice = Choice::Move(Move::Pass);

fn position(drawing: &str, to_move: Color) -> Position {
    Position::from_board(
        Board::parse(drawing).expect("the drawing is a board"),
        Preset::Quick.rules(),
        to_move,
    )
}

fn each_level(position: &Position, komi: Komi) -> impl Iterator<Item = (Level, Choice)> {
    Level::ALL
        .into_iter()
        .map(move |level| (level, choose(position, &Terms::even(komi), level, &Budget::of(level), 7)))
}

/// Black owns the left, White the right, both with two eyes; nothing is left to play.
const FINISHED: &str = "
    . X . X X O O . O
    X X X X X O O O O
    X X X X X O . O O
    . X X X X O O O O
    X X X X X O O O .
    X X X X X O O O O
    X X . X X O O O O
    X X X X X O O O O
    X X X X X O . O O";

/// When nothing sensible is left a bot passes, whoever is ahead.
#[test]
fn with_nothing_left_to_play_everybody_passes() {
    for turn in Color::BOTH {
        for (level, choice) in each_level(&position(FINISHED, turn), Preset::Quick.komi()) {
            assert_eq!(choice, PASS, "{level} as {turn}");
        }
    }
}

/// Territories are closed but not filled, and White is far behind.
const COUNTABLE: &str = "
    . . X X X O . O .
    . . X X X O . O .
    . X . X X O O O .
    . . X X X O . O .
    . . X X X O O O .
    . X . X X O O O .
    . . X X X O . O .
    . . X X X O . O .
    . . X X X O . O .";

/// A pass that wins is answered by a pass; a winner whose game is decided does not wait for the other to pass.
#[test]
fn a_won_game_is_ended() {
    let mut asked = position(COUNTABLE, Color::White);
    asked.play(Move::Pass).unwrap();
    for (level, choice) in each_level(&asked, Komi::ZERO) {
        assert_eq!(choice, PASS, "{level}");
    }
    for level in [Level::Normal, Level::Hard] {
        let choice = choose(
            &position(COUNTABLE, Color::Black),
            &Terms::even(Komi::ZERO),
            level,
            &Budget::of(level),
            3,
        );
        assert_eq!(choice, PASS, "{level}");
    }
}

/// White's stones on the left are as good as dead, but count as alive for the judge: Black would lose by ending the game.
const UNCLEARED: &str = "
    . . . . X O . . .
    . O O . X O . . .
    . . O . X O . . .
    . . . . X O . . .
    . . . . X O . . .
    . . . . X O . . .
    . . . . X O . . .
    . . . . X O . . .
    . . . . X O . . .";

/// A winner who would lose by passing, because dead stones still stand, takes them first; then passes. The opponent only passes.
#[test]
fn dead_stones_are_taken_before_the_game_is_ended() {
    let komi = Komi::ZERO;
    for level in Level::ALL {
        let mut game = position(UNCLEARED, Color::White);
        assert_eq!(judge(&game, komi, 0, Dead::Clear).result.winner(), Some(Color::White));
        while game.passes() < 2 && game.ply() < 100 {
            let chosen = if game.turn() == Color::White {
                Move::Pass
            } else {
                match choose(&game, &Terms::even(komi), level, &Budget::of(level), 11) {
                    Choice::Move(chosen) => chosen,
                    Choice::Resign => panic!("{level} resigns a won game"),
                }
            };
            game.play(chosen).unwrap();
        }
        let result = judge(&game, komi, 0, Dead::Clear).result;
        assert_eq!(
            result.winner(),
            Some(Color::Black),
            "{level}: {result} after {}\n{}",
            game.ply(),
            game.board()
        );
        assert!(game.ply() < 40, "{level} took {} moves", game.ply());
    }
}

/// Without any hope a bot resigns, but not before move 40; after the opponent's pass it passes, so that the board is counted.
#[test]
fn only_a_long_lost_game_is_given_up() {
    let lost = "
        . . . . . . . . .
        . . . X . . . . .
        . . X X X . X . .
        . X . X . X X . .
        . X X . X X . X .
        . X . X X . X X .
        . . X X . X X . .
        . . . X X . . . .
        . . . . . . O . .";
    let early = position(lost, Color::White);
    for (level, choice) in each_level(&early, Preset::Quick.komi()) {
        assert_ne!(choice, Choice::Resign, "{level}");
    }
    // The same board late in a game: forty moves were played, of which most were passes.
    let mut late = Position::new(goban::Size::NINE, Preset::Quick.rules());
    let stones = Board::parse(lost).unwrap();
    for point in stones.stones(Color::Black) {
        late.play_as(Color::Black, Move::Play(point)).unwrap();
        late.play_as(Color::White, Move::Pass).unwrap();
    }
    late.play_as(Color::White, Move::Play("G1".parse().unwrap())).unwrap();
    late.play_as(Color::Black, Move::Play("G2".parse().unwrap())).unwrap();
    assert!(late.ply() >= 40);
    for (level, choice) in each_level(&late, Preset::Quick.komi()) {
        assert_eq!(choice, Choice::Resign, "{level}");
    }
    late.play_as(Color::Black, Move::Pass).unwrap();
    for (level, choice) in each_level(&late, Preset::Quick.komi()) {
        assert_eq!(choice, PASS, "{level}");
    }
}
