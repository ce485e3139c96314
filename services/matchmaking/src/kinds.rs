//! The kinds of games that strangers meet for: a preset on a board by a clock, rated or not.
//!
//! A kind is a bit of [`Kinds`]: its place in [`OFFERED`] when it is rated, and [`CASUAL`] more when it is not. Two who accept both play a rated
//! game, since the lower bit counts.

use std::time::Duration;

use goban::{Preset, Size};
use nigiri_proto::{
    game::v1::{Byoyomi, Fischer, GameSettings, NoClock, PerMove, TimeControl, time_control::Control},
    matchmaking::v1::{MatchSettings, Pace},
};
use pairing::{BOARDS, Kinds};
use platform::{convert::to_proto_duration, status::Violation};

/// A kind of game, but for whether it is rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The rules.
    pub preset: Preset,
    /// Lines of the board.
    pub side: u8,
    /// The clock.
    pub pace: Pace,
}

const fn kind(preset: Preset, side: u8, pace: Pace) -> Kind {
    Kind { preset, side, pace }
}

/// All that can be asked for. Of what two have in common on one board, the first counts.
pub const OFFERED: [Kind; 20] = [
    kind(Preset::Quick, 9, Pace::PerMove),
    kind(Preset::Territory, 9, Pace::PerMove),
    kind(Preset::Weiqi, 9, Pace::PerMove),
    kind(Preset::Weiqi, 9, Pace::Fischer),
    kind(Preset::Weiqi, 9, Pace::Byoyomi),
    kind(Preset::Weiqi, 13, Pace::PerMove),
    kind(Preset::Weiqi, 13, Pace::Fischer),
    kind(Preset::Weiqi, 13, Pace::Byoyomi),
    kind(Preset::Weiqi, 19, Pace::PerMove),
    kind(Preset::Weiqi, 19, Pace::Fischer),
    kind(Preset::Weiqi, 19, Pace::Byoyomi),
    kind(Preset::Igo, 19, Pace::Byoyomi),
    kind(Preset::Igo, 19, Pace::Fischer),
    kind(Preset::Igo, 19, Pace::PerMove),
    kind(Preset::Igo, 9, Pace::Byoyomi),
    kind(Preset::Igo, 9, Pace::Fischer),
    kind(Preset::Igo, 9, Pace::PerMove),
    kind(Preset::Igo, 13, Pace::Byoyomi),
    kind(Preset::Igo, 13, Pace::Fischer),
    kind(Preset::Igo, 13, Pace::PerMove),
];

/// Unrated kinds are so many bits above the rated ones.
pub const CASUAL: u8 = 32;

/// The sides of the boards that have a pool of ratings each, in the order of [`pairing::Candidate::ratings`].
pub const SIDES: [u8; BOARDS] = [9, 13, 19];

/// The longest list of accepted games that makes sense.
const LONGEST_LIST: usize = 16;

impl Kind {
    /// The kind at a bit, and whether it is rated.
    pub fn at(bit: u8) -> Option<(Self, bool)> {
        OFFERED.get(usize::from(bit % CASUAL)).map(|kind| (*kind, bit < CASUAL))
    }

    /// The pool of its ratings: a place in [`SIDES`].
    pub fn board(self) -> usize {
        SIDES.iter().position(|side| *side == self.side).unwrap_or(0)
    }

    /// Whether a player may name a colour, in an unrated game.
    pub const fn has_choice_of_color(self) -> bool {
        matches!(self.preset, Preset::Weiqi | Preset::Igo)
    }

    /// What is played.
    pub fn settings(self, rated: bool) -> GameSettings {
        settings(self.preset, self.side, control(self.pace), rated)
    }
}

/// All kinds of a set, the rated ones first.
pub fn list(kinds: Kinds) -> impl Iterator<Item = (Kind, bool)> {
    kinds.iter().filter_map(Kind::at)
}

/// The kinds on each of [`SIDES`].
pub fn boards() -> [u64; BOARDS] {
    let mut boards = [0; BOARDS];
    for (bit, kind) in (0_u8..).zip(OFFERED) {
        boards[kind.board()] |= 1 << bit | 1 << (bit + CASUAL);
    }
    boards
}

/// The usual game of a preset without a clock, for an AI of one's choice.
pub fn without_clock(preset: Preset) -> GameSettings {
    let side = preset.sides().first().copied().unwrap_or(SIDES[0]);
    settings(preset, side, Control::None(NoClock {}), false)
}

/// The usual game of a preset on this board, by this clock.
pub(crate) fn settings(preset: Preset, side: u8, control: Control, rated: bool) -> GameSettings {
    GameSettings {
        preset: preset.name().to_owned(),
        board_size: side.into(),
        komi: f64::from(preset.komi().half_points()) / 2.0,
        time_control: Some(TimeControl { control: Some(control) }),
        rated,
        move_limit: preset.move_limit(Size::square(side).unwrap_or(Size::NINE)),
        ..GameSettings::default()
    }
}

/// The clock of a pace.
pub(crate) fn control(pace: Pace) -> Control {
    let seconds = |seconds| Some(to_proto_duration(Duration::from_secs(seconds)));
    match pace {
        Pace::Unspecified | Pace::PerMove => Control::PerMove(PerMove { time: seconds(30) }),
        Pace::Fischer => {
            Control::Fischer(Fischer { time: seconds(300), increment: seconds(10), cap: seconds(600) })
        }
        Pace::Byoyomi => Control::Byoyomi(Byoyomi { time: seconds(600), period: seconds(30), periods: 5 }),
    }
}

/// The kinds that a player accepts, with a bit below [`CASUAL`] for each; and everything that is wrong with what they say.
pub fn read(accepts: &[MatchSettings]) -> (u32, Vec<Violation>) {
    let mut violations = Vec::new();
    if accepts.is_empty() || accepts.len() > LONGEST_LIST {
        let words = format!("one to {LONGEST_LIST} kinds of games; there is {}", presets());
        violations.push(Violation::new("accepts", words));
    }
    let mut kinds = 0;
    for (place, one) in accepts.iter().take(LONGEST_LIST).enumerate() {
        let mut note = |field: &str, words: String| {
            violations.push(Violation::new(format!("accepts[{place}].{field}"), words));
        };
        match one.preset.parse::<Preset>() {
            Ok(preset) if Preset::OFFERED.contains(&preset) => kinds |= read_one(preset, one, &mut note),
            _ => {
                let given: String = one.preset.chars().take(32).collect();
                note("preset", format!("{given:?} is not to be had here; there is {}", presets()));
            }
        }
    }
    (kinds, violations)
}

fn read_one(preset: Preset, one: &MatchSettings, note: &mut impl FnMut(&str, String)) -> u32 {
    let of_preset = || (0_u32..).zip(OFFERED).filter(|(_, kind)| kind.preset == preset);
    // The usual board, and the usual clock, are those of the preset's first kind.
    let usual = of_preset().next().map(|(_, kind)| kind);
    let usual_side = usual.map(|kind| u32::from(kind.side));
    let usual_pace = usual.map(|kind| i32::from(kind.pace));
    let sides: Vec<u32> =
        if one.board_sizes.is_empty() { usual_side.into_iter().collect() } else { one.board_sizes.clone() };
    let paces: Vec<i32> =
        if one.paces.is_empty() { usual_pace.into_iter().collect() } else { one.paces.clone() };
    for side in
        sides.iter().filter(|side| of_preset().all(|(_, kind)| u32::from(kind.side) != **side)).take(1)
    {
        note("board_sizes", format!("{preset} is not played on a board of {side} lines here"));
    }
    for pace in
        paces.iter().filter(|pace| of_preset().all(|(_, kind)| i32::from(kind.pace) != **pace)).take(1)
    {
        note("paces", format!("{preset} is not played by the clock number {pace} here"));
    }
    let wanted = |kind: &Kind| sides.contains(&kind.side.into()) && paces.contains(&kind.pace.into());
    of_preset().filter(|(_, kind)| wanted(kind)).fold(0, |kinds, (bit, _)| kinds | 1 << bit)
}

fn presets() -> String {
    Preset::OFFERED.map(Preset::name).join(", ")
}

/// The set of these kinds, rated, or not, or either.
pub const fn kinds(places: u32, rated: bool, unrated: bool) -> Kinds {
    let places = places as u64;
    Kinds(if rated { places } else { 0 } | if unrated { places << CASUAL } else { 0 })
}

/// Kinds as the log has them: the games, whether they may be rated, and whether they may be unrated.
pub fn write(kinds: Kinds) -> (Vec<MatchSettings>, bool, bool) {
    let rated = kinds.0 & u64::from(u32::MAX);
    let unrated = kinds.0 >> CASUAL;
    let mut accepts: Vec<MatchSettings> = Vec::new();
    for (kind, _) in list(Kinds(rated | unrated)) {
        let (preset, side) = (kind.preset.name(), u32::from(kind.side));
        match accepts.last_mut() {
            Some(last) if last.preset == preset && last.board_sizes == [side] => {
                last.paces.push(kind.pace.into());
            }
            _ => accepts.push(MatchSettings {
                preset: preset.to_owned(),
                board_sizes: vec![side],
                paces: vec![kind.pace.into()],
            }),
        }
    }
    (accepts, rated != 0, unrated != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(preset: &str, sides: &[u32], paces: &[Pace]) -> MatchSettings {
        let paces = paces.iter().map(|pace| (*pace).into()).collect();
        MatchSettings { preset: preset.to_owned(), board_sizes: sides.to_vec(), paces }
    }

    /// Every board and preset of the four can be asked for, each at its own bit; a preset alone means its usual game, and what is written is read again.
    #[test]
    fn all_four_presets_are_offered_on_all_their_boards() {
        for preset in Preset::OFFERED {
            for side in preset.sides() {
                assert!(
                    OFFERED.iter().any(|kind| kind.preset == preset && kind.side == *side),
                    "{preset} {side}"
                );
            }
            let (places, wrong) = read(&[accepted(preset.name(), &[], &[])]);
            assert!(wrong.is_empty() && places.is_power_of_two(), "{preset}");
            let usual = OFFERED[places.trailing_zeros() as usize];
            assert_eq!((usual.preset, Some(&usual.side)), (preset, preset.sides().first()));
            assert_eq!(usual.pace == Pace::Byoyomi, preset == Preset::Igo);
        }
        let [small, middle, large] = boards();
        assert_eq!((small & middle, small & large, middle & large), (0, 0, 0));
        for places in [1, 0b1010, (1 << OFFERED.len()) - 1] {
            for (rated, unrated) in [(true, false), (false, true), (true, true)] {
                let written = write(kinds(places, rated, unrated));
                assert_eq!((written.1, written.2), (rated, unrated));
                assert_eq!(read(&written.0), (places, vec![]));
            }
        }
    }

    /// What a preset does not have is named by its field; what is right beside it counts.
    #[test]
    fn what_is_not_offered_is_named() {
        let (places, wrong) = read(&[
            accepted("weiqi", &[9, 19, 7], &[Pace::Fischer, Pace::Byoyomi]),
            accepted("quick", &[], &[Pace::Byoyomi]),
            accepted("aga", &[], &[]),
        ]);
        assert_eq!(places.count_ones(), 4);
        let fields: Vec<_> = wrong.iter().map(|violation| violation.field.as_str()).collect();
        assert_eq!(fields, ["accepts[0].board_sizes", "accepts[1].paces", "accepts[2].preset"]);
    }
}
