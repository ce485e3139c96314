//! The rating service, as matchmaking needs it.

use std::{collections::HashMap, time::Duration};

use kernel::{PlayerId, Timestamp};
use nigiri_proto::rating::v1::{
    BatchGetRatedBansRequest, BatchGetRatingsRequest, RatedBan, rating_service_client::RatingServiceClient,
};
use pairing::{BOARDS, Kinds};
use platform::{convert::from_proto_time, network::ServiceChannel, together::Together};
use tonic::{Response, Status};

use crate::{
    error::Error,
    kinds::{self, SIDES},
    ticket::Rating,
};

/// How often a rating is asked for before it is guessed, and how long one asking may take.
const ATTEMPTS: u32 = 3;
const TIMEOUT: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(100);

/// Players in one call, at most, and calls at a time.
const MOST: usize = 500;
const ROUNDS: usize = 2;

/// Whoever has less is spared opponents who are much stronger.
const WEAK: Rating = Rating::points(1_000);

/// How strong a player is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    /// On the boards of [`kinds::SIDES`].
    pub ratings: [Rating; BOARDS],
    /// Whether they are new or weak, and spared opponents who are much stronger.
    pub sheltered: bool,
}

impl Default for Strength {
    fn default() -> Self {
        Self { ratings: [Rating::INITIAL; BOARDS], sheltered: false }
    }
}

/// The rating service.
#[derive(Clone)]
pub struct Ratings {
    ratings: Together<(PlayerId, u8), Option<(Rating, bool)>>,
    bans: Together<PlayerId, Option<Option<Ban>>>,
}

type Client = RatingServiceClient<ServiceChannel>;

impl Ratings {
    /// The rating service behind this channel.
    pub fn new(channel: ServiceChannel) -> Self {
        let client = RatingServiceClient::new(channel);
        let asking = client.clone();
        let ratings = Together::new(MOST, ROUNDS, move |asked| ratings_of(asking.clone(), asked));
        let bans = Together::new(MOST, ROUNDS, move |players| bans_of(client.clone(), players));
        Self { ratings, bans }
    }

    /// How strong a player is on the boards of these kinds. Where the rating service does not say, it is the rating with which everybody begins: a player who
    /// waits is worth more than an exact rating.
    pub async fn of(&self, player: PlayerId, kinds: Kinds) -> Strength {
        let boards = kinds::boards();
        let asked = (0..BOARDS).map(|board| async move {
            if kinds.0 & boards[board] == 0 { None } else { Some(self.on(player, SIDES[board]).await) }
        });
        let mut strength = Strength::default();
        for (board, found) in futures::future::join_all(asked).await.into_iter().enumerate() {
            let Some(found) = found else { continue };
            let (rating, is_new) = found.unwrap_or_else(|| {
                tracing::warn!("a rating cannot be had: the ticket is opened with the initial one");
                (Rating::INITIAL, true)
            });
            strength.ratings[board] = rating;
            strength.sheltered |= is_new || rating < WEAK;
        }
        strength
    }

    /// The rating in a pool, and whether too few games have counted there for it to say much. None when the rating service does not say.
    pub async fn on(&self, player: PlayerId, side: u8) -> Option<(Rating, bool)> {
        self.ratings.ask((player, side)).await
    }

    /// Lets a player look for a rated game. When the rating service does not say, everybody may: whoever is kept out unjustly loses more
    /// than one game more of somebody who leaves costs.
    ///
    /// # Errors
    /// [`Error::RatedBan`].
    pub async fn admit(&self, player: PlayerId) -> Result<(), Error> {
        match self.bans.ask(player).await {
            Some(Some((until, leaves))) => Err(Error::RatedBan { until, leaves }),
            Some(None) => Ok(()),
            None => {
                tracing::warn!("whether a player may have rated games cannot be had: they may");
                Ok(())
            }
        }
    }
}

/// The ratings in pools, in the order asked for.
async fn ratings_of(client: Client, asked: Vec<(PlayerId, u8)>) -> Vec<Option<(Rating, bool)>> {
    let mut found: HashMap<(PlayerId, u8), (Rating, bool)> = HashMap::new();
    for side in SIDES {
        let players: Vec<_> = asked.iter().filter(|(_, on)| *on == side).map(|(player, _)| player).collect();
        if players.is_empty() {
            continue;
        }
        let player_ids = players.iter().map(ToString::to_string).collect();
        let request = BatchGetRatingsRequest { player_ids, board_size: side.into(), bots: false };
        let answer = ask(&client, |mut client| {
            let request = request.clone();
            async move { client.batch_get_ratings(request).await }
        });
        let ratings = answer.await.map(|answer| answer.ratings).unwrap_or_default();
        let read = players.into_iter().zip(ratings);
        found.extend(
            read.map(|(player, rating)| ((*player, side), (Rating(rating.micros), rating.provisional))),
        );
    }
    asked.iter().map(|one| found.get(one).copied()).collect()
}

/// A ban from rated play: until when, and how many games were left.
type Ban = (Timestamp, u32);

/// The bans of players, in the order asked for; none at all when the rating service does not say.
async fn bans_of(client: Client, players: Vec<PlayerId>) -> Vec<Option<Option<Ban>>> {
    let request = BatchGetRatedBansRequest { player_ids: players.iter().map(ToString::to_string).collect() };
    let answer = ask(&client, |mut client| {
        let request = request.clone();
        async move { client.batch_get_rated_bans(request).await }
    });
    let Some(answer) = answer.await else { return vec![None; players.len()] };
    let ban = |ban: RatedBan| Some((ban.player_id, (from_proto_time(ban.end_time?), ban.leaves)));
    let bans: HashMap<String, Ban> = answer.bans.into_iter().filter_map(ban).collect();
    players.iter().map(|player| Some(bans.get(&player.to_string()).copied())).collect()
}

/// Asks a few times; none when there was no answer.
async fn ask<T, F>(client: &Client, call: impl Fn(Client) -> F) -> Option<T>
where
    F: Future<Output = Result<Response<T>, Status>>,
{
    for attempt in 1..=ATTEMPTS {
        let problem = match tokio::time::timeout(TIMEOUT, call(client.clone())).await {
            Ok(Ok(answer)) => return Some(answer.into_inner()),
            Ok(Err(status)) => status.to_string(),
            Err(_) => "no answer in time".to_owned(),
        };
        tracing::debug!(problem, attempt, "the rating service did not answer");
        if attempt < ATTEMPTS {
            tokio::time::sleep(PAUSE).await;
        }
    }
    None
}
