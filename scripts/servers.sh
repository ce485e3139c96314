#!/usr/bin/env bash
# Makes sure that the server programs which the tests start privately are installed, redis-server and PostgreSQL, promtool, and what makes networks. On Debian, as root,
# it installs them (and starts none of them); elsewhere it says what is missing.
set -euo pipefail
missing=()
command -v redis-server >/dev/null && command -v redis-cli >/dev/null || missing+=(redis-server)
if ! command -v initdb >/dev/null && ! compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; then missing+=(postgresql); fi
command -v promtool >/dev/null || missing+=(prometheus)
if [ "$(uname)" = Linux ] && ! command -v bridge >/dev/null; then missing+=(iproute2); fi
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Installing for the tests: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  exit 0
fi
echo "The tests start private servers and need these packages: ${missing[*]} (Debian: apt-get install ${missing[*]})." >&2
exit 1
