//! The whole queue as one fact, so that what lies before it may be trimmed.

use std::sync::Arc;

use kernel::{PlayerId, Timestamp};
use nigiri_proto::events::v1::{self as events, BotPlaying, PendingMatch, QueueSnapshot, RecentMatch};
use platform::convert::to_proto_time;

use super::{Lease, Pending, Place, Playing, Queue, Recent};
use crate::{
    ticket::{Hold, Ticket},
    wire,
};

impl Queue {
    /// The queue as it stands: restoring it gives the same queue.
    pub fn snapshot(&self) -> QueueSnapshot {
        let mut tickets: Vec<_> = self.tickets.values().collect();
        tickets.sort_unstable_by_key(|ticket| ticket.id);
        QueueSnapshot {
            tickets: tickets.into_iter().map(|ticket| self.write_ticket(ticket)).collect(),
            pending: self.pending.values().map(|pending| self.write_pending(pending)).collect(),
            bots: self.bots.values().map(wire::to_bot).collect(),
            playing: self.playing.iter().map(|(bot, playing)| write_playing(*bot, playing)).collect(),
            recent: self.recent.iter().map(write_recent).collect(),
            leases: self
                .leases
                .iter()
                .map(|(replica, lease)| events::Lease {
                    held_by: replica.to_string(),
                    renew_time: Some(to_proto_time(lease.renewed)),
                    expire_time: Some(to_proto_time(lease.expires)),
                })
                .collect(),
        }
    }

    /// The queue of a snapshot, at this stamp.
    pub(super) fn restore(from: &QueueSnapshot, now: Timestamp) -> Self {
        let mut queue = Self { now, ..Self::default() };
        for lease in &from.leases {
            if let Ok(replica) = lease.held_by.parse() {
                let lease =
                    Lease { renewed: wire::time(lease.renew_time), expires: wire::time(lease.expire_time) };
                queue.leases.insert(replica, lease);
            }
        }
        for (ticket, _) in from.tickets.iter().filter_map(wire::ticket) {
            // Without its lease nothing would ever end it.
            if !matches!(ticket.hold, Hold::By(replica) if !queue.leases.contains_key(&replica)) {
                queue.insert(ticket);
            }
        }
        for pending in from.pending.iter().filter_map(read_pending) {
            for ticket in &pending.tickets {
                queue.players.insert(ticket.player.id, Place::Matched(pending.made.game));
            }
            queue.pending.insert(pending.made.game, pending);
        }
        for bot in from.bots.iter().filter_map(wire::bot) {
            queue.bots.insert(bot.player.id, bot);
        }
        queue.playing.extend(from.playing.iter().filter_map(read_playing));
        for recent in from.recent.iter().filter_map(read_recent) {
            queue.remember(recent);
        }
        queue
    }

    fn write_ticket(&self, ticket: &Ticket) -> events::Ticket {
        let lease = match ticket.hold {
            Hold::By(replica) => self.lease(replica).map_or(self.now, |lease| lease.expires),
            Hold::Until(expires) => expires,
        };
        wire::to_ticket(ticket, lease)
    }

    fn write_pending(&self, pending: &Pending) -> PendingMatch {
        PendingMatch {
            r#match: Some(wire::to_made(&pending.made)),
            tickets: pending.tickets.iter().map(|ticket| self.write_ticket(ticket)).collect(),
            make_time: Some(to_proto_time(pending.made_at)),
        }
    }
}

fn write_playing(bot: PlayerId, playing: &Playing) -> BotPlaying {
    BotPlaying {
        bot_id: bot.to_string(),
        game_ids: playing.games.keys().map(ToString::to_string).collect(),
        seat_times: playing.games.values().map(|since| to_proto_time(*since)).collect(),
        expire_time: Some(to_proto_time(playing.until)),
    }
}

fn read_playing(from: &BotPlaying) -> Option<(PlayerId, Playing)> {
    let times = from.seat_times.iter().map(|time| wire::time(Some(*time)));
    let games = from.game_ids.iter().zip(times).filter_map(|(id, since)| Some((id.parse().ok()?, since)));
    let playing = Playing { games: games.collect(), until: wire::time(from.expire_time) };
    Some((from.bot_id.parse().ok()?, playing))
}

fn read_pending(from: &PendingMatch) -> Option<Pending> {
    let tickets: Option<Vec<_>> = from.tickets.iter().map(wire::ticket).collect();
    Some(Pending {
        made: Arc::new(wire::made(from.r#match.as_ref()?)?),
        tickets: tickets?.into_iter().map(|(ticket, _)| ticket).collect(),
        made_at: wire::time(from.make_time),
    })
}

fn write_recent(recent: &Recent) -> RecentMatch {
    RecentMatch {
        r#match: Some(wire::to_made(&recent.made)),
        start_time: Some(to_proto_time(recent.started_at)),
    }
}

fn read_recent(from: &RecentMatch) -> Option<Recent> {
    let made = Arc::new(wire::made(from.r#match.as_ref()?)?);
    Some(Recent { made, started_at: wire::time(from.start_time) })
}
