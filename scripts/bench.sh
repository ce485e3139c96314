#!/usr/bin/env bash
# The figures of docs/performance.md, each with its reference beside it in the same run. Some minutes; nothing else should run.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/servers.sh
echo "== goban: random playouts, beside the naive board"
cargo bench --quiet -p goban --bench playout
echo "== goban: single moves, legality, the best estimate"
cargo bench --quiet -p goban --bench moves
cargo bench --quiet -p goban --bench estimate
echo "== ledger: appends alone"
cargo bench --quiet -p ledger --bench append
echo "== doors: tokens, and guests who sign in, beside one insert a transaction"
cargo bench --quiet -p session --bench doors
echo "== the whole system: moves, beside a bare echo and the ledger"
cargo bench --quiet -p nigiri --bench moves -- "$@"
