//! What is shown and what is being asked: no terminal and no server here.

use nigiri_proto::{
    game::v1::{Color, GameSummary},
    matchmaking::v1::OpenTicket,
    operator::v1::{Act, GetOverviewResponse},
};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::deed::Deed;

/// The most characters of a reason.
const LONGEST_REASON: usize = 200;

/// What was seen at one look.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The whole system.
    pub overview: GetOverviewResponse,
    /// Games, newest first.
    pub games: Vec<GameSummary>,
    /// Tickets, those that wait longest first.
    pub tickets: Vec<OpenTicket>,
    /// Acts, the newest first.
    pub acts: Vec<Act>,
}

/// The lists, one of which is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    #[default]
    Games,
    Tickets,
    Replicas,
    Groups,
    Acts,
}

impl Tab {
    /// All of them, as they stand on the screen.
    pub const ALL: [Self; 5] = [Self::Games, Self::Tickets, Self::Replicas, Self::Groups, Self::Acts];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Games => "Games",
            Self::Tickets => "Tickets",
            Self::Replicas => "Processes",
            Self::Groups => "Groups",
            Self::Acts => "Acts",
        }
    }

    /// What can be done there.
    pub fn help(self) -> &'static str {
        match self {
            Self::Games => "b/w decide for Black/White  x abort  t give 60 s",
            Self::Tickets => "k kick  B ban for a day",
            Self::Replicas => "d drain",
            Self::Groups => "r replay dead letters",
            Self::Acts => "",
        }
    }

    fn step(self, by: usize) -> Self {
        let at = Self::ALL.iter().position(|tab| *tab == self).unwrap_or(0);
        Self::ALL[(at + by) % Self::ALL.len()]
    }
}

/// What comes of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Nothing but the screen.
    Stay,
    /// The end.
    Leave,
    /// Something is to be done, for this reason.
    Do(Deed, String),
}

/// The state of the screen.
#[derive(Debug, Default)]
pub struct App {
    /// What was seen last.
    pub seen: Seen,
    /// The list that is shown.
    pub tab: Tab,
    /// The line that is chosen in it.
    pub line: usize,
    /// What is being asked: a deed, and the reason as far as it was typed.
    pub asking: Option<(Deed, String)>,
    /// What came of the last deed or look, if it has to be said.
    pub said: String,
}

impl App {
    /// Takes over what was seen, or says why nothing was.
    pub fn see(&mut self, seen: Result<Seen, String>) {
        match seen {
            Ok(seen) => self.seen = seen,
            Err(error) => self.said = format!("cannot look: {error}"),
        }
        self.line = self.line.min(self.lines().saturating_sub(1));
    }

    /// Says what came of a deed.
    pub fn tell(&mut self, done: Result<String, String>) {
        self.said = done.unwrap_or_else(|error| format!("not done: {error}"));
    }

    /// How many lines the list has.
    pub fn lines(&self) -> usize {
        match self.tab {
            Tab::Games => self.seen.games.len(),
            Tab::Tickets => self.seen.tickets.len(),
            Tab::Replicas => self.seen.overview.replicas.len(),
            Tab::Groups => self.seen.overview.groups.len(),
            Tab::Acts => self.seen.acts.len(),
        }
    }

    /// A key was pressed.
    pub fn key(&mut self, key: KeyEvent) -> Step {
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return Step::Leave;
        }
        match self.asking.take() {
            Some(asked) => self.answer(asked, key.code),
            None => self.look(key.code),
        }
    }

    /// A reason is typed; Enter does what was asked, Escape does not.
    fn answer(&mut self, (deed, mut reason): (Deed, String), key: KeyCode) -> Step {
        match key {
            KeyCode::Esc => return Step::Stay,
            KeyCode::Enter if !reason.trim().is_empty() => return Step::Do(deed, reason),
            KeyCode::Backspace => {
                reason.pop();
            }
            KeyCode::Char(c) if reason.chars().count() < LONGEST_REASON => reason.push(c),
            _ => {}
        }
        self.asking = Some((deed, reason));
        Step::Stay
    }

    fn look(&mut self, key: KeyCode) -> Step {
        match key {
            KeyCode::Char('q') => return Step::Leave,
            KeyCode::Tab | KeyCode::Right => (self.tab, self.line) = (self.tab.step(1), 0),
            KeyCode::BackTab | KeyCode::Left => {
                (self.tab, self.line) = (self.tab.step(Tab::ALL.len() - 1), 0);
            }
            KeyCode::Down => self.line = (self.line + 1).min(self.lines().saturating_sub(1)),
            KeyCode::Up => self.line = self.line.saturating_sub(1),
            KeyCode::Char(c) => self.asking = self.deed(c).map(|deed| (deed, String::new())),
            _ => {}
        }
        Step::Stay
    }

    /// What a letter asks to be done to the line that is chosen.
    fn deed(&self, letter: char) -> Option<Deed> {
        let overview = &self.seen.overview;
        let game = || self.seen.games.get(self.line).map(|game| game.game_id.clone());
        let player = || Some(self.seen.tickets.get(self.line)?.player.as_ref()?.player_id.clone());
        match (self.tab, letter) {
            (_, 'p') => Some(Deed::Pause(!overview.matchmaking_paused)),
            (Tab::Games, 'b') => Some(Deed::Decide(game()?, Color::Black)),
            (Tab::Games, 'w') => Some(Deed::Decide(game()?, Color::White)),
            (Tab::Games, 'x') => Some(Deed::Abort(game()?)),
            (Tab::Games, 't') => Some(Deed::GiveTime(game()?)),
            (Tab::Tickets, 'k') => Some(Deed::Kick(player()?)),
            (Tab::Tickets, 'B') => Some(Deed::Ban(player()?)),
            (Tab::Replicas, 'd') => Some(Deed::Drain(overview.replicas.get(self.line)?.replica_id.clone())),
            (Tab::Groups, 'r') => {
                let group = overview.groups.get(self.line).filter(|group| group.dead_letters > 0)?;
                Some(Deed::Replay(group.topic.clone(), group.group.clone()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::{Terminal, backend::TestBackend};

    use super::{super::draw::draw, *};

    fn press(app: &mut App, keys: &str) -> Step {
        let mut step = Step::Stay;
        for c in keys.chars() {
            let code = match c {
                '\n' => KeyCode::Enter,
                '\t' => KeyCode::Tab,
                '\u{1b}' => KeyCode::Esc,
                '\u{8}' => KeyCode::Backspace,
                c => KeyCode::Char(c),
            };
            step = app.key(KeyEvent::new(code, KeyModifiers::NONE));
        }
        step
    }

    fn app() -> App {
        let mut app = App::default();
        let game = |id: &str| GameSummary { game_id: id.into(), ..GameSummary::default() };
        let overview = GetOverviewResponse { live_games: 2, notice: "At noon.".into(), ..Default::default() };
        app.see(Ok(Seen { overview, games: vec![game("g1"), game("g2")], ..Seen::default() }));
        app
    }

    /// Nothing is done without a reason and Enter; Escape takes it back; where there is no line there is nothing to do.
    #[test]
    fn a_deed_needs_a_reason_and_a_confirmation() {
        let mut app = app();
        app.key(KeyEvent::new(KeyCode::Down, KeyModifiers::NONE));
        assert_eq!(press(&mut app, "x"), Step::Stay);
        assert_eq!(press(&mut app, "\n \n"), Step::Stay, "no reason");
        assert_eq!(press(&mut app, "a firee\u{8}\n"), Step::Do(Deed::Abort("g2".into()), " a fire".into()));
        assert_eq!(press(&mut app, "bwhy\u{1b}\n"), Step::Stay);
        assert!(app.asking.is_none());
        assert_eq!(press(&mut app, "\tk"), Step::Stay);
        assert!(app.asking.is_none(), "no ticket, nobody to kick");
        assert_eq!(press(&mut app, "pan update\n"), Step::Do(Deed::Pause(true), "an update".into()));
        assert_eq!(press(&mut app, "q"), Step::Leave);
    }

    /// The screen shows the numbers, the list, what is being asked, and what was said, also when it is tiny.
    #[test]
    fn the_screen_shows_what_is_seen() {
        let mut app = app();
        press(&mut app, "xa fire");
        let shown = |app: &App, width, height| {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            terminal.draw(|frame| draw(frame, app)).unwrap();
            let buffer = terminal.backend().buffer();
            buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect::<String>()
        };
        let text = shown(&app, 100, 24);
        for part in ["2 games", "At noon.", "g1", "Abort", "a fire"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        app.asking = None;
        app.tell(Err("GAME_OVER".into()));
        assert!(shown(&app, 100, 24).contains("not done: GAME_OVER"));
        shown(&app, 5, 2);
    }
}
