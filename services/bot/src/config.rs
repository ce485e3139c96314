use std::time::Duration;

/// How the bot service behaves.
#[derive(clap::Args, Clone, Debug)]
#[group(skip)]
pub struct Args {
    /// How many turns each of the house's bots thinks about at once.
    #[arg(id = "bot_capacity", long = "bot-capacity", env = "NIGIRI_BOT_CAPACITY", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub capacity: u32,

    /// The least time that a bot takes for a move, so that people can follow.
    #[arg(id = "bot_delay", long = "bot-delay", env = "NIGIRI_BOT_DELAY", default_value = "300ms", value_parser = delay)]
    pub delay: Duration,
}

impl Default for Args {
    fn default() -> Self {
        Self { capacity: 16, delay: Duration::from_millis(300) }
    }
}

/// Longest delay: well below the shortest time for a move that people play with.
const LONGEST_DELAY: Duration = Duration::from_secs(5);

fn delay(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if time > LONGEST_DELAY {
        return Err("a bot that takes more than 5s at every move would lose on time".to_owned());
    }
    Ok(time)
}
