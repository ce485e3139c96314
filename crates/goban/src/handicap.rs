//! The fixed points of handicap stones.

use crate::{Point, Size};

/// Where the stones of a fixed handicap stand: 2 to 9 on 9x9, 13x13 and 19x19, in the order of the Go Text
/// Protocol (version 2, section 4.1.1). `None` for other numbers and boards.
#[must_use]
pub fn handicap_points(size: Size, stones: u8) -> Option<Vec<Point>> {
    let side = size.columns();
    if side != size.rows() || ![9, 13, 19].contains(&side) || !(2..=9).contains(&stones) {
        return None;
    }
    let low = if side < 13 { 2 } else { 3 };
    let (middle, high) = (side / 2, side - 1 - low);
    let around = [
        (low, low),
        (high, high),
        (low, high),
        (high, low),
        (low, middle),
        (high, middle),
        (middle, low),
        (middle, high),
    ];
    // An odd number from 5 on has a stone in the centre.
    let centre = stones >= 5 && stones % 2 == 1;
    let outer = around.into_iter().take(usize::from(stones - u8::from(centre)));
    let points = outer.chain(centre.then_some((middle, middle)));
    Some(points.map(|(column, row)| Point::new(column, row)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fixed handicaps stand where the protocol has them, and nowhere on other boards.
    #[test]
    fn handicap_stones_stand_where_the_protocol_has_them() {
        let names = |size, stones| {
            handicap_points(size, stones)
                .map(|list| list.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(names(Size::NINETEEN, 2).as_deref(), Some("D4 Q16"));
        assert_eq!(names(Size::NINETEEN, 7).as_deref(), Some("D4 Q16 D16 Q4 D10 Q10 K10"));
        assert_eq!(names(Size::THIRTEEN, 5).as_deref(), Some("D4 K10 D10 K4 G7"));
        assert_eq!(names(Size::NINE, 9).as_deref(), Some("C3 G7 C7 G3 C5 G5 E3 E7 E5"));
        for (columns, rows, stones) in [(19, 19, 0), (19, 19, 1), (19, 19, 10), (11, 11, 2), (9, 13, 2)] {
            assert_eq!(Size::new(columns, rows).ok().and_then(|size| handicap_points(size, stones)), None);
        }
    }
}
