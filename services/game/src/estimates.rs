//! The dead stones of boards, found where it holds up nobody: on a few blocking threads, each board once for all who ask.
//!
//! It takes up to some hundred milliseconds. Decisions and previews have threads of their own, so that whoever asks for previews all the
//! time keeps no game from ending; and a preview waits in a line of bounded length, for as long as somebody waits for it.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    thread,
};

use ::metrics::{counter, histogram};
use goban::Color;
use parking_lot::Mutex;
use referee::{DeadStones, Found, Question};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::spawn_blocking,
    time::Instant,
};

use crate::{error::Error, metrics};

/// Boards that are remembered: a few kilobytes each at most.
const REMEMBERED: usize = 2048;

/// Boards whose preview may wait for a thread.
const LINE: usize = 256;

/// What is awaited: none until it is there.
type Coming = watch::Receiver<Option<Arc<Found>>>;

/// Its other end.
type Answer = watch::Sender<Option<Arc<Found>>>;

/// What dead stones are wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A game cannot go on without it.
    Decision,
    /// Somebody is curious.
    Preview,
    /// Nobody has asked yet.
    Guess,
}

/// All boards whose dead stones this replica knows or is finding. Cheap to clone.
#[derive(Clone)]
pub struct Estimates {
    shared: Arc<Shared>,
}

struct Shared {
    known: Mutex<Known>,
    decisions: Arc<Semaphore>,
    previews: Arc<Semaphore>,
    /// Places in the line of previews, those that run included.
    line: Arc<Semaphore>,
}

#[derive(Default)]
struct Known {
    estimates: HashMap<Key, Slot>,
    /// The order in which they came.
    order: VecDeque<Key>,
}

struct Slot {
    answer: Answer,
    urgent: bool,
}

/// A question: the board by its stones, each point two bits, so that no two boards are taken for one, and what of the rules counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    columns: u8,
    clear: bool,
    multi_stone_suicide: bool,
    points: Arc<[u8]>,
}

impl Key {
    fn of(question: &Question) -> Self {
        let board = &question.board;
        let size = board.size();
        let mut points = vec![0; size.area().div_ceil(4)];
        for (place, point) in size.points().enumerate() {
            let stone = match board.stone(point) {
                None => 0,
                Some(Color::Black) => 1,
                Some(Color::White) => 2,
            };
            points[place / 4] |= stone << (place % 4 * 2);
        }
        let clear = question.found == DeadStones::Clear;
        // The estimate knows of no suicide.
        let multi_stone_suicide = clear && question.rules.multi_stone_suicide;
        Self { columns: size.columns(), clear, multi_stone_suicide, points: points.into() }
    }
}

impl Estimates {
    /// As many decisions at once as there are cores; half as many previews.
    pub fn new() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let room = |permits| Arc::new(Semaphore::new(permits));
        let (decisions, previews, line) = (room(cores), room(cores.div_ceil(2)), room(LINE));
        Self { shared: Arc::new(Shared { known: Mutex::default(), decisions, previews, line }) }
    }

    /// The dead stones of a board: known, or being found, or found now.
    ///
    /// # Errors
    /// [`Error::Busy`] for a preview while too many wait; [`Error::Internal`] when the search failed.
    pub async fn of(&self, question: Question, purpose: Purpose) -> Result<Arc<Found>, Error> {
        let mut coming = self.coming(question, purpose)?;
        let failed = |_| Error::Internal("a search for dead stones failed".to_owned());
        let ready = coming.wait_for(Option::is_some).await.map_err(failed)?;
        ready.clone().ok_or_else(|| Error::Internal("what was found was lost".to_owned()))
    }

    /// Begins what is likely to be asked for, unless too many wait.
    pub fn begin(&self, question: Question) {
        // Whoever needs it asks for it.
        let _guess = self.coming(question, Purpose::Guess);
    }

    fn coming(&self, question: Question, purpose: Purpose) -> Result<Coming, Error> {
        let key = Key::of(&question);
        let urgent = purpose == Purpose::Decision;
        let mut known = self.shared.known.lock();
        if let Some(slot) = known.estimates.get(&key) {
            // A decision does not stand in the line of previews.
            if slot.answer.borrow().is_some() || slot.urgent || !urgent {
                return Ok(slot.answer.subscribe());
            }
        }
        // A simulation has one thread, and nothing happens on it meanwhile.
        if chance::is_seeded() {
            let answer = Answer::new(Some(Arc::new(question.answer())));
            let coming = answer.subscribe();
            known.remember(key, Slot { answer, urgent });
            return Ok(coming);
        }
        let place = match purpose {
            Purpose::Decision => None,
            Purpose::Preview | Purpose::Guess => {
                Some(Arc::clone(&self.shared.line).try_acquire_owned().map_err(|_| Error::Busy)?)
            }
        };
        let answer = Answer::new(None);
        let coming = answer.subscribe();
        known.remember(key.clone(), Slot { answer: answer.clone(), urgent });
        drop(known);
        let guess = (purpose == Purpose::Guess).then(|| answer.subscribe());
        let asked = Asked { shared: Arc::clone(&self.shared), key, answer, _place: place, _guess: guess };
        tokio::spawn(asked.find(question, urgent));
        Ok(coming)
    }
}

/// A board that is to be looked at.
struct Asked {
    shared: Arc<Shared>,
    key: Key,
    answer: Answer,
    _place: Option<OwnedSemaphorePermit>,
    /// A guess is wanted by nobody, and made all the same.
    _guess: Option<Coming>,
}

impl Asked {
    /// Waits for a thread and finds the dead stones, unless whoever wants them goes away before there is one. A thread that has begun
    /// goes on: its work is of use to the next.
    async fn find(self, question: Question, urgent: bool) {
        let room = Arc::clone(if urgent { &self.shared.decisions } else { &self.shared.previews });
        let permit = tokio::select! {
            biased;
            () = self.given_up() => return,
            permit = room.acquire_owned() => permit,
        };
        let Ok(permit) = permit else { return };
        let began = Instant::now();
        match spawn_blocking(move || (question.answer(), permit)).await {
            Ok((made, _permit)) => {
                counter!(metrics::ESTIMATES).increment(1);
                histogram!(metrics::ESTIMATE_TIME).record(began.elapsed());
                self.answer.send_replace(Some(Arc::new(made)));
            }
            Err(error) => {
                tracing::error!(%error, "a search for dead stones failed");
                self.shared.known.lock().forget(&self.key, &self.answer);
            }
        }
    }

    /// Waits until nobody waits for the answer any more, and forgets that it was asked for.
    async fn given_up(&self) {
        loop {
            self.answer.closed().await;
            let mut known = self.shared.known.lock();
            // Somebody may have asked meanwhile: that takes the same lock.
            if self.answer.is_closed() {
                known.forget(&self.key, &self.answer);
                return;
            }
        }
    }
}

impl Known {
    fn remember(&mut self, key: Key, slot: Slot) {
        if self.estimates.insert(key.clone(), slot).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.estimates.remove(&oldest);
        }
    }

    /// This answer will not come.
    fn forget(&mut self, key: &Key, answer: &Answer) {
        if self.estimates.get(key).is_some_and(|slot| slot.answer.same_channel(answer)) {
            self.estimates.remove(key);
            self.order.retain(|other| other != key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use goban::{Board, Preset, Size};

    use super::*;

    fn question(stones: &str) -> Question {
        let points: Vec<_> = stones.split(' ').map(|point| point.parse().unwrap()).collect();
        let board = Board::with_stones(Size::NINE, &points, &[]).unwrap();
        Question { board, rules: Preset::Igo.rules(), found: DeadStones::Estimate }
    }

    /// However often and for whatever purpose a board is asked for, it is estimated once, and the answer is the judge's; a decision does not wait for the previews
    /// before it; when the line is full, whoever is only curious is told so; and whoever goes away gives the place in it back at once.
    #[tokio::test]
    async fn a_board_is_estimated_once_and_decisions_pass_by_the_line() {
        let estimates = Estimates::new();
        let many = (0..50).map(|n| {
            let purpose = if n % 2 == 0 { Purpose::Preview } else { Purpose::Decision };
            estimates.of(question("E5 C3"), purpose)
        });
        let all = futures::future::join_all(many).await;
        let first = all[0].as_ref().unwrap();
        assert_eq!(**first, question("E5 C3").answer());
        let again = estimates.of(question("E5 C3"), Purpose::Preview).await.unwrap();
        assert!(all[1..].iter().all(|other| Arc::ptr_eq(other.as_ref().unwrap(), &again)));

        // Nobody works on previews now.
        let _held = estimates.shared.previews.acquire_many(cores().div_ceil(2)).await.unwrap();
        let mut waiting = Vec::new();
        for point in Size::NINE.points().flat_map(|a| Size::NINE.points().map(move |b| (a, b))) {
            let (a, b) = point;
            if a < b {
                match estimates.coming(question(&format!("{a} {b}")), Purpose::Preview) {
                    Ok(coming) => waiting.push((format!("{a} {b}"), coming)),
                    Err(error) => {
                        assert!(matches!(error, Error::Busy), "{error}");
                        break;
                    }
                }
            }
        }
        assert_eq!(waiting.len(), LINE);
        let (stones, coming) = waiting.last().unwrap();
        let decided = estimates.of(question(stones), Purpose::Decision).await.unwrap();
        assert_eq!(*decided, question(stones).answer());
        assert!(coming.borrow().is_none(), "the preview is still in its line");
        drop(waiting);
        let place = async {
            while estimates.shared.line.available_permits() < LINE {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), place).await.expect("all have gone");
        assert_eq!(estimates.shared.known.lock().estimates.len(), 2, "what was found is remembered");
    }

    fn cores() -> u32 {
        thread::available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap())
    }
}
