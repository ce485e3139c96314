//! The page: Markdown, with a link from each type to where it stands.

use std::collections::BTreeSet;

use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
    MethodDescriptorProto, ServiceDescriptorProto,
    field_descriptor_proto::{Label, Type},
};

use crate::comments::Comments;

/// The codes of gRPC that have an underscore.
pub const CODES: [&str; 8] = [
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "DATA_LOSS",
];

const HEAD: &str = "# API reference

Made from the comments of the [protos](../proto/nigiri); [clients.md](clients.md) says how to begin, and [errors.md](errors.md) has all refusals.

- All services are at one address, over gRPC and gRPC-Web; reflection is on.
- Every call carries `authorization: Bearer <access token>` as metadata, unless it says that it needs no token.
- A field that is not sent has its zero value; `optional` says that its absence means something. Messages may get more fields, enums more
  values, and `oneof`s more cases: ignore what you do not know.
- A `Timestamp` is of the server's clock, a `Duration` is a time span; other numbers say their unit. Ids of games and players are UUIDs in their usual text
  form. A point is a column letter (without I) and a row number from the bottom: `D5`.
- Besides what an RPC says of itself, each may be refused with `INVALID_REQUEST`, a reason of the token (`TOKEN_...`, `SESSION_ENDED`, `BANNED`,
  `ROLE_REQUIRED`), `RATE_LIMITED`, `MESSAGE_TOO_LARGE`, `CALL_TOO_LONG`, or `UNAVAILABLE` with a reason.
";

/// What a page is made of.
struct Page<'a> {
    text: String,
    reasons: &'a BTreeSet<String>,
    /// Full names of everything that has a place on the page.
    names: BTreeSet<String>,
}

pub fn render(set: &FileDescriptorSet, reasons: &BTreeSet<String>) -> String {
    let names = set.file.iter().flat_map(|file| {
        let messages = file.message_type.iter().map(|message| message.name());
        let enums = file.enum_type.iter().map(|kind| kind.name());
        messages.chain(enums).map(|name| format!("{}.{name}", file.package()))
    });
    let mut page = Page { text: HEAD.to_owned(), reasons, names: names.collect() };
    page.contents(set);
    for file in &set.file {
        page.file(file);
    }
    page.references(set);
    page.text
}

impl Page<'_> {
    /// Writes a line: writing into a string never fails.
    fn line(&mut self, line: impl AsRef<str>) {
        self.text += line.as_ref();
        self.text.push('\n');
    }

    fn contents(&mut self, set: &FileDescriptorSet) {
        self.line("\n## All calls\n\n| service | calls |\n|---|---|");
        for file in &set.file {
            for service in &file.service {
                let full = format!("{}.{}", file.package(), service.name());
                let calls: Vec<String> =
                    service.method.iter().map(|rpc| format!("[{0}](#{full}.{0})", rpc.name())).collect();
                self.line(format!("| [{}](#{full}) | {} |", service.name(), calls.join(", ")));
            }
        }
        self.line("");
    }

    fn file(&mut self, file: &FileDescriptorProto) {
        let comments = Comments::of(file);
        self.line(format!("## {}\n", file.name()));
        self.prose(comments.file());
        for (at, service) in file.service.iter().enumerate() {
            self.service(file.package(), service, at as i32, &comments);
        }
        for (at, message) in file.message_type.iter().enumerate() {
            self.message(file.package(), message, at as i32, &comments);
        }
        for (at, kind) in file.enum_type.iter().enumerate() {
            self.kind(file.package(), kind, at as i32, &comments);
        }
    }

    fn heading(&mut self, depth: &str, full: &str, name: &str) {
        self.line(format!("<a id=\"{full}\"></a>\n{depth} {name}\n"));
    }

    fn service(&mut self, package: &str, service: &ServiceDescriptorProto, at: i32, comments: &Comments) {
        let full = format!("{package}.{}", service.name());
        self.heading("###", &full, service.name());
        self.prose(comments.at(&[6, at]));
        for (rpc, method) in service.method.iter().enumerate() {
            self.heading("####", &format!("{full}.{}", method.name()), method.name());
            let signature = self.signature(package, method);
            self.line(format!("{signature}\n"));
            self.prose(comments.at(&[6, at, 2, rpc as i32]));
        }
    }

    fn signature(&self, package: &str, method: &MethodDescriptorProto) -> String {
        let stream = |is: bool| if is { "a stream of " } else { "" };
        format!(
            "takes {}{}, gives {}{}",
            stream(method.client_streaming()),
            self.link(package, method.input_type()),
            stream(method.server_streaming()),
            self.link(package, method.output_type())
        )
    }

    fn message(&mut self, package: &str, message: &DescriptorProto, at: i32, comments: &Comments) {
        self.heading("###", &format!("{package}.{}", message.name()), message.name());
        self.prose(comments.at(&[4, at]));
        if message.field.is_empty() {
            return;
        }
        self.line("| field | type | meaning |\n|---|---|---|");
        for (number, field) in message.field.iter().enumerate() {
            let kind = self.field_type(package, message, field);
            let meaning = self.cell(comments.at(&[4, at, 2, number as i32]));
            self.line(format!("| `{}` | {kind} | {meaning} |", field.name()));
        }
        self.line("");
    }

    fn field_type(&self, package: &str, message: &DescriptorProto, field: &FieldDescriptorProto) -> String {
        let name = match field.r#type() {
            Type::Message | Type::Enum => self.link(package, field.type_name()),
            scalar => scalar.as_str_name().trim_start_matches("TYPE_").to_lowercase(),
        };
        let oneof = field.oneof_index.and_then(|index| message.oneof_decl.get(index as usize));
        match (field.label(), oneof) {
            (Label::Repeated, _) => format!("list of {name}"),
            _ if field.proto3_optional() => format!("optional {name}"),
            (_, Some(oneof)) => format!("one of `{}`: {name}", oneof.name()),
            _ => name,
        }
    }

    fn kind(&mut self, package: &str, kind: &EnumDescriptorProto, at: i32, comments: &Comments) {
        self.heading("###", &format!("{package}.{}", kind.name()), kind.name());
        self.prose(comments.at(&[5, at]));
        self.line("| value | meaning |\n|---|---|");
        for (number, value) in kind.value.iter().enumerate() {
            let meaning = self.cell(comments.at(&[5, at, 2, number as i32]));
            self.line(format!("| `{}` | {meaning} |", value.name()));
        }
        self.line("");
    }

    /// A type's name, with a link to it.
    fn link(&self, package: &str, full: &str) -> String {
        let full = full.trim_start_matches('.');
        let short = full.strip_prefix(package).map_or(full, |rest| rest.trim_start_matches('.'));
        let short = short.strip_prefix("google.protobuf.").unwrap_or(short);
        if self.names.contains(full) { format!("[{short}](#{full})") } else { short.to_owned() }
    }

    /// A comment as paragraphs; what is indented in it is a command.
    fn prose(&mut self, comment: &str) {
        let mut command = false;
        for line in comment.lines() {
            let indented = line.starts_with("  ");
            if indented != command {
                self.line(if indented { "\n```sh" } else { "```" });
                command = indented;
            }
            let text = if indented { line.trim_start().to_owned() } else { self.marked(line) };
            self.line(text);
        }
        if command {
            self.line("```");
        }
        if !comment.is_empty() {
            self.line("");
        }
    }

    /// A comment as one line of a table.
    fn cell(&self, comment: &str) -> String {
        self.marked(&comment.replace('\n', " ").replace('|', "\\|"))
    }

    /// What comments name in brackets: `[Service.Call]`, or a message.
    fn references(&mut self, set: &FileDescriptorSet) {
        let mut targets: Vec<(String, String)> = Vec::new();
        for file in &set.file {
            let full = |name: &str| format!("{}.{name}", file.package());
            for service in &file.service {
                let calls = service.method.iter().map(|rpc| format!("{}.{}", service.name(), rpc.name()));
                targets.extend(calls.chain([service.name().to_owned()]).map(|name| (full(&name), name)));
            }
            targets.extend(file.message_type.iter().map(|it| (full(it.name()), it.name().to_owned())));
        }
        for (full, name) in targets {
            let bracketed = format!("[{name}]");
            let named = self
                .text
                .match_indices(&bracketed)
                .any(|(at, _)| !self.text[at + bracketed.len()..].starts_with(['(', ':']));
            if named {
                self.line(format!("{bracketed}: #{full}"));
            }
        }
    }

    /// Reasons become links to the table of errors; what is code stays as it is.
    fn marked(&self, text: &str) -> String {
        let mut out = String::new();
        for (at, part) in text.split('`').enumerate() {
            if at > 0 {
                out.push('`');
            }
            if at % 2 == 1 { out += part } else { self.mark(part, &mut out) }
        }
        out
    }

    fn mark(&self, text: &str, out: &mut String) {
        let mut rest = text;
        while let Some(first) = rest.find(|letter: char| letter.is_ascii_alphabetic()) {
            out.push_str(&rest[..first]);
            let word = &rest[first..];
            let end = word.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(word.len());
            let (word, after) = word.split_at(end);
            // The one reason that is called like its code.
            if self.reasons.contains(word) && word != "INTERNAL" {
                *out += &format!("[`{word}`](errors.md)");
            } else {
                *out += word;
            }
            rest = after;
        }
        out.push_str(rest);
    }
}
