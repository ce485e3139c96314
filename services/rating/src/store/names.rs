//! The names that players have now, where they are not those of their last games.

use kernel::PlayerId;
use platform::transact;

use super::Store;

/// Keeps the name of the latest revision. `$1` player, `$2` revision, `$3` name.
const KEEP: &str = "INSERT INTO rating_names (player_id, revision, name) VALUES ($1, $2, $3) \
    ON CONFLICT (player_id) DO UPDATE SET revision = $2, name = $3 WHERE rating_names.revision < $2";

/// Shows it.
const SHOW: &str = "UPDATE player_ratings SET name = (SELECT name FROM rating_names WHERE player_id = $1) WHERE player_id = $1";

impl Store {
    /// Gives a player another name, on all leaderboards and whatever game counts later. An older revision changes nothing.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn rename(&self, player: PlayerId, revision: i64, name: &str) -> Result<(), sqlx::Error> {
        let rename = async {
            transact!(&self.db, |tx| {
                let keep = sqlx::query(KEEP).bind(player.as_uuid()).bind(revision).bind(name);
                keep.execute(&mut **tx).await?;
                sqlx::query(SHOW).bind(player.as_uuid()).execute(&mut **tx).await?;
            });
            Ok(())
        };
        self.db.run(Box::pin(rename)).await
    }
}
