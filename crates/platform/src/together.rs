//! Many who ask the same at the same moment are answered together.
//!
//! A look-up of one thing and a look-up of a hundred cost a store or another service nearly the same. So those who ask put their questions into one place, and
//! whoever finds a round free takes all that have gathered there and asks for everybody. Who asks alone is asked for at once: nobody waits for a round to
//! fill up, and rounds grow by themselves when many come.
//!
//! There is no task behind it. A round runs as part of the call that took it; if that call is given up meanwhile, those who waited for it ask again.

use std::{collections::VecDeque, future::Future, sync::Arc};

use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit, oneshot};

type Ask<K, V> = dyn Fn(Vec<K>) -> BoxFuture<'static, Vec<V>> + Send + Sync;

/// Where questions gather. Cheap to clone.
pub struct Together<K, V>(Arc<Shared<K, V>>);

struct Shared<K, V> {
    questions: Mutex<VecDeque<Question<K, V>>>,
    rounds: Semaphore,
    most: usize,
    ask: Box<Ask<K, V>>,
}

struct Question<K, V> {
    about: K,
    reply: oneshot::Sender<V>,
}

impl<K, V> Clone for Together<K, V> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: Clone + Send + 'static, V: Send + 'static> Together<K, V> {
    /// Asks with `ask`, which answers each question in its place, for at most so many (at least one) in a round; so many rounds (at least one) may be under way at a time.
    pub fn new<R>(most: usize, rounds: usize, ask: impl Fn(Vec<K>) -> R + Send + Sync + 'static) -> Self
    where
        R: Future<Output = Vec<V>> + Send + 'static,
    {
        Self(Arc::new(Shared {
            questions: Mutex::default(),
            rounds: Semaphore::new(rounds.max(1)),
            most: most.max(1),
            ask: Box::new(move |questions| Box::pin(ask(questions))),
        }))
    }

    /// The answer to one question. The question may be asked more than once, if others who asked for it give up.
    pub async fn ask(&self, about: K) -> V {
        let shared = &*self.0;
        loop {
            let (reply, mut answer) = oneshot::channel();
            shared.questions.lock().push_back(Question { about: about.clone(), reply });
            loop {
                tokio::select! {
                    biased;
                    answered = &mut answer => match answered {
                        Ok(answer) => return answer,
                        // Whoever asked for us is gone, or had no answer.
                        Err(_) => break,
                    },
                    Ok(round) = shared.rounds.acquire() => shared.run(round).await,
                }
            }
        }
    }
}

impl<K, V> Shared<K, V> {
    /// One round: everything that has gathered, as far as it fits.
    async fn run(&self, round: SemaphorePermit<'_>) {
        let (questions, replies): (Vec<K>, Vec<_>) = {
            let mut gathered = self.questions.lock();
            let taken = gathered.len().min(self.most);
            let wanted = gathered.drain(..taken).filter(|question| !question.reply.is_closed());
            wanted.map(|question| (question.about, question.reply)).unzip()
        };
        if questions.is_empty() {
            return;
        }
        let answers = (self.ask)(questions).await;
        drop(round);
        for (reply, answer) in replies.into_iter().zip(answers) {
            // Who asked may have gone.
            let _gone = reply.send(answer);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, future::join_all};

    use super::*;

    /// Doubles numbers, and remembers how many it was asked for at a time; each round takes a leave at the gate.
    fn doubling(most: usize, gate: Arc<Semaphore>) -> (Together<u64, u64>, Arc<Mutex<Vec<usize>>>) {
        let sizes = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&sizes);
        let together = Together::new(most, 1, move |numbers: Vec<u64>| {
            seen.lock().push(numbers.len());
            let gate = Arc::clone(&gate);
            async move {
                gate.acquire().await.unwrap().forget();
                numbers.into_iter().map(|number| 2 * number).collect()
            }
        });
        (together, sizes)
    }

    /// The first is asked for alone and at once; who comes meanwhile shares the next rounds, each with its own answer.
    #[tokio::test]
    async fn those_who_come_during_a_round_share_the_next() {
        let gate = Arc::new(Semaphore::new(0));
        let (together, sizes) = doubling(7, Arc::clone(&gate));
        let mut all = Box::pin(join_all((0..20).map(|number| together.ask(number))));
        assert!((&mut all).now_or_never().is_none());
        gate.add_permits(4);
        assert_eq!(all.await, (0..20).map(|number| 2 * number).collect::<Vec<_>>());
        assert_eq!(*sizes.lock(), [1, 7, 7, 5]);
    }

    /// A call that is given up in the middle of the round that it runs leaves nobody without an answer.
    #[tokio::test]
    async fn who_waits_for_a_round_that_is_given_up_asks_again() {
        let gate = Arc::new(Semaphore::new(0));
        let (together, _) = doubling(10, Arc::clone(&gate));
        let mut first = Box::pin(together.ask(1));
        assert!((&mut first).now_or_never().is_none());
        let mut second = Box::pin(together.ask(2));
        assert!((&mut second).now_or_never().is_none());
        gate.add_permits(1);
        assert_eq!(first.await, 2);
        // Now the second runs a round for itself and a third, and is dropped.
        assert!((&mut second).now_or_never().is_none());
        let mut third = Box::pin(together.ask(3));
        assert!((&mut third).now_or_never().is_none());
        drop(second);
        gate.add_permits(1);
        assert_eq!(third.await, 6);
    }

    /// What nobody waits for any more is not asked.
    #[tokio::test]
    async fn a_question_whose_asker_has_gone_is_not_asked() {
        let gate = Arc::new(Semaphore::new(0));
        let (together, sizes) = doubling(10, Arc::clone(&gate));
        let mut first = Box::pin(together.ask(1));
        assert!((&mut first).now_or_never().is_none());
        let mut gone = Box::pin(together.ask(2));
        assert!((&mut gone).now_or_never().is_none());
        drop(gone);
        gate.add_permits(1);
        first.await;
        gate.add_permits(1);
        assert_eq!(together.ask(3).await, 6);
        assert_eq!(*sizes.lock(), [1, 1]);
    }
}
