//! What every Nigiri process needs: configuration, telemetry, server, auth, errors, store.
