//! Bots that are played by name.

use anyhow::bail;
use nigiri_client::{AiLevel, Error, Session};
use nigiri_proto::matchmaking::v1::{BotAccepts, ClockKind, ListReadyBotsRequest, ReadyBot};

use super::{
    Level, Side,
    screen::Screen,
    settings::Wanted,
    words::{explain, plain},
};

/// Begins a game with the bot of this name, or with any of the level; the game's id.
///
/// # Errors
/// When there is no such board.
pub async fn begin(
    session: &Session,
    name: Option<String>,
    level: Level,
    color: Side,
    wanted: &Wanted,
) -> anyhow::Result<Result<String, Error>> {
    let level = match level {
        Level::Easy => AiLevel::Easy,
        Level::Normal => AiLevel::Normal,
        Level::Hard => AiLevel::Hard,
    };
    let begun = match name {
        Some(name) => session.start_bot_game(&name, color.into(), wanted.given()?).await,
        None => session.start_ai_game_of(level, color.into(), Some(wanted.settings()?)).await,
    };
    Ok(begun.map(|begun| begun.game_id))
}

/// Says which bots are ready, and what each would play.
///
/// # Errors
/// When the server cannot be reached, or the terminal cannot be written to.
pub async fn list(session: &Session, screen: &mut Screen) -> anyhow::Result<()> {
    let mut request = ListReadyBotsRequest { full_too: true, ..ListReadyBotsRequest::default() };
    let mut none = true;
    loop {
        let page = match session.ready_bots(request.clone()).await {
            Ok(page) => page,
            Err(error) => bail!(explain(&error)),
        };
        none &= page.bots.is_empty();
        for bot in &page.bots {
            screen.say(&line(bot))?;
        }
        if page.next_page_token.is_empty() {
            return if none { screen.say("No bot is ready now.") } else { Ok(()) };
        }
        request.page_token = page.next_page_token;
    }
}

fn line(bot: &ReadyBot) -> String {
    let name = plain(&bot.player.clone().unwrap_or_default().name);
    let owner =
        if bot.owner_name.is_empty() { String::new() } else { format!(" of {}", plain(&bot.owner_name)) };
    let level = bot.level().as_str_name().trim_start_matches("AI_LEVEL_").to_lowercase();
    let ratings: Vec<_> =
        bot.ratings.iter().map(|rating| format!("{} on {}", rating.points, rating.board_size)).collect();
    let rating = if ratings.is_empty() { String::new() } else { format!(", rated {}", ratings.join(", ")) };
    let room = match bot.free_places {
        None => String::new(),
        Some(0) => "; busy".to_owned(),
        Some(places) => format!("; {places} of {} places free", bot.max_games),
    };
    format!("{name}{owner}: {level}{rating}; plays {}{room}", accepts(&bot.accepts))
}

fn accepts(accepts: &[BotAccepts]) -> String {
    if accepts.is_empty() {
        return "anything".to_owned();
    }
    let one = |one: &BotAccepts| {
        let sizes: Vec<_> = one.board_sizes.iter().map(u32::to_string).collect();
        let clocks: Vec<_> = one.clocks().map(clock).collect();
        let mut text = plain(&one.preset);
        if !sizes.is_empty() {
            text += &format!(" on {}", sizes.join(", "));
        }
        if !clocks.is_empty() {
            text += &format!(" ({})", clocks.join(", "));
        }
        if one.max_handicap > 0 {
            text += &format!(" with up to {} stones", one.max_handicap);
        }
        text
    };
    accepts.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn clock(clock: ClockKind) -> String {
    match clock {
        ClockKind::Unspecified | ClockKind::None => "no clock".to_owned(),
        other => other.as_str_name().trim_start_matches("CLOCK_KIND_").to_lowercase().replace('_', " "),
    }
}

#[cfg(test)]
mod tests {
    use nigiri_proto::game::v1::Seat;

    use super::*;

    /// A line says who a bot is, whose, how strong, what it plays and whether it has room.
    #[test]
    fn a_bot_is_one_line() {
        let bot = ReadyBot {
            player: Some(Seat { name: "Gnu".to_owned(), ..Seat::default() }),
            owner_name: "Ann".to_owned(),
            level: AiLevel::Hard.into(),
            accepts: vec![BotAccepts {
                preset: "weiqi".to_owned(),
                board_sizes: vec![9, 19],
                clocks: vec![ClockKind::None.into(), ClockKind::PerMove.into()],
                max_handicap: 2,
            }],
            max_games: 4,
            free_places: Some(1),
            ..ReadyBot::default()
        };
        assert_eq!(
            line(&bot),
            "Gnu of Ann: hard; plays weiqi on 9, 19 (no clock, per move) with up to 2 stones; 1 of 4 places free"
        );
        let house = ReadyBot { player: bot.player, level: AiLevel::Easy.into(), ..ReadyBot::default() };
        assert_eq!(line(&house), "Gnu: easy; plays anything");
    }
}
