//! Who one is, kept in a file from one start to the next.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::Write,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Context as _;
use nigiri_client::{Client, Error, GameId, Service, Session};
use nigiri_proto::session::v1::{
    GetPlayerRequest, Player, Tokens, session_service_client::SessionServiceClient,
};
use serde::{Deserialize, Serialize};
use tonic::Code;

use super::{Screen, Who};

/// Terminals of one person at one time.
const PLACES: u32 = 64;
/// What one is called who gives no name.
const NAMELESS: &str = "Player";

/// What is kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Kept {
    server: String,
    /// The name that was asked for: the one that the server gave may be longer.
    asked: String,
    player_id: String,
    name: String,
    access_token: String,
    /// Seconds since the Unix epoch.
    access_expires: i64,
    refresh_token: String,
    game: Option<String>,
}

/// A file of one's own for as long as the process runs.
pub struct Place {
    file: PathBuf,
    kept: Arc<Mutex<Kept>>,
    /// Held until the process ends, so that two terminals are two players.
    _lock: File,
}

/// The file that was named, or the first one in the state folder that is free and fits.
///
/// # Errors
/// When the file is in use by another process, or cannot be made.
pub fn open(args: &Who) -> anyhow::Result<Place> {
    if let Some(file) = &args.session_file {
        let place = Place::lock(file)?;
        return place.with_context(|| format!("{} is in use by another `nigiri play`", file.display()));
    }
    let folder = match (&args.state_home, &args.home) {
        (Some(state), _) if state.is_absolute() => state.join("nigiri"),
        (_, Some(home)) => home.join(".local/state/nigiri"),
        _ => anyhow::bail!("there is no home folder: name a file with --session-file"),
    };
    for number in 1..=PLACES {
        if let Some(place) = Place::lock(&folder.join(format!("player-{number}.json")))?
            && place.fits(args)
        {
            return Ok(place);
        }
    }
    anyhow::bail!(
        "all {PLACES} session files in {} are in use or belong to others: name one with --session-file",
        folder.display()
    )
}

impl Place {
    /// The place of this file; none if another process has it.
    fn lock(file: &Path) -> anyhow::Result<Option<Self>> {
        let context = || format!("cannot keep the session in {}", file.display());
        if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).with_context(context)?;
        }
        let mut name = file.as_os_str().to_owned();
        name.push(".lock");
        let lock = private().truncate(false).open(name).with_context(context)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error).with_context(context),
        }
        let kept = match std::fs::read(file) {
            Ok(text) if text.is_empty() => Kept::default(),
            // Whatever it is, it is not ours to overwrite.
            Ok(text) => serde_json::from_slice(&text).with_context(|| {
                format!(
                    "{} is not a session file of nigiri: name another with --session-file",
                    file.display()
                )
            })?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Kept::default(),
            Err(error) => return Err(error).with_context(context),
        };
        Ok(Some(Self { file: file.to_owned(), kept: Arc::new(Mutex::new(kept)), _lock: lock }))
    }

    /// Whether it is empty, or of this server and name.
    fn fits(&self, args: &Who) -> bool {
        let kept = self.kept();
        kept.player_id.is_empty()
            || (kept.server == args.server.join(",")
                && args.name.as_ref().is_none_or(|name| *name == kept.asked))
    }

    /// Goes on with the session that was kept, or signs in as a new guest.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses the name, or the file cannot be written.
    pub async fn enter(
        &mut self,
        client: &Client,
        args: &Who,
        screen: &mut Screen,
    ) -> anyhow::Result<Session> {
        let mut session = None;
        if self.fits(args) && !self.kept().player_id.is_empty() {
            session = self.go_on(client).await?;
            if session.is_none() {
                screen.say("Your earlier session has ended: you begin as a new guest.")?;
            }
        }
        let session = match session {
            Some(session) => session,
            None => {
                let asked = args.name.clone().unwrap_or_else(|| NAMELESS.to_owned());
                let session = client.sign_in_as_guest(&asked).await?;
                let server = args.server.join(",");
                *self.kept.lock().unwrap_or_else(PoisonError::into_inner) =
                    Kept { server, asked, ..Kept::default() };
                session
            }
        };
        let (file, kept) = (self.file.clone(), Arc::clone(&self.kept));
        session.keep_tokens(move |player, tokens| {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.take(player, tokens);
            if let Err(error) = write(&file, &kept) {
                eprintln!("nigiri: {error:#}");
            }
        });
        Ok(session)
    }

    /// The session that was kept, if the server still knows it.
    async fn go_on(&self, client: &Client) -> anyhow::Result<Option<Session>> {
        let (player, tokens) = self.kept().parts();
        let request = GetPlayerRequest { player_id: player.id.clone() };
        let session = Session::from_tokens(client, player, tokens)?;
        let known = session.call(Service::Session, |channel| {
            let request = request.clone();
            async move { SessionServiceClient::new(channel).get_player(request).await }
        });
        match known.await {
            Ok(_) => Ok(Some(session)),
            Err(Error::Refused(no) | Error::SignedOut(no))
                if matches!(no.code, Code::Unauthenticated | Code::NotFound) =>
            {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The game that one was in.
    pub fn game(&self) -> Option<GameId> {
        self.kept().game?.parse().ok()
    }

    /// Keeps the game that one is in, or that there is none.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn remember_game(&self, game: Option<GameId>) -> anyhow::Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.game = game.map(|id| id.to_string());
        write(&self.file, &kept)
    }

    fn kept(&self) -> Kept {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Kept {
    fn take(&mut self, player: &Player, tokens: &Tokens) {
        self.player_id.clone_from(&player.id);
        self.name.clone_from(&player.name);
        self.access_token.clone_from(&tokens.access_token);
        self.access_expires = tokens.access_expire_time.as_ref().map_or(0, |time| time.seconds);
        self.refresh_token.clone_from(&tokens.refresh_token);
    }

    fn parts(self) -> (Player, Tokens) {
        let player = Player { id: self.player_id, name: self.name, ..Player::default() };
        let expires = prost_types::Timestamp { seconds: self.access_expires, nanos: 0 };
        let tokens = Tokens {
            access_token: self.access_token,
            access_expire_time: Some(expires),
            refresh_token: self.refresh_token,
        };
        (player, tokens)
    }
}

/// For files that nobody else may read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).mode(0o600);
    options
}

/// Writes beside the file and renames, so that there is always a whole one.
fn write(file: &Path, kept: &Kept) -> anyhow::Result<()> {
    let beside = file.with_extension("new");
    let written = private().truncate(true).open(&beside).and_then(|mut new| {
        new.write_all(&serde_json::to_vec(kept)?)?;
        new.sync_all()?;
        std::fs::rename(&beside, file)
    });
    written.with_context(|| format!("cannot keep the session in {}", file.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A session survives a restart, in a file that nobody else may read; a second terminal gets a place of its own; and a file that
    /// was spoilt is an empty one.
    #[test]
    fn each_terminal_keeps_its_own_session() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/player-1.json");
        let place = Place::lock(&file).unwrap().unwrap();
        let tokens = Tokens { refresh_token: "r".to_owned(), ..Tokens::default() };
        let player = Player { id: "p".to_owned(), name: "Honinbo".to_owned(), ..Player::default() };
        place.kept.lock().unwrap().take(&player, &tokens);
        let game = GameId::derive("a game");
        place.remember_game(Some(game)).unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(Place::lock(&file).unwrap().is_none(), "in use");
        drop(place);
        let again = Place::lock(&file).unwrap().unwrap();
        assert_eq!((again.game(), again.kept().parts().1.refresh_token), (Some(game), "r".to_owned()));
        drop(again);
        std::fs::write(&file, b"{").unwrap();
        let other = Place::lock(&file).err().unwrap().to_string();
        assert!(other.contains("not a session file") && std::fs::read(&file).unwrap() == b"{", "{other}");
    }
}
