# Every habit has a target. `make` alone lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
TOOLS := .tools/bin
export PATH := $(CURDIR)/$(TOOLS):$(PATH)
ARGS ?=

.PHONY: help run page test web web-e2e check fmt lint proto deny bench swarm tools servers

help: ## Lists the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: page ## Builds and starts the whole system in one process (ARGS="--listen 127.0.0.1:7979 --data DIR")
	@cargo build --release --bin nigiri
	@exec target/release/nigiri dev $(ARGS)

page: ## Builds the page for people into the next binary, where Node.js is there
	@scripts/web.sh page

test: tools servers page ## Everything that you need to trust a change; starts private servers itself
	cargo nextest run --workspace
	cargo test --workspace --doc --quiet
	scripts/web.sh check
	scripts/web.sh e2e target/debug/nigiri

web: ## Checks the page: types, style, logic (needs Node.js 20 or later)
	@scripts/web.sh check

web-e2e: page ## Plays on the page in Chromium, against the real binary
	cargo build --quiet --bin nigiri
	@scripts/web.sh e2e target/debug/nigiri

check: fmt lint proto deny test ## What CI runs

fmt: ## Checks the formatting
	cargo fmt --all --check

lint: ## Clippy, warnings denied
	cargo clippy --workspace --all-targets --quiet -- -D warnings

proto: tools ## Lints the API and checks its formatting
	cd proto && buf lint && buf format --diff --exit-code

deny: tools ## Licences, sources, duplicate versions
	cargo deny --log-level error check licenses bans sources

bench: ## The figures of docs/performance.md (release build; takes some minutes)
	scripts/bench.sh

swarm: ## Many games against a running server (ARGS="--server URL --pairs N --seconds S")
	cargo run --release --bin nigiri -- swarm $(ARGS)

tools: ## Puts buf, cargo-deny and cargo-nextest into .tools/
	@scripts/tools.sh

servers: ## Makes sure that redis-server and PostgreSQL are installed
	@scripts/servers.sh
