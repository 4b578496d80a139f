# dowse: bare `make` lists the targets.

STATICCHECK = go run honnef.co/go/tools/cmd/staticcheck@v0.8.2
# Packages that start goroutines: the race detector runs on these.
RACE = ./crawler ./internal/cluster ./internal/search ./internal/sink ./internal/operations ./internal/api ./internal/agents ./internal/server ./internal/dashboard ./fetch ./judge ./internal/outside ./internal/directory ./internal/text ./internal/archive ./internal/demo ./internal/lab/web
# Packages that start goroutines in one place each, and the tests of these places: a test of internal/skips fails when
# there are others.
RACE_FEW = ./crawl ./collection ./lab/experiment
RACE_FEW_TESTS = ^Test(Live|Export|SameBytes|Resume|SitesInterrupted|RunSynthetic)

CHAOS ?= 1h
SOAK ?= 2h

.PHONY: viewers million results help test concurrently vet staticcheck browser unit race cross build release demo bench exportcost sinkcost costs races curves fuzz faults outages chaos clusterchaos soak

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

# Compilers and checkers that collect garbage less often need less processor time, and twice the memory. Tests run as
# programs do (TEST): some of them measure memory. Tables for debuggers, which tests do not need, are an eighth of the
# compiling; what shares a cache must have the same flags.
TOOLS = GOGC=400
CHECKED = $(TOOLS) GOFLAGS="$$(go env GOFLAGS) -gcflags=all=-dwarf=false"

# Many tests wait, for hosts that do not answer and processes that are killed. The other checks use the processors
# meanwhile. go vet comes first, alone: it compiles what the tests need, and two commands would compile it twice.
test: browser vet ## everything that CI checks
	@$(MAKE) -s -k -j2 concurrently

concurrently: unit staticcheck race cross

vet: ## formatting, go vet
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not gofmt-ed:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(CHECKED) go vet ./...

staticcheck: ## staticcheck
	$(CHECKED) $(STATICCHECK) ./...

# The tests of the dashboard need a browser, and axe-core to check that it is accessible. Both are fetched where
# that is possible; tests that lack them are skipped, and the list of skips shows it.
AXE = axe-core-4.14.0
AXE_DIR = $${XDG_CACHE_HOME:-$$HOME/.cache}/dowse-test/$(AXE)
browser: ## what the tests of the dashboard need: chromium, and axe-core in the cache of the user
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || { apt-get install -y chromium >/dev/null 2>&1 || { apt-get update >/dev/null 2>&1 && apt-get install -y chromium >/dev/null 2>&1; }; } || echo "no chromium: the tests in a browser are skipped"
	@test -f $(AXE_DIR)/axe.min.js || { mkdir -p $(AXE_DIR) && cd $(AXE_DIR) && npm pack -s axe-core@$(AXE:axe-core-%=%) >/dev/null 2>&1 && tar xzf $(AXE).tgz package/axe.min.js && mv package/axe.min.js . && rm -r package $(AXE).tgz; } || echo "no axe-core: the test of accessibility is skipped"

# The programs of tests are linked without tables for debuggers, which saves a third of the linking.
TEST = -vet=off -ldflags=-w -timeout 30m -exec 'env -u GOGC'
# These tests wait most of their time, for hosts that do not answer and processes that are killed: they begin first.
SLOW = ./internal/hostile ./cmd/dowse ./crawler
unit: ## all tests
	$(CHECKED) go run ./internal/skips -as unit $(TEST) -p 4 -parallel 4 $(SLOW) ./...

# Under the race detector, packages of others are not optimized, which saves a third of compiling them.
RACED = -race -gcflags=all=-dwarf=false $(foreach p,github.com golang.org google.golang.org go.yaml.in go.etcd.io cel.dev gonum.org,'-gcflags=$(p)/...=-N -l -dwarf=false')
race: ## the race detector on the packages that start goroutines
	$(TOOLS) go build $(RACED) $(RACE) $(RACE_FEW) ./cmd/dowse
	$(TOOLS) go run ./internal/skips -as race $(TEST) $(RACED) -short -p 2 $(RACE)
	$(TOOLS) go run ./internal/skips -as race $(TEST) $(RACED) -short -run '$(RACE_FEW_TESTS)' $(RACE_FEW)
	$(TOOLS) go run ./internal/skips -as race $(TEST) $(RACED) -short -run TestScripts ./cmd/dowse

races: ## all tests of the packages that start goroutines under the race detector, also those that make test leaves out
	$(TOOLS) go test $(TEST) $(RACED) -p 2 $(RACE) $(RACE_FEW)

# A type check of everything from source, with the files of these systems. "make release" links the programs.
cross: ## compile errors on macOS and Windows
	go run ./internal/platforms darwin/arm64 windows/amd64

build: ## a static binary, ./dowse
	CGO_ENABLED=0 go build -trimpath -o dowse ./cmd/dowse

release: ## archives for Linux, macOS and Windows in dist/, with completions, manual page and checksums
	cmd/dowse/release.sh

demo: ## crawl the built-in demo web
	go run ./cmd/dowse demo

curves: ## draw docs/harvest.svg again
	go run ./cmd/dowse demo --curves docs/harvest.svg

CORPUS ?= /tmp/dowse-corpus.dowse
exportcost: ## export 100,000 pages of 20 KB on 2 processors: pages/s, heap, processor time; keeps its collection in $(CORPUS)
	GOMAXPROCS=2 go test ./collection -run '^$$' -bench ExportCorpus -benchtime 1x -corpus-pages 100000 -corpus-dir $(CORPUS) -timeout 4h

PAIRS ?= 5
sinkcost: ## crawl 12,000 pages without and with each kind of sink, and with four, in turn, PAIRS times, and print what sinks cost
	for i in $$(seq $(PAIRS)); do GOMAXPROCS=2 go test ./internal/sink -run '^$$' -bench 'CrawlWithSinks/^(none|jsonl|http|opensearch|nats|four)$$' -benchtime 1x -sink-pages 12000 -timeout 2h 2>&1; done | \
	awk '/^Benchmark/ { for (i = 2; i <= NF; i++) { if ($$i ~ /^cpu/) v = $$(i-1); if ($$i ~ /^records/) r = $$(i-1) } split($$1, n, /[\/-]/); if (n[2] == "none") base = v; else printf "%s %.1f us, %+.1f %% of the crawl, %.2f records per page by its end\n", n[2], v, (v / base - 1) * 100, r; next } \
	!/^(goos|goarch|pkg|cpu|PASS|ok)/ { print; bad = 1 } END { exit bad }'

bench: ## benchmarks of the hot paths
	go test -run '^$$' -bench . -benchmem ./weburl ./internal/text ./judge ./internal/extract ./fetch ./internal/archive ./internal/frontier ./internal/admission ./crawl ./strategy ./strategy/internal/treasure ./strategy/internal/interest ./internal/demo

viewers: ## what an open dashboard costs a crawl: ten pairs of crawls, with and without a viewer
	go test ./internal/dashboard -run '^$$' -bench 'Viewer$$' -timeout 0 -args -pairs 10

MILLION ?= $(CURDIR)/million
million: ## every page of the dashboard over a collection of a million pages, and searches in 100,000, made once in MILLION=million (1.3 GB)
	go test ./internal/operations -run '^$$' -bench Open -timeout 0 -args -pages 1000000 -made $(MILLION)
	test -d $(MILLION)/other.dowse || cp -rl $(MILLION)/large.dowse $(MILLION)/other.dowse
	test -d $(MILLION)/texts || { mkdir $(MILLION)/texts && go test ./internal/search -run 'TestMeasure$$' -timeout 0 -args -measure 100000 -keep $(MILLION)/texts/prose.dowse; }
	DASHBOARD_BENCH=$(MILLION) DASHBOARD_SEARCH=$(MILLION)/texts go test ./internal/dashboard -run '^$$' -bench 'Page|Fifty' -benchtime 60x -timeout 0

results: ## docs/results.md from runs of all experiments: an hour of processor time; continues what was begun, EXPERIMENTS="002-f9" for some (other sections stay)
	lab/experiment/results.sh

costs: ## the table of docs/strategy-costs.md: a quarter of an hour on a machine at rest, 6 GB
	strategy/costs.sh

faults: ## fail every call to the file system and the network in every way; all commands over a stranger's directories
	DOWSE_ALL_FAULTS=1 go test -timeout 60m -v -run 'TestFaults$$' ./crawler
	DOWSE_ALL_FAULTS=1 go test -timeout 120m -v -run 'TestNetFaults$$' ./crawler
	DOWSE_ALL_FAULTS=1 go test -timeout 60m -run 'TestStrangersDirectory$$' ./cmd/dowse

outages: ## crawls without network, name server, files or memory, for as long as such trouble lasts: ten minutes
	DOWSE_LONG=1 go test ./cmd/dowse -run 'TestLongOrdeals|TestWithoutNetwork|TestFewOpenFiles|TestMemoryIsKept' -v -timeout 30m

chaos: ## crawls that are killed, frozen and starved at random, for CHAOS=1h, then clusters for as long; a failed collection is kept
	go test ./cmd/dowse -run 'TestChaos$$' -v -timeout 0 -chaos $(CHAOS)
	$(MAKE) clusterchaos

clusterchaos: ## clusters whose processes and NATS servers are killed, frozen and cut off at random, for CHAOS=1h
	go test ./cmd/dowse -run 'TestClusterChaos$$' -v -timeout 0 -clusterchaos $(CHAOS)

soak: build ## a crawl with 5 % faults that is killed and resumed 20 times, for SOAK=2h, 2.5 GB; prints how fast it grows
	cd bench && go run . soak -dowse ../dowse -for $(SOAK) -faults 0.05 -kills 20 -pages 250000 -rate 12

fuzz: ## each fuzz test for half a minute
	@for p in $$(git ls-files '*_test.go' | xargs grep -l 'func Fuzz' | xargs -n1 dirname | sort -u); do \
	  for f in $$(grep -ho 'func Fuzz[A-Za-z0-9]*' $$p/*_test.go | sed 's/func //' | sort -u); do \
	    echo "$$p $$f"; go test ./$$p -run '^$$' -fuzz "^$$f$$" -fuzztime 30s -fuzzminimizetime 5x || exit 1; \
	  done; done
