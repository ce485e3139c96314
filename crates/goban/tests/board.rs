//! The fast board is the naive board: stones, captures, liberties, hashes, and the legality of every point.

use goban::naive::Naive;
use goban::{
    Board, Color, HandicapBonus, KoRule, Move, Point, Position, Rng, Rules, Scoring, Size, Tax, playout,
    zobrist,
};
use proptest::prelude::*;

fn rules(ko: KoRule, multi_stone_suicide: bool) -> Rules {
    Rules {
        ko,
        scoring: Scoring::Area,
        multi_stone_suicide,
        tax: Tax::None,
        handicap_bonus: HandicapBonus::None,
    }
}

const KO_RULES: [KoRule; 3] = [KoRule::Simple, KoRule::Positional, KoRule::Situational];

/// A pair of boards that must agree, and the moves that led here.
struct Pair {
    fast: Position,
    naive: Naive,
    moves: Vec<Move>,
}

impl Pair {
    fn new(size: Size, rules: Rules) -> Self {
        let naive = Naive::new(size, rules, vec![None; size.area()], Color::Black);
        Self { fast: Position::new(size, rules), naive, moves: Vec::new() }
    }

    /// One random move: usually anywhere empty, sometimes a pass, sometimes only where stones are taken.
    fn step(&mut self, rng: &mut Rng) {
        let empty = self.fast.board().empty_points();
        let pick = |points: &[Point], rng: &mut Rng| points[rng.below(points.len() as u32) as usize];
        let chosen = if empty.is_empty() || rng.below(40) == 0 {
            Move::Pass
        } else {
            let taking = |&p: &Point| !self.fast.board().victims(self.fast.turn(), p).is_empty();
            let captures: Vec<Point> = empty.iter().copied().filter(taking).collect();
            let wild = captures.is_empty() || rng.below(3) > 0;
            Move::Play(pick(if wild { &empty } else { &captures }, rng))
        };
        let before = self.fast.clone();
        let (fast, naive) = (self.fast.play(chosen), self.naive.play(chosen));
        self.moves.push(chosen);
        assert_eq!(fast.as_ref().err(), naive.as_ref().err(), "{chosen} after {:?}", self.moves);
        if let Ok(played) = fast {
            let stones = |p: &Point| before.stone(*p).is_some();
            assert!(played.captured.iter().all(stones), "captured stones stood there");
        } else {
            assert_eq!(self.fast, before, "a refused move changes nothing");
        }
    }

    fn agree_on_stones(&self) {
        let (size, board) = (self.fast.size(), self.fast.board());
        let mut hash = 0;
        for point in size.points() {
            let stone = self.naive.stone(point);
            assert_eq!(board.stone(point), stone, "{point} after {:?}", self.moves);
            hash ^= stone.map_or(0, |color| zobrist::stone(color, point));
        }
        assert_eq!(board.hash(), hash);
        assert_eq!(self.fast.turn(), self.naive.turn);
        for color in Color::BOTH {
            assert_eq!(self.fast.captures(color), self.naive.captures[color.index()]);
        }
        assert_eq!(
            board.empty_points().len(),
            size.points().filter(|&p| self.naive.stone(p).is_none()).count()
        );
    }

    fn agree_on_chains(&self) {
        let board = self.fast.board();
        for point in self.fast.size().points() {
            if self.naive.stone(point).is_none() {
                assert_eq!((board.liberties(point), board.chain_len(point)), (0, 0));
                for color in Color::BOTH {
                    assert_eq!(
                        board.is_eye(color, point),
                        self.naive.is_eye(color, point),
                        "{point}\n{board}"
                    );
                }
                continue;
            }
            let (chain, liberties) = (self.naive.chain(point), self.naive.liberties(point));
            assert_eq!(board.chain(point).collect::<std::collections::BTreeSet<_>>(), chain);
            assert_eq!(board.chain_len(point) as usize, chain.len());
            assert!(board.chain_head(point).is_some_and(|head| chain.contains(&head)));
            assert_eq!(board.liberties(point) as usize, liberties.len());
            assert!(board.liberty_points(point).iter().all(|p| liberties.contains(p)));
            let only = if liberties.len() == 1 { liberties.first().copied() } else { None };
            assert_eq!(board.atari(point), only, "the chain on {point}\n{board}");
        }
    }

    fn agree_on_legality(&self) {
        let illegal = self.fast.illegal_points();
        for point in self.fast.size().points() {
            let why = self.naive.check(point).err();
            assert_eq!(self.fast.check(point).err(), why, "{point} after {:?}", self.moves);
            let listed = illegal.iter().find(|(p, _)| *p == point).map(|&(_, why)| why);
            assert_eq!(listed, why.filter(|_| self.naive.stone(point).is_none()));
            if why.is_none() {
                let mut after = self.fast.clone();
                assert!(after.play(Move::Play(point)).is_ok());
                let promised = self.fast.board().hash_after(self.fast.turn(), point);
                assert_eq!(promised, after.board().hash());
            }
        }
        assert_eq!(self.fast.repetition(), self.naive.repetition());
    }
}

/// Over a random game of any shape and rules the two boards agree on everything, at every move on small boards, and
/// now and then on large ones where the naive board is slow.
#[test]
fn the_fast_position_equals_the_naive_one() {
    let mut sizes: Vec<(u8, u8)> = (1..=9).map(|n| (n, n)).collect();
    sizes.extend([
        (1, 7),
        (7, 1),
        (2, 5),
        (3, 9),
        (10, 4),
        (13, 13),
        (4, 14),
        (19, 19),
        (19, 5),
        (25, 2),
        (25, 25),
    ]);
    for (case, (columns, rows)) in sizes.into_iter().enumerate() {
        let size = Size::new(columns, rows).unwrap();
        for ko in KO_RULES {
            for suicide in [false, true] {
                let mut rng = Rng::new(case as u64 * 10 + u64::from(suicide));
                let mut pair = Pair::new(size, rules(ko, suicide));
                let (moves, every) =
                    if size.area() <= 30 { (120, 1) } else { ((3 * size.area()).min(500), size.area() / 3) };
                for i in 0..moves {
                    pair.step(&mut rng);
                    pair.agree_on_stones();
                    if i % every == 0 {
                        pair.agree_on_chains();
                        pair.agree_on_legality();
                    }
                }
            }
        }
    }
}

/// Millions of random moves: after each game the stones of the fast board are those that flood fill leaves, and from time to time
/// chains, liberties, eyes and hash are compared too. Both boards play whatever is not suicide.
#[test]
fn millions_of_random_moves_agree_with_flood_fill() {
    let mut moves = 0_u32;
    for seed in 0..90_000_u64 {
        let mut rng = Rng::new(seed);
        let sides = |rng: &mut Rng| 2 + rng.below(if seed % 32 == 0 { 18 } else { 7 }) as u8;
        let size = Size::new(sides(&mut rng), sides(&mut rng)).unwrap();
        let mut flood = Flood { size, stones: vec![None; size.area()] };
        let mut board = Board::new(size);
        let mut color = Color::Black;
        for _ in 0..4 * size.area() {
            let point = Point::new(
                rng.below(u32::from(size.columns())) as u8,
                rng.below(u32::from(size.rows())) as u8,
            );
            let i = size.index(point);
            if flood.stones[i].is_none() {
                flood.play(color, point);
                board.play_unchecked(color, point);
                moves += 1;
                color = if rng.below(8) == 0 { color } else { color.opposite() };
            }
        }
        for (point, stone) in size.points().zip(&flood.stones) {
            assert_eq!(board.stone(point), *stone, "{point}, seed {seed}\n{board}");
            if stone.is_some() {
                assert!(board.liberties(point) > 0 && flood.smothered(point).is_none());
            }
        }
    }
    assert!(moves > 2_000_000, "only {moves} moves");
}

/// The least that plays stones and takes what has no liberty, suicides of any size included.
struct Flood {
    size: Size,
    stones: Vec<Option<Color>>,
}

impl Flood {
    /// The stones of a chain, if it has no liberty.
    fn smothered(&self, from: Point) -> Option<Vec<Point>> {
        let color = self.stones[self.size.index(from)]?;
        let mut chain = vec![from];
        let mut done = 0;
        while let Some(&stone) = chain.get(done) {
            done += 1;
            for n in self.size.neighbours(stone) {
                match self.stones[self.size.index(n)] {
                    None => return None,
                    Some(there) if there == color && !chain.contains(&n) => chain.push(n),
                    Some(_) => {}
                }
            }
        }
        Some(chain)
    }

    fn play(&mut self, color: Color, point: Point) {
        self.stones[self.size.index(point)] = Some(color);
        let enemy = |n: &Point| self.stones[self.size.index(*n)] == Some(color.opposite());
        let beside: Vec<Point> = self.size.neighbours(point).filter(enemy).collect();
        for from in beside.into_iter().chain([point]) {
            for stone in self.smothered(from).unwrap_or_default() {
                self.stones[self.size.index(stone)] = None;
            }
        }
    }
}

/// Counts drawings in which every chain has a liberty.
fn legal_positions(size: Size) -> usize {
    let mut legal = 0;
    for number in 0..3_usize.pow(size.area() as u32) {
        let mut stones = [Vec::new(), Vec::new()];
        let mut rest = number;
        for point in size.points() {
            if let digit @ 1..=2 = rest % 3 {
                stones[digit - 1].push(point);
            }
            rest /= 3;
        }
        legal += usize::from(Board::with_stones(size, &stones[0], &stones[1]).is_ok());
    }
    legal
}

/// The numbers of legal positions that J. Tromp and G. Farnebäck counted ("Combinatorics of Go", 2007).
#[test]
fn legal_positions_are_as_many_as_counted() {
    for (side, count) in [(1, 1), (2, 57), (3, 12_675)] {
        assert_eq!(legal_positions(Size::square(side).unwrap()), count, "{side}x{side}");
    }
}

/// As above for 4x4, which takes a while: `cargo test -p goban --release -- --ignored`.
#[test]
#[ignore = "43 million drawings"]
fn legal_positions_on_4x4_are_as_many_as_counted() {
    assert_eq!(legal_positions(Size::square(4).unwrap()), 24_318_165);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// However a game goes, under positional superko no stone brings back a position, the start included.
    #[test]
    fn no_position_comes_back_under_positional_superko(
        columns in 1..6_u8, rows in 1..6_u8, seed: u64, suicide: bool,
    ) {
        let size = Size::new(columns, rows).unwrap();
        let mut position = Position::new(size, rules(KoRule::Positional, suicide));
        let mut rng = Rng::new(seed);
        let mut stood = vec![position.board().to_rows()];
        for _ in 0..300 {
            let legal = position.legal_points();
            if legal.is_empty() {
                position.play(Move::Pass).unwrap();
                continue;
            }
            let point = legal[rng.below(legal.len() as u32) as usize];
            position.play(Move::Play(point)).unwrap();
            let now = position.board().to_rows();
            prop_assert!(!stood.contains(&now));
            stood.push(now);
        }
    }

    /// A position that is set up from the stones of a game is that game's position without its history.
    #[test]
    fn a_set_up_position_has_the_same_stones_and_no_past(side in 2..14_u8, seed: u64, moves in 0..300_usize) {
        let size = Size::square(side).unwrap();
        let mut rng = Rng::new(seed);
        let mut board = Board::new(size);
        let mut color = Color::Black;
        for _ in 0..moves {
            if let Some(point) = board.random_move(color, &mut rng) {
                board.play_unchecked(color, point);
            }
            color = color.opposite();
        }
        let stones = |color| board.stones(color).collect::<Vec<_>>();
        let (black, white) = (stones(Color::Black), stones(Color::White));
        let rules = rules(KoRule::Positional, false);
        let set_up = Position::setup(size, rules, &black, &white, color).unwrap();
        prop_assert_eq!(&set_up, &Position::from_board(board.clone(), rules, color));
        prop_assert_eq!(Board::parse(&board.to_string()).unwrap().hash(), board.hash());
        prop_assert_eq!((set_up.turn(), set_up.ply(), set_up.ko_point()), (color, 0, None));
        // The set-up is the start of the superko history: whoever takes one stone may not be taken back at once.
        for point in set_up.legal_points() {
            let mut after = set_up.clone();
            if let [taken] = after.play(Move::Play(point)).unwrap().captured[..] {
                let mut back = after.clone();
                if back.play(Move::Play(taken)).is_ok() {
                    prop_assert_ne!(back.board().to_rows(), set_up.board().to_rows());
                }
            }
        }
    }

    /// A watched playout is the same game as one that nobody watches; its stones can be played in turn, and its
    /// owners add up to its ending.
    #[test]
    fn a_watched_playout_is_the_same_playout(columns in 1..20_u8, rows in 1..20_u8, seed: u64) {
        let size = Size::new(columns, rows).unwrap();
        let empty = Board::new(size);
        let alone = playout::run(&empty, Color::White, &mut Rng::new(seed));
        let mut replayed = empty.clone();
        let mut owned = [0_u16; 2];
        let mut legal = true;
        let watched = playout::watch(
            &empty,
            Color::White,
            &mut Rng::new(seed),
            |color, point| {
                legal &= !replayed.is_suicide(color, point) && !replayed.is_eye(color, point);
                legal &= replayed.is_empty(point);
                replayed.play_unchecked(color, point);
            },
            |color, _| owned[color.index()] += 1,
        );
        prop_assert_eq!(alone, watched);
        prop_assert_eq!(owned, [watched.black, watched.white]);
        prop_assert!(legal);
        prop_assert!(replayed.stones(Color::Black).count() <= usize::from(watched.black));
    }

    /// Points, moves and sizes are read as they are written.
    #[test]
    fn points_and_moves_read_back(column in 0..25_u8, row in 0..25_u8) {
        let point = Point::new(column, row);
        prop_assert_eq!(point.to_string().parse(), Ok(point));
        prop_assert_eq!(point.to_string().to_lowercase().parse(), Ok(Move::Play(point)));
        let size = Size::new(column + 1, row + 1).unwrap();
        prop_assert_eq!(size.parse_point(&point.to_string()), Ok(point));
        prop_assert!(Size::new(column.max(1), row + 1).unwrap().contains(point) == (column == 0));
        prop_assert_eq!("PASS".parse(), Ok(Move::Pass));
    }
}
