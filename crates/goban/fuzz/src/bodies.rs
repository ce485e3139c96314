//! What must hold for any bytes: the fuzz targets and the ordinary tests run these.

use goban::naive::Naive;
use goban::sgf::{Collection, GameResult, Record, Step, TimeLeft};
use goban::{
    Color, Dead, HandicapBonus, KoRule, Komi, Move, Point, Position, Rules, Scoring, Size, Tax, judge,
};

/// Bytes as small numbers, 0 when there are no more.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn below(&mut self, bound: u8) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        first % bound
    }

    fn rules(&mut self) -> Rules {
        Rules {
            ko: [KoRule::Simple, KoRule::Positional, KoRule::Situational][usize::from(self.below(3))],
            scoring: [Scoring::Area, Scoring::Territory][usize::from(self.below(2))],
            multi_stone_suicide: self.below(2) == 1,
            tax: [Tax::None, Tax::Seki, Tax::All][usize::from(self.below(3))],
            handicap_bonus: HandicapBonus::N,
        }
    }
}

/// What can be read can be written and read again, with the same trees and the same games; no game that can be read does harm when it is
/// played and judged.
pub fn sgf(data: &[u8]) {
    let Ok(collection) = Collection::parse(data) else { return };
    let written = collection.to_string();
    let again = Collection::parse(written.as_bytes()).expect("what we write can be read");
    assert_eq!(again.to_string(), written);
    assert_eq!(again.games().len(), collection.games().len());
    for (root, root_again) in collection.games().zip(again.games()) {
        let record = Record::read(root);
        match (&record, Record::read(root_again)) {
            (Ok(record), Ok(again)) => assert_eq!(*record, again),
            (Err(why), Err(again)) => assert_eq!(why.reason, again.reason),
            (record, again) => panic!("{record:?} became {again:?}"),
        }
        let Ok(record) = record else { continue };
        let written = record.to_string();
        let game = Collection::parse(written.as_bytes()).expect("a game that we write can be read");
        let root = game.games().next().expect("a game");
        assert_eq!(Record::read(root).as_ref(), Ok(&record), "{written}");
        let rules = record.known_rules().unwrap_or_else(|| Bytes(&data[data.len() / 2..]).rules());
        if let Ok(position) = record.play(rules) {
            check_verdict(&position, record.komi.unwrap_or_default(), record.handicap);
        }
    }
}

/// A file of two megabytes, a piece again and again between a beginning and an end, is read or refused; what can be read can be written, played
/// and counted. The fuzzer watches time and memory.
pub fn large(data: &[u8]) {
    let mut bytes = Bytes(data);
    let [before, piece] = [0, 1].map(|least| usize::from(least + bytes.below(64)));
    let (before, rest) = bytes.0.split_at(before.min(bytes.0.len()));
    let (piece, after) = rest.split_at(piece.min(rest.len()));
    if piece.is_empty() {
        return;
    }
    let file = [before, &piece.repeat((2 << 20) / piece.len()), after].concat();
    let Ok(collection) = Collection::parse(&file) else { return };
    assert!(collection.to_string().len() <= 8 * file.len());
    for record in collection.games().take(3).filter_map(|root| Record::read(root).ok()) {
        let rules = record.known_rules().unwrap_or_else(|| bytes.rules());
        if let Ok(position) = record.play(rules) {
            let verdict = judge(&position, record.komi.unwrap_or_default(), record.handicap, Dead::None);
            assert_eq!(verdict.owner.len(), position.size().area());
        }
    }
}

/// A game of any moves by any rules: the fast board and the naive one allow the same, and the verdict adds up; and the game, with clocks and
/// remarks made of the same bytes, is written and read again.
pub fn game(data: &[u8]) {
    let mut bytes = Bytes(data);
    let size = Size::new(1 + bytes.below(9), 1 + bytes.below(9)).expect("within 25");
    let rules = bytes.rules();
    let mut naive = Naive::new(size, rules, vec![None; size.area()], Color::Black);
    let mut fast = Position::new(size, rules);
    let mut record = Record::new(size);
    record.komi = Komi::from_half_points(i16::from(bytes.below(255)) - 127).ok();
    while !bytes.0.is_empty() {
        let byte = bytes.below(255);
        let point = Point::new(byte % size.columns(), bytes.below(size.rows()));
        let chosen = if byte == 0 { Move::Pass } else { Move::Play(point) };
        let color = fast.turn();
        let played = fast.play(chosen).map(|_| ());
        assert_eq!(played, naive.play(chosen), "{chosen} on\n{}", fast.board());
        if played.is_ok() {
            let time = std::time::Duration::from_millis(u64::from(byte) * 137);
            let mut left = [None; 2];
            left[color.index()] = Some(TimeLeft { time, overtime: (byte % 3 == 0).then_some(byte.into()) });
            let comment = String::from_utf8_lossy(&bytes.0[..bytes.0.len().min(3)]);
            let comment = comment.chars().filter(|c| !c.is_control()).collect();
            record.steps.push(Step::Play { color, chosen, left, comment });
        }
    }
    for point in size.points() {
        assert_eq!(fast.stone(point), naive.stone(point));
        assert_eq!(fast.check(point), naive.check(point), "{point} on\n{}", fast.board());
    }
    assert_eq!(fast.repetition(), naive.repetition());
    let komi = record.komi.unwrap_or_default();
    record.result = Some(GameResult::from(check_verdict(&fast, komi, 0)));
    let written = record.to_string();
    let read = Collection::parse(written.as_bytes()).expect("readable");
    let root = read.games().next().expect("a game");
    let read = Record::read(root).expect("readable");
    assert_eq!(read, record, "{written}");
    assert_eq!(read.play(rules).as_ref(), Ok(&fast));
}

/// With whatever stones dead, the owned points and the others are the board, and area counts what is owned.
fn check_verdict(position: &Position, komi: Komi, handicap: u8) -> goban::Outcome {
    let size = position.size();
    let every_third: Vec<Point> = size.points().step_by(3).collect();
    for dead in [Dead::None, Dead::Given(&every_third)] {
        let verdict = judge(position, komi, handicap, dead);
        let owned = |color| verdict.owner.iter().filter(|&&owner| owner == Some(color)).count();
        for (color, score) in Color::BOTH.into_iter().zip([verdict.black, verdict.white]) {
            let counted = (score.stones + score.territory) as usize;
            match (position.rules().scoring, position.rules().tax) {
                (Scoring::Area, Tax::None) => assert_eq!(counted, owned(color)),
                _ => assert!(counted <= owned(color)),
            }
        }
        assert_eq!(verdict.owner.len(), size.area());
    }
    judge(position, komi, handicap, Dead::Clear).result
}
