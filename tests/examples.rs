//! The examples of all languages, against the real binary. What they need is put in place by `scripts/examples.sh`, which `make test` runs.
#![allow(missing_docs, reason = "a test")]

#[path = "../examples/rust/random.rs"]
mod random;

use std::{
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};

use futures::StreamExt;
use nigiri_client::{
    Client, Color, Session, Watch, follow,
    proto::{
        game::v1::GameSnapshot,
        matchmaking::v1::{ChallengeState, CreateChallengeRequest},
    },
};
use testkit::{Process, eventually, free_port, per_move};

const BINARY: &str = env!("CARGO_BIN_EXE_nigiri");
const LANGUAGES: [&str; 3] = ["python", "typescript", "rust"];

/// How a program of a language is started against a server.
fn command(language: &str, program: &str, server: &str, argument: &str) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let examples = root.join("examples");
    let (program, file) = match language {
        "python" => (root.join(".tools/examples/python/bin/python"), format!("python/{program}.py")),
        "typescript" => ("node".into(), format!("typescript/build/src/{program}.js")),
        _ => (Path::new(BINARY).with_file_name("examples").join(program), String::new()),
    };
    let file = (!file.is_empty()).then(|| examples.join(file));
    for need in [Some(&program), file.as_ref()].into_iter().flatten() {
        let there = need == &PathBuf::from("node") || need.exists();
        assert!(
            there,
            "{} is not there: run scripts/examples.sh, and cargo build -p nigiri-client --examples (`make test` does both)",
            need.display()
        );
    }
    let mut command = Command::new(program);
    command.args(file);
    let named = language != "rust";
    let server = if language == "python" { server.trim_start_matches("http://") } else { server };
    command.args(named.then_some("--server")).arg(server);
    match file_stem(&command) {
        stem if stem == "bot" && named => command.args(["--name", argument]),
        _ => command.args((!argument.is_empty()).then_some(argument)),
    };
    command
}

/// The name of the program that a command starts.
fn file_stem(command: &Command) -> String {
    let paths = command.get_args().chain([command.get_program()]).map(Path::new);
    let stems = paths.filter_map(|path| path.file_stem()?.to_str());
    stems.into_iter().find(|stem| ["play", "watch", "bot"].contains(stem)).unwrap_or_default().to_owned()
}

/// A program that runs. Killed when dropped.
struct Running {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Running {
    fn start(mut command: Command) -> Self {
        let mut child =
            command.stdout(Stdio::piped()).spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let out = child.stdout.take().expect("an output");
        Self { child, out: BufReader::new(out) }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("UTF-8");
        line.trim_end().to_owned()
    }

    /// What it still says, once it has ended well.
    fn rest(mut self) -> String {
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).expect("UTF-8");
        let status = self.child.wait().expect("an end");
        assert!(status.success(), "{status}: {rest}");
        rest.trim_end().to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Most have ended by then.
        let _gone = self.child.kill();
        let _waited = self.child.wait();
    }
}

fn server(folder: &Path, more: &[&str]) -> (Process, String) {
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let data = folder.join("data");
    let args = [&["dev", "--listen", &address, "--data", data.to_str().expect("UTF-8")], more].concat();
    let process = Process::start(Path::new(BINARY), &args, &folder.join("log")).expect("a server");
    (process, format!("http://{address}"))
}

/// In each language a program plays random moves against the AI to the end, another one watches the game meanwhile, and both come to the same board and
/// the same result.
#[test]
fn every_language_plays_a_game_and_watches_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, url) = server(folder.path(), &["--bot-delay", "30ms"]);
    let games: Vec<_> = LANGUAGES
        .map(|language| {
            let mut play = Running::start(command(language, "play", &url, ""));
            let first = play.line();
            let id = first.rsplit("game ").next().unwrap_or_default().to_owned();
            assert!(first.contains("Nigiri Easy") && id.len() == 36, "{language}: {first}");
            (language, play, Running::start(command(language, "watch", &url, &id)))
        })
        .into();
    for (language, play, watch) in games {
        let (played, watched) = (play.rest(), watch.rest());
        let (board, result) = played.rsplit_once('\n').expect("a board and a result");
        let result = result.split(':').next().unwrap_or_default();
        assert!(["B+", "W+", "Dr"].iter().any(|begin| result.starts_with(begin)), "{language}: {played}");
        assert!(watched.ends_with(&format!("{board}\n\n{result}")), "{language}: {played}\n{watched}");
        assert!(watched.matches("captures: X").count() > 20, "{language}: {watched}");
    }
}

/// One who plays a bot.
struct Opponent {
    session: Session,
    color: Color,
    watch: Watch,
    now: GameSnapshot,
}

impl Opponent {
    /// A game against the bot of this name, as soon as it has said that it is ready.
    async fn of(url: &str, bot: &str) -> Self {
        let session =
            Client::connect(url).expect("an address").sign_in_as_guest("Opponent").await.expect("signed in");
        let begin = || async { session.start_bot_game(bot, Color::Unspecified, None).await.ok() };
        let begun = eventually("a game with the bot", Duration::from_secs(60), begin).await;
        let color = begun.color();
        Self::in_game(session, &begun.game_id, color)
    }

    /// A game for which the bot is challenged by name.
    async fn challenging(url: &str, bot: &str) -> Self {
        let session = Client::connect(url)
            .expect("an address")
            .sign_in_as_guest("Challenger")
            .await
            .expect("signed in");
        let request = CreateChallengeRequest {
            settings: Some(per_move("quick", 7.0, 60)),
            color: Color::White.into(),
            opponent_name: bot.to_owned(),
            ..CreateChallengeRequest::default()
        };
        let code = session.create_challenge(request).await.expect("a challenge").code;
        let answered = session.challenge_answered(&code);
        let answered = tokio::time::timeout(Duration::from_secs(60), answered).await.expect("an answer");
        let answered = answered.expect("an answer");
        assert_eq!(answered.state(), ChallengeState::Accepted);
        Self::in_game(session, &answered.game_id, Color::White)
    }

    fn in_game(session: Session, game: &str, color: Color) -> Self {
        let watch = session.game(game.parse().expect("an id")).watch(None);
        Self { session, color, watch, now: GameSnapshot::default() }
    }

    /// Plays until the bot has answered so many moves more.
    async fn play(&mut self, answers: usize) {
        let until = self.now.moves.len() + 2 * answers;
        while self.now.moves.len() < until && self.now.result.is_none() {
            let watched = self.watch.next().await.expect("the game goes on").expect("the game goes on");
            let news = follow(&mut self.now, watched).expect("a position");
            let state = self.now.state.clone().unwrap_or_default();
            if news && state.turn() == self.color && self.now.result.is_none() {
                random::answer(&self.session, &self.now).await.expect("a move");
            }
        }
    }
}

/// In each language a bot plays whoever wants to play it; when the server is killed in the middle of the games and comes back, it goes on with them, and
/// accepts challenges.
#[tokio::test(flavor = "multi_thread")]
async fn a_bot_of_every_language_survives_that_the_server_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut server, url) = server(folder.path(), &["--bot-delay", "0ms", "--session-guest-bots"]);
    let bots: Vec<_> = LANGUAGES
        .map(|language| {
            let name = format!("Bot of {language}");
            let mut bot = Running::start(command(language, "bot", &url, &name));
            assert_eq!(bot.line(), format!("{name} is ready"));
            (name, bot)
        })
        .into();
    let mut games = Vec::new();
    for (name, _) in &bots {
        games.push(Opponent::of(&url, name).await);
    }
    for game in &mut games {
        game.play(3).await;
    }
    server.kill().expect("killed");
    server.restart().expect("back");
    for game in &mut games {
        game.play(3).await;
        assert!(game.now.moves.len() >= 10 || game.now.result.is_some(), "{:?}", game.now.moves);
    }
    for (name, _) in &bots {
        let mut game = Opponent::challenging(&url, name).await;
        game.play(3).await;
        assert!(game.now.moves.len() >= 5 || game.now.result.is_some(), "{:?}", game.now.moves);
    }
}

/// The program in this language in the guide, which calls this server.
fn first_program(language: &str, server: &str) -> String {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/clients.md");
    let guide = std::fs::read_to_string(guide).expect("a guide");
    let begin = format!("\n```{language}\n");
    let (_, rest) = guide.split_once(&begin).unwrap_or_else(|| panic!("no program in {language}"));
    let (program, _) = rest.split_once("\n```\n").expect("an end");
    assert!(program.contains("127.0.0.1:7878"), "{program}");
    program.replace("127.0.0.1:7878", server.trim_start_matches("http://"))
}

/// What a program prints that ends well.
fn printed(command: &mut Command) -> String {
    let out = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success(), "{command:?}: {text}{}", String::from_utf8_lossy(&out.stderr));
    text
}

/// The first programs of the guide, in Python and TypeScript, make a move and hear the reply, as they stand there. (The one in Rust is compiled with the client's docs,
/// where the same game is played.)
#[test]
fn the_first_programs_of_the_guide_make_a_move() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, url) = server(folder.path(), &["--bot-delay", "0ms"]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the tree");
    let at = |file: &str| folder.path().join(file);
    std::fs::write(at("first.py"), first_program("python", &url)).expect("written");
    let mut python = Command::new(root.join(".tools/examples/python/bin/python"));
    python.arg(at("first.py")).env("PYTHONPATH", root.join("examples/python/gen"));
    let said = printed(&mut python);
    assert!(said.contains("E5") && said.contains("ply: 2"), "{said}");

    // What the newcomer's packages and stubs would be are those of the examples.
    let examples = root.join("examples/typescript");
    for name in ["node_modules", "gen"] {
        std::os::unix::fs::symlink(examples.join(name), at(name)).expect("linked");
    }
    std::fs::copy(examples.join("package.json"), at("package.json")).expect("copied");
    std::fs::write(at("first.ts"), first_program("ts", &url)).expect("written");
    let options =
        ["--target", "ES2022", "--module", "NodeNext", "--skipLibCheck", "--strict", "--outDir", "build"];
    let mut compiler = Command::new("node");
    compiler
        .arg(at("node_modules/typescript/bin/tsc"))
        .args(options)
        .arg("--preserveSymlinks")
        .arg("first.ts");
    printed(compiler.current_dir(folder.path()));
    let mut node = Command::new("node");
    node.args(["--preserve-symlinks", "build/first.js"]).current_dir(folder.path());
    let said = printed(&mut node);
    assert!(said.contains("E5") && said.contains("ply: 2"), "{said}");
}
