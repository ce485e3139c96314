//! Matches between scripts that behave badly.
#![allow(missing_docs, reason = "a test")]

use std::time::Duration;

use goban::{Komi, Preset, Size};
use gtp::{Ending, Match, MatchError, play_match};

/// An engine that answers every `genmove` with the same text after a while, and takes whatever is played.
fn script(answer: &str, after: &str) -> String {
    format!(
        "sh -c 'while read command rest; do case $command in genmove) sleep {after}; echo \"= {answer}\";; final_score) \
         echo \"= W+7\";; *) echo =;; esac; echo; done'"
    )
}

fn wanted(black: &str, white: &str) -> Match {
    Match {
        engines: [black.to_owned(), white.to_owned()],
        referee: script("pass", "0"),
        games: 2,
        size: Size::NINE,
        komi: Komi::ZERO,
        rules: Preset::Chinese,
        limit: Duration::from_secs(20),
    }
}

/// Giving up, playing what is forbidden, talking nonsense, taking too long and ending are each lost, and counted by their names; colours alternate;
/// two passes are counted by the referee.
#[test]
fn bad_behaviour_loses_and_is_counted() {
    let passer = script("pass", "0");
    for (bad, ending) in [
        (script("resign", "0"), Ending::Resigned),
        (script("A10", "0"), Ending::Illegal),
        (script("pass", "60"), Ending::Overrun),
        ("sh -c 'while read command rest; do case $command in genmove) exit;; *) echo =; echo; esac; done'".to_owned(), Ending::Failed),
    ] {
        let mut wanted = wanted(&bad, &passer);
        if ending == Ending::Overrun {
            wanted.limit = Duration::from_millis(300);
        }
        let mut black = Vec::new();
        let summary = play_match(&wanted, |_, game| {
            black.push(game.black);
            assert_eq!(game.ending, ending);
        })
        .unwrap();
        assert_eq!((summary.games, summary.engines[1].won, summary.engines[0].won), (2, 2, 0), "{ending:?}");
        assert_eq!(black, [0, 1]);
        let [lost, _] = summary.engines;
        assert_eq!(lost.resigned + lost.illegal + lost.overruns + lost.failed, 2, "{ending:?}: {summary}");
    }
    let summary = play_match(&wanted(&passer, &passer), |_, game| {
        assert_eq!((game.result.as_str(), game.moves()), ("W+7", 2));
        assert!(game.record.to_string().contains("RE[W+7]"), "{}", game.record);
    })
    .unwrap();
    // White wins, which is each of the two once.
    assert_eq!(summary.engines.map(|tally| tally.won), [1, 1]);
}

/// An engine that cannot be started, and a referee that does not count, end the match with the reason.
#[test]
fn a_match_that_cannot_be_played_says_why() {
    let passer = script("pass", "0");
    let missing = play_match(&wanted("/no/such/engine", &passer), |_, _| {});
    assert!(matches!(missing, Err(MatchError::Engine { .. })), "{missing:?}");
    let mut mute = wanted(&passer, &passer);
    mute.referee =
        "sh -c 'while read a b; do case $a in final_score) echo \"? no\";; *) echo =;; esac; echo; done'"
            .to_owned();
    let uncounted = play_match(&mute, |_, _| {});
    assert!(matches!(uncounted, Err(MatchError::Referee(_))), "{uncounted:?}");
}
