//! What the fuzz targets do with their bytes.

pub mod bodies;

/// The part of `nigiri judge` that turns a line into an answer.
#[path = "../../../../services/nigiri/src/judge"]
mod judge {
    pub mod answer;
    mod dead;
    mod position;
    mod refusal;
    mod request;
    mod rules;
}

/// Any line is answered with JSON that says whether it was right.
pub fn judge_line(line: &[u8]) {
    let answer = judge::answer::to_line(line);
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
    assert!(answer["ok"] == true || answer["error"].is_string());
}
