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
            let mut gathered = true;
            let answered = loop {
                tokio::select! {
                    biased;
                    answered = &mut answer => break answered,
                    // Once nothing has gathered any more, ours is under way.
                    Ok(round) = shared.rounds.acquire(), if gathered => gathered = shared.run(round).await,
                }
            };
            // Without an answer, whoever asked for us is gone: then again.
            if let Ok(answer) = answered {
                return answer;
            }
        }
    }
}

impl<K, V> Shared<K, V> {
    /// One round: everything that has gathered, as far as it fits. False if nothing had.
    async fn run(&self, round: SemaphorePermit<'_>) -> bool {
        let (questions, replies): (Vec<K>, Vec<_>) = {
            let mut gathered = self.questions.lock();
            let taken = gathered.len().min(self.most);
            if taken == 0 {
                return false;
            }
            let wanted = gathered.drain(..taken).filter(|question| !question.reply.is_closed());
            wanted.map(|question| (question.about, question.reply)).unzip()
        };
        if questions.is_empty() {
            return true;
        }
        let answers = (self.ask)(questions).await;
        drop(round);
        for (reply, answer) in replies.into_iter().zip(answers) {
            // Who asked may have gone.
            let _gone = reply.send(answer);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, future::join_all};

    use super::*;

    /// Doubles numbers, and remembers how many it was asked for at a time; each round takes a leave at the gate.
    fn doubling(
        most: usize,
        rounds: usize,
        gate: Arc<Semaphore>,
    ) -> (Together<u64, u64>, Arc<Mutex<Vec<usize>>>) {
        let sizes = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&sizes);
        let together = Together::new(most, rounds, move |numbers: Vec<u64>| {
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
        let (together, sizes) = doubling(7, 1, Arc::clone(&gate));
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
        let (together, _) = doubling(10, 1, Arc::clone(&gate));
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
        let (together, sizes) = doubling(10, 1, Arc::clone(&gate));
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

    /// Who finds a round free while their own question is under way in another waits for that one, and does nothing meanwhile.
    #[tokio::test]
    async fn a_free_round_with_nothing_to_ask_is_left_alone() {
        let gate = Arc::new(Semaphore::new(0));
        let (together, sizes) = doubling(10, 2, Arc::clone(&gate));
        let mut asked: Vec<_> = (0..4).map(|number| Box::pin(together.ask(number))).collect();
        for one in &mut asked {
            assert!(one.now_or_never().is_none());
        }
        // The first round ends: the third asker asks for the fourth as well. The second round ends, and its place is free.
        for done in 0..2 {
            gate.add_permits(1);
            assert_eq!((&mut asked[done]).now_or_never(), Some(2 * done as u64));
            for one in &mut asked[2..] {
                assert!(one.now_or_never().is_none());
            }
        }
        gate.add_permits(1);
        assert_eq!(join_all(asked.drain(2..)).await, [4, 6]);
        assert_eq!(*sizes.lock(), [1, 1, 2]);
    }
}
