# Every habit has a target. `make` alone lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
TOOLS := .tools/bin
export PATH := $(CURDIR)/$(TOOLS):$(PATH)
ARGS ?=

.PHONY: help run test check fmt lint proto deny deploy-check image bench swarm tools servers examples

help: ## Lists the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: ## Builds and starts the whole system in one process (ARGS="--listen 127.0.0.1:7979 --data DIR")
	@cargo build --release --bin nigiri
	@exec target/release/nigiri dev $(ARGS)

test: tools servers examples ## Everything that you need to trust a change; starts private servers itself
	cargo nextest run --workspace
	cargo test --workspace --doc --quiet

check: fmt lint proto deny deploy-check test ## What CI runs

fmt: ## Checks the formatting
	cargo fmt --all --check

lint: ## Clippy, warnings denied
	cargo clippy --workspace --all-targets --quiet -- -D warnings

proto: tools ## Lints the API, checks its formatting, and that clients of the first version are understood
	cd proto && buf lint && buf format --diff --exit-code && buf breaking --against frozen/v1.binpb

deny: tools ## Licences, sources, duplicate versions
	cargo deny --log-level error check licenses bans sources

deploy-check: tools ## Renders deploy/ and checks it: schemas of Kubernetes, policy
	.tools/bin/python scripts/deploy_check.py

image: ## Builds the container image, without a container engine: target/nigiri.oci.tar
	scripts/static.sh
	scripts/image.py target/x86_64-unknown-linux-gnu/release/nigiri target/nigiri.oci.tar nigiri:$$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

bench: ## The figures of docs/performance.md (release build; takes some minutes)
	scripts/bench.sh

swarm: ## Many games against a running server (ARGS="--server URL --pairs N --seconds S")
	cargo run --release --bin nigiri -- swarm $(ARGS)

tools: ## Puts the checks' tools into .tools/
	@scripts/tools.sh

examples: ## Puts what the examples in Python and TypeScript need in place
	@scripts/examples.sh

servers: ## Makes sure that redis-server and PostgreSQL are installed
	@scripts/servers.sh
