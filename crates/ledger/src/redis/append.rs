use std::{collections::BTreeSet, time::Duration};

use ::redis::{RedisResult, Value, from_redis_value};
use bytes::Bytes;
use kernel::Timestamp;

use super::{
    Shared,
    keys::{Keys, lane},
    resp::{Request, decimal},
};
use crate::{
    Append, AppendError, Appended, Deadline, Entry, LogName, OUTAGE_AFTER, Outage, Refused, Sequence, Sweep,
    Unavailable,
    rules::{OUTAGES_KEPT, SWEEP_PAUSE},
};

/// Redis takes no longer expiry than its clock can hold; a hundred years will do.
const LONGEST_EXPIRY: Duration = Duration::from_secs(100 * 365 * 86_400);

impl Shared {
    pub(super) async fn append(&self, append: &Append) -> Result<Appended, AppendError> {
        let sequence = append.expected.saturating_add(1);
        let partition = self.listeners.keys.partition(append.log.as_str());
        let wish = Wish { append, keys: &self.listeners.keys, partition };
        let answer = match self.topology.numbers(partition, |request| self.write(request, &wish)).await {
            Some(answer) => answer.map_err(|error| Unavailable(error.to_string()))?,
            None => self.append_slowly(&wish).await?,
        };
        let numbers: Vec<u64> = answer.iter().map(|number| number.unsigned_abs()).collect();
        let moment = |millis: &u64| Timestamp::from_millis(*millis);
        if let [0 | 2..=4, now, ..] = &numbers[..] {
            self.clock.observe(moment(now));
        }
        Err(match &numbers[..] {
            [0, stamp] => return Ok(Appended { sequence, stamp: moment(stamp) }),
            [1, last] => Refused::Conflict { last: *last },
            [2, now] => Refused::TooLate { now: moment(now) },
            [3, now] => Refused::TooEarly { now: moment(now) },
            [4, now, outages @ ..] => {
                let outage = |pair: &[u64]| match pair {
                    [from, to] => Some(Outage { from: moment(from), to: moment(to) }),
                    _ => None,
                };
                Refused::Outage { now: moment(now), outages: outages.chunks(2).filter_map(outage).collect() }
            }
            other => return Err(Unavailable(format!("an answer that makes no sense: {other:?}")).into()),
        }
        .into())
    }

    fn write(&self, request: &mut Request<'_>, wish: &Wish<'_>) {
        let keys = wish.keys();
        request.begin(3 + keys + ARGUMENTS + wish.append.notices.len());
        request.text(&[b"EVALSHA"]);
        request.text(&[self.scripts.append.hash.as_bytes()]);
        request.number(keys as u64);
        wish.write(&mut |pieces| request.text(pieces));
    }

    /// By way of the client library: where the server does not know the script yet, or another server has the partition.
    async fn append_slowly(&self, wish: &Wish<'_>) -> Result<Vec<i64>, Unavailable> {
        let mut words = Vec::new();
        wish.write(&mut |pieces| words.push(pieces.concat()));
        let arguments = words.split_off(wish.keys());
        let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        let keys: Vec<String> =
            words.into_iter().map(|key| String::from_utf8_lossy(&key).into_owned()).collect();
        let answer = self.script(wish.partition, &self.scripts.append, &keys, &arguments).await?;
        from_redis_value(answer).map_err(|error| Unavailable(error.to_string()))
    }

    pub(super) async fn read(
        &self,
        log: &LogName,
        after: Sequence,
        limit: usize,
    ) -> Result<Vec<Entry>, Unavailable> {
        let Some(first) = after.checked_add(1).filter(|_| limit > 0) else { return Ok(Vec::new()) };
        let partition = self.listeners.keys.partition(log.as_str());
        let mut command = ::redis::cmd("XRANGE");
        command.arg(self.listeners.keys.log(partition, log.as_str())).arg(format!("{first}-0")).arg("+");
        command.arg("COUNT").arg(i64::try_from(limit).unwrap_or(i64::MAX));
        let rows: Vec<(String, Vec<Bytes>)> = self.run(partition, &command).await?;
        let entry = |(id, fields): (String, Vec<Bytes>)| -> Option<Entry> {
            let mut fields = fields.into_iter();
            let (_, stamp, _, payload) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
            Some(Entry {
                sequence: id.split_once('-')?.0.parse().ok()?,
                stamp: Timestamp::from_millis(str::from_utf8(&stamp).ok()?.parse().ok()?),
                payload,
            })
        };
        let entries: Option<Vec<Entry>> = rows.into_iter().map(entry).collect();
        entries.ok_or_else(|| Unavailable(format!("{log} has an entry that makes no sense")))
    }

    pub(super) async fn retire(&self, log: &LogName, after: Duration) -> Result<(), Unavailable> {
        let (keys, name) = (&self.listeners.keys, log.as_str());
        let partition = keys.partition(name);
        let millis = after.min(LONGEST_EXPIRY).as_millis().to_string();
        let keys = [keys.log(partition, name), keys.deadlines(partition)];
        self.script(partition, &self.scripts.retire, &keys, &[name.as_bytes(), millis.as_bytes()]).await?;
        Ok(())
    }

    pub(super) async fn trim(&self, log: &LogName, first: Sequence) -> Result<(), Unavailable> {
        let partition = self.listeners.keys.partition(log.as_str());
        let keys = [self.listeners.keys.log(partition, log.as_str())];
        self.script(partition, &self.scripts.trim, &keys, &[first.to_string().as_bytes()]).await?;
        Ok(())
    }

    /// One call for everything on a single Redis, one for each partition of a Cluster.
    pub(super) async fn sweep(&self, limit: usize) -> Result<Sweep, Unavailable> {
        // Without its replicas the store is out of service, and its heart must not beat: the time is given back afterwards.
        let settled = self.topology.settle_all().await;
        settled.map_err(|error| Unavailable(error.to_string()))?;
        let keys = &self.listeners.keys;
        let calls: Vec<Vec<u16>> = if self.topology.cluster {
            keys.all().map(|partition| vec![partition]).collect()
        } else {
            vec![keys.all().collect()]
        };
        let answers = futures::future::join_all(calls.iter().map(|call| self.sweep_some(call, limit))).await;
        let mut due = Vec::new();
        let mut failed = None;
        let mut swept = false;
        for answer in answers {
            match answer {
                Ok(some) => {
                    swept = true;
                    due.extend(some);
                }
                Err(error) => failed = Some(error),
            }
        }
        match failed {
            Some(error) if !swept => return Err(error),
            Some(error) => tracing::warn!(%error, "some partitions were not swept"),
            None => {}
        }
        due.sort_by(|(log, at), (other, other_at)| (at, log).cmp(&(other_at, other)));
        due.truncate(limit);
        Ok(Sweep { due })
    }

    async fn sweep_some(
        &self,
        partitions: &[u16],
        limit: usize,
    ) -> Result<Vec<(LogName, Timestamp)>, Unavailable> {
        let Some(first) = partitions.first() else { return Ok(Vec::new()) };
        let of = &self.listeners.keys;
        let keys: Vec<String> = partitions
            .iter()
            .flat_map(|partition| [of.heart(*partition), of.outages(*partition), of.deadlines(*partition)])
            .collect();
        let arguments = [
            i64::try_from(limit).unwrap_or(i64::MAX).to_string(),
            SWEEP_PAUSE.as_millis().to_string(),
            OUTAGE_AFTER.as_millis().to_string(),
            OUTAGES_KEPT.to_string(),
        ];
        let arguments: Vec<&[u8]> = arguments.iter().map(String::as_bytes).collect();
        let answer = self.script(*first, &self.scripts.sweep, &keys, &arguments).await?;
        let parsed = || -> RedisResult<_> {
            let mut parts = from_redis_value::<Vec<Value>>(answer)?.into_iter();
            let raw: u64 = from_redis_value(parts.next().unwrap_or(Value::Int(0)))?;
            let lists = parts.map(|list| Ok(from_redis_value::<Vec<(String, f64)>>(list)?));
            Ok((raw, lists.collect::<RedisResult<Vec<_>>>()?))
        };
        let (raw, lists) = parsed().map_err(|error| Unavailable(error.to_string()))?;
        self.clock.observe(Timestamp::from_millis(raw));
        let due = lists.into_iter().flatten().filter_map(|(name, at)| {
            // A score is a whole number of milliseconds, and never negative.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as said")]
            let at = Timestamp::from_millis(at as u64);
            Some((LogName::new(&name).ok()?, at))
        });
        Ok(due.collect())
    }
}

/// Keys of an append that has no notices.
const KEYS: usize = 6;

/// Arguments of an append that has no notices.
const ARGUMENTS: usize = 11;

/// What an append says to its script.
struct Wish<'a> {
    append: &'a Append,
    keys: &'a Keys,
    partition: u16,
}

impl Wish<'_> {
    /// How many keys it has.
    fn keys(&self) -> usize {
        KEYS + self.append.notices.len()
    }

    /// The keys and then the arguments, each in pieces, in the order that the script says.
    fn write(&self, put: &mut impl FnMut(&[&[u8]])) {
        let Append { log, expected, payload, guard, deadline, notices } = self.append;
        let (tag, name) = (self.keys.tag(self.partition).as_bytes(), log.as_str().as_bytes());
        put(&[tag, b"log:", name]);
        for key in [&b"deadlines"[..], b"heart", b"outages"] {
            put(&[tag, key]);
        }
        put(&[tag, b"wake:", &[b'0' + lane(log)]]);
        put(&[tag, b"hint"]);
        for notice in notices {
            put(&[tag, b"topic:", notice.topic.as_bytes()]);
        }
        let optional = |moment: Option<Timestamp>| moment.map(|moment| moment.as_millis());
        let (mode, time): (&[u8], _) = match deadline {
            Deadline::Keep => (b"keep", None),
            Deadline::Clear => (b"clear", None),
            Deadline::After(time) => (b"after", Some(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))),
            Deadline::At(moment) => (b"at", Some(moment.as_millis())),
        };
        put(&[name]);
        put_number(put, Some(*expected));
        put_number(put, Some(expected.saturating_add(1)));
        put(&[payload]);
        put_number(put, optional(guard.not_after));
        put_number(put, optional(guard.not_before));
        put_number(put, Some(guard.settled_until.as_millis()));
        put(&[mode]);
        put_number(put, time);
        put_number(put, u64::try_from(OUTAGE_AFTER.as_millis()).ok());
        let topics: BTreeSet<&str> = notices.iter().map(|notice| notice.topic.as_str()).collect();
        put(&[topics.into_iter().collect::<Vec<_>>().join(",").as_bytes()]);
        for notice in notices {
            put(&[&notice.payload]);
        }
    }
}

/// A number as text, or nothing.
fn put_number(put: &mut impl FnMut(&[&[u8]]), number: Option<u64>) {
    let mut digits = [0; 20];
    put(&[number.map_or(&[][..], |number| decimal(number, &mut digits))]);
}
