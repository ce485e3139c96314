//! A game as text. Stones are letters, so that each takes one column in every terminal and font.

use std::fmt::Write as _;

use nigiri_proto::game::v1::{Color, EndReason, ProposalKind, ScoreParts, Seat, Verdict};
use tokio::time::Instant;

use super::{view::View, words::plain};

const LETTERS: &[u8] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// Whose turn it is and how long they have.
pub fn clock(view: &View, now: Instant) -> String {
    if let Some(result) = &view.result {
        let how = match result.reason() {
            EndReason::Score => "counted after two passes",
            EndReason::MoveLimit => "counted at the move limit",
            EndReason::Resignation => "by resignation",
            EndReason::Time => "on time",
            EndReason::Abort => "ended before both had moved: it does not count",
            EndReason::Repetition => "no result by repetition",
            EndReason::Abandonment => "by abandonment",
            EndReason::DrawAgreed => "both agreed on a draw",
            EndReason::Adjudication => "decided by an operator",
            EndReason::UnratedAdjudication => "decided by an operator: it does not count",
            EndReason::Void => "ended by a fault of the server: it does not count",
            EndReason::Unspecified => "ended",
        };
        return format!("The game is over: {}, {how}.", plain(&result.text));
    }
    let left = view.due.map(|due| due.saturating_duration_since(now).as_millis().div_ceil(1000));
    let left = left.map_or_else(String::new, |seconds| format!(", {seconds} s left"));
    if let Some(agreement) = view.agreement() {
        let lead = agreement.verdict.as_ref().map_or_else(String::new, lead);
        let yours = if view.asked_to_agree() { ": accept or dispute?" } else { ": waiting for the other" };
        return format!("A score is proposed ({}): {lead}{yours}{left}.", agreement.version);
    }
    if let Some(waited) = view.waits_for_program(now) {
        let seconds = waited.as_secs();
        return format!(
            "Move {}: the AI is unavailable ({seconds} s); it is asked again and again{left}.",
            view.state.ply + 1
        );
    }
    let turn = match view.state.turn() {
        turn if Some(turn) == view.me => format!("Your move ({})", word(turn)),
        turn => format!("{} to move", word(turn)),
    };
    format!("Move {}: {turn}{left}.", view.state.ply + 1)
}

/// Who leads by how much.
fn lead(verdict: &Verdict) -> String {
    let total = |parts: &Option<ScoreParts>| parts.as_ref().map_or(0.0, |parts| parts.total);
    match total(&verdict.black) - total(&verdict.white) {
        lead if lead > 0.0 => format!("B+{lead}"),
        lead if lead < 0.0 => format!("W+{}", -lead),
        _ => "even".to_owned(),
    }
}

/// The board, who plays, and what was taken.
pub fn board(view: &View) -> String {
    let mut out = String::new();
    let counted = view.counted();
    let rows = cells(view, counted);
    let last = view.last.as_ref().and_then(|(_, point)| view.at(point)).filter(|_| counted.is_none());
    let letters = letters(rows.first().map_or(0, Vec::len));
    out += &letters;
    for (row, cells) in rows.iter().enumerate() {
        let number = rows.len() - row;
        // Writing to a string cannot fail.
        let _always_ok = write!(out, "{number:>2} ");
        for (column, &cell) in cells.iter().enumerate() {
            let gap = match last {
                Some(at) if at == (row, column) => '(',
                Some(at) if column > 0 && at == (row, column - 1) => ')',
                _ => ' ',
            };
            out.push(gap);
            out.push(char::from(cell));
        }
        let end = if last == Some((row, cells.len().saturating_sub(1))) { ')' } else { ' ' };
        let _always_ok = writeln!(out, "{end} {number:>2}");
    }
    out += &letters;
    out += &players(view);
    if let Some(verdict) = counted {
        out += &count(verdict);
    }
    out
}

fn letters(columns: usize) -> String {
    let letters =
        LETTERS.iter().take(columns).fold(String::new(), |all, &l| all + " " + &char::from(l).to_string());
    format!("   {letters}\n")
}

/// What stands on each point: stones, star points, points under ko; once the game was counted, the owner of each empty one.
fn cells(view: &View, counted: Option<&Verdict>) -> Vec<Vec<u8>> {
    let mut rows = view.rows.clone();
    if let Some(verdict) = counted {
        for point in &verdict.dead {
            set(&mut rows, view.at(point), b'.');
        }
        for (row, owners) in rows.iter_mut().zip(&verdict.owner) {
            for (cell, owner) in row.iter_mut().zip(owners.bytes()).filter(|(cell, _)| **cell == b'.') {
                *cell = owner.to_ascii_lowercase();
            }
        }
        return rows;
    }
    let side = rows.len();
    for (row, cells) in rows.iter_mut().enumerate() {
        for (column, cell) in cells.iter_mut().enumerate() {
            *cell = match *cell {
                b'X' | b'O' => *cell,
                _ if is_star(side, row, column) => b'+',
                _ => b'.',
            };
        }
    }
    for point in view.ko_points() {
        set(&mut rows, view.at(point), b'#');
    }
    rows
}

fn set(rows: &mut [Vec<u8>], at: Option<(usize, usize)>, cell: u8) {
    if let Some(place) = at.and_then(|(row, column)| rows.get_mut(row)?.get_mut(column)) {
        *place = cell;
    }
}

/// Whether a point is one of those that are marked on a board: the third line on small boards, the fourth on large ones, the middle.
fn is_star(side: usize, row: usize, column: usize) -> bool {
    let edge = if side < 13 { 2 } else { 3 };
    let (middle, far) = (side / 2, side.saturating_sub(edge + 1));
    let on = |line| line == edge || line == far || (line == middle && side % 2 == 1);
    let in_middle = [row, column].iter().filter(|&&line| line == middle).count();
    // On boards below 19x19 the middles of the sides are not marked.
    side >= 5 && on(row) && on(column) && (side >= 19 || in_middle != 1)
}

fn players(view: &View) -> String {
    let mut out = String::new();
    for seat in &view.seats {
        let (stone, taken) = match seat.color() {
            Color::Black => ('X', view.state.captured_by_black),
            _ => ('O', view.state.captured_by_white),
        };
        let _always_ok = writeln!(
            out,
            " {stone} {}: {}{}, captures {taken}",
            word(seat.color()),
            plain(&seat.name),
            marks(view, seat)
        );
    }
    let rated = if view.settings.rated { "rated" } else { "unrated" };
    let last = view
        .last
        .as_ref()
        .map_or_else(String::new, |(color, point)| format!(", last move {} {}", word(*color), plain(point)));
    let _always_ok =
        writeln!(out, " {}, komi {}, {rated}{last}", plain(&view.settings.preset), view.settings.komi);
    if view.result.is_none() {
        out += &between(view);
    }
    if view.result.is_none() && view.ko_points().next().is_some() {
        out += " # is forbidden now by ko\n";
    }
    out
}

/// What stands between the players: a proposal, an absence.
fn between(view: &View) -> String {
    let mut out = String::new();
    for proposal in &view.state.proposals {
        let what = match proposal.kind() {
            ProposalKind::Draw => "offers a draw",
            _ => "asks to take back",
        };
        let ask = if Some(proposal) == view.proposed() { ": yes or no?" } else { "" };
        let _always_ok = writeln!(out, " {} {what}{ask}", word(proposal.color()));
    }
    for absence in &view.state.absences {
        let _always_ok = writeln!(out, " {} is gone", word(absence.color()));
    }
    out
}

fn marks(view: &View, seat: &Seat) -> String {
    let you = if view.me == Some(seat.color()) { " (you)" } else { "" };
    let ai = if seat.bot { " [AI]" } else { "" };
    format!("{ai}{you}")
}

fn count(verdict: &Verdict) -> String {
    let mut out = String::new();
    if !verdict.dead.is_empty() {
        let _always_ok = writeln!(out, " dead, and taken off: {}", plain(&verdict.dead.join(" ")));
    }
    for (name, parts) in [("Black", &verdict.black), ("White", &verdict.white)] {
        if let Some(parts) = parts {
            let _always_ok = writeln!(out, " {name} {}: {}", parts.total, sum(parts));
        }
    }
    out
}

fn sum(parts: &ScoreParts) -> String {
    let all = [
        ("stones", parts.stones),
        ("territory", parts.territory),
        ("prisoners", parts.prisoners),
        ("komi", parts.komi),
        ("handicap", parts.handicap),
        ("tax", -parts.tax),
    ];
    let some: Vec<_> =
        all.iter().filter(|(_, points)| *points != 0.0).map(|(n, p)| format!("{n} {p}")).collect();
    some.join(" + ")
}

fn word(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
        Color::Unspecified => "nobody",
    }
}

#[cfg(test)]
mod tests {
    use nigiri_proto::game::v1::{
        GameEvent, GameFinished, GameResult, GameSettings, GameSnapshot, GameUpdate, IllegalPoint,
        IllegalReason, MovePlayed, TurnState, game_event::Event,
    };
    use tokio::time::Duration;

    use super::*;

    fn snapshot() -> GameSnapshot {
        let seat = |color: Color, id: &str, name: &str, bot| Seat {
            color: color.into(),
            player_id: id.to_owned(),
            name: name.to_owned(),
            bot,
            ..Seat::default()
        };
        let time = |seconds, nanos| Some(prost_types::Timestamp { seconds, nanos });
        GameSnapshot {
            settings: Some(GameSettings { preset: "quick".to_owned(), komi: 7.0, ..GameSettings::default() }),
            seats: vec![
                seat(Color::Black, "b", "Eve\u{1b}[2J", false),
                seat(Color::White, "w", "本因坊", true),
            ],
            board: [".XO..", "XO.O.", ".XO..", ".....", "....."].map(str::to_owned).to_vec(),
            moves: ["A4", "B4", "pass", "C5"].map(str::to_owned).to_vec(),
            state: Some(TurnState {
                turn: Color::Black.into(),
                ply: 4,
                deadline: time(1_000_024, 500_000_000),
                ..TurnState::default()
            }),
            // The server's clock is far from ours: only the difference counts.
            server_time: time(1_000_000, 0),
            ..GameSnapshot::default()
        }
    }

    fn played(color: Color, point: &str, captured: &[&str], state: TurnState) -> GameUpdate {
        let captured = captured.iter().map(|&point| point.to_owned()).collect();
        let event = Event::MovePlayed(MovePlayed { color: color.into(), point: point.to_owned(), captured });
        GameUpdate {
            events: vec![GameEvent { event: Some(event) }],
            state: Some(state),
            ..GameUpdate::default()
        }
    }

    /// Coordinates, the last move, captures, ko, whose turn it is and the clock are where people look for them, and a name is only a name.
    #[tokio::test(start_paused = true)]
    async fn a_game_in_progress_is_drawn() {
        let mut view = View::new(snapshot(), Some("b"));
        assert!(view.my_turn());
        assert_eq!(clock(&view, Instant::now()), "Move 5: Your move (Black), 25 s left.");
        assert_eq!(
            clock(&view, Instant::now() + Duration::from_secs(99)),
            "Move 5: Your move (Black), 0 s left."
        );
        let ko = IllegalPoint { point: "B4".to_owned(), reason: IllegalReason::Superko.into() };
        let state = TurnState {
            turn: Color::White.into(),
            ply: 5,
            illegal_points: vec![ko],
            captured_by_black: 1,
            ..TurnState::default()
        };
        view.update(played(Color::Black, "C4", &["B4"], state));
        assert_eq!(clock(&view, Instant::now()), "Move 6: White to move.");
        let expected = "    A B C D E
 5  . X O . .   5
 4  X #(X)O .   4
 3  . X O . .   3
 2  . . . . .   2
 1  . . . . .   1
    A B C D E
 X Black: Eve[2J (you), captures 1
 O White: 本因坊 [AI], captures 0
 quick, komi 7, unrated, last move Black C4
 # is forbidden now by ko
";
        assert_eq!(board(&view), expected);
    }

    /// A program that does not answer is said to be unavailable, and no longer when it has answered.
    #[tokio::test(start_paused = true)]
    async fn an_ai_that_does_not_answer_is_unavailable() {
        let mut snapshot = snapshot();
        let state = snapshot.state.as_mut().unwrap();
        (state.turn, state.deadline) = (Color::White.into(), None);
        // The turn began 10 s before the snapshot.
        state.turn_start_time = Some(prost_types::Timestamp { seconds: 999_990, nanos: 0 });
        let mut view = View::new(snapshot, Some("b"));
        assert_eq!(clock(&view, Instant::now()), "Move 5: White to move.");
        let later = Instant::now() + Duration::from_secs(5);
        assert!(clock(&view, later).contains("the AI is unavailable (15 s)"), "{}", clock(&view, later));
        let state = TurnState { turn: Color::Black.into(), ply: 5, ..TurnState::default() };
        view.update(played(Color::White, "A1", &[], state));
        assert_eq!(clock(&view, later), "Move 6: Your move (Black).");
    }

    /// A counted board shows whose each point is, without the dead stones, and how the sums came about.
    #[tokio::test(start_paused = true)]
    async fn a_counted_game_is_drawn() {
        let mut view = View::new(snapshot(), None);
        let parts = |stones, territory, komi, total| {
            Some(ScoreParts { stones, territory, komi, total, ..ScoreParts::default() })
        };
        let verdict = Verdict {
            dead: vec!["B4".to_owned()],
            owner: ["XXOOO", "XXOOO", "XXOOO", "..OOO", "..OOO"].map(str::to_owned).to_vec(),
            black: parts(3.0, 3.0, 0.0, 6.0),
            white: parts(3.0, 12.0, 7.0, 22.0),
            ..Verdict::default()
        };
        let result =
            GameResult { reason: EndReason::Score.into(), text: "W+16".to_owned(), ..GameResult::default() };
        let finished = GameFinished { result: Some(result), verdict: Some(verdict) };
        let events = vec![GameEvent { event: Some(Event::Finished(finished)) }];
        view.update(GameUpdate { events, ..GameUpdate::default() });
        assert_eq!(clock(&view, Instant::now()), "The game is over: W+16, counted after two passes.");
        let text = board(&view);
        assert!(text.contains(" 4  X x o O o   4\n 3  x X O o o   3\n 2  . . o o o   2\n"), "{text}");
        assert!(text.contains("taken off: B4\n Black 6: stones 3 + territory 3\n White 22: stones 3 + territory 12 + komi 7\n"), "{text}");
    }
}
