#!/usr/bin/env bash
# The matches of docs/strength.md: our levels against GNU Go, which also counts. Records and results go to target/matches.
# GAMES is for 9x9; on 13x13 and 19x19 a quarter of them is played, since they take longer.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PATH:/usr/games"
command -v gnugo >/dev/null || { echo "gnugo is missing: apt-get install gnugo" >&2; exit 1; }
GAMES="${GAMES:-200}"
cargo build --release --bin nigiri
nigiri="$PWD/target/release/nigiri"
gnugo="gnugo --mode gtp --level 10 --chinese-rules --seed {game}"

match() { # name, our options, games, size, komi
  local folder="target/matches/$1"
  mkdir -p "$folder"
  echo "== $1: nigiri gtp $2"
  "$nigiri" gtp-match --json --sgf "$folder" --games "$3" --size "$4" --komi "$5" \
    --black "$nigiri gtp --rules chinese --seed {game} $2" --white "$gnugo" | tee "$folder/games.jsonl" | tail -1
}

few=$((GAMES / 4 > 2 ? GAMES / 4 : 2))
match easy-9 "--level easy" "$GAMES" 9 7
match normal-9 "--level normal" "$GAMES" 9 7
match hard-9 "--level hard --seconds 1" "$GAMES" 9 7
match hard-13 "--level hard --seconds 1" "$few" 13 7.5
match hard-19 "--level hard --seconds 1" "$few" 19 7.5
