//! How strong players are, from who beat whom: Elo ratings of the greatest likelihood, with intervals.
//!
//! The model is that of R. Bradley and M. Terry, 1952: a player with 400 points more than another wins ten of eleven games. The ratings are those under which the
//! results are likeliest; one of the players is the anchor, whose rating is given. Everybody else is taken to have drawn one more game with the
//! anchor, so that also who lost every game has a rating, and a wide interval.

/// What two players have scored against each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The two players, by their numbers from 0.
    pub players: [usize; 2],
    /// Games that the first and the second of them won.
    pub won: [u32; 2],
    /// Games without a winner, which count half.
    pub drawn: u32,
}

/// How strong a player is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Strength {
    /// Points on Elo's scale.
    pub points: f64,
    /// Half the width of the 95 % interval of the distance from the anchor; 0 for the anchor itself.
    pub width: f64,
}

/// Points in which odds grow by a factor of e.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;

/// The ratings of players 0 to `players - 1`, where the anchor's is given. Scores that name other players are left out.
#[must_use]
pub fn ratings(players: usize, anchor: usize, points: f64, scores: &[Score]) -> Vec<Strength> {
    let known =
        |score: &&Score| score.players.iter().all(|&p| p < players) && score.players[0] != score.players[1];
    // Two players, what the first of them scored, and of how many games.
    let mut games: Vec<(usize, usize, f64, f64)> = scores
        .iter()
        .filter(known)
        .map(|s| {
            let drawn = f64::from(s.drawn);
            let [won, lost] = s.won.map(f64::from);
            (s.players[0], s.players[1], won + drawn / 2.0, won + lost + drawn)
        })
        .collect();
    games.extend((0..players).filter(|&p| p != anchor).map(|p| (p, anchor, 0.5, 1.0)));
    let mut at = vec![0.0; players];
    let mut spread = vec![vec![0.0; players]; players];
    // Newton's method; the likelihood has one summit, and steps are kept short enough to reach it.
    for _ in 0..100 {
        let mut slope = vec![0.0; players];
        let mut bend = vec![vec![0.0; players]; players];
        for &(a, b, scored, all) in &games {
            let chance = 1.0 / (1.0 + f64::exp(at[b] - at[a]));
            let (miss, weight) = (scored - all * chance, all * chance * (1.0 - chance));
            slope[a] += miss;
            slope[b] -= miss;
            bend[a][a] += weight;
            bend[b][b] += weight;
            bend[a][b] -= weight;
            bend[b][a] -= weight;
        }
        bend.iter_mut().for_each(|row| row[anchor] = 0.0);
        bend[anchor].fill(0.0);
        (bend[anchor][anchor], slope[anchor]) = (1.0, 0.0);
        spread = inverse(bend);
        let steps: Vec<f64> =
            spread.iter().map(|row| row.iter().zip(&slope).map(|(a, b)| a * b).sum::<f64>()).collect();
        let longest = steps.iter().fold(0.0, |most: f64, step| most.max(step.abs()));
        let short = (1.0 / longest).min(1.0);
        at.iter_mut().zip(&steps).for_each(|(rating, step)| *rating += short * step);
        if longest < 1e-9 {
            break;
        }
    }
    let strength = |p: usize| Strength {
        points: points + SCALE * at[p],
        width: if p == anchor { 0.0 } else { 1.96 * SCALE * spread[p][p].max(0.0).sqrt() },
    };
    (0..players).map(strength).collect()
}

/// The inverse of a positive definite matrix, by Gauss's and Jordan's elimination.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let all = matrix.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..all).map(|i| (0..all).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for pivot in 0..all {
        let by = 1.0 / matrix[pivot][pivot];
        for half in [&mut matrix, &mut inverse] {
            half[pivot].iter_mut().for_each(|cell| *cell *= by);
        }
        for row in (0..all).filter(|&row| row != pivot) {
            let times = matrix[row][pivot];
            for half in [&mut matrix, &mut inverse] {
                let taken = half[pivot].clone();
                half[row].iter_mut().zip(taken).for_each(|(cell, taken)| *cell -= times * taken);
            }
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use goban::Rng;

    use super::*;

    /// Three of four games are 191 points, whoever is named first; who lost all has a rating far below and an interval that says so.
    #[test]
    fn a_share_of_games_is_a_distance() {
        let score = |players, won| Score { players, won, drawn: 0 };
        let found = ratings(3, 1, 1_300.0, &[score([0, 1], [3_000, 1_000]), score([1, 2], [60, 0])]);
        assert!((found[0].points - 1_490.8).abs() < 0.5 && found[0].width < 15.0, "{found:?}");
        assert_eq!((found[1].points, found[1].width), (1_300.0, 0.0));
        assert!(found[2].points < 600.0 && found[2].width > 300.0, "{found:?}");
        let turned = ratings(3, 1, 1_300.0, &[score([1, 0], [1_000, 3_000]), score([2, 1], [0, 60])]);
        for (a, b) in found.iter().zip(&turned) {
            assert!((a.points - b.points).abs() < 1e-6 && (a.width - b.width).abs() < 1e-6, "{a:?} {b:?}");
        }
    }

    /// The interval holds the truth as often as it says: in simulated tournaments of four players of known strength.
    #[test]
    fn the_truth_lies_in_the_interval() {
        let truth = [1_000.0, 1_150.0, 1_300.0, 1_500.0];
        let mut rng = Rng::new(7);
        let (mut inside, mut all) = (0, 0);
        for _ in 0..500 {
            let mut scores = Vec::new();
            for a in 0..4 {
                for b in a + 1..4 {
                    let chance = 1.0 / (1.0 + 10_f64.powf((truth[b] - truth[a]) / 400.0));
                    let won = (0..40).filter(|_| f64::from(rng.unit()) < chance).count() as u32;
                    scores.push(Score { players: [a, b], won: [won, 40 - won], drawn: 0 });
                }
            }
            for (found, truth) in ratings(4, 2, 1_300.0, &scores).iter().zip(truth) {
                if found.width > 0.0 {
                    all += 1;
                    inside += u32::from((found.points - truth).abs() <= found.width);
                }
            }
        }
        let share = f64::from(inside) / f64::from(all);
        assert!((0.93..0.97).contains(&share), "{share}");
    }
}
