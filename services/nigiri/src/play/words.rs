//! What is said to people.

use nigiri_client::{Error, Finding, reason};
use nigiri_proto::game::v1::{PreviewScoreResponse, ScoreParts};

/// A text of somebody else's, safe to print: without control characters and without those that turn the direction of writing.
pub fn plain(text: &str) -> String {
    let turns =
        |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let kept: String = text.chars().filter(|&c| !c.is_control() && !turns(c)).take(200).collect();
    if kept.trim().is_empty() { "(no name)".to_owned() } else { kept }
}

/// Why something did not work.
pub fn explain(error: &Error) -> String {
    let own = match error.reason() {
        Some(reason::OCCUPIED) => "there is a stone on that point",
        Some(reason::SUICIDE) => "the stone would have no liberty",
        Some(reason::KO) => "ko: you may not take back at once; play elsewhere first",
        Some(reason::SUPERKO) => {
            "superko: that board has been there before in this game; play elsewhere first"
        }
        Some(reason::NOT_YOUR_TURN) => "it is not your turn",
        Some(reason::GAME_OVER) => "the game has ended",
        Some(reason::OUT_OF_TIME) => "too late: the time was up",
        Some(reason::STALE_PLY) => "the game has moved on meanwhile; look again",
        Some(reason::TICKET_EXISTS) => "you are looking for an opponent already, in another window",
        Some(reason::GAME_NOT_FOUND) => "there is no game with this id",
        Some(reason::SCORE_PROPOSED) => "a score is proposed: accept it, or dispute it and play on",
        Some(reason::NO_SCORE) => "no score is proposed now",
        Some(reason::STALE_SCORE) => "the score has changed meanwhile; look again",
        Some(reason::STALE_PROPOSAL) => "the opponent's proposal is not there any more",
        Some(reason::PROPOSAL_PENDING) => "your proposal has not been answered yet",
        Some(reason::NOTHING_TO_TAKE_BACK) => "you have no move to take back",
        Some(reason::NO_STONE) => "there is no stone on that point",
        Some(reason::ALREADY_SO) => "that is so already",
        Some(reason::CHALLENGE_NOT_FOUND) => {
            "there is no challenge with this code, or it is for somebody else"
        }
        Some(reason::OWN_CHALLENGE) => "you cannot play against yourself",
        _ => match error {
            Error::Unreachable { .. } => return format!("{error}; whether it counted is not known"),
            _ => return plain(&error.to_string()),
        },
    };
    own.to_owned()
}

/// How a search goes; none if there is nothing to say.
pub fn search(finding: &Finding) -> Option<String> {
    match finding {
        Finding::Queued(queued) => {
            let ai = queued
                .ai_after
                .map_or(String::new(), |after| format!(" An AI fills in after {} s.", after.seconds.max(0)));
            Some(format!("Looking for an opponent; your rating is {}.{ai}", queued.rating))
        }
        Finding::Progress(progress) => {
            let waited = progress.waited.map_or(0, |waited| waited.seconds);
            let bot = if progress.waiting_for_bot { "; no AI has room yet" } else { "" };
            let expected = progress.expected_wait.map_or(String::new(), |expected| {
                format!("; mostly somebody comes within {} s more", expected.seconds.max(1))
            });
            Some(format!(
                "Waited {waited} s: place {} of {} in the queue, opponents within {} points{expected}{bot}.",
                progress.place, progress.open_tickets, progress.rating_window
            ))
        }
        Finding::Interrupted(why) => {
            Some(format!("The connection broke ({}); going on as soon as the server is back.", plain(why)))
        }
        _ => None,
    }
}

/// What the board would count to.
pub fn preview(score: &PreviewScoreResponse) -> String {
    let total = |parts: Option<&ScoreParts>| parts.map_or(0.0, |parts| parts.total);
    let verdict = score.verdict.clone().unwrap_or_default();
    let komi = verdict.white.map_or(0.0, |white| white.komi);
    let (black, white) = (total(verdict.black.as_ref()), total(verdict.white.as_ref()));
    let doubt = verdict.doubt.filter(|doubt| !doubt.unsettled.is_empty());
    let unsure =
        doubt.map_or_else(String::new, |doubt| format!("; not settled: {}", doubt.unsettled.join(" ")));
    plain(&format!(
        "If the game ended now: Black {black}, White {white} (komi {komi}): {}{unsure}.",
        score.result
    ))
}

/// What a rated game has changed for somebody.
pub fn rating(name: &str, before_micros: i64, after_micros: i64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "shown to one decimal")]
    let change = (after_micros - before_micros) as f64 / 1e6;
    format!("rating: {} {} -> {} ({change:+.1})", plain(name), points(before_micros), points(after_micros))
}

/// Whole points, halves up, as the server shows them.
fn points(micros: i64) -> i64 {
    (micros + 500_000).div_euclid(1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name cannot move the cursor, change the colour, ring the bell or turn the text around.
    #[test]
    fn names_are_data() {
        assert_eq!(plain("\u{1b}[2J\u{7}Eve\r\n\u{202e}"), "[2JEve");
        assert_eq!(plain("\u{9b}31m本因坊"), "31m本因坊");
        assert_eq!(plain("\u{1}"), "(no name)");
    }

    /// The reasons that the client acts on are those of the server's table.
    #[test]
    fn the_clients_reasons_are_the_servers() {
        for name in reason::ALL {
            assert!(platform::status::Reason::ALL.iter().any(|reason| reason.name() == *name), "{name}");
        }
    }

    /// Ratings are shown in whole points with the exact change beside them.
    #[test]
    fn ratings_are_shown_in_points() {
        assert_eq!(rating("A", 1_200_000_000, 1_215_500_000), "rating: A 1200 -> 1216 (+15.5)");
        assert_eq!(rating("B", 1_200_000_000, 1_184_400_000), "rating: B 1200 -> 1184 (-15.6)");
    }
}
