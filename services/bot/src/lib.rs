//! The bot service.
