# Every habit has a target. `make` alone lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
TOOLS := .tools/bin
export PATH := $(CURDIR)/$(TOOLS):$(PATH)
ARGS ?=

.PHONY: help run page test web web-e2e pictures check fmt lint proto deny deploy-check pods image bench fuzz rival counts match simulate swarm tools servers examples

help: ## Lists the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: page ## Builds and starts the whole system in one process (ARGS="--listen 127.0.0.1:7979 --data DIR")
	@cargo build --release --bin nigiri
	@exec target/release/nigiri dev $(ARGS)

page: ## Builds the page for people into the next binary, where Node.js is there
	@scripts/web.sh page

test: tools servers examples page ## Everything that you need to trust a change; starts private servers itself
	cargo nextest run --workspace
	cargo test --workspace --doc --quiet
	.tools/bin/python scripts/pods.py target/debug/nigiri
	scripts/web.sh check
	scripts/web.sh e2e target/debug/nigiri

web: ## Checks the page: types, style, logic (needs Node.js 20 or later)
	@scripts/web.sh check

web-e2e: page ## Plays on the page in Chromium, against the real binary
	cargo build --quiet --bin nigiri
	@scripts/web.sh e2e target/debug/nigiri

pictures: page ## Makes the pictures of docs/images anew, from games on the page
	cargo build --quiet --bin nigiri
	@scripts/web.sh pictures target/debug/nigiri

check: fmt lint proto deny deploy-check test ## What CI runs

fmt: ## Checks the formatting
	cargo fmt --all --check

lint: ## Clippy, warnings denied
	cargo clippy --workspace --all-targets --quiet -- -D warnings

proto: tools ## Lints the API, checks its formatting, and that clients of the first version are understood
	cd proto && buf lint && buf format --diff --exit-code && buf breaking --against frozen/v1.binpb

deny: tools ## Licences, sources, duplicate versions
	cargo deny --log-level error check licenses bans sources

deploy-check: tools servers ## Renders deploy/ and checks it: schemas of Kubernetes, policy
	.tools/bin/python scripts/deploy_check.py

pods: tools servers ## Runs the pods of deploy/ on this machine, as their manifests say (as root)
	cargo build --quiet --bin nigiri
	.tools/bin/python scripts/pods.py target/debug/nigiri

image: page ## Builds the container image, without a container engine: target/nigiri.oci.tar
	scripts/static.sh
	scripts/image.py target/x86_64-unknown-linux-gnu/release/nigiri target/nigiri.oci.tar nigiri:$$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

bench: ## The figures of docs/performance.md (release build; takes some minutes)
	scripts/bench.sh

match: ## Our levels against GNU Go: docs/strength.md (GAMES=200; takes hours)
	scripts/match.sh

fuzz: ## Fuzzes SGF files, the input of the judge and games, SECONDS=n for each (60); needs no nightly compiler
	@scripts/fuzz.sh $(or $(SECONDS),60)

rival: ## Plays games of GNU Go against itself, and holds its dead stones against ours (gnugo is needed; an hour)
	PATH="$$PATH:/usr/games" cargo test --release -p goban --test estimate -- --ignored --nocapture another_engine

counts: ## Counts the legal positions of 4x4, on the fast board (a minute)
	cargo test --release -p goban --test board -- --ignored --nocapture 4x4

swarm: ## Many games against a running server (ARGS="--server URL --pairs N --seconds S")
	cargo run --release --bin nigiri -- swarm $(ARGS)

simulate: ## More seeds of the simulation (SEEDS=1000..2000), or one of them step by step (SEED=17)
ifdef SEED
	NIGIRI_ALOUD=1 NIGIRI_SEED=$(SEED) cargo test --quiet -p nigiri --test simulation -- one_seed --exact --ignored --nocapture
else
	NIGIRI_SEEDS=$(or $(SEEDS),500..1500) cargo test --quiet -p nigiri --test simulation -- no_seed --nocapture
endif

tools: ## Puts the checks' tools into .tools/
	@scripts/tools.sh

examples: ## Puts what the examples in Python and TypeScript need in place
	@scripts/examples.sh

servers: ## Makes sure that redis-server, PostgreSQL and promtool are installed
	@scripts/servers.sh
