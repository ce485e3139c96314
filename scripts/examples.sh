#!/usr/bin/env bash
# What the examples of other languages need: a Python environment with grpcio in .tools/examples, packages of npm in examples/typescript, and the
# generated stubs of both. Does nothing when all is there and as new as the protos.
set -euo pipefail
cd "$(dirname "$0")/.."
for need in python3 node npm; do
  if ! command -v "$need" >/dev/null; then
    echo "The examples need $need (Debian: apt-get install python3-venv nodejs npm; Node 20 or later)." >&2
    exit 1
  fi
done
stamp=.tools/examples/installed
wanted=$(cat examples/python/requirements.txt examples/typescript/package-lock.json scripts/examples.sh | sha256sum)
if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$wanted" ] || [ ! -d examples/typescript/node_modules ]; then
  rm -rf .tools/examples
  mkdir -p .tools/examples
  python3 -m venv .tools/examples/python
  .tools/examples/python/bin/pip install --quiet --disable-pip-version-check -r examples/python/requirements.txt
  npm ci --prefix examples/typescript --silent --no-audit --no-fund
  echo "$wanted" > "$stamp"
fi
made=.tools/examples/made
now=$(find proto/nigiri examples/typescript/{src,proto,tsconfig.json,buf.gen.yaml} -type f -exec sha256sum {} + | sort | sha256sum)
if [ ! -f "$made" ] || [ "$(cat "$made")" != "$now" ] || [ ! -d examples/python/gen ] || [ ! -d examples/typescript/build ]; then
  rm -rf examples/python/gen examples/typescript/{gen,build}
  mkdir examples/python/gen
  (cd proto && find nigiri -name '*.proto' -exec ../.tools/examples/python/bin/python -m grpc_tools.protoc -I . \
    --python_out=../examples/python/gen --grpc_python_out=../examples/python/gen {} +)
  npm run --prefix examples/typescript --silent build
  echo "$now" > "$made"
fi
