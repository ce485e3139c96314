//! Dead letters of all groups: named, told in words, replayed, forgotten.

use std::sync::LazyLock;

use ledger::{DeliveryId, SharedLedger};
use nigiri_proto::operator::v1::{ConsumerGroup, DeadLetter};
use prost_reflect::{DescriptorPool, DynamicMessage};

use crate::error::Error;

/// Dead letters that are counted at most.
const COUNTED: usize = 1_000;

/// Groups that are asked about at once.
const AT_ONCE: usize = 8;

/// The descriptors of all messages.
static POOL: LazyLock<DescriptorPool> =
    LazyLock::new(|| DescriptorPool::decode(nigiri_proto::DESCRIPTOR_SET).unwrap_or_default());

/// The name of a letter: `<partition>.<id>`.
pub fn name(id: &DeliveryId) -> String {
    format!("{}.{}", id.partition, id.id)
}

/// The letter of this name; none for a text that is no name.
pub fn read(name: &str) -> Option<DeliveryId> {
    let (partition, id) = name.split_once('.')?;
    Some(DeliveryId { partition: partition.parse().ok()?, id: id.to_owned() })
}

/// All consumer groups, what they have not dealt with yet, and how many dead letters they have.
///
/// # Errors
/// When the ledger is away.
pub async fn groups(ledger: &SharedLedger) -> Result<Vec<ConsumerGroup>, Error> {
    use futures::{StreamExt, TryStreamExt};
    let all = ledger.groups().await?;
    let looks = all.into_iter().map(|(topic, group)| async move {
        let lag = ledger.lag(&topic, &group).await?;
        let dead = ledger.dead_letters(&topic, &group, COUNTED).await?.len();
        Ok(ConsumerGroup { topic, group, lag, dead_letters: u32::try_from(dead).unwrap_or(u32::MAX) })
    });
    futures::stream::iter(looks).buffered(AT_ONCE).try_collect().await
}

/// Dead letters of a group, oldest first; only the one with this name, if it is not empty.
///
/// # Errors
/// When the ledger is away.
pub async fn list(
    ledger: &SharedLedger,
    topic: &str,
    group: &str,
    only: &str,
    limit: u32,
) -> Result<Vec<DeadLetter>, Error> {
    let most = if only.is_empty() { limit as usize } else { COUNTED };
    let letters = ledger.dead_letters(topic, group, most).await?;
    let told = letters.into_iter().map(|letter| DeadLetter {
        letter_id: name(&letter.id),
        error: letter.error,
        summary: summary(topic, &letter.payload),
        payload: letter.payload,
    });
    Ok(told.filter(|letter| only.is_empty() || letter.letter_id == only).collect())
}

/// What a message of a topic says, as JSON; or how long it is.
fn summary(topic: &str, payload: &[u8]) -> String {
    let kind = match topic.split('.').next().unwrap_or_default() {
        "finished" => "FinishedNotice",
        "created" => "CreatedNotice",
        "accounts" => "AccountNotice",
        "turns" => "TurnNotice",
        _ => "",
    };
    let message = POOL.get_message_by_name(&format!("nigiri.events.v1.{kind}"));
    let read = message.and_then(|kind| DynamicMessage::decode(kind, payload).ok());
    let told = read.and_then(|message| serde_json::to_string(&message).ok());
    told.unwrap_or_else(|| format!("{} bytes that are no message of this topic", payload.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of letters of every ledger come back; other texts are none.
    #[test]
    fn names_come_back() {
        for (partition, id) in [(0, "17"), (31, "1796000000123-4")] {
            let id = DeliveryId { partition, id: id.to_owned() };
            assert_eq!(read(&name(&id)), Some(id));
        }
        assert_eq!([read(""), read("x.1"), read("70000.1"), read("5")], [None, None, None, None]);
    }

    /// A message is told as JSON, and what is none by its length.
    #[test]
    fn a_letter_is_told_in_words() {
        use nigiri_proto::events::v1::TurnNotice;
        let turn = TurnNotice { game_id: "g".into(), ply: 3, traceparent: String::new() };
        let payload = prost_reflect::prost::Message::encode_to_vec(&turn);
        assert_eq!(summary("turns.any", &payload), r#"{"gameId":"g","ply":3}"#);
        assert_eq!(summary("turns.any", &[0xff, 0xff]), "2 bytes that are no message of this topic");
        assert_eq!(summary("strange", &payload), "5 bytes that are no message of this topic");
    }
}
