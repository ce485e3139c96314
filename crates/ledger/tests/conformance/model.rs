//! Random operations: every ledger behaves like the one in memory.

use std::{sync::Arc, time::Duration};

use kernel::Timestamp;
use ledger::{Append, AppendError, Appended, DeadLetter, Deadline, Delivery, Guard, Refused, SharedLedger};

use crate::world::{Time, World, entry, log, notice};

/// A small generator (xorshift64*, Vigna 2016), so that a failure is repeated by its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % sides
    }

    fn pick<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        let at = usize::try_from(self.roll(among.len() as u64)).unwrap();
        &among[at]
    }
}

/// The real ledger and the model side by side, with what both have given out; ids differ between ledgers, places in these lists do not.
struct Pair {
    real: SharedLedger,
    model: SharedLedger,
    /// Only where both go by one clock.
    compare_stamps: bool,
    /// With the topic.
    deliveries: Vec<(String, Delivery, Delivery)>,
    /// With topic and group.
    letters: Vec<(String, &'static str, DeadLetter, DeadLetter)>,
}

const LOGS: [&str; 4] = ["game:a", "game:b", "queue", "x"];
const TOPICS: [&str; 2] = ["one", "two"];
const GROUPS: [&str; 2] = ["left", "right"];
const CONSUMERS: [&str; 2] = ["c", "d"];
const FAR: Timestamp = Timestamp::from_millis(32_000_000_000_000);
const DAY: Duration = Duration::from_secs(86_400);

/// Some hundred operations, chosen at random, have the same answers on both. Needs a world with one partition, where the order of
/// messages is defined.
pub async fn random_operations_equal_the_model(world: World) {
    let compare_stamps = matches!(world.time, Time::Manual(_));
    let model: SharedLedger = Arc::new(world.model());
    let mut found = 0;
    for seed in [1, 2, 3] {
        // The rounds share a store, so each has names of its own.
        let mut pair = Pair {
            real: Arc::clone(&world.ledger),
            model: Arc::clone(&model),
            compare_stamps,
            deliveries: Vec::new(),
            letters: Vec::new(),
        };
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        for step in 0..300 {
            if compare_stamps {
                // Now and then so long that it is an outage.
                let most = if dice.roll(20) == 0 { 3_000 } else { 50 };
                world.pass(Duration::from_millis(dice.roll(most))).await;
                if dice.roll(8) == 0 {
                    let real = pair.real.sweep(5).await.unwrap().due;
                    found += real.len();
                    assert_eq!(real, model.sweep(5).await.unwrap().due, "seed {seed}, step {step}");
                }
            }
            pair.step(&mut dice, seed, step).await;
        }
    }
    let real = world.sweep().await;
    assert_eq!(real, model.sweep(100).await.unwrap().due);
    assert!(found + real.len() > 0, "there was something to compare");
}

impl Pair {
    async fn step(&mut self, dice: &mut Dice, seed: u64, step: u64) {
        let context = format!("seed {seed}, step {step}");
        match dice.roll(16) {
            0..5 => self.append(dice, seed, &context).await,
            5 => {
                let name = log(&format!("{}:{seed}", dice.pick(&LOGS)));
                let first = dice.roll(6);
                self.real.trim(&name, first).await.unwrap();
                self.model.trim(&name, first).await.unwrap();
            }
            6 => {
                let name = log(&format!("{}:{seed}", dice.pick(&LOGS)));
                let after = if dice.roll(3) == 0 { Duration::ZERO } else { DAY };
                self.real.retire(&name, after).await.unwrap();
                self.model.retire(&name, after).await.unwrap();
            }
            7 => {
                let message = notice(&topic(dice, seed), context.clone());
                self.real.publish("key", message.clone()).await.unwrap();
                self.model.publish("key", message).await.unwrap();
            }
            8..11 => self.take(dice, seed, &context).await,
            11..14 => self.settle(dice, &context).await,
            14 => self.letters(dice, seed, &context).await,
            _ => {
                let (topic, group) = (topic(dice, seed), *dice.pick(&GROUPS));
                self.real.join(&topic, group).await.unwrap();
                self.model.join(&topic, group).await.unwrap();
                let real = self.real.trim_topic(&topic).await.unwrap();
                assert_eq!(real, self.model.trim_topic(&topic).await.unwrap(), "{context}");
            }
        }
        self.compare(dice, seed, &context).await;
    }

    async fn append(&mut self, dice: &mut Dice, seed: u64, context: &str) {
        let name = format!("{}:{seed}", dice.pick(&LOGS));
        let end = self.model.read(&log(&name), 0, usize::MAX).await.unwrap().last().map_or(0, |e| e.sequence);
        let expected = if dice.roll(4) == 0 { dice.roll(8) } else { end };
        let past = Timestamp::from_millis(5);
        let guards = [
            Guard::default(),
            Guard::default(),
            Guard { not_after: Some(FAR), ..Guard::default() },
            Guard { not_after: Some(past), ..Guard::default() },
            Guard { not_before: Some(FAR), ..Guard::default() },
            Guard { not_before: Some(past), ..Guard::default() },
        ];
        let append = Append {
            guard: *dice.pick(&guards),
            deadline: *dice.pick(&[
                Deadline::Keep,
                Deadline::Clear,
                Deadline::At(past),
                Deadline::After(DAY),
            ]),
            notices: (0..dice.roll(3))
                .map(|n| notice(&topic(dice, seed), format!("{context}: {n}")))
                .collect(),
            ..entry(&name, expected, context.to_owned())
        };
        let real = self.real.append(append.clone()).await;
        let model = self.model.append(append).await;
        assert_eq!(self.timeless(real), self.timeless(model), "{context}");
    }

    fn timeless(&self, answer: Result<Appended, AppendError>) -> Result<Appended, AppendError> {
        if self.compare_stamps {
            return answer;
        }
        let now = Timestamp::default();
        answer.map(|appended| Appended { stamp: now, ..appended }).map_err(|error| match error {
            AppendError::Refused(Refused::TooLate { .. }) => Refused::TooLate { now }.into(),
            AppendError::Refused(Refused::TooEarly { .. }) => Refused::TooEarly { now }.into(),
            other => other,
        })
    }

    async fn take(&mut self, dice: &mut Dice, seed: u64, context: &str) {
        let (topic, group, consumer) = (topic(dice, seed), *dice.pick(&GROUPS), *dice.pick(&CONSUMERS));
        let max = usize::try_from(dice.roll(4)).unwrap();
        let claims = dice.roll(3) == 0;
        let idle = if dice.roll(2) == 0 { Duration::ZERO } else { DAY };
        let both = [&self.real, &self.model].map(async |ledger| {
            if claims {
                ledger.claim(&topic, group, consumer, idle, max).await.unwrap()
            } else {
                ledger.fetch(&topic, group, consumer, max, Duration::ZERO).await.unwrap()
            }
        });
        let [real, model] = both;
        let (real, model) = (real.await, model.await);
        assert_eq!(spoken(&real), spoken(&model), "{context}: claims {claims}, idle {idle:?}, max {max}");
        self.deliveries.extend(real.into_iter().zip(model).map(|(real, model)| (topic.clone(), real, model)));
    }

    /// Something happens to a message that was given out at some time.
    async fn settle(&mut self, dice: &mut Dice, context: &str) {
        if self.deliveries.is_empty() {
            return;
        }
        let (topic, real, model) = dice.pick(&self.deliveries).clone();
        let (group, consumer) = (*dice.pick(&GROUPS), *dice.pick(&CONSUMERS));
        match dice.roll(4) {
            0 => {
                let renewed = self.real.renew(&topic, group, consumer, &real.id).await.unwrap();
                let expected = self.model.renew(&topic, group, consumer, &model.id).await.unwrap();
                assert_eq!(renewed, expected, "{context}");
            }
            1 => {
                self.real.release(&topic, group, consumer, &real.id).await.unwrap();
                self.model.release(&topic, group, consumer, &model.id).await.unwrap();
            }
            2 => {
                self.real.acknowledge(&topic, group, &[real.id]).await.unwrap();
                self.model.acknowledge(&topic, group, &[model.id]).await.unwrap();
            }
            _ => {
                self.real.bury(&topic, group, &real, context).await.unwrap();
                self.model.bury(&topic, group, &model, context).await.unwrap();
            }
        }
    }

    async fn letters(&mut self, dice: &mut Dice, seed: u64, context: &str) {
        let (topic, group) = (topic(dice, seed), *dice.pick(&GROUPS));
        let real = self.real.dead_letters(&topic, group, 3).await.unwrap();
        let model = self.model.dead_letters(&topic, group, 3).await.unwrap();
        let content = |letters: &[DeadLetter]| -> Vec<_> {
            letters.iter().map(|letter| (letter.payload.clone(), letter.error.clone())).collect()
        };
        assert_eq!(content(&real), content(&model), "{context}");
        self.letters
            .extend(real.into_iter().zip(model).map(|(real, model)| (topic.clone(), group, real, model)));
        if !self.letters.is_empty() {
            let (topic, group, real, model) = dice.pick(&self.letters).clone();
            let revived = self.real.revive(&topic, group, &real.id).await.unwrap();
            assert_eq!(revived, self.model.revive(&topic, group, &model.id).await.unwrap(), "{context}");
        }
    }

    async fn compare(&self, dice: &mut Dice, seed: u64, context: &str) {
        let name = log(&format!("{}:{seed}", dice.pick(&LOGS)));
        let (after, limit) = (dice.roll(4), usize::try_from(dice.roll(20)).unwrap());
        let mut real = self.real.read(&name, after, limit).await.unwrap();
        let mut model = self.model.read(&name, after, limit).await.unwrap();
        if !self.compare_stamps {
            real.iter_mut().chain(&mut model).for_each(|entry| entry.stamp = Timestamp::default());
        }
        assert_eq!(real, model, "{context}");
        let (topic, group) = (topic(dice, seed), *dice.pick(&GROUPS));
        let lag = self.real.lag(&topic, group).await.unwrap();
        assert_eq!(lag, self.model.lag(&topic, group).await.unwrap(), "{context}");
    }
}

fn topic(dice: &mut Dice, seed: u64) -> String {
    format!("{}-{seed}", dice.pick(&TOPICS))
}

fn spoken(deliveries: &[Delivery]) -> Vec<(u32, bytes::Bytes)> {
    deliveries.iter().map(|delivery| (delivery.attempt, delivery.payload.clone())).collect()
}
