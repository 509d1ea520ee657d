# Targets for development. `.ci/run` runs the checks that every change must pass.
GO       ?= go
FUZZTIME ?= 20s
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: build notices docs update test arm64 race lint fuzz bench fault long cover cross oracle harness drift browser mcp images fleet
.PHONY: linear fleet-scale catalogue tokenizer vet-tests windows
.PHONY: release-files snapshot release reproducible image image-test deb-test module

# The tag leaves out a generator of man pages, which costs time at every start.
build:
	CGO_ENABLED=0 $(GO) build -tags urfave_cli_no_docs -trimpath -ldflags '-s -w' -o bin/clawctl ./cmd/clawctl

# Collect the licences of everything that is linked into the binary, for a release: bin/THIRD_PARTY_NOTICES.
notices:
	$(GO) run ./scripts/notices -o bin/THIRD_PARTY_NOTICES ./cmd/clawctl

# Write docs/commands.md, the tables of the README and of docs/findings.md from the tables
# of commands and codes.
docs:
	UPDATE_DOCS=1 $(GO) test -count 1 -run TestGenerated ./cmd/clawctl

# Compare token counts with a second implementation of the encodings, tiktoken-go/tokenizer, in a module of its own.
tokenizer:
	cd scripts/second-tokenizer && $(GO) run . -n $${TEXTS:-20000}

# Make the catalogue of models (pkg/models/catalogue.tsv) from the newest release of pi-ai, which npm fetches.
catalogue:
	cd pkg/models && $(GO) generate .

# Renew everything that is written by a test: the documents, screens and scripts. Look at the difference before
# you commit it. A path of this machine in it is an error.
update: docs
	UPDATE_DOCS=1 UPDATE_SCREENS=1 UPDATE_SCRIPTS=1 $(GO) test -count 1 \
		-run 'TestDocExamples|TestScreens|TestShapeScreens|TestPagerScreens|TestScripts' ./cmd/clawctl
	scripts/no-machine-paths.sh

test:
	$(GO) test ./...

# Run the vector instructions of arm64 in an emulator (Debian: qemu-user).
arm64:
	CGO_ENABLED=0 GOARCH=arm64 $(GO) test -exec qemu-aarch64 -run 'UTF8|Marks|Plain|FindPair|Vectors' \
		./pkg/jsonl ./internal/pairs ./pkg/change/secrets

# A race in a program that a test starts is written to bin/race too, since the test may expect a failure. Without
# the first setting each of these programs waits for a second at its end.
race:
	@mkdir -p bin && rm -f bin/race.*
	GORACE='atexit_sleep_ms=20 log_path=$(CURDIR)/bin/race' $(GO) test -race -short -timeout 90m ./...
	@! cat bin/race.* 2>/dev/null

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo 'run gofmt -w on these files'; exit 1; }
	$(GO) vet ./...
	$(GO) mod tidy -diff
	$(GO) tool staticcheck ./...

# Build for every platform, without optimization to save time.
cross:
	@for platform in $(PLATFORMS); do \
		echo "$$platform"; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) build -gcflags 'all=-N -l' ./... || exit 1; \
	done

# Check that the tests compile for the other systems, too: go vet reads them. It uses what cross has built.
vet-tests:
	@for platform in windows/amd64 darwin/arm64; do \
		echo "tests for $$platform"; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) vet -gcflags 'all=-N -l' ./... || exit 1; \
	done

# Run the tests for Windows under wine (Debian: wine wine64 gcc-mingw-w64-x86-64). For some of them:
# make windows PACKAGES='./pkg/source ./cmd/clawctl'
windows:
	scripts/windows/run.sh $(PACKAGES)

# Run every fuzz target for FUZZTIME: make fuzz FUZZTIME=5m
fuzz:
	@for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package || exit 1; \
		done; \
	done

# Compare speed, memory and size with simdjson, DuckDB, ripgrep and others, as ratios within one run. The figures are in
# scripts/bench/table.txt. To update docs/benchmarks.md: make bench BENCHFLAGS='-markdown docs/benchmarks.md'
bench:
	$(GO) run ./scripts/bench $(BENCHFLAGS)

# Check that every command takes at most 2.3 times as long for twice as much: chains of forks, distinct keys, many
# sessions, subagents and copies. It takes half an hour. For a part: make linear LINEAR='-shape forks -only validate'
linear:
	$(GO) run ./scripts/linear $(LINEAR)

# Test imports and other writers with kills, power cuts, full disks and failing system calls. It needs Linux, and root
# and strace for all checks. It takes up to 40 minutes. For more faults: make fault KILLS=1000 STATES=20000 CROWD=30m
# For one check of scripts/fault: make fault ONLY=R1
KILLS  ?= 200
CUTS   ?= 25
STATES ?= 2000
ROUNDS ?= 100
FLIPS  ?= 1000
VALUES ?= 2000
CROWD  ?= 4m
fault:
	CLAWCTL_FAULT=1 $(GO) test -count 1 -v -timeout 120m -run 'Faults/$(ONLY)' ./scripts/fault \
		-kills $(KILLS) -cuts $(CUTS) -states $(STATES) -rounds $(ROUNDS) -crowd $(CROWD)
	CLAWCTL_LONG=1 CLAWCTL_VALUES=$(VALUES) CLAWCTL_TAIL=4096 CLAWCTL_APPEND=60s CLAWCTL_FLIPS=$(FLIPS) \
		$(GO) test -count 1 -v -timeout 60m \
		-run 'Restores|Mutation|TornTail|Appender|Flipped|Histories|HostileHomes' ./pkg/migrate

# Run the tests with all the random inputs that the usual run has no time for. It takes up to an hour.
long:
	CLAWCTL_LONG=1 $(GO) test -count 1 -timeout 120m ./...

cover:
	$(GO) test -coverprofile cover.out -coverpkg ./cmd/...,./pkg/... ./...
	$(GO) tool cover -func cover.out | tail -n 1

# The real programs, from npm. Versions are settings: OPENCLAW, PI, CLAUDE and CODEX, as in `make harness CLAUDE=2.1.119`
# (scripts/oracle.sh has the usual ones).
ORACLE_DIR ?= $(HOME)/.cache/clawctl-oracle
export ORACLE_DIR

# Compare conversions, compactions, checkpoints, dates and random trees with the real OpenClaw, pi and node. TREES,
# PI_TREES and SEED select the random trees.
oracle:
	scripts/oracle.sh openclaw
	CLAWCTL_ORACLE=$(ORACLE_DIR) CLAWCTL_TREES=$${TREES:-10000} CLAWCTL_PI_TREES=$${PI_TREES:-10000} \
	CLAWCTL_SEED=$${SEED:-clawctl} $(GO) test -count 1 -v -timeout 120m -run 'OpenClaw|TreesOfPi|LikeNode' \
		./cmd/clawctl ./pkg/window/compact ./pkg/jsontext/javascript

# Let the real Claude Code and Codex hold random conversations with a scripted model, change copies of their files into
# what older versions write, and compare what the programs send when they resume them, and what the model counted, with
# what clawctl makes of the files: SESSIONS of each program. An older CLAUDE or CODEX writes the sessions, and the usual
# one resumes them. HARNESS keeps the files.
HARNESS ?= $(HOME)/.cache/clawctl-harness$(if $(CLAUDE),-claude-$(CLAUDE))$(if $(CODEX),-codex-$(CODEX))
harness:
	scripts/oracle.sh harness
	scripts/harness/run.sh $(HARNESS) $${SESSIONS:-200} $${SEED:-1}
	CLAWCTL_HARNESS=$(HARNESS) $(GO) test -count 1 -v -run Harness ./pkg/rebuild ./cmd/clawctl

# Look for what clawctl does not know of today's programs: in the types of the newest npm packages of OpenClaw and pi, in
# sessions that they, Claude Code and Codex write, and in real transcripts. Anything unknown is an error. OPENCLAW, PI,
# CLAUDE and CODEX choose other versions.
DRIFT_CACHE ?= $(HOME)/.cache/clawctl-drift
DRIFT_WRITTEN = $(DRIFT_CACHE)/written$(if $(CLAUDE),-claude-$(CLAUDE))$(if $(CODEX),-codex-$(CODEX))
drift:
	scripts/oracle.sh openclaw
	scripts/oracle.sh harness
	scripts/harness/run.sh $(DRIFT_WRITTEN) $${SESSIONS:-40}
	$(GO) run ./scripts/drift -cache $(DRIFT_CACHE) -oracle $(ORACLE_DIR) -written $(DRIFT_WRITTEN)/written \
		-shared ../shared/transcripts $(if $(OPENCLAW),-openclaw $(OPENCLAW)) $(if $(PI),-pi $(PI))

# Test pages in Chromium, with 50,000 entries, every transcript, axe-core from npm, and screenshots in bin/shots.
BROWSER_CACHE ?= $(HOME)/.cache/clawctl-browser
browser:
	mkdir -p $(BROWSER_CACHE) bin/shots
	test -d $(BROWSER_CACHE)/node_modules/axe-core || npm install --prefix $(BROWSER_CACHE) axe-core@4
	CLAWCTL_BROWSER=1 CLAWCTL_SHOTS=$(CURDIR)/bin/shots \
		CLAWCTL_AXE=$(BROWSER_CACHE)/node_modules/axe-core/axe.min.js \
		$(GO) test -count 1 -v -timeout 30m -run Browser ./pkg/export/page

# Let the official clients from npm and the inspector's command line call every tool of clawctl mcp, and let Claude Code,
# Codex, OpenClaw and pi read its configuration (../shared/oracle installs them). Without npm, nothing is tested.
MCP_CACHE ?= $(HOME)/.cache/clawctl-mcp
mcp:
	command -v npm || { echo 'npm is not installed'; exit 0; }; mkdir -p $(MCP_CACHE) && \
		test -d $(MCP_CACHE)/node_modules/@modelcontextprotocol/inspector || npm install --prefix $(MCP_CACHE) \
		@modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/inspector@2.12.0
	test ! -d $(MCP_CACHE)/node_modules || CLAWCTL_MCP=$(MCP_CACHE) \
		CLAWCTL_ORACLE=$(ORACLE_DIR) $(GO) test -count 1 -v -run MCP ./cmd/clawctl

# Compare datasets with stats by a real DuckDB and a real ClickHouse, from npm, run the recipes of docs/fleet.md, and
# push sessions to a real PostgreSQL, which Debian's package installs.
FLEET_CACHE ?= $(HOME)/.cache/clawctl-fleet
fleet:
	mkdir -p $(FLEET_CACHE)
	test -d $(FLEET_CACHE)/node_modules/@duckdb || npm install --prefix $(FLEET_CACHE) @duckdb/node-api@1.5.6-r.1
	test -d $(FLEET_CACHE)/node_modules/chdb || npm install --prefix $(FLEET_CACHE) chdb@3.4.0
	ls /usr/lib/postgresql/*/bin/initdb || apt-get install -y postgresql
	CLAWCTL_LONG=1 CLAWCTL_DUCKDB=$(FLEET_CACHE) $(GO) test -count 1 -v -run 'DuckDB|ClickHouse|Postgres' ./cmd/clawctl

# Simulate 1,000 gateways that share one dataset in object storage, for the numbers of docs/fleet-scale.md. It takes some
# 5 minutes, and prints requests and processor time.
# For another fleet: make fleet-scale SCALE='-homes 100 -size 4000000'
fleet-scale:
	mkdir -p $(FLEET_CACHE)
	test -d $(FLEET_CACHE)/node_modules/@duckdb || npm install --prefix $(FLEET_CACHE) @duckdb/node-api@1.5.6-r.1
	test -d $(FLEET_CACHE)/node_modules/chdb || npm install --prefix $(FLEET_CACHE) chdb@3.4.0
	$(GO) run ./scripts/fleet -engines $(FLEET_CACHE) $(SCALE)

# Take the screenshots of the README.
images:
	mkdir -p docs/images
	CLAWCTL_ENGINES=1 CLAWCTL_IMAGES=$(CURDIR)/docs/images $(GO) test -count 1 -run BrowserImages ./pkg/export/page

# What a release has besides binaries: completions, compressed man pages, licences. .goreleaser.yaml asks for it.
release-files:
	rm -rf bin/release
	mkdir -p bin/release/completions bin/release/man
	$(GO) build -o bin/release/clawctl ./cmd/clawctl
	bin/release/clawctl completion bash > bin/release/completions/clawctl.bash
	bin/release/clawctl completion zsh > bin/release/completions/_clawctl
	bin/release/clawctl completion fish > bin/release/completions/clawctl.fish
	bin/release/clawctl completion powershell > bin/release/completions/clawctl.ps1
	CLAWCTL_MAN=$(CURDIR)/bin/release/man $(GO) test -count 1 -run TestManPages ./cmd/clawctl
	gzip -9nk bin/release/man/*.1
	$(GO) run ./scripts/notices -o bin/release/THIRD_PARTY_NOTICES ./cmd/clawctl

# Build everything that a release has into dist, without publishing it. Without the address of a remote, GoReleaser
# knows neither the commit nor its time, so a clone without one gets an address for this run.
GORELEASER ?= $(GO) run github.com/goreleaser/goreleaser/v2@v2.15.1
snapshot: export NEXT_RELEASE = $(shell sed -n 's/^const nextRelease = "\(.*\)"/\1/p' cmd/clawctl/version.go)
snapshot: export GIT_CONFIG_COUNT = 1
snapshot: export GIT_CONFIG_KEY_0 = remote.origin.url
snapshot: export GIT_CONFIG_VALUE_0 = https://github.com/example/clawctl
snapshot:
	$(GORELEASER) check
	$(GORELEASER) release --snapshot --clean

# Build and publish the release of the tag that is checked out. The workflow calls it.
release:
	$(GORELEASER) release --clean --release-notes $(NOTES)

# Build this commit twice, in two folders, and compare the bytes. To compare those of `make snapshot` too, for two
# platforms: make reproducible DIST=dist PLATFORMS='linux/amd64 darwin/arm64'
reproducible:
	PLATFORMS='$(PLATFORMS)' DIST='$(DIST)' scripts/reproducible.sh

# Build the image of the Dockerfile.
image: build notices
	docker build -t clawctl .

# Build the image without a container engine, and run clawctl in it. It needs Linux, root and buildah (Debian: buildah).
image-test: build notices
	scripts/image-test.sh

# Install the package of `make snapshot` in a new Debian and run the commands of the README there. It needs root and
# debootstrap (Debian: debootstrap).
deb-test:
	scripts/deb-test.sh dist/clawctl_*_linux_$$($(GO) env GOARCH).deb

# Give the module another path, everywhere: make module MODULE=example.org/you/clawctl. Other texts that begin like it,
# such as the name of the fingerprints in SARIF, stay.
module:
	old=$$($(GO) list -m) && $(GO) mod edit -module $(MODULE) && grep -rl --include='*.go' "\"$$old/" . | \
		xargs sed -E -i.old "s#\"$$old/(cmd/|pkg/|internal/|scripts/|\")#\"$(MODULE)/\\1#g"
	sed -E -i.old "s#^(module|replace|	) ?clawctl#\\1 $(MODULE)#" scripts/second-tokenizer/go.mod
	find . -name '*.go.old' -delete -o -name go.mod.old -delete
	gofmt -w .
