//! Which stones are taken as dead.

use std::str::FromStr;

use goban::Point;

/// Which stones are dead.
#[derive(Clone, Debug, PartialEq)]
pub enum Dead {
    /// None.
    None,
    /// What is clearly dead.
    Clear,
    /// What two good players would agree on.
    Estimate,
    /// These.
    Given(Vec<Point>),
}

impl FromStr for Dead {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "none" => Ok(Self::None),
            "clear" => Ok(Self::Clear),
            "estimate" => Ok(Self::Estimate),
            _ => Err("the dead stones are \"clear\", \"estimate\" or \"none\""),
        }
    }
}
