//! Whether ratings are what the rated games made of them.

use std::collections::HashMap;

use nigiri_client::{Error, PlayerId, Session};
use nigiri_proto::{game::v1::Color, rating::v1::RatingChange};

use super::replay::Replayed;

/// Everybody's rating before the first game, in millionths of a point.
const INITIAL: i64 = 1_200_000_000;
/// Players whose ratings are asked for at once.
const BATCH: usize = 500;

/// What is wrong with the changes that a rated game made; none if nothing is.
pub fn fault(replayed: &Replayed, changes: &[RatingChange]) -> Option<String> {
    let [a, b] = changes else { return Some(format!("{} changes", changes.len())) };
    let delta = |change: &RatingChange| change.after_micros - change.before_micros;
    if delta(a) + delta(b) != 0 {
        return Some(format!("the changes {} and {} do not sum to zero", delta(a), delta(b)));
    }
    for (player, color) in replayed.players.iter().zip([Color::Black, Color::White]) {
        let Some(change) = changes.iter().find(|change| change.player_id == *player) else {
            return Some(format!("player {player} is not among the changes"));
        };
        let wins = replayed.winner == color;
        let loses = replayed.winner != Color::Unspecified && !wins;
        if (wins && delta(change) < 0) || (loses && delta(change) > 0) {
            return Some(format!("player {player}, wins: {wins}, went by {}", delta(change)));
        }
    }
    None
}

/// The changes of all games, player by player.
#[derive(Default)]
pub struct Changes(HashMap<String, Vec<(i64, i64)>>);

impl Changes {
    /// Takes a game's changes.
    pub fn add(&mut self, changes: &[RatingChange]) {
        for change in changes {
            let own = self.0.entry(change.player_id.clone()).or_default();
            own.push((change.before_micros, change.after_micros));
        }
    }

    /// What is wrong with the players' ratings: each is reached from the first one by that player's changes, each used once; and, if
    /// they played among themselves only, all sum up to what they began with.
    ///
    /// # Errors
    /// When the ratings cannot be read.
    pub async fn faults(&self, players: &[Session], closed: bool) -> Result<Vec<String>, Error> {
        let ids = players.iter().map(Session::player_id).collect::<Result<Vec<PlayerId>, _>>()?;
        let mut faults = Vec::new();
        let mut sum = 0;
        for (batch, session) in ids.chunks(BATCH).zip(players) {
            let ratings = session.ratings_of(batch, 9).await?;
            if ratings.len() != batch.len() {
                faults.push(format!("{} ratings for {} players", ratings.len(), batch.len()));
            }
            for rating in ratings {
                sum += rating.micros;
                let changes = self.0.get(&rating.player_id).map_or(&[][..], Vec::as_slice);
                if rating.games as usize != changes.len() || !is_trail(changes, INITIAL, rating.micros) {
                    faults.push(format!(
                        "player {}: {} after {} games does not follow from {changes:?}",
                        rating.player_id, rating.micros, rating.games
                    ));
                }
            }
        }
        let expected = INITIAL * i64::try_from(ids.len()).unwrap_or(i64::MAX);
        if closed && sum != expected {
            faults.push(format!("all ratings sum to {sum}, not {expected}"));
        }
        Ok(faults)
    }
}

/// Whether the changes, each used once, lead from one rating to the other: whether they are the edges of a trail (Euler: all but
/// its ends are left as often as reached, and everything is connected). Their order is not needed: replicas may rate at the same moment.
fn is_trail(changes: &[(i64, i64)], from: i64, to: i64) -> bool {
    let mut balance: HashMap<i64, i64> = HashMap::from([(from, -1)]);
    *balance.entry(to).or_default() += 1;
    let mut leading: HashMap<i64, Vec<i64>> = HashMap::new();
    for &(before, after) in changes {
        *balance.entry(before).or_default() += 1;
        *balance.entry(after).or_default() -= 1;
        leading.entry(before).or_default().push(after);
    }
    let mut used = 0;
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        let onward = leading.remove(&next).unwrap_or_default();
        used += onward.len();
        open.extend(onward);
    }
    used == changes.len() && balance.values().all(|&left| left == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Changes that follow on from each other are a trail in whatever order they are listed; lost, doubled and foreign ones are not.
    #[test]
    fn a_rating_is_a_trail_of_its_changes() {
        assert!(is_trail(&[], 12, 12));
        assert!(is_trail(&[(12, 14), (14, 13), (13, 12), (12, 10)], 12, 10));
        assert!(is_trail(&[(14, 13), (12, 14)], 12, 13));
        assert!(!is_trail(&[], 12, 13), "lost");
        assert!(!is_trail(&[(12, 14), (12, 14)], 12, 14), "twice");
        assert!(!is_trail(&[(12, 14), (13, 15)], 12, 15), "a gap");
        assert!(!is_trail(&[(12, 14), (20, 21), (21, 20)], 12, 14), "not connected");
        assert!(!is_trail(&[(12, 14)], 12, 12), "the end is another");
    }

    /// A game's changes sum to zero, belong to its players and go the winner's way.
    #[test]
    fn wrong_changes_of_a_game_are_found() {
        let change = |player: &str, delta: i64| RatingChange {
            player_id: player.to_owned(),
            before_micros: 100,
            after_micros: 100 + delta,
        };
        let game = Replayed {
            winner: Color::Black,
            players: vec!["b".to_owned(), "w".to_owned()],
            ..Replayed::default()
        };
        assert_eq!(fault(&game, &[change("w", -5), change("b", 5)]), None);
        for wrong in [
            vec![change("b", 5)],
            vec![change("b", 5), change("w", -4)],
            vec![change("b", -5), change("w", 5)],
            vec![change("b", 5), change("x", -5)],
        ] {
            assert!(fault(&game, &wrong).is_some(), "{wrong:?}");
        }
    }
}
