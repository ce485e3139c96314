//! One game of a file, as it was played along the main line.

use std::time::Duration;

use super::{Error, GameResult, Node, Reason, rules, value};
use crate::{Board, Color, Illegal, Komi, Move, Point, Position, Rules, SetupError, Size};

/// A game: how it was agreed, what was played, how it ended. Texts are as in the file, empty where it says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// `SZ`: columns and rows; 19x19 where the file says nothing.
    pub size: Size,
    /// `RU`: the rules, as they are named: see [`super::rules_from_name`].
    pub rules: String,
    /// `KM`: what White receives for moving second.
    pub komi: Option<Komi>,
    /// `HA`: stones that Black was given.
    pub handicap: u8,
    /// `PB`, `BR`, `PW`, `WR`: Black and White.
    pub players: [Player; 2],
    /// `RE`: how it ended, where that is written in a known way.
    pub result: Option<GameResult>,
    /// `TM`: main time of each player.
    pub main_time: Option<Duration>,
    /// `OT`: the overtime, in words.
    pub overtime: String,
    /// `DT`: when it was played.
    pub date: String,
    /// `EV`: the tournament.
    pub event: String,
    /// `GN`: the name of the game.
    pub name: String,
    /// `C` of the first node.
    pub comment: String,
    /// Stones before the first move, each list in row order from the bottom left.
    pub start: Setup,
    /// Who moves first.
    pub to_move: Color,
    /// What happened then, in order.
    pub steps: Vec<Step>,
}

/// A player of a game.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Player {
    /// The name.
    pub name: String,
    /// The rank, such as `3d`.
    pub rank: String,
}

/// `AB`, `AW`, `AE`: stones that come and go without being played.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Setup {
    /// Points that become black.
    pub black: Vec<Point>,
    /// Points that become white.
    pub white: Vec<Point>,
    /// Points that become empty.
    pub empty: Vec<Point>,
    /// Who moves next, where that is said.
    pub to_move: Option<Color>,
}

/// What happened in a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A stone or a pass.
    Play {
        /// Whose.
        color: Color,
        /// Where.
        chosen: Move,
        /// `BL`, `OB`, `WL`, `OW`: Black's and White's clock after it.
        left: [Option<TimeLeft>; 2],
        /// `C`: what was said.
        comment: String,
    },
    /// The board was changed; the history that superko looks back on starts anew.
    Setup(Setup),
}

/// What is left on a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeLeft {
    /// Until the flag, or the end of the period; to the millisecond.
    pub time: Duration,
    /// Stones left to play in this period (Canadian), or periods left (byo-yomi); none in main time.
    pub overtime: Option<u32>,
}

/// Why a record cannot be played through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unplayable {
    /// The stones at the start cannot stand like that.
    #[error(transparent)]
    Start(SetupError),
    /// The stones that are set up in the course of the game cannot.
    #[error("step {index}: {why}")]
    Setup {
        /// The step, from 0.
        index: usize,
        /// Why.
        why: SetupError,
    },
    /// The rules forbid a stone.
    #[error("step {index}: {point}: {why}")]
    Illegal {
        /// The step, from 0.
        index: usize,
        /// Where.
        point: Point,
        /// Why.
        why: Illegal,
    },
}

impl Setup {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The stones of a node, or `None` where it sets up nothing.
    fn read(node: Node<'_>, size: Size) -> Result<Option<Self>, Error> {
        let mut setup = Self::default();
        let mut owner = vec![0_u8; size.area()];
        for property in node.properties() {
            let (list, kind) = match &property.name()[..] {
                "AB" => (&mut setup.black, 1),
                "AW" => (&mut setup.white, 2),
                "AE" => (&mut setup.empty, 3),
                "PL" => {
                    setup.to_move = value::color(property)?;
                    continue;
                }
                _ => continue,
            };
            for point in value::points(property, size)? {
                match std::mem::replace(&mut owner[size.index(point)], kind) {
                    0 => list.push(point),
                    before if before == kind => {}
                    _ => return Err(node.error(Reason::SetUpTwice(point))),
                }
            }
        }
        [&mut setup.black, &mut setup.white, &mut setup.empty]
            .into_iter()
            .for_each(|list| list.sort_unstable());
        Ok((!setup.is_empty()).then_some(setup))
    }

    /// The stones after this was set up over `before`.
    fn over(&self, before: [Vec<Point>; 2]) -> [Vec<Point>; 2] {
        let touched =
            |p: &Point| [&self.black, &self.white, &self.empty].iter().any(|l| l.binary_search(p).is_ok());
        let mut stones = before.map(|list| list.into_iter().filter(|p| !touched(p)).collect::<Vec<_>>());
        for (list, new) in stones.iter_mut().zip([&self.black, &self.white]) {
            list.extend(new);
            list.sort_unstable();
        }
        stones
    }
}

impl Record {
    /// A game on an empty board of which nothing else is known.
    #[must_use]
    pub fn new(size: Size) -> Self {
        Self {
            size,
            rules: String::new(),
            komi: None,
            handicap: 0,
            players: Default::default(),
            result: None,
            main_time: None,
            overtime: String::new(),
            date: String::new(),
            event: String::new(),
            name: String::new(),
            comment: String::new(),
            start: Setup::default(),
            to_move: Color::Black,
            steps: Vec::new(),
        }
    }

    /// Reads a game along its main line. What is set up before the first move is the start.
    ///
    /// # Errors
    /// Where a value is wrong that the game needs, and why: size, komi, handicap, points, or another game than Go. Times and results
    /// that cannot be read are left out.
    pub fn read(root: Node<'_>) -> Result<Self, Error> {
        root.get("GM").map_or(Ok(()), value::is_go)?;
        let mut record = Self::new(root.get("SZ").map_or(Ok(Size::NINETEEN), value::size)?);
        record.read_info(root)?;
        let size = record.size;
        for node in root.main_line() {
            if let Some(setup) = Setup::read(node, size)? {
                if record.steps.is_empty() {
                    let start = std::mem::take(&mut record.start);
                    let [black, white] = setup.over([start.black, start.white]);
                    record.start = Setup { black, white, ..Setup::default() };
                } else {
                    record.steps.push(Step::Setup(setup));
                }
            }
            read_moves(node, size, &mut record.steps)?;
        }
        let first = record.first_to_play();
        if record.handicap >= 2 && record.start.is_empty() && first != Some(Color::Black) {
            record.start.black = value::implied_handicap(size, record.handicap);
            record.start.black.sort_unstable();
        }
        record.to_move = start_to_move(root)?.unwrap_or_else(|| record.usual_to_move());
        Ok(record)
    }

    /// What stands in the first node.
    fn read_info(&mut self, root: Node<'_>) -> Result<(), Error> {
        // The comment of a node with a move is that move's.
        let moves = root.get("B").or_else(|| root.get("W")).is_some();
        for property in root.properties() {
            let text = || property.simple_text();
            match &property.name()[..] {
                "RU" => self.rules = text(),
                "KM" => self.komi = value::komi(property)?,
                "HA" => self.handicap = value::handicap(property)?,
                "PB" => self.players[0].name = text(),
                "BR" => self.players[0].rank = text(),
                "PW" => self.players[1].name = text(),
                "WR" => self.players[1].rank = text(),
                "RE" => self.result = text().parse().ok(),
                "TM" => self.main_time = value::seconds(property),
                "OT" => self.overtime = text(),
                "DT" => self.date = text(),
                "EV" => self.event = text(),
                "GN" => self.name = text(),
                "C" if !moves => self.comment = property.text(),
                _ => {}
            }
        }
        Ok(())
    }

    fn first_to_play(&self) -> Option<Color> {
        self.steps.iter().find_map(|step| match step {
            Step::Play { color, .. } => Some(*color),
            Step::Setup(_) => None,
        })
    }

    /// Who moves first where a file does not say it.
    pub(super) fn usual_to_move(&self) -> Color {
        let by_handicap = if self.handicap < 2 { Color::Black } else { Color::White };
        self.first_to_play().unwrap_or(by_handicap)
    }

    /// The rules that the file names, if we know them.
    #[must_use]
    pub fn known_rules(&self) -> Option<Rules> {
        rules::rules_from_name(&self.rules)
    }

    /// The position at the end, by those rules.
    ///
    /// # Errors
    /// The first step that the rules forbid.
    pub fn play(&self, rules: Rules) -> Result<Position, Unplayable> {
        let board =
            Board::with_stones(self.size, &self.start.black, &self.start.white).map_err(Unplayable::Start)?;
        let mut position = Position::from_board(board, rules, self.to_move);
        for (index, step) in self.steps.iter().enumerate() {
            match step {
                Step::Play { color, chosen, .. } => {
                    position.play_as(*color, *chosen).map_err(|why| {
                        let point = chosen.point().unwrap_or(Point::new(0, 0));
                        Unplayable::Illegal { index, point, why }
                    })?;
                }
                Step::Setup(setup) => {
                    let stones = Color::BOTH.map(|color| position.board().stones(color).collect());
                    let [black, white] = setup.over(stones);
                    let board = Board::with_stones(self.size, &black, &white)
                        .map_err(|why| Unplayable::Setup { index, why })?;
                    position.change_board(board, setup.to_move.unwrap_or_else(|| position.turn()));
                }
            }
        }
        Ok(position)
    }
}

/// The last `PL` up to the first move.
fn start_to_move(root: Node<'_>) -> Result<Option<Color>, Error> {
    let mut said = None;
    for node in root.main_line() {
        if let Some(property) = node.get("PL") {
            said = value::color(property)?.or(said);
        }
        if node.get("B").or_else(|| node.get("W")).is_some() {
            break;
        }
    }
    Ok(said)
}

/// Adds the moves of a node.
fn read_moves(node: Node<'_>, size: Size, steps: &mut Vec<Step>) -> Result<(), Error> {
    let before = steps.len();
    for property in node.properties() {
        let color = match &property.name()[..] {
            "B" => Color::Black,
            "W" => Color::White,
            _ => continue,
        };
        for chosen in value::moves(property, size) {
            steps.push(Step::Play { color, chosen: chosen?, left: [None; 2], comment: String::new() });
        }
    }
    if let Some(Step::Play { left, comment, .. }) = steps[before..].last_mut() {
        let clock = |time: &str, overtime: &str| {
            let time = node.get(time).and_then(value::seconds)?;
            Some(TimeLeft { time, overtime: node.get(overtime).and_then(value::number) })
        };
        *left = [clock("BL", "OB"), clock("WL", "OW")];
        *comment = node.get("C").map(super::Property::text).unwrap_or_default();
    }
    Ok(())
}
