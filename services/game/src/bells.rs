//! How a stream that follows many games learns which of them have something new: each game rings the bell of its seat, and the stream is woken
//! once for all that have rung.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Waker},
};

use parking_lot::Mutex;

/// The bells of one stream that have rung.
#[derive(Default)]
pub struct Bells(Mutex<Rung>);

#[derive(Default)]
struct Rung {
    seats: Vec<u32>,
    waker: Option<Waker>,
}

/// The bell of one seat.
pub struct Bell {
    bells: Arc<Bells>,
    seat: u32,
    rung: AtomicBool,
}

impl Bells {
    /// The seats that have rung since the last time; none yet, and the stream is woken at the next.
    pub fn take(&self, context: &Context<'_>) -> Option<Vec<u32>> {
        let mut rung = self.0.lock();
        if rung.seats.is_empty() {
            if !rung.waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
                rung.waker = Some(context.waker().clone());
            }
            return None;
        }
        Some(std::mem::take(&mut rung.seats))
    }
}

impl Bell {
    /// The bell of this seat.
    pub fn new(bells: Arc<Bells>, seat: u32) -> Self {
        Self { bells, seat, rung: AtomicBool::new(false) }
    }

    /// Rings. Ringing again before the stream has looked changes nothing.
    pub fn ring(&self) {
        if self.rung.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut rung = self.bells.0.lock();
        rung.seats.push(self.seat);
        let waker = rung.waker.take();
        drop(rung);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// The stream looks now: the next new entry rings again.
    pub fn heard(&self) {
        self.rung.store(false, Ordering::Release);
    }
}
