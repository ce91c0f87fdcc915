# The door: what a contributor runs, and all that CI runs. `make help` lists it.
#
# Nothing needs to be set up first: each recipe makes the virtual environments it needs, one per CPython,
# in .venv/<version>. What may surprise: wheels are built again only when a source is newer than what is installed
# (the *.stamp files say when that was), and the Pythons share target/, so only one cargo runs at a time.

.NOTPARALLEL:
.SECONDARY:
.DELETE_ON_ERROR:

# Any Python 3, to look for the others with.
PYTHON ?= python3
# Which versions to build and test for, as in `make test TAGS=3.12`. By default: one of each that is found.
TAGS ?=
# Seconds for each fuzz target.
FUZZ_SECONDS ?= 30
# A document for `make demo`, arguments for `make bench` and for pytest.
FILE ?=
BENCH ?=
PYTEST ?=
# The crates with no Python in them: their tests link by themselves, fuzzers and Miri can run them.
PURE = $(addprefix -p ,wire $(filter json msgpack native,$(notdir $(patsubst %/Cargo.toml,%,$(wildcard crates/*/Cargo.toml)))))

# Words like 3.13=/usr/bin/python3.13, the one to take when one is enough first.
ifneq ($(filter-out help clean miri,$(or $(MAKECMDGOALS),help)),)
FOUND := $(shell $(PYTHON) tools/pythons.py --make)
ifeq ($(FOUND),)
$(error No Python was found that oxwire can be built for)
endif
endif
tag_of = $(firstword $(subst =, ,$1))
path_of = $(patsubst $1=%,%,$(filter $1=%,$(FOUND)))
override TAGS := $(sort $(or $(TAGS),$(foreach one,$(FOUND),$(call tag_of,$(one)))))
MAIN := $(firstword $(filter $(call tag_of,$(firstword $(FOUND))),$(TAGS)) $(TAGS))
VENV := .venv/$(MAIN)
# pyo3's build script asks this Python when cargo is called directly. maturin sets its own.
CARGO = PYO3_PYTHON=$(call path_of,$(MAIN)) cargo
SOURCES := $(shell find crates python -name '*.rs' -o -name '*.py' -o -name '*.pyi' -o -name '*.toml') Cargo.toml pyproject.toml tools/backend.py

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-20s%s\n", $$1, $$2 }'

.PHONY: demo
demo: $(VENV)/demo.stamp $(VENV)/wheel.stamp ## build for one CPython and show the main job (FILE=your.json)
	@$(if $(FILE),,$(VENV)/bin/python bench/generated.py $(VENV)/demo)
	cd $(if $(FILE),.,$(VENV)/demo) && $(CURDIR)/$(VENV)/bin/python -m oxwire bench $(if $(FILE),$(FILE),timeline.json feed.json catalogue.json coordinates.json message.json)

.PHONY: test
test: lint rust-test build size stubs python-test docs-test clojure-cross clojure-test ## all that CI runs

.PHONY: bench
bench: $(VENV)/test.stamp $(VENV)/wheel.stamp ## compare with the peers: a table and a plot (BENCH="arguments")
	$(VENV)/bin/python bench/run.py $(BENCH)
	$(if $(BENCH),,$(VENV)/bin/python bench/typed.py)
	$(if $(BENCH),,$(VENV)/bin/python bench/each_type.py)
	$(if $(BENCH),,$(VENV)/bin/python bench/structs.py)
	$(if $(BENCH),,$(VENV)/bin/python bench/graphs.py)

.PHONY: bench-guard
bench-guard: $(VENV)/test.stamp $(VENV)/wheel.stamp ## that no hot workload takes 3 % more instructions than on record (BENCH="--record")
	$(VENV)/bin/python bench/guard.py $(BENCH)

.PHONY: bench-growth
bench-growth: $(VENV)/test.stamp $(VENV)/wheel.stamp ## cost for a byte from 1 kB up, as a plot (BENCH="--most 1e9": to 1 GB)
	$(VENV)/bin/python bench/growth.py $(BENCH)

.PHONY: build
build: $(TAGS:%=.venv/%/wheel.stamp) ## a wheel for each CPython, in target/wheels

.PHONY: lint
lint: house $(VENV)/lint.stamp ## formatting and lints of Rust and Python
	$(CARGO) fmt --check
	$(CARGO) fmt --check --manifest-path fuzz/Cargo.toml
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	@for version in tools/pythons/*.txt; do \
		echo "cargo check for CPython $$(basename $$version .txt), which need not be here"; \
		PYO3_CONFIG_FILE=$(CURDIR)/$$version RUSTFLAGS="-D warnings" CARGO_TARGET_DIR=target/versions \
			cargo check -q -p oxwire || exit 1; \
	done
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/ruff check
	$(VENV)/bin/mypy --python-version 3.11

.PHONY: fix
fix: $(VENV)/lint.stamp ## format everything, and repair what the lints can
	$(CARGO) fmt
	$(CARGO) fmt --manifest-path fuzz/Cargo.toml
	$(VENV)/bin/ruff check --fix-only
	$(VENV)/bin/ruff format

.PHONY: house
house: ## the house rules, and that the tool which checks them does
	$(call path_of,$(MAIN)) tools/house.py --self-test
	$(call path_of,$(MAIN)) tools/house.py

.PHONY: rust-test
rust-test: ## Rust tests of the crates without Python
	$(CARGO) test $(PURE)

.PHONY: stubs
stubs: $(VENV)/lint.stamp $(VENV)/wheel.stamp ## that the stubs say what the extension has
	$(VENV)/bin/python -m mypy.stubtest --concise --mypy-config-file pyproject.toml \
		--allowlist tools/stubtest.txt --ignore-unused-allowlist oxwire

.PHONY: python-test
python-test: build $(TAGS:%=.venv/%/test.stamp) ## pytest on each CPython, two at a time (PYTEST="arguments")
	@$(VENV)/bin/python tools/suites.py $(TAGS) --plain $(MAIN) -- $(PYTEST)

.PHONY: docs-test
docs-test: $(VENV)/test.stamp $(VENV)/wheel.stamp ## the examples of README.md and docs/
	$(VENV)/bin/python tools/docs_test.py

.PHONY: clojure-test
clojure-test: ## the Clojure library on each JDK and Clojure, where there is a JDK and Maven
	$(call path_of,$(MAIN)) tools/lossless.py
	$(call path_of,$(MAIN)) clojure/run.py test

.PHONY: clojure-cross
clojure-cross: $(VENV)/test.stamp $(VENV)/wheel.stamp ## Python and Clojure as two processes: what one packs the other unpacks
	$(VENV)/bin/python -m pytest -q tests/cross_clojure.py

.PHONY: bench-clojure
bench-clojure: ## compare the Clojure library with its peers (BENCH="25 small" for a JDK and a data set)
	$(call path_of,$(MAIN)) clojure/run.py bench $(BENCH)

.PHONY: fuzz
fuzz: ## each fuzz target for FUZZ_SECONDS
	$(call path_of,$(MAIN)) tools/fuzz.py --seconds $(FUZZ_SECONDS)

.PHONY: miri
miri: ## the crates without Python under Miri, where a nightly toolchain has it
	@if cargo +nightly miri --version >/dev/null 2>&1; then \
		MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test $(PURE); \
	else \
		echo "miri: skipped, no nightly toolchain here has it (rustup +nightly component add miri rust-src)"; \
	fi

.PHONY: size
size: $(VENV)/wheel.stamp ## what the wheel weighs, by part; fails over 0.6 MiB
	$(VENV)/bin/python tools/size.py

.PHONY: clean
clean: ## remove all that was made
	rm -rf target clojure/target clojure/classes fuzz/target fuzz/corpus fuzz/artifacts .venv bench/out dist

# The virtual environments, by what is in them. tools/venv.py knows what was installed already.
fill = $(call path_of,$*) tools/venv.py .venv/$*

.venv/%/build.stamp: pyproject.toml tools/venv.py
	@$(fill) build && touch $@

.venv/%/lint.stamp: pyproject.toml tools/venv.py
	@$(fill) lint --optional checkers && touch $@

.venv/%/test.stamp: pyproject.toml tools/venv.py
	@$(fill) test --optional cli peers types others ext && touch $@

.venv/%/demo.stamp: pyproject.toml tools/venv.py
	@$(fill) --optional cli peers && touch $@

.venv/%/wheel.stamp: $(SOURCES) $(VENV)/build.stamp
	@$(fill)
	$(VENV)/bin/maturin build --release -i $(call path_of,$*) -o target/wheels
	$(VENV)/bin/python tools/backend.py target/wheels
	.venv/$*/bin/python -m pip install -q --disable-pip-version-check --force-reinstall --no-deps --no-index --find-links target/wheels oxwire
	@touch $@
