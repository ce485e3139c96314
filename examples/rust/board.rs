//! A board as text.

use nigiri_client::proto::game::v1::GameSnapshot;

/// The board with its coordinates.
pub fn draw(now: &GameSnapshot) -> String {
    let spaced = |row: &str| row.chars().map(|stone| format!(" {stone}")).collect::<String>();
    let lines = now.board.len();
    let mut text = String::new();
    for (at, row) in now.board.iter().enumerate() {
        text += &format!("{:>2}{}\n", lines - at, spaced(row));
    }
    text + "  " + &spaced(&"ABCDEFGHJKLMNOPQRST"[..lines.min(19)])
}
