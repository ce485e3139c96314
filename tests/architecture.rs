//! The shape of the tree, held by tests.
#![allow(missing_docs, reason = "a test")]

use std::{collections::BTreeMap, path::Path, process::Command};

use platform::status::Reason;

const PURE: [&str; 5] = ["kernel", "goban", "pairing", "referee", "search"];
const SERVICES: [&str; 6] = ["session", "game", "matchmaking", "rating", "bot", "operator"];
const IO: [&str; 5] = ["tokio", "tonic", "sqlx", "redis", "hyper"];

/// Every workspace package with its direct, ordinary dependencies.
fn packages() -> BTreeMap<String, Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root)
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&out.stdout).expect("cargo metadata is JSON");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let package = |package: &serde_json::Value| {
        let dependencies = package["dependencies"].as_array().expect("a list");
        let ordinary = dependencies.iter().filter(|dependency| dependency["kind"].is_null());
        (text(&package["name"]), ordinary.map(|dependency| text(&dependency["name"])).collect())
    };
    metadata["packages"].as_array().expect("a list").iter().map(package).collect()
}

/// Rules, clocks and search do no I/O; services never depend on each other; only the binary, the testkit and the simulation know
/// all of them.
#[test]
fn pure_crates_are_pure_and_services_are_strangers() {
    let packages = packages();
    for pure in PURE {
        for dependency in &packages[pure] {
            assert!(!IO.contains(&dependency.as_str()), "{pure} depends on {dependency}");
            assert!(
                !packages.contains_key(dependency) || PURE.contains(&dependency.as_str()),
                "{pure} depends on {dependency}"
            );
        }
    }
    for (package, dependencies) in &packages {
        let services: Vec<_> = dependencies.iter().filter(|name| SERVICES.contains(&name.as_str())).collect();
        let knows_all = ["nigiri", "nigiri-next", "simulation", "testkit"].contains(&package.as_str());
        assert!(services.is_empty() || knows_all, "{package} depends on {services:?}");
    }
}

/// The next version that is built for a test of an upgrade (ADR 9) is the same code: what it depends on does not fall behind.
#[test]
fn the_next_version_is_the_same_code() {
    let packages = packages();
    for package in ["game", "nigiri"] {
        let next = &packages[&format!("{package}-next")];
        let same: Vec<_> = next.iter().map(|name| name.trim_end_matches("-next").to_owned()).collect();
        assert_eq!(
            same, packages[package],
            "next/{package}/Cargo.toml against services/{package}/Cargo.toml"
        );
    }
}

/// `docs/errors.md` is the table of reasons, rendered; run with `NIGIRI_UPDATE_DOCS=1` to write it anew.
#[test]
fn the_table_of_errors_is_up_to_date() {
    let mut text = String::from(
        "# Errors\n\nEvery refusal carries a `google.rpc.ErrorInfo` with domain `nigiri` and one of these reasons. Reasons are added, \
         never changed or removed. `INVALID_ARGUMENT` lists all violations at once in `BadRequest`; `UNAVAILABLE` and \
         `RESOURCE_EXHAUSTED` say in `RetryInfo` when to try again, where that helps.\n\n| reason | code | meaning |\n|---|---|---|\n",
    );
    for reason in Reason::ALL {
        text += &format!("| `{}` | `{}` | {} |\n", reason.name(), code(reason.code()), reason.help());
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    if std::env::var_os("NIGIRI_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).expect("docs/errors.md can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "docs/errors.md is stale: run this test with NIGIRI_UPDATE_DOCS=1");
}

/// The tests that `docs/proofs.md` names are there.
#[test]
fn the_proofs_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/proofs.md")).expect("docs/proofs.md");
    let named: Vec<_> = text.split('`').filter_map(|word| word.split_once(".rs: ")).collect();
    assert!(named.len() > 80, "{} tests are named", named.len());
    for (file, test) in named {
        let source = std::fs::read_to_string(root.join(file).with_extension("rs"));
        let source = source.unwrap_or_else(|error| panic!("{file}.rs: {error}"));
        assert!(source.contains(&format!("fn {test}(")), "{file}.rs has no {test}");
    }
}

/// `InvalidArgument` as `INVALID_ARGUMENT`.
fn code(code: tonic::Code) -> String {
    let mut text = String::new();
    for (at, letter) in format!("{code:?}").chars().enumerate() {
        if letter.is_uppercase() && at > 0 {
            text.push('_');
        }
        text.push(letter.to_ascii_uppercase());
    }
    text
}
