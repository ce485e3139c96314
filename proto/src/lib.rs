//! Generated types of Nigiri's public API and of its event schemas, one module a package: `nigiri_proto::game::v1`.
//!
//! The sources are the `.proto` files beside this crate; the docs of each item are their comments.
#![allow(missing_docs, clippy::all, reason = "generated from the protos, which carry the comments")]

pub mod codec;

/// Who somebody is: `nigiri.session.v1`.
pub mod session {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("nigiri.session.v1");
    }
}
/// The referee's API and the words of a game: `nigiri.game.v1`.
pub mod game {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("nigiri.game.v1");
    }
}
/// Tickets and matches: `nigiri.matchmaking.v1`.
pub mod matchmaking {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("nigiri.matchmaking.v1");
    }
}
/// Ratings: `nigiri.rating.v1`.
pub mod rating {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("nigiri.rating.v1");
    }
}
/// The house's bots: `nigiri.bot.v1`.
pub mod bot {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("nigiri.bot.v1");
    }
}
/// The tower: `nigiri.operator.v1`.
pub mod operator {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("nigiri.operator.v1");
    }
}
/// Entries of the logs and messages of the topics: `nigiri.events.v1`.
pub mod events {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("nigiri.events.v1");
    }
}

/// All descriptors, for reflection: a serialised `google.protobuf.FileDescriptorSet`.
pub const DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptor.bin"));
