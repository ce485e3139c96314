//! The screen.

use nigiri_proto::{game::v1::Seat, operator::v1::ActOutcome};
use ratatui::{
    Frame,
    layout::{Constraint, Layout, Rect},
    style::{Modifier, Style, Stylize},
    text::Line,
    widgets::{Block, List, ListState, Paragraph, Tabs, Wrap},
};

use super::app::{App, Tab};
use crate::play::plain;

/// Draws everything.
pub fn draw(frame: &mut Frame<'_>, app: &App) {
    let parts = [Constraint::Length(4), Constraint::Length(1), Constraint::Min(1), Constraint::Length(3)];
    let [head, tabs, list, foot] = Layout::vertical(parts).areas(frame.area());
    frame.render_widget(Paragraph::new(numbers(app)).block(Block::bordered().title(" Nigiri ")), head);
    let chosen = Tab::ALL.iter().position(|tab| *tab == app.tab);
    let names = Tabs::new(Tab::ALL.map(Tab::name)).select(chosen).highlight_style(Style::new().reversed());
    frame.render_widget(names, tabs);
    draw_list(frame, app, list);
    frame.render_widget(Paragraph::new(bottom(app)).wrap(Wrap { trim: true }), foot);
}

fn draw_list(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let list = List::new(lines(app)).highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = ListState::default().with_selected((app.lines() > 0).then_some(app.line));
    frame.render_stateful_widget(list, area, &mut state);
}

fn numbers(app: &App) -> Vec<Line<'static>> {
    let seen = &app.seen.overview;
    let oldest = seen.oldest_ticket.as_ref().map_or(0, |time| time.seconds);
    let dead: u32 = seen.groups.iter().map(|group| group.dead_letters).sum();
    let streams: u32 = seen.replicas.iter().map(|replica| replica.streams).sum();
    let first = format!(
        "{} games  {} tickets (oldest {oldest} s)  {} bots ready  {streams} streams  {} processes  {dead} dead letters",
        seen.live_games,
        seen.open_tickets,
        seen.ready_bots,
        seen.replicas.len(),
    );
    let mut second = Vec::new();
    if seen.matchmaking_paused {
        second.push("MATCHMAKING IS PAUSED".to_owned());
    }
    if !seen.notice.is_empty() {
        second.push(format!("notice: {}", plain(&seen.notice)));
    }
    second.extend(seen.faults.iter().map(|fault| format!("FAULT {}", plain(fault))));
    vec![Line::from(first), Line::from(second.join("  ")).bold()]
}

fn bottom(app: &App) -> Vec<Line<'static>> {
    match &app.asking {
        Some((deed, reason)) => vec![
            Line::from(format!("{deed}? Say why, then Enter; Escape does nothing.")).bold(),
            Line::from(format!("> {}_", plain(reason))),
        ],
        None => vec![
            Line::from(plain(&app.said)),
            Line::from(format!("Tab list  Up/Down line  {}  p pause matchmaking  q leave", app.tab.help()))
                .dim(),
        ],
    }
}

fn lines(app: &App) -> Vec<String> {
    let seen = &app.seen;
    match app.tab {
        Tab::Games => seen
            .games
            .iter()
            .map(|game| {
                let settings = game.settings.clone().unwrap_or_default();
                let rated = if settings.rated { "rated" } else { "" };
                let name = |at: usize| game.seats.get(at).map(called).unwrap_or_default();
                format!(
                    "{}  {:<10} {:>2}  {:<5}  {} - {}",
                    game.game_id,
                    settings.preset,
                    settings.board_size,
                    rated,
                    name(0),
                    name(1)
                )
            })
            .collect(),
        Tab::Tickets => seen
            .tickets
            .iter()
            .map(|ticket| {
                let accepts: Vec<_> = ticket.accepts.iter().map(|one| one.preset.as_str()).collect();
                let player = ticket.player.clone().unwrap_or_default();
                format!(
                    "{}  {:<24} {:>5}  {}",
                    player.player_id,
                    called(&player),
                    ticket.rating,
                    accepts.join(" ")
                )
            })
            .collect(),
        Tab::Replicas => seen
            .overview
            .replicas
            .iter()
            .map(|replica| {
                let state = if replica.draining { "draining" } else { "" };
                format!(
                    "{}  {:<12} {:<32} {:<8} {:>7} streams  {state}",
                    replica.replica_id, replica.service, replica.host, replica.version, replica.streams
                )
            })
            .collect(),
        Tab::Groups => seen
            .overview
            .groups
            .iter()
            .map(|group| {
                format!(
                    "{:<44} {:<16} {:>8} waiting  {:>5} dead",
                    group.topic, group.group, group.lag, group.dead_letters
                )
            })
            .collect(),
        Tab::Acts => seen
            .acts
            .iter()
            .map(|act| {
                let outcome = match act.outcome() {
                    ActOutcome::Done => "done",
                    ActOutcome::Failed => "failed",
                    ActOutcome::Begun | ActOutcome::Unspecified => "begun",
                };
                let (who, why) = (plain(&act.operator_name), plain(&act.reason));
                format!("{who:<16} {:<18} {outcome:<6} {}  {why}", act.act, act.target)
            })
            .collect(),
    }
}

/// A player's name, without what a terminal would take for a command.
fn called(seat: &Seat) -> String {
    plain(&seat.name)
}
