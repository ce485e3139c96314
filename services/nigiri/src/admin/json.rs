//! Answers as JSON, by the descriptors of the API (the mapping of protobuf: camel case, times as text).

use anyhow::Context as _;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, SerializeOptions};
use tonic::Status;

/// A message of this name as JSON.
///
/// # Errors
/// When there is no such message in the API, which is a bug.
pub fn of(name: &str, message: &impl Message) -> anyhow::Result<String> {
    let pool = DescriptorPool::decode(nigiri_proto::DESCRIPTOR_SET).context("the API's descriptors")?;
    let kind = pool.get_message_by_name(name).with_context(|| format!("no {name} in the API"))?;
    let message = DynamicMessage::decode(kind, message.encode_to_vec().as_slice())?;
    let mut text = Vec::new();
    // What is empty or zero is told too: scripts need not ask whether a field is there.
    let options = SerializeOptions::new().skip_default_fields(false).stringify_64_bit_integers(false);
    message.serialize_with_options(&mut serde_json::Serializer::pretty(&mut text), &options)?;
    Ok(String::from_utf8(text)?)
}

/// A refusal in one line.
pub fn refusal(status: Status) -> anyhow::Error {
    let reason = platform::status::reason_of(&status).unwrap_or_else(|| format!("{:?}", status.code()));
    anyhow::anyhow!("{reason}: {}", status.message())
}
