//! What the fuzz targets do with their bytes.

pub mod bodies;

/// The part of `nigiri judge` that turns a line into an answer.
mod judge {
    #[path = "../../../../../../services/nigiri/src/judge/answer.rs"]
    pub mod answer;
    #[path = "../../../../../../services/nigiri/src/judge/dead.rs"]
    mod dead;
    #[path = "../../../../../../services/nigiri/src/judge/position.rs"]
    mod position;
    #[path = "../../../../../../services/nigiri/src/judge/refusal.rs"]
    mod refusal;
    #[path = "../../../../../../services/nigiri/src/judge/request.rs"]
    mod request;
    #[path = "../../../../../../services/nigiri/src/judge/rules.rs"]
    mod rules;
}

/// Any line is answered with JSON that says whether it was right.
pub fn judge_line(line: &[u8]) {
    let answer = judge::answer::to_line(line);
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
    assert!(answer["ok"] == true || answer["error"].is_string());
}
