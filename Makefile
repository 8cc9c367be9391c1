# What can be done here. "make run" is enough to start; README.md says more.

GO      ?= go
SUDO    := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
JS      := GOOS=js GOARCH=wasm
EXEC     = $(shell $(GO) env GOROOT)/lib/wasm/wasm_exec.js
QUALITY  = 5
BASE    ?= /
# Packages for the browser, and all but the end-to-end tests.
BROWSER  = ./wasm/... ./app ./components/...
UNITS    = $(shell $(GO) list ./... | grep -v '/app/e2e')

# The compiler copies small functions into those that call them. In the browser
# that would be 5% of what everybody downloads, so it is done only where time is
# spent: in the standard library and in our cryptography. Of patterns the last counts.
LEAN     = all=-l std= parley/wasm/internal/...= parley/wasm/nip44= parley/wasm/signer= \
           parley/wasm/verify= golang.org/x/crypto/...=

.PHONY: run build dist test bench fmt generate vet wasm pack binary lint browser

run: binary ## build quickly, serve on http://localhost:8080 with a relay in ./data
	bin/parley

build: QUALITY = 11
build: binary ## bin/parley, with everything it serves inside, best compressed

dist: QUALITY = 11
dist: pack ## dist/, static files for any host: make dist RELAYS="wss://..." [BASE=/parley/]
	rm -rf dist
	$(GO) run ./server/static/build -out dist -base "$(BASE)" $(foreach relay,$(RELAYS),-relay "$(relay)")

test: lint binary browser ## everything that is checked
	$(GO) test -race -timeout 10m $(UNITS)
	$(GO) test -timeout 10m ./app/e2e/...

bench: QUALITY = 11
bench: pack browser ## the figures of the design, beside other libraries'
	npm install --prefix .bench --no-audit --no-fund --silent
	node .bench/figures.mjs

fmt: ## format everything
	gofmt -w app components server wasm web
	$(GO) tool templ fmt web

generate: ## the Go code of the templ pages
	$(GO) tool templ generate

vet:
	$(GO) vet ./...
	$(JS) $(GO) vet $(BROWSER)

lint: vet
	@unformatted=$$(gofmt -l app components server wasm web); \
	if [ -n "$$unformatted" ]; then echo "not gofmt-ed, run make fmt:" $$unformatted; exit 1; fi
	.ci/generated

# Against copies of libraries without what the browser never uses: wasm/lean.
wasm:
	$(GO) run ./wasm/lean/build -out bin/lean
	$(JS) $(GO) build -modfile=bin/lean/go.mod -trimpath -ldflags='-s -w' $(LEAN:%=-gcflags=%) -o bin/app.wasm ./wasm

pack: wasm
	$(GO) run ./server/files/build -exec "$(EXEC)" -quality $(QUALITY)

binary: pack
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/parley ./server

# A Chromium for the end-to-end tests, unless there is one.
browser:
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	$(SUDO) apt-get update && $(SUDO) apt-get install -y chromium
