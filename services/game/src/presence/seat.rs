use goban::Color;
use kernel::GameId;
use uuid::Uuid;

/// A place at a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat {
    game: [u8; 16],
    white: bool,
}

/// Bytes of a seat in an entry.
const PACKED: usize = 17;

impl Seat {
    /// This colour's place in this game.
    pub fn new(game: GameId, color: Color) -> Self {
        Self { game: *game.as_uuid().as_bytes(), white: color == Color::White }
    }

    /// The game.
    pub fn game(&self) -> GameId {
        GameId::from_uuid(Uuid::from_bytes(self.game))
    }

    /// The colour.
    pub fn color(&self) -> Color {
        if self.white { Color::White } else { Color::Black }
    }

    /// Adds it to a packed list.
    pub fn pack(&self, list: &mut Vec<u8>) {
        list.extend_from_slice(&self.game);
        list.push(1 + u8::from(self.white));
    }

    /// The seats of a packed list. What makes no seat is passed over.
    pub fn unpack(list: &[u8]) -> impl Iterator<Item = Self> + '_ {
        list.chunks_exact(PACKED).filter_map(|packed| {
            let (game, color) = packed.split_first_chunk::<16>()?;
            let white = match color {
                [1] => false,
                [2] => true,
                _ => return None,
            };
            Some(Self { game: *game, white })
        })
    }
}
