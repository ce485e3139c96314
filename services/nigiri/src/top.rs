//! `nigiri top`: the whole system, live in a terminal; and what operators do, with a reason and a confirmation.

mod app;
mod deed;
mod draw;

use std::{io::IsTerminal, time::Duration};

use nigiri_client::{Service, SessionChannel};
use nigiri_proto::operator::v1::{self as api, operator_service_client::OperatorServiceClient};
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use tokio::{sync::mpsc, time::MissedTickBehavior};

use crate::{
    admin::refusal,
    play::{Who, connect},
};

use app::{App, Seen, Step};

type Tower = OperatorServiceClient<SessionChannel>;

/// As whom, and how often to look.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    who: Who,

    /// How often to look.
    #[arg(long, default_value = "1s", value_parser = platform::config::span::<200, 60>)]
    every: Duration,
}

/// Shows the system until one leaves.
///
/// # Errors
/// When there is no terminal, or the server cannot be reached or refuses.
pub async fn run(args: Args) -> anyhow::Result<()> {
    anyhow::ensure!(std::io::stdout().is_terminal(), "there is no terminal: scripts use `nigiri admin`");
    let client = connect(&args.who)?;
    let entered = args.who.quietly(&client).await?;
    let mut tower = OperatorServiceClient::new(entered.session.channel(Service::Session));
    // Before the screen is taken: whoever is no operator is told in plain words.
    tower.get_overview(api::GetOverviewRequest {}).await.map_err(refusal)?;
    let mut terminal = ratatui::init();
    let shown = show(&mut terminal, tower, args.every).await;
    ratatui::restore();
    shown
}

async fn show(
    terminal: &mut ratatui::DefaultTerminal,
    mut tower: Tower,
    every: Duration,
) -> anyhow::Result<()> {
    let mut keys = keys();
    let mut looks = tokio::time::interval(every);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut app = App::default();
    loop {
        terminal.draw(|frame| draw::draw(frame, &app))?;
        tokio::select! {
            _ = looks.tick() => app.see(look(&mut tower).await),
            key = keys.recv() => {
                let Some(key) = key else { return Ok(()) };
                match app.key(key) {
                    Step::Stay => {}
                    Step::Leave => return Ok(()),
                    Step::Do(deed, reason) => app.tell(deed.perform(&mut tower, &reason).await),
                }
            }
        }
    }
}

/// What is typed. Reading waits in a thread of its own.
fn keys() -> mpsc::Receiver<event::KeyEvent> {
    let (typed, keys) = mpsc::channel(64);
    std::thread::spawn(move || {
        while let Ok(event) = event::read() {
            if let Event::Key(key) = event
                && key.kind == KeyEventKind::Press
                && typed.blocking_send(key).is_err()
            {
                return;
            }
        }
    });
    keys
}

async fn look(tower: &mut Tower) -> Result<Seen, String> {
    let (mut one, mut two, mut three) = (tower.clone(), tower.clone(), tower.clone());
    let games = api::ListLiveGamesRequest { page_size: 100, ..api::ListLiveGamesRequest::default() };
    let acts = api::ListActsRequest { page_size: 50, ..api::ListActsRequest::default() };
    let tried = tokio::try_join!(
        tower.get_overview(api::GetOverviewRequest {}),
        one.list_live_games(games),
        two.list_tickets(api::ListTicketsRequest::default()),
        three.list_acts(acts),
    );
    let (overview, games, tickets, acts) = tried.map_err(|status| refusal(status).to_string())?;
    Ok(Seen {
        overview: overview.into_inner(),
        games: games.into_inner().games,
        tickets: tickets.into_inner().tickets,
        acts: acts.into_inner().acts,
    })
}
