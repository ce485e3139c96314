//! Finished public games in the order in which they finished.

use kernel::{GameId, Timestamp};
use ledger::Entry;
use platform::convert::from_millis;
use uuid::Uuid;

use super::{
    Store,
    lists::{Filter, Page, Place},
    millis, read_record,
};

/// A finished game.
#[derive(Debug)]
pub struct Exported {
    /// The game.
    pub id: GameId,
    /// When it finished.
    pub finished_at: Timestamp,
    /// Its entries; none if the record cannot be read.
    pub entries: Option<Vec<Entry>>,
    /// Its place in the order.
    pub place: Place,
}

impl Store {
    /// Finished public games behind a place, the oldest first, that finished no later than `until`. The filter's player does not count.
    ///
    /// # Errors
    /// When the store is away.
    pub async fn exported(
        &self,
        filter: &Filter,
        page: Page,
        until: Timestamp,
    ) -> Result<Vec<Exported>, sqlx::Error> {
        let sql = "SELECT id, finished_at, record FROM games
             WHERE (finished_at, id) > ($1, $2) AND finished_at <= $3 AND private = FALSE
               AND ($4 = '' OR preset = $4) AND ($5 = 0 OR board_size = $5) AND ($6 = -1 OR rated = ($6 = 1))
             ORDER BY finished_at, id LIMIT $7";
        let read = async {
            platform::on!(&self.db, |pool| {
                sqlx::query_as(sql)
                    .bind(page.after.time)
                    .bind(page.after.id)
                    .bind(millis(until))
                    .bind(&filter.preset)
                    .bind(filter.board_size)
                    .bind(filter.rated_code())
                    .bind(page.length)
                    .fetch_all(pool)
                    .await
            })
        };
        let rows: Vec<(Uuid, i64, Vec<u8>)> = self.db.run(read).await?;
        let exported = |(id, time, record): (Uuid, i64, Vec<u8>)| Exported {
            id: GameId::from_uuid(id),
            finished_at: from_millis(time),
            entries: read_record(&record).ok(),
            place: Place { time, id },
        };
        Ok(rows.into_iter().map(exported).collect())
    }
}
