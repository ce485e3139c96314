//! The schema of the next version, for tests of upgrades: a migration more.

use platform::db::Db;
use sqlx::migrate::Migrator;

static MIGRATIONS: Migrator = sqlx::migrate!("../../next/migrations");

/// Brings the schema up to date, after everything that the version before has.
///
/// # Errors
/// When the migration fails.
pub async fn migrate(db: &Db) -> anyhow::Result<()> {
    let mut migrations = Migrator::with_migrations(MIGRATIONS.iter().cloned().collect());
    migrations.set_ignore_missing(true);
    platform::on!(db, |pool| migrations.run(pool).await)?;
    Ok(())
}

/// Whether the schema is up to date.
///
/// # Errors
/// When it is that of the version before.
pub async fn check_schema(db: &Db) -> anyhow::Result<()> {
    const APPLIED: &str = "SELECT COUNT(*) FROM _sqlx_migrations WHERE success AND version = 9000";
    let applied: i64 = platform::on!(db, |pool| sqlx::query_scalar(APPLIED).fetch_one(pool).await)?;
    anyhow::ensure!(
        applied == 1,
        "the store's schema lacks migration 9000 (next): run `nigiri migrate` first"
    );
    Ok(())
}
