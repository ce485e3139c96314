//! Rare shapes that every book on the rules has: kos that nobody wants to start, kos without end, captures that are taken back.

use goban::{Board, estimate};

use crate::fixtures::all_hold;

/// Black's corner is bent four.
pub const BENT_FOUR: &str = "
    O O . x O . O . O
    O x x x O O O O .
    . x O O O . . . .
    x x O . . O O O O
    O O O O O O X X X
    O . O X X X X . .
    O O X . . . X . X
    . O X . X . . . .
    O O X . . . X . .";

/// A corner that may become a ko or a seki.
pub const TEN_THOUSAND_YEARS: &str = "
    . O O O . X O . .
    O X X . X X O . O
    X X X X X O O . .
    O O O O O O . O .
    . O . . O . . . .
    O O O O O O O O O
    X X X X X X X X X
    . X . X . X . X .
    X . X . X . X . X";

/// Neither side can win both of two kos.
pub const SEKI_BY_KOS: &str = "
    O X . X O . O X O
    O X X O O O X X O
    O O X X . X X O O
    . O O X X X O O .
    O . O O O O O . O
    O O O O O O O O O
    X X X X X X X X X
    . X . X . X . X .
    X . X . X . X . X";

/// A ko eye that Black can take back, but never make safe.
pub const MOONSHINE: &str = "
    . X . X . . O . .
    X X . X O O O . O
    . . X X O . . . .
    X X X X O O . . .
    O O O O O . . O .
    . . . . O . . . .
    O O O O O . O . .
    x x x O O . . . .
    . x . x O . . . .";

/// Black has an eye and the second one from either of two kos.
pub const LIFE_BY_KOS: &str = "
    O O X . X . X . X O O
    O . O X X X X X . X O
    O O X X O O O X X O O
    O O O O O O O O O O O
    O . O . O O O . O . O
    O O O O O O O O O O O
    X X X X X X X X X X X
    . X . X . X . X . X .
    X . X . X . X . X . X";

/// Black's corner lives by a cycle without a ko: White throws a stone in at F9, since with C9 four stones make one eye of the corner and the other one is
/// false; Black gives up two stones at C9, as that threatens to take the four; White takes them at E9, and Black takes two at D9.
/// `tests/enclosed` shows that neither has anything better.
pub const ETERNAL_LIFE: &str = include_str!("../drawings/eternal_life.txt");

/// Each side has three stones of the other's in an eye of four, in atari, and both share two liberties.
pub const TWO_BIG_EYES: &str = "
    . O . O . X . X .
    O O O O O X X X X
    . O . . O X . X .
    O . O . O X . . X
    . . . O O X . X .
    O O O O O X X X X
    X X X X X O O O O
    O . X X . O O . X
    O O X X . O O X X";

/// A hanezeki: White's tail of three is in atari at E2, and so are three black stones at H2, in White's eye.
pub const HANEZEKI: &str = "
    . O . O . O X . X
    O O O O O O X X X
    . O . . . O X . X
    O . O . . O X X X
    . . . . O O X . X
    O O O O O O X X X
    X X X X X X O O O
    X O O O . . O . X
    X X X X X O O X X";

/// Two black chains around a white group, joined by two points that would be false eyes each by itself.
pub const TWO_HEADED_DRAGON: &str = "
    O O O O O O O O O
    O X X X X X X O O
    O X O O O X . X O
    O X O . O O X X O
    O X X O O . O X O
    O X . X O O O X O
    O O X X X X X X O
    O O O O O O O O O
    O . O . O O O O O";

/// Two black and two white chains share their last liberty but one, the point in the middle, and each two have a false eye: who fills the
/// middle makes one chain, in atari at the false eye; who fills the own false eye is in atari at the middle.
pub const SEKI_BY_FALSE_EYES: &str = "
    O O O . O O O O .
    X O O O O O O O O
    X X O X X X O O O
    X X X O X . X O O
    X X O O . X X O O
    X X O . O X O O O
    X X X O O O X O O
    X X X X X X X X O
    . X X X X . X X X";

/// The corner that becomes a ko whenever White likes, and that Black can never settle, is dead.
#[test]
fn bent_four_in_the_corner_is_dead() {
    all_hold(&[("bent four", BENT_FOUR)]);
}

/// Whoever starts a ten-thousand-year ko starts it at a disadvantage, and White may make a seki of it: both stay.
#[test]
fn both_sides_of_a_ten_thousand_year_ko_stay() {
    all_hold(&[("ten-thousand-year ko", TEN_THOUSAND_YEARS)]);
}

/// Two kos between groups without eyes are a seki. Two points that the enemy can always take in a ko, and that nobody can make safe,
/// are no eye, however.
#[test]
fn two_kos_may_be_a_seki() {
    all_hold(&[
        (
            "two false eyes in kos",
            "
            . x . x O . O . O
            x x x O O O O O O
            . x O O . O . O .
            x O O . O O O O O
            O O . O O X X X X
            O O O O X X . X .
            X X X X X . X X X
            . X . X . X X . X
            X X X X X . X X .",
        ),
        ("seki by two kos", SEKI_BY_KOS),
    ]);
}

/// Who loses one of two kos wins the other one, and with it the second eye.
#[test]
fn either_of_two_kos_may_be_life() {
    all_hold(&[("an eye and two kos", LIFE_BY_KOS)]);
}

/// A group with one eye and a ko that it can take back for ever, but never win, is dead, whatever threats a double ko elsewhere has.
#[test]
fn moonshine_life_is_dead() {
    all_hold(&[
        ("no threats", MOONSHINE),
        (
            "threats without end",
            "
            O X . X O . O X O
            O X X O O O X X O
            O O X X . X X O O
            . O O X X X O O .
            O . O O O O O . .
            . . . . O . . O .
            O O O O O . O . .
            x x x O O . . . .
            . x . x O . . . .",
        ),
    ]);
}

/// White may throw two stones in and take one back for ever; after a connection first, Black has one eye only.
#[test]
fn sending_two_and_taking_one_back_is_no_eye() {
    all_hold(&[(
        "two for one",
        "
        . X . X O . . . .
        X X X X O O . O .
        . X X O O . . . .
        X X O O . . O . .
        O O O . . . . . .
        x x O . O . . . .
        . x O . . . . O .
        x x O O . O . . .
        . O . O . . . . .",
    )]);
}

/// Stones that take a stone are taken back with it.
#[test]
fn a_snapback_kills() {
    all_hold(&[(
        "snapback",
        "
        . O . O X . . . .
        O O O O X . X . .
        . O O X X . . . .
        O O X X . . X . .
        X X X . . . . . .
        . . . X . . X . .
        X X X X X . . . .
        X o o o X . . X .
        X o X . X . . . .",
    )]);
}

/// Six points with a stone where all of them meet make one eye.
#[test]
fn a_stone_in_the_middle_of_six_kills() {
    all_hold(&[(
        "six points",
        "
        . O . O X . . . .
        O O O O X . X . .
        . O O X X . . . .
        O O X . . . X . .
        X X X X X . . . .
        o o o o X . X . .
        o . . o X X . . .
        o . X . o X . X .
        o o . o o X . . .",
    )]);
}

/// Neither side can end it without a loss, so nothing of it is dead, whoever has moved last, and all play in it is a cycle that comes back
/// to where it began.
#[test]
fn all_of_eternal_life_stays() {
    let thrown_in = ETERNAL_LIFE.replacen(". O . X . .", ". O . X . O", 1);
    let answered = thrown_in.replacen(". O . X . O", ". O X X . O", 1);
    all_hold(&[("eternal life", ETERNAL_LIFE), ("thrown in", &thrown_in), ("answered", &answered)]);
}

/// Either side has stones in atari, and whoever takes them loses the race that follows, by all play in the three lower rows: with an eye of four for each side the own
/// eye becomes small; and what is left of the tail, which hangs together with its group by the two liberties that both share, is one eye with a stone of the enemy's in
/// its middle. To play on a liberty that both share loses too.
#[test]
fn who_cannot_afford_to_take_stones_in_atari_leaves_them() {
    all_hold(&[("two big eyes", TWO_BIG_EYES), ("hanezeki", HANEZEKI)]);
}

/// The same on boards that have no other points.
#[test]
fn groups_that_cannot_afford_to_take_stones_stay_on_tiny_boards() {
    all_hold(&[
        ("eyes of four in two corners", "XXX.OO.\nO.X.OOX\nOOXOOXX"),
        ("eyes of four along the edges", "OOOXX.OOXX\nXX.XXOOOX.\nXXXX.OOOOO"),
    ]);
}

/// False eyes hold together what has no others: chains that are joined in a ring by two of them live, and where both sides would be short of
/// liberties after filling theirs, both stay.
#[test]
fn false_eyes_may_be_life() {
    all_hold(&[("two-headed dragon", TWO_HEADED_DRAGON), ("seki by false eyes", SEKI_BY_FALSE_EYES)]);
}

/// Stones that connect are taken all together, and dead stay those that only this would save. The stones between them and their friends live as long
/// as they can connect to these, and the next move may be the opponent's.
#[test]
fn to_connect_and_die_saves_nothing() {
    all_hold(&[(
        "shut in",
        "
        . . X o . o . X O
        . . X o X o X X O
        . . X X X o X O O
        . X . . X X X O .
        . . . . . X O O O
        . . X . . X O . O
        . . . . X X O O O
        . X . . X O O . .
        . . . . X O . . .",
    )]);
    let open = "
        . . X o . O . O O
        . . X o X O X X O
        . . X X X O X O O
        . X . . X X X O .
        . . . . . X O O O
        . . X . . X O . O
        . . . . X X O O O
        . X . . X O O . .
        . . . . X O . . .";
    all_hold(&[("open", open)]);
    let unsettled = estimate(&Board::parse(open).unwrap()).unsettled;
    assert!(unsettled.contains(&"F9".parse().unwrap()), "{unsettled:?}");
}

/// Stones on the edge, cut off at the border by a stone that can be taken: what takes it is taken back with them.
#[test]
fn a_snapback_at_the_border_kills() {
    all_hold(&[(
        "snapback at the border",
        "
        . . . . X O . O .
        . . X . X O O O O
        . X . . X O . . .
        . . . . X O O O O
        . . . . X X X X O
        . . X . . . . X O
        . . . . . X X X O
        . X . . X o . X O
        . . . . X o X O O",
    )]);
}
