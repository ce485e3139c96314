//! The Go Text Protocol in both directions, with the real binary: the server as an engine, and an engine as a bot on the server.
#![allow(missing_docs, reason = "a test")]

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use futures::StreamExt;
use nigiri_client::{Client, Color, Session, Watch, follow, reason};
use nigiri_proto::game::v1::GameSnapshot;
use testkit::{Process, eventually, free_port, per_move};

const BINARY: &str = env!("CARGO_BIN_EXE_nigiri");

fn server(folder: &Path, options: &[&str]) -> (Process, String) {
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let data = folder.join("data");
    let mut args =
        vec!["dev", "--listen", &address, "--data", data.to_str().expect("UTF-8"), "--bot-delay", "0s"];
    args.extend(options);
    let server = Process::start(Path::new(BINARY), &args, &folder.join("log")).expect("a server");
    (server, format!("http://{address}"))
}

/// A running `nigiri gtp --play`.
struct Engine {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may have ended.
        let _gone = self.process.kill();
        let _status = self.process.wait();
    }
}

impl Engine {
    fn start(url: &str, args: &[&str]) -> Self {
        let mut process = Command::new(BINARY)
            .args(["gtp", "--play", url])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let (input, output) = (process.stdin.take().expect("a pipe"), process.stdout.take().expect("a pipe"));
        Self { process, input, output: BufReader::new(output) }
    }

    fn say(&mut self, command: &str) {
        writeln!(self.input, "{command}").expect("written");
    }

    /// The answer to the oldest command that has none yet.
    fn hear(&mut self) -> String {
        let mut text = String::new();
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).expect("a line");
            assert!(read > 0, "it has ended: {text}");
            if line.trim().is_empty() && !text.is_empty() {
                return text.trim_end().to_owned();
            }
            text.push_str(&line);
        }
    }

    fn ask(&mut self, command: &str) -> String {
        self.say(command);
        self.hear()
    }
}

/// Two programs meet on the server as two people do: each plays its moves and waits for the other's. A move that the rules forbid is refused and the game
/// goes on, the proposed score is agreed, and both are told the same result.
#[test]
fn two_programs_meet_as_people_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, url) = server(folder.path(), &[]);
    let args = ["--preset", "weiqi", "--no-ai"];
    let (mut a, mut b) = (Engine::start(&url, &args), Engine::start(&url, &args));
    for engine in [&mut a, &mut b] {
        assert_eq!(engine.ask("7 protocol_version"), "=7 2");
        assert_eq!(engine.ask("boardsize 9"), "=");
        assert!(engine.ask("boardsize 10").contains("9, 13 and 19"));
        assert!(engine.ask("komi 6.5").starts_with("? weiqi is played with a komi of 7.5"));
        assert_eq!(engine.ask("komi 7.5"), "=");
    }
    a.say("play black E5");
    b.say("genmove black");
    assert_eq!((a.hear(), b.hear()), ("=".into(), "= E5".into()));
    assert!(b.ask("play white E5").starts_with("? illegal move: there is a stone"));
    assert!(b.ask("genmove white").contains("given you white"));
    assert_eq!(b.ask("play black E5"), "=", "what the opponent did may be repeated");
    assert!(a.ask("undo").starts_with("? cannot undo"));
    a.say("genmove white");
    assert_eq!(b.ask("play white C3"), "=");
    assert_eq!(a.hear(), "= C3");
    assert_eq!((a.ask("play black pass"), b.ask("genmove black")), ("=".into(), "= pass".into()));
    assert_eq!((b.ask("play white pass"), a.ask("genmove white")), ("=".into(), "= pass".into()));
    let scores = (a.ask("final_score"), b.ask("final_score"));
    assert_eq!(scores.0, scores.1);
    assert!(scores.0.starts_with("= W+") || scores.0.starts_with("= B+"), "{scores:?}");
    let board = a.ask("showboard");
    assert!(board.contains(" 5 . . . . X . . . .") && board.contains(" 3 . . O . . . . . ."), "{board}");
    assert!(a.ask("play black A1").contains("the game is over"));
    assert_eq!(a.ask("quit"), "=");
}

/// A program that leaves is seen to be gone, and a match runner plays a whole game against a level of the server as against any engine; take-backs are
/// the protocol's, one move at a time.
#[test]
fn the_servers_levels_are_engines() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, url) = server(folder.path(), &[]);
    let mut engine = Engine::start(&url, &["--opponent", "easy"]);
    assert_eq!(engine.ask("play black E5"), "=");
    let answer = engine.ask("genmove white");
    assert!(answer.starts_with("= "), "{answer}");
    assert_eq!((engine.ask("undo"), engine.ask("undo")), ("=".into(), "=".into()));
    assert!(!engine.ask("showboard").contains('X'), "both are off the board");
    assert_eq!(engine.ask("play black C3"), "=");
    assert!(engine.ask("genmove white").starts_with("= "));
    assert_eq!(engine.ask("quit"), "=");

    let ours = format!("{BINARY} gtp --level easy --rules quick");
    let out = Command::new(BINARY)
        .args(["gtp-match", "--json", "--games", "2", "--size", "9", "--komi", "7", "--rules", "quick"])
        .args([
            "--black",
            &ours,
            "--white",
            &format!("{BINARY} gtp --play {url} --opponent easy"),
            "--referee",
            &ours,
        ])
        .output()
        .expect("played");
    let text = String::from_utf8(out.stdout).expect("UTF-8");
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    let last: serde_json::Value = serde_json::from_str(text.lines().last().expect("a sum")).expect("JSON");
    let number = |name: &str| last[name].as_u64().unwrap_or_else(|| panic!("no {name} in {last}"));
    assert_eq!(number("games"), 2);
    assert!(!text.contains("illegal") || !text.contains("\"ending\":\"illegal"), "{text}");
}

/// Who plays against a bot.
struct Opponent {
    session: Session,
    color: Color,
    watch: Watch,
    now: GameSnapshot,
}

impl Opponent {
    async fn of(url: &str, bot: &str) -> Self {
        let session = Client::connect(url).expect("an address").sign_in_as_guest("Hana").await.expect("in");
        // It is ready as soon as it has said so.
        let begin = || async { session.start_bot_game(bot, Color::Black, None).await.ok() };
        let begun = eventually("a game with the bot", Duration::from_secs(60), begin).await;
        let watch = session.game(begun.game_id.parse().expect("an id")).watch(None);
        Self { session, color: begun.color(), watch, now: GameSnapshot::default() }
    }

    /// Waits until so many moves are made, or the game is over.
    async fn see(&mut self, moves: usize) {
        while self.now.game_id.is_empty() || (self.now.moves.len() != moves && self.now.result.is_none()) {
            let watched = self.watch.next().await.expect("it goes on").expect("it goes on");
            follow(&mut self.now, watched).expect("a position");
        }
    }

    async fn play(&self, point: &str) {
        let game = self.session.game(self.now.game_id.parse().expect("an id"));
        game.play(self.now.state.as_ref().expect("a state").ply, point).await.expect("a move");
    }
}

/// An engine plays on the server as a bot: it answers moves, also after one was taken back, and gives up when what it says is no move.
#[tokio::test(flavor = "multi_thread")]
async fn an_engine_is_a_bot_and_one_that_talks_nonsense_gives_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, url) = server(folder.path(), &["--session-guest-bots"]);
    let owner = Client::connect(&url).expect("an address").sign_in_as_guest("Yuki").await.expect("in");
    // Whatever it is asked to play, it says what is no move.
    let nonsense = folder.path().join("nonsense.sh");
    std::fs::write(&nonsense, "while read -r command; do case $command in genmove*) printf '= Z99\\n\\n';; *) printf '= 2\\n\\n';; esac; done")
        .expect("written");
    let engines = [
        ("Steady", format!("{BINARY} gtp --level easy --rules quick")),
        ("Babble", format!("sh {}", nonsense.display())),
    ];
    for (name, engine) in engines {
        let (player, secret) = owner.create_bot(name).await.expect("a bot");
        let mut bot = Command::new(BINARY)
            .args([
                "bot",
                "--engine",
                &engine,
                "--server",
                &url,
                "--name",
                &player.name,
                "--secret",
                &secret,
                "--level",
                "easy",
                "--accept",
                "quick:9:none,weiqi",
                "--games",
                "1",
            ])
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let mut line = String::new();
        BufReader::new(bot.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        assert_eq!(line.trim(), format!("{} is ready", player.name));
        let mut game = Opponent::of(&url, &player.name).await;
        assert_eq!(game.color, Color::Black);
        game.see(0).await;
        game.play("E5").await;
        if name == "Babble" {
            game.see(usize::MAX).await;
            // The game is over, so that the next one has the place.
            Opponent::of(&url, &player.name).await;
            let result = game.now.result.as_ref().map(|result| result.text.clone());
            assert_eq!(result.as_deref(), Some("Void"), "before both have moved, giving up is an abort");
        } else {
            game.see(2).await;
            refused_by(&url, &player.name).await;
            let ply = game.now.state.as_ref().expect("a state").ply;
            let id = game.now.game_id.parse().expect("an id");
            game.session.game(id).request_takeback(ply).await.expect("taken back");
            game.see(0).await;
            game.play("C3").await;
            game.see(2).await;
            assert!(game.now.result.is_none() && game.now.moves[0] == "C3", "{:?}", game.now.moves);
        }
        bot.kill().expect("killed");
        bot.wait().expect("ended");
    }
}

/// A bot that plays one game at once has no room for another, and says what it would play; people see that in the list.
async fn refused_by(url: &str, bot: &str) {
    let session = Client::connect(url).expect("an address").sign_in_as_guest("Kiku").await.expect("in");
    let full = session.start_bot_game(bot, Color::Black, None).await.expect_err("one game at once");
    assert!(full.is(reason::BOT_FULL), "{full}");
    let igo = session.start_bot_game(bot, Color::Black, Some(per_move("igo", 6.5, 30))).await;
    let declined = igo.expect_err("it does not play igo");
    assert!(declined.is(reason::BOT_DECLINES) && declined.to_string().contains("quick, weiqi"), "{declined}");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("session");
    let listed = Command::new(BINARY)
        .args(["play", "--server", url, "--session-file", file.to_str().expect("UTF-8"), "bots"])
        .output()
        .expect("run");
    let text = String::from_utf8(listed.stdout).expect("UTF-8");
    let line = text.lines().find(|line| line.starts_with(bot)).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(line, format!("{bot} of Yuki: easy; plays quick on 9 (no clock); weiqi; busy"));
}
