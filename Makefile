# make demo   installs, builds the demonstration, serves it
# make test   every check and every test, the browser's included
# make check  formatters, linters and types alone
# make bench  boot, query and transfer measured against stock Pyodide; SETS=FOLDER: systems of retrieval and languages as well
# make screenshots   every state of the page, as pictures in dist/screenshots
# make site   the demonstration in dist/demo, without serving it

PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
INSTALLED := .venv/.installed
DEVELOPED := .venv/.developed
MODULES := node_modules/.package-lock.json
DEMO := dist/demo/index.html
SOURCES := $(shell find py build site -type f -not -path '*/__pycache__/*' 2>/dev/null)

.DELETE_ON_ERROR:
.PHONY: demo site test check bench screenshots chromium

demo: $(DEMO)
	$(BIN)/ibid serve dist/demo --port $(PORT)

site: $(DEMO)

$(DEMO): $(INSTALLED) $(MODULES) $(SOURCES)
	docs="$$($(BIN)/python -m ibid_build.demo)" && \
		$(BIN)/ibid build "$$docs" --out dist/demo --config build/ibid_build/demo.toml

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than 3.11; name another one: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	$(PYTHON) -m venv .venv

$(INSTALLED): pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[build]'
	@touch $@

$(DEVELOPED): pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[build,dev]'
	@touch $@ $(INSTALLED)

$(MODULES): package-lock.json package.json
	npm ci
	@touch $@

# The browser's driver keeps an event loop running in its process: its tests have a process of their own.
test: check chromium
	node --test tests/js/
	$(BIN)/python -m pytest --ignore tests/e2e
	$(BIN)/python -m pytest tests/e2e

check: $(DEVELOPED) $(MODULES)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	npx tsc --project tsconfig.json
	npx tsc --project tsconfig.worker.json
	npx biome check

bench: $(DEVELOPED) $(DEMO) chromium
	PYTHONPATH=tests/support $(BIN)/python tests/bench/boot.py dist/demo
	PYTHONPATH=tests/support $(BIN)/python tests/bench/worker.py dist/demo
	$(BIN)/python tests/bench/scale.py
	test -z "$(SETS)" || $(BIN)/pip install --quiet --disable-pip-version-check --editable '.[bench]'
	test -z "$(SETS)" || $(BIN)/python tests/bench/systems.py $(SETS)
	test -z "$(SETS)" || $(BIN)/python tests/bench/languages.py

screenshots: $(DEVELOPED) $(MODULES) chromium
	PYTHONPATH=tests/support $(BIN)/python tests/e2e/screenshots.py dist/screenshots

# The system's own Chromium, unless IBID_CHROMIUM names another.
chromium:
	@test -n "$$IBID_CHROMIUM" || command -v chromium chromium-browser >/dev/null || \
		{ echo "Installing Chromium"; apt-get update --quiet && apt-get install --quiet --yes chromium; } || \
		{ echo "no Chromium: install it, or name one in IBID_CHROMIUM" >&2; exit 1; }
