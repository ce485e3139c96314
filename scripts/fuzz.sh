#!/usr/bin/env bash
# fuzz.sh SECONDS [TARGET...]: runs each fuzz target of crates/goban for so long, guided by coverage, and fails on the first input
# that does harm. The compiler is the project's stable one: what it lacks is the address sanitizer, and there is no unsafe code
# for that to look at. Findings are in target/fuzz/found, and inputs worth keeping in target/fuzz/corpus, where the next run begins.
set -euo pipefail
seconds=${1:?seconds for each target}
shift
targets=("$@")
[[ $# -gt 0 ]] || targets=(sgf judge game large)
cd "$(dirname "$0")/.."
here=crates/goban/fuzz
built=$(realpath -m target)/fuzz
host=$(rustc -vV | sed -n 's/^host: //p')
# What cargo-fuzz passes, but for the sanitizer. With --target these are not for build scripts.
flags=(-Cpasses=sancov-module -Ccodegen-units=1 -Cdebug-assertions)
for what in level=4 inline-8bit-counters pc-table trace-compares; do
    flags+=("-Cllvm-args=-sanitizer-coverage-$what")
done
RUSTFLAGS="${flags[*]}" cargo build --quiet --release --manifest-path $here/Cargo.toml --target "$host" --target-dir "$built"
for target in "${targets[@]}"; do
    mkdir -p "$built/corpus/$target" "$built/found"
    options=(-max_total_time="$seconds" -max_len=20000 -rss_limit_mb=2048 -timeout=20 -print_final_stats=1 -artifact_prefix="$built/found/$target-")
    [[ -f $here/seeds/$target.dict ]] && options+=(-dict="$here/seeds/$target.dict")
    folders=("$built/corpus/$target")
    [[ -d $here/seeds/$target ]] && folders+=("$here/seeds/$target")
    log=$built/$target.log
    if ! "$built/$host/release/$target" "${options[@]}" "${folders[@]}" >"$log" 2>&1; then
        tail -n 40 "$log"
        exit 1
    fi
    echo "$target: $(grep -E 'stat::(number_of_executed_units|new_units_added|slowest_unit|peak_rss)' "$log" | sed -E 's/stat:: *//; s/: +/ /' | paste -sd, -)"
done
