# Every habit has a target. `make` alone lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
TOOLS := .tools/bin
export PATH := $(CURDIR)/$(TOOLS):$(PATH)
ARGS ?=

.PHONY: help run test check fmt lint proto deny bench fuzz rival counts swarm tools servers

help: ## Lists the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: ## Builds and starts the whole system in one process (ARGS="--listen 127.0.0.1:7979 --data DIR")
	@cargo build --release --bin nigiri
	@exec target/release/nigiri dev $(ARGS)

test: tools servers ## Everything that you need to trust a change; starts private servers itself
	cargo nextest run --workspace
	cargo test --workspace --doc --quiet

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

fuzz: ## Fuzzes SGF files, the judge's input and games, SECONDS=n for each (60); needs no nightly compiler
	@scripts/fuzz.sh $(or $(SECONDS),60)

rival: ## Plays games of GNU Go against itself, and holds its dead stones against ours (gnugo is needed; an hour)
	PATH="$$PATH:/usr/games" cargo test --release -p goban --test estimate -- --ignored --nocapture another_engine

counts: ## Counts the legal positions of 4x4, on the fast board (a minute)
	cargo test --release -p goban --test board -- --ignored --nocapture 4x4

swarm: ## Many games against a running server (ARGS="--server URL --pairs N --seconds S")
	cargo run --release --bin nigiri -- swarm $(ARGS)

tools: ## Puts buf, cargo-deny and cargo-nextest into .tools/
	@scripts/tools.sh

servers: ## Makes sure that redis-server and PostgreSQL are installed
	@scripts/servers.sh
