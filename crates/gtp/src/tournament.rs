//! Matches between two engines, with a third as the referee.

use std::fmt;
use std::time::{Duration, Instant};

use goban::sgf::{Player, Record, Step};
use goban::{Color, Komi, Move, Position, Preset, Size};

use crate::client::{Client, Failure};
use crate::command::{name_of, vertex};

/// What is played.
#[derive(Debug, Clone)]
pub struct Match {
    /// The command lines of the two engines: in the first game the first one is Black, then colours alternate. `{game}` in them stands for
    /// the game's number, as for a seed.
    pub engines: [String; 2],
    /// The command line of the engine that counts.
    pub referee: String,
    /// How many games.
    pub games: u32,
    /// The board.
    pub size: Size,
    /// What White receives.
    pub komi: Komi,
    /// The rules that moves are held against. They score by area, as the referee has to.
    pub rules: Preset,
    /// How long a move may take, at most: who takes longer loses.
    pub limit: Duration,
}

impl Match {
    /// The match with the game's number in its command lines.
    fn numbered(&self, number: u32) -> Self {
        let fill = |command: &String| command.replace("{game}", &number.to_string());
        Self { engines: self.engines.each_ref().map(fill), ..self.clone() }
    }
}

/// Why a match cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// An engine cannot be made ready.
    #[error("{command:?} cannot be made ready: {why}")]
    Engine {
        /// Its command line.
        command: String,
        /// Why.
        why: Failure,
    },
    /// The referee does not count.
    #[error("the referee does not count: {0}")]
    Referee(String),
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It was counted.
    Counted,
    /// The loser gave up.
    Resigned,
    /// The loser played what the rules forbid.
    Illegal,
    /// The loser took too long.
    Overrun,
    /// The loser's engine ended, refused, or talked nonsense.
    Failed,
    /// A position came back for the third time under simple ko.
    Void,
}

impl Ending {
    /// The name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Counted => "counted",
            Self::Resigned => "resigned",
            Self::Illegal => "illegal",
            Self::Overrun => "overrun",
            Self::Failed => "failed",
            Self::Void => "void",
        }
    }
}

/// A game that was played.
#[derive(Debug, Clone)]
pub struct Game {
    /// Which of the two engines was Black: 0 or 1.
    pub black: usize,
    /// Who won; none for a draw.
    pub winner: Option<Color>,
    /// The result as SGF has it, such as `B+3.5` or `W+R`.
    pub result: String,
    /// How it ended.
    pub ending: Ending,
    /// What was played, as a game record.
    pub record: Record,
    /// Wall time that each engine took, by their order, and for how many moves.
    pub thought: [(Duration, u32); 2],
    /// The longest thought of each.
    pub longest: [Duration; 2],
}

/// The sum of the games, for one engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games won.
    pub won: u32,
    /// Of these, as Black.
    pub won_as_black: u32,
    /// Games lost by an illegal move.
    pub illegal: u32,
    /// Games lost on time.
    pub overruns: u32,
    /// Games lost because the engine failed.
    pub failed: u32,
    /// Games given up.
    pub resigned: u32,
}

/// The sum of a match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Games played.
    pub games: u32,
    /// Games without a winner.
    pub draws: u32,
    /// Each engine's.
    pub engines: [Tally; 2],
}

impl Summary {
    /// Counts a game.
    pub fn add(&mut self, game: &Game) {
        self.games += 1;
        let Some(winner) = game.winner else {
            self.draws += 1;
            return;
        };
        let first = if winner == Color::Black { game.black } else { 1 - game.black };
        let [mut won, mut lost] = [first, 1 - first].map(|i| self.engines[i & 1]);
        won.won += 1;
        won.won_as_black += u32::from(winner == Color::Black);
        match game.ending {
            Ending::Illegal => lost.illegal += 1,
            Ending::Overrun => lost.overruns += 1,
            Ending::Failed => lost.failed += 1,
            Ending::Resigned => lost.resigned += 1,
            Ending::Counted | Ending::Void => {}
        }
        self.engines[first & 1] = won;
        self.engines[(1 - first) & 1] = lost;
    }

    /// The first engine's share of the games, a draw counted half, and the half width of its 95 % interval (by Wilson's normal
    /// approximation without the shift), both 0 to 1.
    #[must_use]
    pub fn share(&self) -> (f64, f64) {
        let games = f64::from(self.games.max(1));
        let share = (f64::from(self.engines[0].won) + 0.5 * f64::from(self.draws)) / games;
        let z = 1.96;
        let width = z * (share * (1.0 - share) / games + z * z / (4.0 * games * games)).sqrt();
        (share, width / (1.0 + z * z / games))
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.engines;
        let (share, width) = self.share();
        write!(
            f,
            "{} : {}, {} drawn, of {} games: {:.1} % (± {:.1})",
            first.won,
            second.won,
            self.draws,
            self.games,
            100.0 * share,
            100.0 * width
        )?;
        for (name, tally) in [("first", first), ("second", second)] {
            write!(
                f,
                "\n  {name}: {} of its wins as Black; lost {} by an illegal move, {} on time, {} by failure, {} by resignation",
                tally.won_as_black, tally.illegal, tally.overruns, tally.failed, tally.resigned
            )?;
        }
        Ok(())
    }
}

/// How long an engine has for what takes no thought, and the referee for counting.
const SHORT: Duration = Duration::from_secs(60);

/// Plays a match, and tells of each game as it ends. The listener gets the number of the game, from 0.
///
/// # Errors
/// When an engine cannot be started, or the referee does not count. What an engine does wrong in a game loses it that game only.
pub fn play_match(wanted: &Match, mut listener: impl FnMut(u32, &Game)) -> Result<Summary, MatchError> {
    let mut summary = Summary::default();
    for number in 0..wanted.games {
        let black = (number % 2) as usize;
        let game = play_game(&wanted.numbered(number), black)?;
        summary.add(&game);
        listener(number, &game);
    }
    Ok(summary)
}

/// An engine with a fresh board.
fn ready(command: &str, wanted: &Match) -> Result<Client, MatchError> {
    let prepare = || {
        let mut client = Client::start(command)?;
        client.ask(&format!("boardsize {}", wanted.size.columns()), SHORT)?;
        client.ask("clear_board", SHORT)?;
        client.ask(&format!("komi {}", wanted.komi), SHORT)?;
        Ok(client)
    };
    prepare().map_err(|why| MatchError::Engine { command: command.to_owned(), why })
}

struct Table<'a> {
    wanted: &'a Match,
    black: usize,
    position: Position,
    players: [Client; 2],
    record: Record,
    thought: [(Duration, u32); 2],
    longest: [Duration; 2],
}

fn play_game(wanted: &Match, black: usize) -> Result<Game, MatchError> {
    let [first, second] = wanted.engines.each_ref();
    let mut record = Record::new(wanted.size);
    record.komi = Some(wanted.komi);
    record.rules = goban::sgf::preset_to_name(wanted.rules).into();
    let by_color = if black == 0 { [first, second] } else { [second, first] };
    record.players = by_color.map(|name| Player { name: name.clone(), rank: String::new() });
    let mut table = Table {
        wanted,
        black,
        position: Position::new(wanted.size, wanted.rules.rules()),
        players: [ready(first, wanted)?, ready(second, wanted)?],
        record,
        thought: [(Duration::ZERO, 0); 2],
        longest: [Duration::ZERO; 2],
    };
    let (winner, result, ending) = table.play()?;
    table.record.result = result.parse().ok();
    let Table { record, thought, longest, .. } = table;
    Ok(Game { black, winner, result, ending, record, thought, longest })
}

type Ended = (Option<Color>, String, Ending);

impl Table<'_> {
    fn play(&mut self) -> Result<Ended, MatchError> {
        let limit = 3 * self.position.size().area();
        while self.position.passes() < 2 && (self.position.ply() as usize) < limit {
            if let Some(ended) = self.turn() {
                return Ok(ended);
            }
        }
        self.count()
    }

    /// The engine of a colour.
    const fn seat(&self, color: Color) -> usize {
        match color {
            Color::Black => self.black,
            Color::White => 1 - self.black,
        }
    }

    /// One move; the end of the game if it was the last.
    fn turn(&mut self) -> Option<Ended> {
        let color = self.position.turn();
        let (seat, rival) = (self.seat(color), self.seat(color.opposite()));
        let lost = |ending: Ending| {
            let winner = color.opposite();
            let mark = match ending {
                Ending::Resigned => 'R',
                Ending::Overrun => 'T',
                _ => 'F',
            };
            Some((Some(winner), format!("{}+{mark}", winner.letter()), ending))
        };
        let asked = Instant::now();
        let answer = self.players[seat].ask(&format!("genmove {}", name_of(color)), self.wanted.limit);
        let took = asked.elapsed();
        self.thought[seat].0 += took;
        self.thought[seat].1 += 1;
        self.longest[seat] = self.longest[seat].max(took);
        let text = match answer {
            Ok(text) => text,
            Err(Failure::Overrun { .. }) => return lost(Ending::Overrun),
            Err(_) => return lost(Ending::Failed),
        };
        if text.eq_ignore_ascii_case("resign") {
            return lost(Ending::Resigned);
        }
        let Some(chosen) = vertex(&text, self.position.size()) else { return lost(Ending::Illegal) };
        if self.position.play(chosen).is_err() {
            return lost(Ending::Illegal);
        }
        self.record.steps.push(Step::Play { color, chosen, left: [None; 2], comment: String::new() });
        if self.position.repetition() {
            return Some((None, "Void".to_owned(), Ending::Void));
        }
        // Whoever does not take a move that the rules allow has failed.
        let told = self.players[rival].ask(&format!("play {} {chosen}", name_of(color)), SHORT);
        if told.is_err() {
            return Some((Some(color), format!("{}+F", color.letter()), Ending::Failed));
        }
        None
    }

    /// The referee counts the final position.
    fn count(&self) -> Result<Ended, MatchError> {
        let mut referee = ready(&self.wanted.referee, self.wanted)?;
        let mut ask =
            |text: &str| referee.ask(text, SHORT).map_err(|why| MatchError::Referee(why.to_string()));
        for step in &self.record.steps {
            if let Step::Play { color, chosen, .. } = step {
                ask(&format!("play {} {chosen}", name_of(*color)))?;
            }
        }
        let score = ask("final_score")?;
        let winner = match score.chars().next() {
            Some('B') => Some(Color::Black),
            Some('W') => Some(Color::White),
            Some('0') => None,
            _ => return Err(MatchError::Referee(score)),
        };
        Ok((winner, score, Ending::Counted))
    }
}

/// The move of a step, for those who read records.
impl Game {
    /// How many moves were played.
    #[must_use]
    pub fn moves(&self) -> usize {
        let is_move = |step: &&Step| matches!(step, Step::Play { chosen: Move::Play(_) | Move::Pass, .. });
        self.record.steps.iter().filter(is_move).count()
    }
}
