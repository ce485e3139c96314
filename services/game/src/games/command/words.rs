use referee::Command;

/// A player's command in words, by which a repetition is known again. For a stone, its point. These words are kept in the log. The server's own commands have
/// none.
pub fn words(command: Command<'_>) -> String {
    match command {
        Command::Play { point, .. } => point.to_string(),
        Command::OfferDraw { ply } => format!("draw {ply}"),
        Command::RequestTakeback { ply } => format!("takeback {ply}"),
        Command::Answer { id, version, accept } => format!("answer {id} {version} {accept}"),
        Command::AcceptScore { version } => format!("accept {version}"),
        Command::DisputeScore { version } => format!("dispute {version}"),
        Command::MarkChain { version, point, dead } => format!("mark {version} {point} {dead}"),
        Command::Leave => "leave".to_owned(),
        Command::RequestRematch { .. } => "rematch".to_owned(),
        Command::Pass { .. }
        | Command::Resign
        | Command::Timeout
        | Command::Credit { .. }
        | Command::GiveTime { .. }
        | Command::MarkAway { .. }
        | Command::MarkBack { .. }
        | Command::Adjudicate { .. }
        | Command::Void { .. } => String::new(),
    }
}
