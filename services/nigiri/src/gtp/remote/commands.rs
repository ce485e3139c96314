//! The commands of the protocol, carried out on the server.

use goban::{Color, Komi, Move, Preset, Size};
use gtp::{color, name_of, vertex};
use nigiri_client::{Session, reason};

use super::{
    Args,
    table::{Seen, Table, Wanted},
};
use crate::play::explain;

type Reply = Result<String, String>;

/// What is answered, in the order of the names.
const COMMANDS: [&str; 20] = [
    "boardsize",
    "clear_board",
    "final_score",
    "final_status_list",
    "genmove",
    "get_komi",
    "known_command",
    "komi",
    "list_commands",
    "name",
    "nigiri-game",
    "play",
    "protocol_version",
    "quit",
    "resign",
    "showboard",
    "time_left",
    "time_settings",
    "undo",
    "version",
];

/// The server, as an engine.
pub struct Remote {
    session: Session,
    args: Args,
    side: u8,
    table: Option<Table>,
    /// Moves that the server took back and the controller has not yet.
    undone: u32,
}

impl Remote {
    /// Nobody to play with yet.
    pub fn new(session: Session, args: Args) -> Self {
        let sides = args.preset.map_or(&[9][..], Preset::sides);
        let side = sides.first().copied().unwrap_or(9);
        Self { session, args, side, table: None, undone: 0 }
    }

    /// Leaves a game that goes on: the opponent need not wait for long.
    pub async fn leave(&mut self) {
        if let Some(table) = self.table.take()
            && table.seen().result().is_none()
            && let Err(error) = table.game.leave().await
            && !error.is(reason::GAME_OVER)
        {
            eprintln!("nigiri gtp: {}", explain(&error));
        }
    }

    /// Answers a command.
    pub async fn reply(&mut self, name: &str, words: &[String]) -> Reply {
        match name {
            "boardsize" => self.boardsize(words).await,
            "clear_board" => self.clear().await,
            "final_score" => self.final_score().await,
            "final_status_list" => self.final_status(words).await,
            "genmove" => self.genmove(words).await,
            "get_komi" => Ok(self.komi().to_string()),
            "known_command" => {
                Ok(words.first().is_some_and(|word| COMMANDS.contains(&word.as_str())).to_string())
            }
            "komi" => self.set_komi(words),
            "list_commands" => Ok(COMMANDS.join("\n")),
            "name" => Ok("Nigiri server".to_owned()),
            "nigiri-game" => self.describe(),
            "play" => self.play(words).await,
            "protocol_version" => Ok("2".to_owned()),
            "resign" => self.resign().await,
            "showboard" => self.showboard(),
            // The server keeps the clocks.
            "quit" | "time_left" | "time_settings" => Ok(String::new()),
            "undo" => self.undo().await,
            "version" => Ok(env!("CARGO_PKG_VERSION").to_owned()),
            _ => Err("unknown command".to_owned()),
        }
    }

    fn preset(&self) -> Preset {
        let usual = if self.side == 9 { Preset::Quick } else { Preset::Weiqi };
        self.args.preset.unwrap_or(usual)
    }

    fn komi(&self) -> Komi {
        self.preset().komi()
    }

    async fn boardsize(&mut self, words: &[String]) -> Reply {
        let side = words.first().and_then(|word| word.parse::<u8>().ok());
        let Some(side) = side.filter(|side| [9, 13, 19].contains(side)) else {
            return Err("unacceptable size: the server has 9, 13 and 19".to_owned());
        };
        if let Some(preset) = self.args.preset
            && !preset.sides().contains(&side)
        {
            return Err(format!("unacceptable size: {} is not played on {side} lines", preset.name()));
        }
        self.side = side;
        self.clear().await
    }

    /// A new board is a new game: one that goes on is given up.
    async fn clear(&mut self) -> Reply {
        self.undone = 0;
        match self.table.take() {
            Some(table) if table.seen().result().is_none() => {
                eprintln!("nigiri gtp: game {} is given up for a new one", table.game.id());
                table.game.resign().await.map(|_| String::new()).map_err(|error| explain(&error))
            }
            _ => Ok(String::new()),
        }
    }

    fn set_komi(&self, words: &[String]) -> Reply {
        let wanted = words.first().and_then(|word| word.parse::<Komi>().ok());
        match wanted {
            Some(komi) if komi == self.komi() => Ok(String::new()),
            Some(_) => Err(format!("{} is played with a komi of {}", self.preset().name(), self.komi())),
            None => Err("komi is not a number of half points".to_owned()),
        }
    }

    /// The game, which begins now if there is none: the controller plays `mine`.
    async fn table(&mut self, mine: Color) -> Result<&mut Table, String> {
        if self.table.is_none() {
            let wanted = Wanted {
                preset: self.preset(),
                side: self.side,
                color: mine,
                opponent: self.args.opponent,
                allow_ai: !self.args.no_ai,
            };
            let found = Table::find(&self.session, &wanted).await.map_err(|error| format!("{error:#}"))?;
            self.table = Some(found);
        }
        let Some(table) = &mut self.table else { return Err("there is no game".to_owned()) };
        Ok(table)
    }

    async fn play(&mut self, words: &[String]) -> Reply {
        let (who, what) = self.action(words)?;
        let table = self.table(who).await?;
        let seen = table.seen();
        if table.me != who {
            // Boards and arbiters repeat what the opponent did.
            let known = table.told > 0
                && seen.moves().get(table.told - 1).and_then(|text| text.parse().ok()) == Some(what);
            return if known { Ok(String::new()) } else { Err(mine(table.me)) };
        }
        over(&seen)?;
        let ply = seen.state().map_or(0, |state| state.ply);
        let sent = match what {
            Move::Play(point) => table.game.play(ply, &point.to_string()).await,
            Move::Pass => table.game.pass(ply).await,
        };
        match sent {
            Ok(_) => {
                table.told += 1;
                // What is asked next is asked of the game with this move.
                let told = table.told;
                table.when(|seen| seen.moves().len() >= told || seen.result().is_some()).await;
                Ok(String::new())
            }
            Err(error) => Err(format!("illegal move: {}", explain(&error))),
        }
    }

    /// Waits for what the opponent does.
    async fn genmove(&mut self, words: &[String]) -> Reply {
        let theirs =
            words.first().and_then(|word| color(word)).ok_or("a colour was expected: black or white")?;
        let table = self.table(theirs.opposite()).await?;
        if table.me == theirs {
            return Err(mine(table.me));
        }
        let told = table.told;
        let my_turn = |seen: &Seen| {
            let goes_on =
                seen.result().is_none() && seen.state().is_some_and(|state| state.agreement.is_none());
            goes_on
                && seen.state().is_some_and(|state| is(state.turn(), theirs.opposite()))
                && seen.moves().len() <= told
        };
        if my_turn(&table.seen()) {
            return Err(format!("it is your turn: play {}", name_of(table.me)));
        }
        let seen = table.when(|seen| seen.moves().len() > told || seen.result().is_some()).await;
        if let Some(chosen) = seen.moves().get(told) {
            table.told += 1;
            return Ok(chosen.clone());
        }
        match (seen.result(), &seen.failed) {
            (Some(result), _) if won(result, table.me) => Ok("resign".to_owned()),
            (Some(result), _) => Err(format!("the game is over: {result}")),
            (None, why) => Err(why.clone().unwrap_or_default()),
        }
    }

    /// Takes a move of the controller's back, and the answer to it, where the game has that: against an AI. The protocol takes back one at a time.
    async fn undo(&mut self) -> Reply {
        let table = self.table.as_mut().ok_or("cannot undo")?;
        if self.undone > 0 {
            self.undone -= 1;
            return Ok(String::new());
        }
        let seen = table.seen();
        let state = seen.state().ok_or("cannot undo")?;
        let may = match table.me {
            Color::Black => &state.black_takeback,
            Color::White => &state.white_takeback,
        };
        let Some(moves) = may.as_ref().filter(|may| may.immediate).map(|may| may.moves) else {
            return Err("cannot undo: people do not take back".to_owned());
        };
        table.game.request_takeback(state.ply).await.map_err(|error| explain(&error))?;
        let left = seen.moves().len().saturating_sub(moves as usize);
        table.when(|seen| seen.moves().len() <= left).await;
        table.told = left;
        self.undone = moves.saturating_sub(1);
        Ok(String::new())
    }

    async fn resign(&mut self) -> Reply {
        let table = self.table.as_mut().ok_or("there is no game")?;
        match table.game.resign().await {
            Ok(_) => Ok(String::new()),
            Err(error) if error.is(reason::GAME_OVER) => Ok(String::new()),
            Err(error) => Err(explain(&error)),
        }
    }

    /// The result. After two passes it comes by itself; before, it is what the board would be worth now.
    async fn final_score(&mut self) -> Reply {
        let table = self.table.as_mut().ok_or("there is no game")?;
        if passed_twice(&table.seen()) {
            table.when(|seen| seen.result().is_some() || !passed_twice(seen)).await;
        }
        match table.seen().result() {
            Some("Draw" | "Void") => Ok("0".to_owned()),
            Some(result) => Ok(result.to_owned()),
            None => {
                let preview = table.game.preview_score().await.map_err(|error| explain(&error))?;
                Ok(if preview.result == "Draw" { "0".to_owned() } else { preview.result })
            }
        }
    }

    async fn final_status(&mut self, words: &[String]) -> Reply {
        let table = self.table.as_mut().ok_or("there is no game")?;
        let seen = table.seen();
        let game = seen.game.as_ref().ok_or("there is no game")?;
        let verdict = match &game.verdict {
            Some(verdict) => verdict.clone(),
            None => {
                let preview = table.game.preview_score().await.map_err(|error| explain(&error))?;
                preview.verdict.unwrap_or_default()
            }
        };
        match words.first().map(String::as_str) {
            Some("dead") => Ok(verdict.dead.join("\n")),
            Some("alive") => {
                let stones = stones(&game.board).filter(|point| !verdict.dead.contains(point));
                Ok(stones.collect::<Vec<_>>().join("\n"))
            }
            Some("seki") => Ok(String::new()),
            _ => Err("alive, dead or seki was expected".to_owned()),
        }
    }

    /// Which game it is, and the controller's colour, for scripts.
    fn describe(&self) -> Reply {
        let table = self.table.as_ref().ok_or("there is no game")?;
        Ok(format!("{} {}", table.game.id(), name_of(table.me)))
    }

    fn showboard(&self) -> Reply {
        let seen = self.table.as_ref().map(Table::seen).unwrap_or_default();
        let rows = seen
            .game
            .map(|game| game.board)
            .unwrap_or_else(|| vec![".".repeat(self.side.into()); self.side.into()]);
        let lines = rows.iter().zip((1..=rows.len()).rev()).map(|(row, number)| {
            let points: Vec<String> = row.chars().map(String::from).collect();
            format!("{number:>2} {}", points.join(" "))
        });
        let letters: Vec<String> = "ABCDEFGHJKLMNOPQRST".chars().take(rows.len()).map(String::from).collect();
        Ok(format!("\n{}\n   {}", lines.collect::<Vec<_>>().join("\n"), letters.join(" ")))
    }

    fn action(&self, words: &[String]) -> Result<(Color, Move), String> {
        let [who, what] = words else { return Err("a colour and a point were expected".to_owned()) };
        let size = Size::square(self.side).map_err(|error| error.to_string())?;
        let who = color(who).ok_or("a colour was expected: black or white")?;
        let what = vertex(what, size).ok_or_else(|| format!("{what} is no point of this board"))?;
        Ok((who, what))
    }
}

fn mine(me: Color) -> String {
    format!("the server has given you {}: play {0}, and genmove {}", name_of(me), name_of(me.opposite()))
}

fn is(seat: nigiri_client::Color, color: Color) -> bool {
    matches!(
        (seat, color),
        (nigiri_client::Color::Black, Color::Black) | (nigiri_client::Color::White, Color::White)
    )
}

fn over(seen: &Seen) -> Result<(), String> {
    seen.result().map_or(Ok(()), |result| Err(format!("the game is over: {result}")))
}

fn won(result: &str, me: Color) -> bool {
    result.starts_with(if me == Color::Black { "B+" } else { "W+" })
}

fn passed_twice(seen: &Seen) -> bool {
    matches!(seen.moves(), [.., last, end] if last == "pass" && end == "pass")
}

/// The points of a board that carry a stone.
fn stones(board: &[String]) -> impl Iterator<Item = String> {
    let side = board.len();
    board.iter().enumerate().flat_map(move |(line, row)| {
        row.chars()
            .zip("ABCDEFGHJKLMNOPQRST".chars())
            .filter(|(stone, _)| *stone != '.')
            .map(move |(_, letter)| format!("{letter}{}", side - line))
    })
}
