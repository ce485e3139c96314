//! `docs/api.md` is the protos and their comments, rendered.
#![allow(missing_docs, reason = "a test")]

mod comments;
mod page;

use std::{collections::BTreeSet, path::Path};

use prost::Message;
use prost_types::FileDescriptorSet;

use comments::Comments;

/// The files whose packages have a service: what clients speak. The others are between services.
fn public() -> FileDescriptorSet {
    let mut set = FileDescriptorSet::decode(nigiri_proto::DESCRIPTOR_SET).expect("a descriptor set");
    let with_services: BTreeSet<String> = set
        .file
        .iter()
        .filter(|file| !file.service.is_empty())
        .map(|file| file.package().to_owned())
        .collect();
    set.file.retain(|file| with_services.contains(file.package()));
    set.file.sort_by_key(|file| place(file.package(), file.name()));
    set
}

/// In the order in which a client's author meets them; within a package, its own service first.
fn place(package: &str, file: &str) -> (usize, String, bool, String) {
    const ORDER: [&str; 3] = ["nigiri.session.v1", "nigiri.matchmaking.v1", "nigiri.game.v1"];
    let at = ORDER.iter().position(|name| *name == package).unwrap_or(ORDER.len());
    let own = package.split('.').nth(1).map(|name| format!("/{name}_service.proto"));
    let is_own = own.is_some_and(|own| file.ends_with(&own));
    (at, package.to_owned(), !is_own, file.to_owned())
}

fn docs(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name)
}

/// The names of the table of reasons.
fn reasons() -> BTreeSet<String> {
    let table = std::fs::read_to_string(docs("errors.md")).expect("docs/errors.md");
    let name = |line: &str| line.strip_prefix("| `")?.split('`').next().map(str::to_owned);
    table.lines().filter_map(name).collect()
}

/// The reference is what the protos say; run with `NIGIRI_UPDATE_DOCS=1` to write it anew.
#[test]
fn the_reference_of_the_api_is_up_to_date() {
    let text = page::render(&public(), &reasons());
    let path = docs("api.md");
    if std::env::var_os("NIGIRI_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).expect("docs/api.md can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "docs/api.md is stale: run this test with NIGIRI_UPDATE_DOCS=1");
}

/// Reasons of the operator service, which come to the table with it.
const COMING: [&str; 2] = ["REPLICA_NOT_FOUND", "DEAD_LETTER_NOT_FOUND"];

/// Whatever a comment writes in capitals with an underscore is a reason of the table, a code of gRPC or a value of an enum: a comment cannot
/// promise a refusal that is not there. And every stream has its contract: what comes first, and what is said before a replica goes away.
#[test]
fn comments_name_only_what_is_there() {
    let set = public();
    let mut known = reasons();
    for file in &set.file {
        known.extend(file.enum_type.iter().flat_map(|kind| &kind.value).map(|value| value.name().to_owned()));
    }
    known.extend(page::CODES.iter().chain(&COMING).map(|code| (*code).to_owned()));
    for file in &set.file {
        let comments = Comments::of(file);
        for text in comments.all() {
            for word in comments::shouted(text) {
                assert!(known.contains(word), "{}: {word} is no reason and no code: {text}", file.name());
            }
        }
        for (at, service) in file.service.iter().enumerate() {
            for (rpc, method) in service.method.iter().enumerate().filter(|(_, rpc)| rpc.server_streaming()) {
                let text = comments.at(&[6, at as i32, 2, rpc as i32]);
                let begins = text.contains("first") || text.contains("each message");
                let contract = begins && text.to_lowercase().contains("drain");
                assert!(contract, "{} does not say what comes first, and how it ends", method.name());
            }
        }
    }
}
