//! The bodies of the fuzz targets on bytes that are made here: they run where there is no fuzzer.

use goban::Rng;

#[path = "../fuzz/src/bodies.rs"]
mod bodies;

fn random_bytes(rng: &mut Rng, most: u32) -> Vec<u8> {
    (0..rng.below(most)).map(|_| rng.next_u64() as u8).collect()
}

/// Two thousand games of random bytes: both boards agree, verdicts add up, files read back.
#[test]
fn any_bytes_make_a_sound_game() {
    let mut rng = Rng::new(3);
    for _ in 0..2_000 {
        bodies::game(&random_bytes(&mut rng, 600));
    }
}

/// Files made of the pieces of the format in any order, whole files with bytes changed, and noise.
#[test]
fn any_bytes_make_a_game_or_an_error() {
    const PIECES: [&str; 48] = [
        "(;",
        ")",
        ";",
        "(",
        "B[aa]",
        "W[bb]",
        "B[]",
        "W[tt]",
        "AB[aa:cc]",
        "AW[dd][ee]",
        "AE[aa]",
        "PL[W]",
        "SZ[9]",
        "SZ[5:7]",
        "SZ[x]",
        "HA[2]",
        "KM[6,5]",
        "KM[375]",
        "RU[AGA]",
        "RE[B+0.75]",
        "TM[1e3]",
        "BL[12.5]",
        "OB[3]",
        "C[a\\]b\\\\\n]",
        "C[",
        "]",
        "\\",
        "\n",
        "\r\n",
        "PB[é囲\t]",
        "CA[UTF-8]",
        "CA[big5]",
        "GaMe[1]",
        "GM[2]",
        "Black[cc]",
        "b[aa]",
        "[aa]",
        "B [ab] [cd]",
        "W[zz]",
        "B[ccc]",
        "AB[aa:",
        "WL[-3]",
        "WL[nan]",
        "HA[]",
        "\u{feff}",
        "PL[?]",
        "(;B[ba]C[\u{b}])",
        "AB[bb:aa]AW[cc]",
    ];
    let mut rng = Rng::new(4);
    let mut readable = 0;
    for case in 0..30_000 {
        let mut file = String::from(if case % 4 == 0 { "" } else { "(;SZ[6]" });
        for _ in 0..rng.below(14) {
            file.push_str(PIECES[rng.below(PIECES.len() as u32) as usize]);
        }
        file.push_str(if case % 5 == 0 { "" } else { ")" });
        let mut bytes = file.into_bytes();
        if case % 3 == 0 && !bytes.is_empty() {
            let at = rng.below(bytes.len() as u32) as usize;
            bytes[at] = rng.next_u64() as u8;
        }
        readable += usize::from(goban::sgf::Collection::parse(&bytes).is_ok());
        bodies::sgf(&bytes);
    }
    assert!(readable > 1_000, "only {readable} files were readable");
    for _ in 0..2_000 {
        bodies::sgf(&random_bytes(&mut rng, 200));
    }
}

/// Megabytes of one piece again and again are read or refused, and played where they are a game.
#[test]
fn a_piece_many_times_does_no_harm() {
    for (before, piece, after) in [
        ("(;SZ[9]", ";B[aa]", ")"),
        ("(;SZ[5]KO[]", "AW[aa]AE[aa]", ")"),
        ("(;SZ[2]RU[nz]", ";B[aa];W[bb];B[];W[ab];B[ba]", ")"),
        ("(;", "(;W[bb]", ")"),
        ("(;C[", "\\]", "])"),
        ("", "(;SZ[25]B[yy])", ""),
    ] {
        let lengths = [before.len(), piece.len() - 1].map(|n| n as u8);
        bodies::large(&[&lengths, before.as_bytes(), piece.as_bytes(), after.as_bytes()].concat());
    }
}
