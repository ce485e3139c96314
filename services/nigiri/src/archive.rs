//! Where the tools find the archive: the data folder of `nigiri dev`, or a Postgres.

use std::path::Path;

use anyhow::{Context as _, ensure};
use ledger::WriteGate;
use platform::db::Db;

/// An archive that was named on the command line.
#[derive(Clone, Copy, Debug)]
pub enum Archive<'a> {
    /// A data folder.
    Folder(&'a Path),
    /// The address of a Postgres.
    Postgres(&'a str),
}

impl<'a> Archive<'a> {
    /// The archive that was named, if one was.
    pub fn named(data: Option<&'a Path>, store_url: Option<&'a str>) -> Option<Self> {
        store_url.map(Self::Postgres).or_else(|| data.map(Self::Folder))
    }

    /// Opens it for reading.
    ///
    /// # Errors
    /// When it is not there, or its schema is not this program's.
    pub async fn open(&self) -> anyhow::Result<Db> {
        let db = match *self {
            Self::Folder(folder) => {
                let file = folder.join("nigiri.db");
                ensure!(file.is_file(), "there is no {}: name a data folder with --data", file.display());
                Db::sqlite(&file, WriteGate::new()).await?
            }
            Self::Postgres(url) => Db::postgres(url, 2).await?,
        };
        db.check_schema().await.context("the archive is of another version of this program")?;
        Ok(db)
    }
}
