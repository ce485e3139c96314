//! The descriptor set and the table of reasons, walked: nothing is left out.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use platform::status::{Reason, reason_of};
use prost::Message;
use prost_types::{FileDescriptorProto, FileDescriptorSet};
use testkit::World;

use crate::{
    caller::{Called, Caller},
    calls, operators,
};

/// Every RPC, with the comment above it.
fn rpcs() -> BTreeMap<String, String> {
    let set = FileDescriptorSet::decode(nigiri_proto::DESCRIPTOR_SET).expect("a descriptor set");
    set.file.iter().flat_map(rpcs_of).collect()
}

fn rpcs_of(file: &FileDescriptorProto) -> Vec<(String, String)> {
    let comment = |path: &[i32]| {
        let locations = file.source_code_info.iter().flat_map(|info| &info.location);
        let found = locations.into_iter().find(|location| location.path == path);
        found.map(|location| location.leading_comments().to_owned()).unwrap_or_default()
    };
    let mut all = Vec::new();
    for (at, service) in file.service.iter().enumerate() {
        for (number, rpc) in service.method.iter().enumerate() {
            let path = format!("/{}.{}/{}", file.package(), service.name(), rpc.name());
            all.push((path, comment(&[6, at as i32, 2, number as i32])));
        }
    }
    all
}

/// Whether another test over the API calls this RPC by the generated client.
fn is_called_in(tests: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let mut method = String::from(".");
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && method.len() > 1 {
            method.push('_');
        }
        method.push(letter.to_ascii_lowercase());
    }
    tests.contains(&(method + "("))
}

/// What all tests say, but those of this folder.
fn tests() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["tests", "crates", "services"] {
        collect(&root.join(folder), &mut files);
    }
    files.retain(|file| !file.components().any(|part| part.as_os_str() == "api"));
    files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect()
}

/// Every RPC answers as it should to somebody who may call it, in a world in one process or on a real server; or another test calls it.
#[tokio::test(flavor = "multi_thread")]
async fn every_call_works() {
    let called = Called::default();
    calls::call_everything(World::with(&calls::OPTIONS).await, &called).await;
    operators::call_everything(&called).await;
    let (called, tests) = (called.all(), tests());
    let is_called = |path: &String| called.contains(path) || is_called_in(&tests, path);
    let missing: Vec<_> = rpcs().into_keys().filter(|path| !is_called(path)).collect();
    assert!(missing.is_empty(), "these are called by no test: {missing:?}");
}

/// A call needs a token unless its comment says that it does not; and it says so truly.
#[tokio::test(flavor = "multi_thread")]
async fn what_needs_no_token_says_so() {
    let world = World::with(&["--bots=false"]).await;
    let nobody = Caller { channel: world.channel(), token: String::new(), called: Called::default() };
    for (path, comment) in rpcs() {
        let answer: Result<(), _> = nobody.call(path.trim_start_matches("/nigiri."), ()).await;
        let missing = answer.err().and_then(|status| reason_of(&status)).as_deref() == Some("TOKEN_MISSING");
        let words: Vec<_> = comment.split_whitespace().collect();
        let text = words.join(" ");
        let says_none = text.contains("Needs no token") || text.contains("Needs no access token");
        assert_eq!(missing, !says_none, "{path}: {text}");
    }
    world.stop().await;
}

/// Reasons that no test over the API can provoke at will, and what is there instead.
const NOT_AT_WILL: [(&str, &str); 4] = [
    ("INTERNAL", "a bug, by definition"),
    ("TOO_BUSY", "256 boards that wait for a thread: estimates.rs of the game service"),
    (
        "SERVER_TOO_OLD",
        "what a newer version has written: games/tests.rs of the game service, and tests/upgrade.rs",
    ),
    ("STREAM_FULL", "10,000 games on one stream"),
];

/// Each reason of `docs/errors.md` is named by a test that expects it, or stands in the short list of those that cannot be provoked at will.
#[test]
fn every_reason_is_provoked_by_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["tests", "crates", "services"] {
        collect(&root.join(folder), &mut files);
    }
    // The client library's tests name reasons that a server of their own makes up.
    files.retain(|file| !file.starts_with(root.join("crates/client")));
    let words: BTreeSet<String> = files
        .iter()
        .filter_map(|file| std::fs::read_to_string(file).ok())
        // What only a comment names is expected by nobody.
        .map(|text| {
            text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
        })
        .flat_map(|text| {
            let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
            words.map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    let missing: Vec<_> = Reason::ALL
        .iter()
        .map(|reason| reason.name())
        .filter(|name| !words.contains(*name) && !NOT_AT_WILL.iter().any(|(exempt, _)| exempt == name))
        .collect();
    assert!(missing.is_empty(), "no test expects these: {missing:?}");
}

/// All files of tests; this one names reasons without expecting them.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_test = path.components().any(|part| part.as_os_str() == "tests");
        if path.is_dir() {
            collect(&path, files);
        } else if is_test && path.extension().is_some_and(|end| end == "rs") && !path.ends_with("api/walk.rs")
        {
            files.push(path);
        }
    }
}
