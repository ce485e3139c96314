use std::{
    io::{BufRead, BufReader},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use anyhow::Context as _;
use ledger::testing::RedisServer;
use platform::testing::{TestPostgres, postgres, secret};

/// How long a process may take until it says that it is ready.
const READY: Duration = Duration::from_secs(60);

/// The real binary, to be killed and started again. Killed when dropped.
pub struct Process {
    binary: PathBuf,
    args: Vec<String>,
    log: PathBuf,
    child: Child,
}

impl Process {
    /// Starts the binary with these arguments and waits until it says that it is ready. Its log is appended to this file.
    ///
    /// # Errors
    /// When it does not start; the error has the end of its log.
    pub fn start(binary: &Path, args: &[&str], log: &Path) -> anyhow::Result<Self> {
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        let child = spawn(binary, &args, log)?;
        Ok(Self { binary: binary.to_owned(), args, log: log.to_owned(), child })
    }

    /// Kills it, as a power cut would: no signal handler runs.
    ///
    /// # Errors
    /// When it cannot be killed.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        self.child.kill().context("cannot kill the process")?;
        self.child.wait().context("cannot wait for the process")?;
        Ok(())
    }

    /// Starts it again with the same arguments, and waits until it is ready.
    ///
    /// # Errors
    /// When it does not start.
    pub fn restart(&mut self) -> anyhow::Result<()> {
        self.child = spawn(&self.binary, &self.args, &self.log)?;
        Ok(())
    }

    /// Asks it to end (SIGTERM), waits until it has, and starts it again, as at a deploy.
    ///
    /// # Errors
    /// When it cannot be asked, ends by a fault, or does not start.
    pub fn replace(&mut self) -> anyhow::Result<()> {
        let asked = Command::new("kill").arg(self.id().to_string()).status().context("cannot run kill")?;
        anyhow::ensure!(asked.success(), "the process cannot be asked to end: {asked}");
        let status = self.wait()?;
        anyhow::ensure!(status.success(), "the process ended by a fault: {status}");
        self.restart()
    }

    /// Likewise with another binary, as at an upgrade.
    ///
    /// # Errors
    /// As [`Process::replace`].
    pub fn upgrade(&mut self, binary: &Path) -> anyhow::Result<()> {
        self.binary = binary.to_owned();
        self.replace()
    }

    /// Everything that it has logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// The process's id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// When it cannot be waited for.
    pub fn wait(&mut self) -> anyhow::Result<std::process::ExitStatus> {
        Ok(self.child.wait()?)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Err(error) = self.kill() {
            eprintln!("a process of the test may be left: {error:#}");
        }
    }
}

fn spawn(binary: &Path, args: &[String], log: &Path) -> anyhow::Result<Child> {
    let file = std::fs::File::options().create(true).append(true).open(log)?;
    let mut child = Command::new(binary)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(file)
        .spawn()
        .with_context(|| format!("cannot start {}", binary.display()))?;
    let Some(out) = child.stdout.take() else { anyhow::bail!("the process has no output") };
    let (ready, wait) = mpsc::channel();
    std::thread::spawn(move || {
        // Read to the end, so that the process never waits for a full pipe.
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if line.contains("is ready") && ready.send(()).is_err() {
                continue;
            }
        }
    });
    if wait.recv_timeout(READY).is_err() {
        if let Err(error) = child.kill() {
            eprintln!("a process of the test may be left: {error:#}");
        }
        let status = child.wait()?;
        let text = std::fs::read_to_string(log).unwrap_or_default();
        let lines: Vec<_> = text.lines().rev().take(20).collect();
        let tail: Vec<_> = lines.into_iter().rev().collect();
        anyhow::bail!("{} {args:?} did not become ready ({status}):\n{}", binary.display(), tail.join("\n"));
    }
    Ok(child)
}

/// A port on which nothing listens now.
///
/// # Errors
/// When there is none.
pub fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// The separate services on a private Redis and Postgres, some replicas of each.
pub struct Cluster {
    /// Every replica.
    pub processes: Vec<Process>,
    /// The addresses of each service's replicas, by the service's name.
    pub addresses: Vec<(&'static str, Vec<String>)>,
    /// The ledger's server.
    pub redis: RedisServer,
    /// The store.
    pub postgres: TestPostgres,
    _folder: tempfile::TempDir,
}

/// The services that run alone.
const SERVICES: [&str; 5] = ["session", "game", "matchmaking", "rating", "bot"];

impl Cluster {
    /// Starts `replicas` of each service. `options` are added to those services that know them.
    ///
    /// # Errors
    /// When a server or a service does not start.
    pub async fn start(binary: &Path, replicas: usize, options: &[(&str, &[&str])]) -> anyhow::Result<Self> {
        let redis = RedisServer::start_durable();
        let url = format!("--ledger-url={}", redis.url());
        Self::start_on(binary, replicas, options, redis, |_, _| vec![url.clone()]).await
    }

    /// Likewise, with this server for the ledger. `ledger`: the options with which a replica of a service finds it.
    ///
    /// # Errors
    /// When a server or a service does not start.
    pub async fn start_on(
        binary: &Path,
        replicas: usize,
        options: &[(&str, &[&str])],
        redis: RedisServer,
        ledger: impl Fn(&str, usize) -> Vec<String>,
    ) -> anyhow::Result<Self> {
        let postgres = postgres().await?;
        let folder = tempfile::tempdir()?;
        let mut addresses = Vec::new();
        for service in SERVICES {
            let urls: anyhow::Result<Vec<_>> =
                (0..replicas).map(|_| Ok(format!("http://127.0.0.1:{}", free_port()?))).collect();
            addresses.push((service, urls?));
        }
        let mut cluster = Self { processes: Vec::new(), addresses, redis, postgres, _folder: folder };
        for replica in 0..replicas {
            for service in SERVICES {
                let mut args = cluster.args(service, replica, options);
                args.extend(ledger(service, replica));
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                let log = cluster._folder.path().join(format!("{service}-{replica}.log"));
                let process = Process::start(binary, &args, &log)?;
                cluster.processes.push(process);
            }
        }
        Ok(cluster)
    }

    /// The addresses of a service's replicas.
    pub fn urls(&self, service: &str) -> String {
        let found = self.addresses.iter().find(|(name, _)| *name == service);
        found.map(|(_, urls)| urls.join(",")).unwrap_or_default()
    }

    fn args(&self, service: &str, replica: usize, options: &[(&str, &[&str])]) -> Vec<String> {
        let mut args = vec![service.to_owned()];
        let mut option = |name: &str, value: &str| args.push(format!("--{name}={value}"));
        for (name, urls) in &self.addresses {
            let url = &urls[replica % urls.len()];
            if *name == service {
                option("listen", url.trim_start_matches("http://"));
            }
            option(&format!("{name}-url"), url);
        }
        option("store-url", &self.postgres.url);
        option("store-connections", "4");
        option("service-secret", secret().expose());
        for (name, more) in options {
            if *name == service {
                args.extend(more.iter().map(|&arg| arg.to_owned()));
            }
        }
        args
    }

    /// The end of every replica's log, for a failed test.
    pub fn logs(&self) -> String {
        let mut all = String::new();
        for entry in std::fs::read_dir(self._folder.path()).into_iter().flatten().flatten() {
            let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
            let lines: Vec<_> = text.lines().rev().take(30).collect();
            let tail: Vec<_> = lines.into_iter().rev().collect();
            all.push_str(&format!("== {}\n{}\n", entry.path().display(), tail.join("\n")));
        }
        all
    }
}
