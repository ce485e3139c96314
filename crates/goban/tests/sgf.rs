//! Files are read as they were meant, written games read back, and broken or hostile files do no harm.

#![expect(clippy::unwrap_used, reason = "in a test")]

use std::time::Duration;

use goban::sgf::{
    Collection, Error, GameResult, MAX_BYTES, MAX_NODES, Player, Record, Setup, Step, TimeLeft, Won,
};
use goban::{Board, Color, Komi, Move, Point, Preset, Rng, Size, playout};
use proptest::prelude::*;

#[path = "../benches/support/clock.rs"]
mod clock;

fn read(file: &str) -> Result<Record, Error> {
    Collection::parse(file.as_bytes()).and_then(|collection| Record::read(collection.games().next().unwrap()))
}

fn board(file: &str) -> Board {
    read(file).unwrap().play(Preset::Japanese.rules()).unwrap().board().clone()
}

/// The moves as players write them.
fn moves(record: &Record) -> String {
    let written = |step: &Step| match step {
        Step::Play { color, chosen, .. } => format!("{} {chosen}", color.letter()),
        Step::Setup(_) => "setup".to_owned(),
    };
    record.steps.iter().map(written).collect::<Vec<_>>().join(", ")
}

/// Everything that a file says of a game is in its record.
#[test]
fn a_file_says_who_played_what_under_which_rules() {
    let record = read(
        "(;FF[4]GM[1]SZ[9]CA[UTF-8]PB[黑 \\] \\\\]BR[3d]PW[w\\:]WR[1k]RU[AGA]KM[7.5]HA[2]TM[600]OT[5x30 byo-yomi]\
         RE[W+R]DT[2026-11-30]EV[cup]GN[final]C[two\nlines]AB[cg][gc]\
         ;W[ee]WL[595.25];B[]C[hm\\\n\\]]BL[29]OB[4](;W[dd])(;W[ff];B[gg]))",
    )
    .unwrap();
    let at = |name: &str| name.parse::<Point>().unwrap();
    let clock = |millis, overtime| Some(TimeLeft { time: Duration::from_millis(millis), overtime });
    let play =
        |color, chosen, left, comment: &str| Step::Play { color, chosen, left, comment: comment.into() };
    let player = |name: &str, rank: &str| Player { name: name.into(), rank: rank.into() };
    let expected = Record {
        size: Size::NINE,
        rules: "AGA".into(),
        komi: Komi::from_half_points(15).ok(),
        handicap: 2,
        players: [player("黑 ] \\", "3d"), player("w:", "1k")],
        result: Some(GameResult::Win { winner: Color::White, won: Won::Resignation }),
        main_time: Some(Duration::from_secs(600)),
        overtime: "5x30 byo-yomi".into(),
        date: "2026-11-30".into(),
        event: "cup".into(),
        name: "final".into(),
        comment: "two\nlines".into(),
        start: Setup { black: vec![at("C3"), at("G7")], ..Setup::default() },
        to_move: Color::White,
        steps: vec![
            play(Color::White, Move::Play(at("E5")), [None, clock(595_250, None)], ""),
            play(Color::Black, Move::Pass, [clock(29_000, Some(4)), None], "hm]"),
            play(Color::White, Move::Play(at("D6")), [None; 2], ""),
        ],
    };
    assert_eq!(record, expected);
    assert_eq!(record.known_rules(), Some(Preset::Aga.rules()));
}

/// Old files and other programs' habits are understood.
#[test]
fn oddities_of_old_files_are_understood() {
    for (file, expected) in [
        // Long names, junk before, between and behind games.
        ("From: me (not a game)\n(; GaMe [1] SiZe[9] Black[aa] ; White [ba]) bye", "B A9, W B9"),
        ("(;SZ[19];B[tt];W[])", "B pass, W pass"),
        ("(;SZ[21];B[tt];W[ua])", "B U2, W V21"),
        ("(;SZ[9:13];B[im];W[ia])", "B J1, W J13"),
        ("(;SZ[9]B[aa]W[bb];B[cc][dd])", "B A9, W B8, B C7, B D6"),
        ("(;;;SZ[9];;B[aa])", "B A19"),
        ("(;SZ[9];B[ a\n a ])", "error"),
        ("(;SZ[9];B[ aa\n])", "B A9"),
        ("(;SZ[9](;B[aa](;W[bb])(;W[cc]))(;B[dd]))", "B A9, W B8"),
        ("(;SZ[9];B[aa];AW[ii]AE[aa];W[aa])", "B A9, setup, W A9"),
        ("(;SZ[9];B[aa]))))(bye", "B A9"),
    ] {
        let found = read(file).map_or_else(|_| "error".to_owned(), |record| moves(&record));
        assert_eq!(found, expected, "{file}");
    }
    let handicap = "(;SZ[9]HA[3];W[ee])";
    assert_eq!(board(handicap).stones(Color::Black).count(), 3, "old servers meant the fixed points");
    assert_eq!(board("(;SZ[9]HA[3];B[ee];B[dd])").stones(Color::Black).count(), 2, "free placement");
    for (komi, halves) in
        [("6.5", 13), ("6,5", 13), ("650", 13), ("375", 15), ("3.75", 15), ("-5", -10), ("0.00", 0)]
    {
        assert_eq!(
            read(&format!("(;KM[{komi}])")).unwrap().komi,
            Komi::from_half_points(halves).ok(),
            "{komi}"
        );
    }
    assert_eq!(read("(;KM[]HA[]SZ[])").unwrap(), Record::new(Size::NINETEEN));
    let rectangles = "(;SZ[5]AB[aa:cb][ea]AW[ec:ee];AE[bb][aa:aa]PL[W])";
    assert_eq!(board(rectangles), Board::parse(".XX.X\nX.X..\n....O\n....O\n....O").unwrap());
    assert_eq!(read(rectangles).unwrap().to_move, Color::White);
}

/// What is broken is told with its line, its column and the reason.
#[test]
fn a_broken_file_says_where_and_why() {
    for (file, expected) in [
        ("", "line 1, column 1: no game"),
        ("(((((", "line 1, column 1: no game"),
        ("\n\n (;B[aa]", "line 3, column 2: the file ends before this ( is closed"),
        ("(;B[aa]\r\n(;W[bb])\r\n(;W[cc]", "line 3, column 1: the file ends before this ( is closed"),
        ("(;C[é\n;B[aa\\])", "line 1, column 4: the file ends before this [ is closed"),
        ("(;B)", "line 1, column 3: the property B has no value"),
        ("(;SZ[9]\nb[aa])", "line 2, column 1: \"b\" is no property"),
        ("(;B[aa]5)", "line 1, column 8: '5' has no place here"),
        ("(;B[aa]())", "line 1, column 9: a variation starts with ;"),
        ("(;B[aa](;W[bb]);W[cc])", "line 1, column 16: ';' cannot stand behind a variation"),
        ("(;GM[2])", "line 1, column 6: GM[2] is another game than Go"),
        ("(;SZ[x])", "line 1, column 6: \"x\" is not a board size"),
        ("(;SZ[26])", "line 1, column 6: a board of 26x26 is not possible"),
        ("(;SZ[9]KM[7.3])", "line 1, column 11: KM[7.3] is not a komi"),
        ("(;HA[two])", "line 1, column 6: HA[two] is not a number"),
        ("(;SZ[9];B[aaa])", "line 1, column 11: \"aaa\" is not a point"),
        ("(;SZ[9];B[j1])", "line 1, column 11: \"j1\" is not a point"),
        ("(;SZ[9]PB[囲碁];B[ja])", "line 1, column 17: \"ja\" is off the 9x9 board"),
        ("(;SZ[9]AB[aa:jj])", "line 1, column 11: \"jj\" is off the 9x9 board"),
        ("(;SZ[9]\n;AB[aa]AW[aa])", "line 2, column 1: A9 is set up twice"),
        ("(;PL[?])", "line 1, column 6: PL[?] is not a colour"),
    ] {
        let error = read(file).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{file:?}: {error}");
    }
}

/// Pieces that large files are made of again and again, with what stands before and behind them, and whether the file can be read.
const PIECES: [(&str, &str, &str, bool); 12] = [
    ("(;", "", "", false),
    ("(", "", "", false),
    ("[", "(;C", "", false),
    ("\\]", "(;C[", "])", true),
    ("囲", "(;C[", "])", true),
    ("[aa]", "(;AB", ")", true),
    ("C[]", "(;", ")", true),
    ("B[aa]", "(;", ")", true),
    ("(;B[aa])", "(;", ")", true),
    (";B[aa]", "(;", ")", true),
    ("[aa:ss]", "(;AB", ")", true),
    (";", "(", ")", false),
];

/// What is done with a file in all: it is read, played along and written, or refused.
fn work_through(file: &str, readable: bool) {
    let parsed = Collection::parse(file.as_bytes());
    assert_eq!(parsed.is_ok(), readable, "{}…", &file[..20]);
    let Ok(collection) = parsed else { return };
    assert!(Record::read(collection.games().next().unwrap()).is_ok(), "{}…", &file[..20]);
    assert_eq!(collection.to_string().matches("aa").count(), file.matches("aa").count());
}

/// A file of ten megabytes, whatever it is made of, is read or refused: depth, breadth, and nothing that ends. Work grows as the file does: four
/// times the bytes take the thread no more than ten times as long, where anything quadratic would take sixteen.
#[test]
fn large_files_do_no_harm_and_take_time_in_proportion() {
    for (piece, before, after, readable) in PIECES {
        let time = |bytes: usize| {
            let middle = piece.repeat((bytes - before.len() - after.len()) / piece.len());
            let file = format!("{before}{middle}{after}");
            let start = clock::now();
            work_through(&file, readable);
            clock::now() - start
        };
        let (quarter, whole) = (time(2_500_000), time(10_000_000));
        // Where so little is to do that the clock does not see it, nothing is quadratic.
        let most = 10 * quarter + Duration::from_millis(200);
        assert!(whole < most, "{before}{piece}…: {quarter:?} became {whole:?}");
    }
}

/// Depth is no matter, and what is beyond the limits is refused as such.
#[test]
fn deep_files_are_read_and_larger_ones_refused() {
    let deep = format!("{}{}", "(;B[aa]".repeat(900_000), ")".repeat(900_000));
    let collection = Collection::parse(deep.as_bytes()).unwrap();
    assert_eq!(collection.games().next().unwrap().main_line().count(), 900_000);
    assert_eq!(Record::read(collection.games().next().unwrap()).unwrap().steps.len(), 900_000);
    let nodes = format!("({})", ";".repeat(MAX_NODES + 1));
    assert!(read(&nodes).unwrap_err().to_string().contains("more than 2000000 nodes"));
    let size = vec![b' '; MAX_BYTES + 1];
    assert!(Collection::parse(&size).unwrap_err().to_string().contains("more than"));
}

/// Text that a file can hold as it is.
fn text(lines: bool) -> impl Strategy<Value = String> {
    let plain = move |c: char| if c.is_control() && !(lines && c == '\n') { '.' } else { c };
    prop::collection::vec(prop_oneof![any::<char>(), Just('\n'), Just(']'), Just('\\'), Just(':')], 0..12)
        .prop_map(move |chars| chars.into_iter().map(plain).collect())
}

/// Any game: of any size, with handicap stones or none, stones changed on the way, clocks and remarks.
fn game() -> impl Strategy<Value = Record> {
    let texts = (prop::array::uniform9(text(false)), prop::collection::vec(text(true), 1..4));
    (1..=25_u8, 1..=25_u8, any::<u64>(), texts).prop_map(|(columns, rows, seed, (names, remarks))| {
        let size = Size::new(columns, rows).unwrap();
        let mut rng = Rng::new(seed);
        let [rules, overtime, date, event, name, black, black_rank, white, white_rank] = names;
        let mut record = Record { rules, overtime, date, event, name, ..Record::new(size) };
        record.players = [Player { name: black, rank: black_rank }, Player { name: white, rank: white_rank }];
        record.comment.clone_from(&remarks[0]);
        record.komi = Komi::from_half_points(rng.below(601) as i16 - 300).ok().filter(|_| seed % 3 > 0);
        record.main_time = (seed % 5 > 0).then(|| Duration::from_millis(rng.next_u64() >> 30));
        record.result = [
            None,
            Some(GameResult::Draw),
            Some(GameResult::Void),
            Some(GameResult::Unknown),
            Some(GameResult::Win { winner: Color::White, won: Won::Hundredths(rng.below(10_000)) }),
            Some(GameResult::Win { winner: Color::Black, won: Won::Time }),
        ][rng.below(6) as usize];
        let mut points: Vec<Point> = size.points().filter(|_| rng.below(9) == 0).collect();
        record.start.white = points.split_off(points.len() / 2);
        record.handicap = if points.len() > 1 { points.len().min(200) as u8 } else { 0 };
        record.start.black = points;
        record.to_move = Color::BOTH[rng.below(2) as usize];
        let mut color = Color::BOTH[rng.below(2) as usize];
        for point in playout::moves(&Board::new(size), color, &mut rng) {
            let mut clock = || {
                let time = Duration::from_millis(rng.next_u64() >> 40);
                Some(TimeLeft { time, overtime: (rng.below(2) == 0).then(|| rng.below(30)) })
            };
            let left = [clock(), clock().filter(|_| color == Color::White)];
            let comment = remarks[rng.below(remarks.len() as u32) as usize].clone();
            let chosen = point.map_or(Move::Pass, Move::Play);
            record.steps.push(Step::Play { color, chosen, left, comment });
            if rng.below(40) == 0 {
                let black = vec![Point::new(columns - 1, rows - 1)];
                let empty = if size.area() > 1 { vec![Point::new(0, 0)] } else { Vec::new() };
                record.steps.push(Step::Setup(Setup {
                    black,
                    empty,
                    to_move: Some(color),
                    ..Setup::default()
                }));
            }
            color = color.opposite();
        }
        record
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A game written and read again is the same game.
    #[test]
    fn a_game_written_and_read_again_is_the_same_game(record in game()) {
        let file = record.to_string();
        let collection = Collection::parse(file.as_bytes()).unwrap();
        prop_assert_eq!(collection.games().len(), 1);
        prop_assert_eq!(Record::read(collection.games().next().unwrap()).unwrap(), record);
        // And so is the file, written again as a tree.
        let again = Collection::parse(collection.to_string().as_bytes()).unwrap();
        prop_assert_eq!(again.to_string(), collection.to_string());
    }

    /// A game that was played by the rules ends in the same position when it comes out of a file.
    #[test]
    fn a_game_out_of_a_file_ends_in_the_same_position(side in 2..20_u8, seed: u64) {
        let size = Size::square(side).unwrap();
        for preset in [Preset::Japanese, Preset::TrompTaylor] {
            let mut rng = Rng::new(seed);
            let mut position = goban::Position::new(size, preset.rules());
            let mut record = Record::new(size);
            for _ in 0..200 {
                let legal = position.legal_points();
                let point = legal.get(rng.below(legal.len() as u32) as usize);
                let (color, chosen) = (position.turn(), point.map_or(Move::Pass, |&p| Move::Play(p)));
                position.play(chosen).unwrap();
                record.steps.push(Step::Play { color, chosen, left: [None; 2], comment: String::new() });
            }
            let again = read(&record.to_string()).unwrap().play(preset.rules());
            prop_assert_eq!(again.unwrap(), position);
        }
    }
}

/// All variations of a file are kept, in their order, however it is written.
#[test]
fn variations_are_kept_in_their_order() {
    let file = "(;C[a](;C[b];C[c](;C[d])(;C[e];C[f]))(;C[g]))(;C[h])";
    let collection = Collection::parse(file.as_bytes()).unwrap();
    assert_eq!(collection.to_string().replace('\n', ""), file);
    let root = collection.games().next().unwrap();
    let text = |node: goban::sgf::Node<'_>| node.get("C").unwrap().text();
    assert_eq!(root.main_line().map(text).collect::<String>(), "abcd");
    let branches: Vec<_> = root.children().collect();
    assert_eq!(branches.iter().map(|&node| text(node)).collect::<String>(), "bg");
    assert_eq!(text(branches[1].parent().unwrap()), "a");
}
