use goban::{HandicapBonus, KoRule, Rules, Scoring, Tax};
use nigiri_proto::game::v1 as pb;
use platform::{
    convert::{from_proto_duration, to_proto_duration},
    status::Violation,
};
use referee::{DeadStones, Grace, Handicap, Settings};

use super::control::whole;

/// Everything that a custom game may choose, as these settings have it.
pub fn to_proto(settings: &Settings) -> pb::GameOptions {
    let time = |time| Some(to_proto_duration(time));
    let Grace { signed_in, guest, left } = settings.grace;
    let dead = match settings.dead {
        DeadStones::None => pb::DeadStones::None,
        DeadStones::Clear => pb::DeadStones::Clear,
        DeadStones::Estimate => pb::DeadStones::Estimate,
        DeadStones::Agreement => pb::DeadStones::Agreement,
    };
    pb::GameOptions {
        rules: Some(rules_to_proto(settings.rules)),
        dead_stones: dead.into(),
        handicap: settings.handicap.stones.into(),
        free_placement: settings.handicap.free,
        draw_offers: Some(settings.draw_offers),
        takebacks: Some(settings.takebacks),
        grace: Some(pb::Grace { signed_in: time(signed_in), guest: time(guest), left: time(left) }),
    }
}

/// What is malformed in options, by field.
pub fn violations(options: &pb::GameOptions) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut note = |field: &str, problem: &str| {
        found.push(Violation::new(format!("settings.options.{field}"), problem));
    };
    if let Some(rules) = &options.rules
        && rules_from_proto(rules).is_none()
    {
        note("rules", "ko and scoring must be named, and everything that this server knows");
    }
    if pb::DeadStones::try_from(options.dead_stones).is_err() {
        note("dead_stones", "unknown to this server");
    }
    if u8::try_from(options.handicap).is_err() {
        note("handicap", "0, or 2 to 9 stones");
    }
    found
}

/// The settings with what the options say. What they say together is checked by the referee.
pub fn apply(options: &pb::GameOptions, usual: Settings) -> Settings {
    let dead = match options.dead_stones() {
        pb::DeadStones::Unspecified => usual.dead,
        pb::DeadStones::None => DeadStones::None,
        pb::DeadStones::Clear => DeadStones::Clear,
        pb::DeadStones::Estimate => DeadStones::Estimate,
        pb::DeadStones::Agreement => DeadStones::Agreement,
    };
    let read = |time| whole(from_proto_duration(time));
    let grace = options.grace.as_ref().map_or(usual.grace, |grace| Grace {
        signed_in: grace.signed_in.map_or(usual.grace.signed_in, read),
        guest: grace.guest.map_or(usual.grace.guest, read),
        left: grace.left.map_or(usual.grace.left, read),
    });
    Settings {
        rules: options.rules.as_ref().and_then(rules_from_proto).unwrap_or(usual.rules),
        dead,
        handicap: Handicap {
            stones: u8::try_from(options.handicap).unwrap_or(u8::MAX),
            free: options.free_placement,
        },
        draw_offers: options.draw_offers.unwrap_or(usual.draw_offers),
        takebacks: options.takebacks.unwrap_or(usual.takebacks),
        grace,
        ..usual
    }
}

fn rules_to_proto(rules: Rules) -> pb::Rules {
    let ko = match rules.ko {
        KoRule::Simple => pb::KoRule::Simple,
        KoRule::Positional => pb::KoRule::Positional,
        KoRule::Situational => pb::KoRule::Situational,
    };
    let scoring = match rules.scoring {
        Scoring::Area => pb::Scoring::Area,
        Scoring::Territory => pb::Scoring::Territory,
    };
    let tax = match rules.tax {
        Tax::None => pb::Tax::None,
        Tax::Seki => pb::Tax::Seki,
        Tax::All => pb::Tax::All,
    };
    let bonus = match rules.handicap_bonus {
        HandicapBonus::None => pb::HandicapBonus::None,
        HandicapBonus::NMinusOne => pb::HandicapBonus::NMinusOne,
        HandicapBonus::N => pb::HandicapBonus::N,
    };
    pb::Rules {
        ko: ko.into(),
        scoring: scoring.into(),
        multi_stone_suicide: rules.multi_stone_suicide,
        tax: tax.into(),
        handicap_bonus: bonus.into(),
    }
}

fn rules_from_proto(rules: &pb::Rules) -> Option<Rules> {
    Some(Rules {
        ko: match pb::KoRule::try_from(rules.ko).ok()? {
            pb::KoRule::Unspecified => return None,
            pb::KoRule::Simple => KoRule::Simple,
            pb::KoRule::Positional => KoRule::Positional,
            pb::KoRule::Situational => KoRule::Situational,
        },
        scoring: match pb::Scoring::try_from(rules.scoring).ok()? {
            pb::Scoring::Unspecified => return None,
            pb::Scoring::Area => Scoring::Area,
            pb::Scoring::Territory => Scoring::Territory,
        },
        multi_stone_suicide: rules.multi_stone_suicide,
        tax: match pb::Tax::try_from(rules.tax).ok()? {
            pb::Tax::Unspecified | pb::Tax::None => Tax::None,
            pb::Tax::Seki => Tax::Seki,
            pb::Tax::All => Tax::All,
        },
        handicap_bonus: match pb::HandicapBonus::try_from(rules.handicap_bonus).ok()? {
            pb::HandicapBonus::Unspecified | pb::HandicapBonus::None => HandicapBonus::None,
            pb::HandicapBonus::NMinusOne => HandicapBonus::NMinusOne,
            pb::HandicapBonus::N => HandicapBonus::N,
        },
    })
}
