#!/usr/bin/env bash
# The page for people. `scripts/web.sh page` builds it for the binary where Node.js is there, and is content where it is not;
# `scripts/web.sh check` checks types, style and logic; `scripts/web.sh e2e BINARY` plays on it in a real browser, and
# `scripts/web.sh pictures BINARY` plays those games of which docs/images has pictures, and renews them.
set -euo pipefail
cd "$(dirname "$0")/../web"

has_node() {
  command -v npm >/dev/null && command -v node >/dev/null && [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ]
}

need_node() {
  has_node && return
  echo "The page is built and checked with Node.js 20 or later and npm: install them first (Debian: apt-get install nodejs npm)." >&2
  exit 1
}

# What package-lock.json names, once for each change of it.
packages() {
  local wanted stamp=node_modules/.installed
  wanted=$(sha256sum package-lock.json)
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && return
  npm ci --no-progress --loglevel=error
  echo "$wanted" > "$stamp"
}

# Builds when something that goes into the page is newer than the page.
build() {
  if [ -f dist/page/index.html ]; then
    local newer
    newer=$(find src public build index.html vite.config.ts package-lock.json ../proto/nigiri -newer dist/page/index.html -type f -not -path 'src/gen/*' -print -quit)
    [ -z "$newer" ] && return
  fi
  npm run --silent build
}

case "${1:-}" in
  page)
    if ! has_node; then
      echo "No Node.js 20 or later here: the binary is built without the page for people. Programs and terminals can play."
    elif ! { packages && build; }; then
      echo "The page for people could not be built: the binary is built without its newest state." >&2
    fi
    ;;
  check)
    need_node
    packages
    npm run --silent check
    build
    ;;
  e2e)
    need_node
    packages
    ../scripts/chromium.sh
    NIGIRI_BINARY=$(realpath "../${2:?the binary}") npm run --silent e2e
    ;;
  pictures)
    need_node
    packages
    ../scripts/chromium.sh
    made=$(mktemp -d)
    trap 'rm -rf "$made"' EXIT
    NIGIRI_PICTURES=$made NIGIRI_BINARY=$(realpath "../${2:?the binary}") npm run --silent e2e -- --grep @picture
    for picture in ../docs/images/*.jpg; do
      cp "$made/$(basename "$picture")" "$picture"
    done
    ;;
  *)
    echo "scripts/web.sh page | check | e2e BINARY | pictures BINARY" >&2
    exit 64
    ;;
esac
