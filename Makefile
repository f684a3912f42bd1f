# Everything people and CI do with this repository. `make help` lists it.
# What was installed or built is remembered under .make/, so that nothing is done twice.

SHELL := /bin/bash -euo pipefail
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
# Tests start hundreds of interpreters: each would compile every module anew where this is set.
unexport PYTHONDONTWRITEBYTECODE
# Two tests at a time keep two cores busy: threads of numpy's own would only wait for each other.
export OPENBLAS_NUM_THREADS := 1

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := .make
STATIC := src/rollscope/server/static
DEMO ?= demo-run
# Tests that start servers, browsers and process pools share the machine well with one neighbour, not with many.
WORKERS ?= 2

# Installing compiles these, where there is a compiler.
COMPILED_SOURCES := $(wildcard src/rollscope/features/batches/*.[ch] src/rollscope/formats/lines/*.c src/rollscope/query/search/*.c)
PAGE_SOURCES := $(shell find web -name node_modules -prune -o -path web/coverage -prune -o -type f -print 2>/dev/null)

.PHONY: help
help: ## List these targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-15s %s\n", $$1, $$2 }'

# --- what has to be there first ---------------------------------------------------------------------------------------

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; PYTHON=… names one" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@# `pip install --group` came with 25.1.
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	@mkdir -p $(STAMPS) && touch $@

# The page is built before the package is installed: the package's build hook then finds it.
$(STAMPS)/install: $(STAMPS)/venv $(STAMPS)/page pyproject.toml $(COMPILED_SOURCES)
	$(BIN)/python -m pip install --quiet --editable '.[tui]'
	@touch $@

# First exactly what is pinned, by hash; then this package, and what pyproject.toml asks for and is not pinned yet.
$(STAMPS)/dev: $(STAMPS)/venv $(STAMPS)/page pyproject.toml requirements-dev.txt $(COMPILED_SOURCES)
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements-dev.txt
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable . --group dev
	@touch $@ $(STAMPS)/install

$(STAMPS)/cloud: $(STAMPS)/dev requirements-cloud.txt
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements-cloud.txt
	@touch $@

$(STAMPS)/node: web/package.json web/package-lock.json
	@command -v npm >/dev/null || { echo "Node 20 or newer is needed to build the page: https://nodejs.org" >&2; exit 1; }
	npm ci --prefix web --no-audit --no-fund --loglevel=error
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/page: $(STAMPS)/node $(PAGE_SOURCES)
	npm run --prefix web --silent bundle
	@touch $@

$(STAMPS)/system: scripts/system-packages
	scripts/system-packages
	@mkdir -p $(STAMPS) && touch $@

# --- what people do ---------------------------------------------------------------------------------------------------

.PHONY: page
page: $(STAMPS)/page ## Build the web page into the package

.PHONY: demo
demo: $(STAMPS)/install ## Write a demo run to ./demo-run and open it in the browser; ARGS='--no-serve' only writes it
	$(BIN)/rollscope demo $(DEMO) $(ARGS)

.PHONY: test
test: $(STAMPS)/dev $(STAMPS)/cloud $(STAMPS)/system ## Run all tests; ARGS='-k search' picks some
	@# Playwright keeps an event loop running in its process: tests with loops of their own need another one.
	@failed=0; for part in 'not browser and not trl and not verifiers and not cloud' browser cloud; do \
	  $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "$$part" $(ARGS) || [ $$? -eq 5 ] || failed=1; \
	done; exit $$failed

.PHONY: test-cloud
test-cloud: $(STAMPS)/dev $(STAMPS)/cloud ## Run only the tests against a real object store, on the loopback
	$(BIN)/python -m pytest -m cloud $(ARGS)

.PHONY: test-trl
test-trl: $(STAMPS)/dev ## Run the tests against a real TRL trainer; installs torch (CPU) and trl
	$(BIN)/python -m pip install --quiet 'torch==2.13.0' trl
	$(BIN)/python -m pytest -m trl $(ARGS)

.PHONY: test-verifiers
test-verifiers: $(STAMPS)/dev ## Run the tests against verifiers' own episodes; installs verifiers
	$(BIN)/python -m pip install --quiet 'verifiers==0.4.0'
	$(BIN)/python -m pytest -m verifiers $(ARGS)

.PHONY: check
check: $(STAMPS)/dev check-python check-web check-docs ## Check formatting, lint, types, import rules, the page's tests and documentation

.PHONY: check-python
check-python: $(STAMPS)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	@# Its cache can be stale, and saves nothing.
	$(BIN)/lint-imports --no-cache

.PHONY: check-web
check-web: $(STAMPS)/node
	npm run --prefix web --silent lint
	npm run --prefix web --silent api:check
	npm run --prefix web --silent types
	npm run --prefix web --silent test

.PHONY: check-docs
check-docs: $(STAMPS)/dev
	$(BIN)/python -m pytest -q tests/test_docs.py tests/docs/test_numbers.py tests/test_imports.py

.PHONY: bench
bench: $(STAMPS)/dev $(STAMPS)/system ## Measure speed: the table of docs/performance.md; ARGS='--help' says what it takes
	$(BIN)/python -m bench $(ARGS)

.PHONY: soak
soak: $(STAMPS)/dev $(STAMPS)/system ## Try to break it, for minutes or hours: the figures of docs/reliability.md; ARGS='--only kills --long'
	$(BIN)/python -m soak $(ARGS)

.PHONY: insight-report
insight-report: $(STAMPS)/dev ## Plant problems into runs and measure which are found: the table of docs/insights.md
	$(BIN)/python -m bench.insight_report $(ARGS)

.PHONY: fmt
fmt: $(STAMPS)/dev $(STAMPS)/node ## Format and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	npm run --prefix web --silent format

.PHONY: docs
docs: $(STAMPS)/dev ## Write the tables of commands, flags, settings and formats into docs/
	$(BIN)/python -m scripts.reference

.PHONY: api
api: $(STAMPS)/dev $(STAMPS)/node ## Write docs/openapi.json from the server, and the page's types from that
	$(BIN)/python -m rollscope.server.schema.openapi > docs/openapi.json
	npm run --prefix web --silent api

.PHONY: lock
lock: $(STAMPS)/venv ## Pin new development dependencies in requirements-dev.txt; ARGS=--upgrade takes newer versions
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/python scripts/lock.py $(ARGS)

.PHONY: hooks
hooks: $(STAMPS)/dev $(STAMPS)/node ## Have git run ruff and biome before every commit
	$(BIN)/pre-commit install

.PHONY: screenshots
screenshots: $(STAMPS)/dev $(STAMPS)/system ## Take a picture of every page, light and dark, into ./screenshots
	$(BIN)/python -m scripts.screenshots screenshots $(ARGS)

.PHONY: dist
dist: $(STAMPS)/dev ## Build the wheels (for every platform; with the compiled part for this one) and the source archive into ./dist
	rm -rf dist
	ROLLSCOPE_PURE=1 $(BIN)/python -m hatchling build -t sdist -t wheel -d dist
	$(BIN)/python -m hatchling build -t wheel -d dist

.PHONY: check-dist
check-dist: dist ## Install both archives into empty environments, with dependencies from the registry, and open a run
	scripts/check-dist dist/*.whl dist/*.tar.gz

.PHONY: clean
clean: ## Remove what was built; the environment in .venv stays
	rm -rf $(STAMPS) $(STATIC) dist build web/node_modules web/openapi-types/node_modules web/coverage screenshots .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
