#!/usr/bin/env bash
# Builds the binary for the image: static, stripped, and the same bytes wherever it is built from the same sources by the same compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
target=x86_64-unknown-linux-gnu
home="${CARGO_HOME:-$HOME/.cargo}"
export RUSTFLAGS="-C target-feature=+crt-static -C strip=symbols --remap-path-prefix=$PWD=/nigiri --remap-path-prefix=$home=/cargo"
# Libraries in C write the builder's paths too, and the date.
export CFLAGS="-ffile-prefix-map=$PWD=/nigiri -ffile-prefix-map=$home=/cargo" SOURCE_DATE_EPOCH=0
cargo build --release --locked --bin nigiri --target "$target"
