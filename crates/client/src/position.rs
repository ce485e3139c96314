//! A game's position from what the server says of it, for programs that think for themselves.

use goban::{
    Color, HandicapBonus, Illegal, KoRule, Komi, KomiError, Move, PointError, Position, Preset, PresetError,
    Rules, Scoring, SetupError, Size, SizeError, Tax, handicap_points,
};
use nigiri_proto::game::v1::{self as pb, GameSettings, GameSnapshot};

/// Why a snapshot makes no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// A part of the message is missing.
    #[error("the snapshot has no {0}")]
    Missing(&'static str),
    /// Rules that this program does not know.
    #[error(transparent)]
    Preset(#[from] PresetError),
    /// A part of the rules that this program does not know.
    #[error("rules that are not known here: {0}")]
    Rules(&'static str),
    /// Not a board.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// Not a komi.
    #[error(transparent)]
    Komi(#[from] KomiError),
    /// Not a move.
    #[error(transparent)]
    Point(#[from] PointError),
    /// Handicap stones that cannot stand like that.
    #[error(transparent)]
    Handicap(#[from] SetupError),
    /// A move that the rules forbid.
    #[error("move {number}, {chosen}: {why}")]
    Illegal {
        /// How many moves came before it.
        number: usize,
        /// The move.
        chosen: Move,
        /// Why.
        why: Illegal,
    },
}

/// The rules of a game: those of its preset, unless its options say otherwise.
///
/// # Errors
/// [`PositionError::Preset`] and [`PositionError::Rules`] for what a newer server may have.
pub fn rules_of(settings: &GameSettings) -> Result<Rules, PositionError> {
    let preset: Preset = settings.preset.parse()?;
    let custom = settings.options.as_ref().and_then(|options| options.rules.as_ref());
    custom.map_or_else(|| Ok(preset.rules()), rules)
}

fn rules(rules: &pb::Rules) -> Result<Rules, PositionError> {
    let unknown = |what| move |_| PositionError::Rules(what);
    Ok(Rules {
        ko: match pb::KoRule::try_from(rules.ko).map_err(unknown("ko"))? {
            pb::KoRule::Unspecified => return Err(PositionError::Rules("ko")),
            pb::KoRule::Simple => KoRule::Simple,
            pb::KoRule::Positional => KoRule::Positional,
            pb::KoRule::Situational => KoRule::Situational,
        },
        scoring: match pb::Scoring::try_from(rules.scoring).map_err(unknown("scoring"))? {
            pb::Scoring::Unspecified => return Err(PositionError::Rules("scoring")),
            pb::Scoring::Area => Scoring::Area,
            pb::Scoring::Territory => Scoring::Territory,
        },
        multi_stone_suicide: rules.multi_stone_suicide,
        tax: match pb::Tax::try_from(rules.tax).map_err(unknown("tax"))? {
            pb::Tax::Unspecified | pb::Tax::None => Tax::None,
            pb::Tax::Seki => Tax::Seki,
            pb::Tax::All => Tax::All,
        },
        handicap_bonus: match pb::HandicapBonus::try_from(rules.handicap_bonus)
            .map_err(unknown("handicap bonus"))?
        {
            pb::HandicapBonus::Unspecified | pb::HandicapBonus::None => HandicapBonus::None,
            pb::HandicapBonus::NMinusOne => HandicapBonus::NMinusOne,
            pb::HandicapBonus::N => HandicapBonus::N,
        },
    })
}

/// What White receives.
///
/// # Errors
/// [`PositionError::Komi`] for what is no komi.
pub fn komi_of(settings: &GameSettings) -> Result<Komi, PositionError> {
    // `Display` of a float is its shortest exact text, which is what a komi is read from.
    Ok(settings.komi.to_string().parse()?)
}

/// The position of a snapshot with its history, the player to move as in the game. Handicap stones that Black has placed freely are taken as set up.
///
/// # Errors
/// What in the snapshot cannot be, or is of a newer server.
pub fn position_of(snapshot: &GameSnapshot) -> Result<Position, PositionError> {
    let settings = snapshot.settings.as_ref().ok_or(PositionError::Missing("settings"))?;
    let size = Size::square(u8::try_from(settings.board_size).unwrap_or(u8::MAX))?;
    let rules = rules_of(settings)?;
    let (stones, free) =
        settings.options.as_ref().map_or((0, false), |options| (options.handicap, options.free_placement));
    let moves: Vec<Move> = snapshot.moves.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let placements = if free { usize::try_from(stones).unwrap_or(usize::MAX) } else { 0 };
    let (placed, played) = moves.split_at(placements.min(moves.len()));
    let black = match stones {
        0 => Vec::new(),
        _ if free => placed.iter().filter_map(|chosen| chosen.point()).collect(),
        _ => u8::try_from(stones).ok().and_then(|n| handicap_points(size, n)).unwrap_or_default(),
    };
    let first = if stones >= 2 && placed.len() == placements { Color::White } else { Color::Black };
    let mut position = Position::setup(size, rules, &black, &[], first)?;
    for (at, &chosen) in played.iter().enumerate() {
        let number = placed.len() + at;
        position.play(chosen).map_err(|why| PositionError::Illegal { number, chosen, why })?;
    }
    Ok(position)
}

#[cfg(test)]
mod tests {
    use nigiri_proto::game::v1::GameOptions;

    use super::*;

    fn snapshot(preset: &str, options: Option<GameOptions>, moves: &[&str]) -> GameSnapshot {
        let settings = GameSettings {
            preset: preset.to_owned(),
            board_size: 9,
            komi: 0.5,
            options,
            ..Default::default()
        };
        let moves = moves.iter().map(ToString::to_string).collect();
        GameSnapshot { settings: Some(settings), moves, ..GameSnapshot::default() }
    }

    fn rows(position: &Position) -> usize {
        position.board().stones(Color::Black).count()
    }

    /// Handicap stones stand before White's first move, wherever Black put them; a game's own rules are its rules.
    #[test]
    fn handicaps_and_custom_rules_make_the_position() {
        let fixed = GameOptions { handicap: 3, ..Default::default() };
        let position = position_of(&snapshot("igo", Some(fixed), &["E5"])).unwrap();
        assert_eq!((rows(&position), position.turn()), (3, Color::Black));
        let free = GameOptions { handicap: 2, free_placement: true, ..Default::default() };
        let placing = position_of(&snapshot("igo", Some(free), &["E5"])).unwrap();
        assert_eq!((rows(&placing), placing.turn()), (1, Color::Black));
        let placed = position_of(&snapshot("igo", Some(free), &["E5", "C3", "G7"])).unwrap();
        assert_eq!((rows(&placed), placed.turn()), (2, Color::Black));
        let rules = pb::Rules {
            ko: pb::KoRule::Situational.into(),
            scoring: pb::Scoring::Area.into(),
            multi_stone_suicide: true,
            ..Default::default()
        };
        let custom = GameOptions { rules: Some(rules), ..Default::default() };
        let custom = position_of(&snapshot("igo", Some(custom), &[])).unwrap();
        assert!(custom.rules().multi_stone_suicide && custom.rules().scoring == Scoring::Area);
        assert_eq!(position_of(&snapshot("igo", None, &[])).unwrap().rules(), Preset::Igo.rules());
        let twice = position_of(&snapshot("quick", None, &["E5", "E5"]));
        assert!(matches!(twice, Err(PositionError::Illegal { number: 1, .. })), "{twice:?}");
    }
}
