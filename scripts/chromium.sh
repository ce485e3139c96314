#!/usr/bin/env bash
# Makes sure that Chromium is installed, with letters for the page's languages. On Debian, as root, it installs them; elsewhere it says
# what is missing.
set -euo pipefail
missing=()
command -v chromium >/dev/null || missing+=(chromium)
fc-list :lang=ja 2>/dev/null | grep -q . || missing+=(fonts-noto-cjk)
fc-list :lang=hi 2>/dev/null | grep -q . || missing+=(fonts-lohit-deva)
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Installing for the tests of the page: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends fontconfig "${missing[@]}" >/dev/null
  exit 0
fi
echo "The tests of the page need a browser and letters: ${missing[*]} (Debian: apt-get install ${missing[*]})." >&2
exit 1
