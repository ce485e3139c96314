#![allow(missing_docs)]
use goban::*;
fn main() {
    let text = std::io::read_to_string(std::io::stdin()).unwrap();
    let board = Board::parse(&text).unwrap();
    let t = std::time::Instant::now();
    let l = life(&board, false);
    eprintln!("{:?}", t.elapsed());
    let size = board.size();
    for r in (0..size.rows()).rev() {
        for c in 0..size.columns() {
            let p = Point::new(c, r);
            let ch = match board.stone(p) {
                None => '.',
                Some(k) => {
                    let s = if k == Color::Black { 'X' } else { 'O' };
                    if l.alive.contains(&p) {
                        s
                    } else if l.dead.contains(&p) {
                        if s == 'X' { '#' } else { '@' }
                    } else {
                        s.to_ascii_lowercase()
                    }
                }
            };
            print!("{ch} ");
        }
        println!();
    }
}
