# "make" lists the targets. CMake does the work (CMakePresets.json).
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help build install train arrow python demo site test test-long test-release test-asan test-tsan test-fuzz test-gpu laws bench deb package fuzz format format-check lint clean

PYTHON ?= /usr/bin/python3
PLUMB := build/bin/plumb
CXX_FILES = $(shell git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp')

help:
	@echo "make build      the tool, at $(PLUMB), and the C++ library"
	@echo "make install    the tool and the library into PREFIX ($(PREFIX))"
	@echo "make train      the tool with plumb-train beside it, for plumb train and plumb predict (LibTorch)"
	@echo "make arrow      as build, but fails when the plugin for Parquet and Arrow files cannot be built (Arrow C++ of pyarrow)"
	@echo "make python     the Python package: a wheel in dist/ for CPython 3.10 and later, with the tool inside"
	@echo "make demo       builds, evaluates and calibrates a simulated cohort in demo/, ends with demo/report.html"
	@echo "make test       all tests: format, unit, command line, docs and install tests, headers, sanitizers, fuzzing;"
	@echo "                prints the seconds of each part and the skipped tests at the end"
	@echo "make laws       measures the levels that docs/inference.md claims, and writes its table"
	@echo "make test-long  long tests: full simulations, many kills, fuzzing, clang-tidy, a build on a bare Debian"
	@echo "make test-gpu   the tests of the plugin for CUDA devices, on a machine with an NVIDIA GPU"
	@echo "make site       the documentation as a site that needs no network, in build/site"
	@echo "make package    a .deb of the tool and the library, the wheel, and the list of their components (SPDX), in dist/"
	@echo "make fuzz       every fuzz target for SECONDS=60 each"
	@echo "make bench      benchmarks, compared with other tools where they are installed"
	@echo "make format     formats the code; make lint checks the format and runs clang-tidy"
	@echo "make clean      removes the build"

# A directory configured by "make test" keeps its settings; only the tool is built in it. It is configured again because an optional
# library may have been installed since.
build:
	@tools/setup build web figures arrow duckdb
	@if [ -f build/build.ninja ]; then cmake build >/dev/null; else cmake --preset release -DPLUMB_TESTS=OFF; fi
	cmake --build build --target plumb_cli plumb_api plumb_plugins plumb_pages

PREFIX ?= /usr/local
install: build
	cmake --install build --prefix "$(PREFIX)"

# The tool and plumb-train beside it, on LibTorch.
train:
	@tools/setup build web figures arrow duckdb train
	cmake --preset release -DPLUMB_TRAIN=ON
	cmake --build build --target plumb_cli plumb_plugins plumb_train_tool

# The plugin for Parquet and Arrow files, on Arrow C++. "make build" builds it too and continues without it when Arrow is not available;
# here that is an error.
arrow:
	@tools/setup build web arrow
	cmake --preset release -DPLUMB_ARROW=ON
	cmake --build build --target plumb_cli plumb_arrow

# A wheel with all that it needs inside, and the source distribution.
python:
	@tools/setup build web python
	python/pack

# docs/ as pages with search, the reference of metrics and the help of all commands.
site: build
	@tools/setup site
	@test -e .venv-site/ready || { echo "make site needs the packages of site/requirements.txt from PyPI." >&2; exit 1; }
	.venv-site/bin/python site/build $(PLUMB)

# Ends with a page that shows the raw and the calibrated model. Without node the page is left out, with a message.
demo: build
	@run() { printf '\n$$ %s\n' "$$*"; "$$@"; }; \
	score() { run $(PLUMB) evaluate --probs "$$1" --counts demo/test/counts.npy --classes demo/classes.txt \
	  --groups demo/test/items.csv:patient \
	  --by demo/test/items.csv:site --bootstrap 200 --json "$$2" "$${@:3}"; }; \
	run $(PLUMB) demo --out demo; \
	page() { if [ -d web/node_modules/vega-embed ]; then echo "--report demo/$$1.html"; fi; }; \
	score demo/test/probs.npy demo/raw.json $$(page raw); \
	run $(PLUMB) calibrate fit --method temperature --logits demo/validation/logits.npy \
	  --counts demo/validation/counts.npy -o demo/temperature.json; \
	run $(PLUMB) calibrate apply demo/temperature.json --logits demo/test/logits.npy -o demo/temperature.npy; \
	score demo/temperature.npy demo/calibrated.json $$(page calibrated); \
	if run $(PLUMB) report demo/raw.json demo/calibrated.json -o demo/report.html; then \
	  printf '\nThe report, raw and calibrated side by side: %s/demo/report.html\n' "$(CURDIR)"; fi
	@printf 'The results are demo/raw.json and demo/calibrated.json; demo/README.txt describes the cohort and has more commands.\n'

# Each part records its seconds and its skips, which are printed at the end. With PLUMB_STRICT=1 (set by .ci/run) a skip that
# tests/allowed_skips.txt does not list is a failure.
PART := tests/part
SUMMARY = tests/summary.py $(if $(PLUMB_STRICT),--strict)
test:
	@tools/setup build web figures test browser onnx nifti arrow duckdb scale spark python site train lint fuzz
	@rm -rf build/results
	@status=0; for part in format-check test-release test-asan test-tsan test-fuzz; do \
	  $(MAKE) --no-print-directory $$part || { status=1; break; }; \
	done; \
	$(SUMMARY) || status=1; \
	if [ $$status = 0 ]; then echo; echo "All tests passed."; else echo; echo "The tests FAILED."; fi; exit $$status

test-release:
	@tools/setup build web figures test browser onnx nifti arrow duckdb scale spark python site train
	@$(PART) configure cmake --preset release -DPLUMB_TESTS=ON -DPLUMB_WERROR=ON
	@$(PART) build cmake --build build
	@$(PART) unit ctest --test-dir build --output-on-failure -j2
	@PLUMB_BIN=$(CURDIR)/$(PLUMB) $(PART) cli $(PYTHON) -m pytest -q tests/cli
	@PLUMB_BIN=$(CURDIR)/$(PLUMB) $(PART) python tests/python/run
	@PLUMB_BIN=$(CURDIR)/$(PLUMB) $(PART) scale tests/scale/run
	@PLUMB_BIN=$(CURDIR)/$(PLUMB) $(PART) newcomer $(PYTHON) -m pytest -q tests/newcomer
	@PLUMB_BIN=$(CURDIR)/$(PLUMB) $(PART) browser tests/browser/run
	@PLUMB_BIN=$(CURDIR)/$(PLUMB) $(PART) site tests/site/run
	@PLUMB_BUILD=$(CURDIR)/build $(PART) install tests/install/run

# Address sanitizer: every unit test except the simulated laws, and short runs of the tool; each file is compiled by
# itself. Thread sanitizer: the tests that run threads; contracts that are only about values are left out.
TSAN_TESTS := numeric data resample io uncertainty contract
test-asan:
	@tools/setup build test
	@$(PART) asan-configure cmake --preset asan -DPLUMB_WERROR=ON
	@$(PART) asan-build cmake --build build-asan
	@$(PART) asan-unit ctest --test-dir build-asan --output-on-failure -j2 -E laws
	@PLUMB_BIN=$(CURDIR)/build-asan/bin/plumb $(PART) asan-cli $(PYTHON) -m pytest -q tests/cli/test_smoke.py

test-tsan:
	@tools/setup build test
	@$(PART) tsan-configure cmake --preset tsan -DPLUMB_WERROR=ON
	@$(PART) tsan-build cmake --build build-tsan --target $(TSAN_TESTS:%=test_%)
	@GTEST_FILTER='-OnePath*:*Reasons*:*SimdTarget:*AKeyAlone*:*OnlyRatios*:*WeightTwo*' $(PART) tsan-unit ctest --test-dir build-tsan --output-on-failure -j2 -R '^($(subst $() $(),|,$(TSAN_TESTS)))$$'

# Every reader of files, so many mutants of its seeds from a fixed start; "make fuzz" and "make test-long" search further, the command
# line too.
test-fuzz:
	@tools/setup build fuzz
	@$(PART) fuzz fuzz/run fixed

# The full length of what "make test" runs in short form (tests read PLUMB_LONG), and tests without a short form.
FUZZ_SECONDS ?= 120
test-long: export PLUMB_LONG := 1
test-long: export PLUMB_RESULTS := $(CURDIR)/build/results-long
test-long:
	@tools/setup build web figures test browser onnx nifti arrow duckdb scale spark python current-torch frameworks site train lint fuzz bare package
	@rm -rf $(PLUMB_RESULTS)
	@status=0; \
	cmake --preset release -DPLUMB_TESTS=ON -DPLUMB_WERROR=ON && $(PART) build cmake --build build || status=1; \
	if [ $$status = 0 ]; then \
	  $(PART) unit ctest --test-dir build --output-on-failure -j2 || status=1; \
	  PLUMB_BIN=$(CURDIR)/$(PLUMB) $(PART) cli $(PYTHON) -m pytest -q tests/cli || status=1; \
	  PLUMB_BIN=$(CURDIR)/$(PLUMB) $(PART) python tests/python/run || status=1; \
  PLUMB_BIN=$(CURDIR)/$(PLUMB) $(PART) scale tests/scale/run || status=1; \
	fi; \
	$(PART) laws $(MAKE) --no-print-directory laws || status=1; \
	$(PART) fuzz fuzz/run $(FUZZ_SECONDS) || status=1; \
	$(PART) tidy $(MAKE) --no-print-directory lint || status=1; \
	$(PART) bare tests/install/bare || status=1; \
	$(PART) reproducible tests/install/reproducible || status=1; \
	$(PART) package $(MAKE) --no-print-directory package && $(PART) package-bare tests/install/package || status=1; \
	$(SUMMARY) $(PLUMB_RESULTS) || status=1; exit $$status

# On a machine with an NVIDIA GPU: the plugin for it, and its tests on the device, with 1e9 forecasts.
GPU_ROWS ?= 1000000000
test-gpu:
	@tools/setup build test
	cmake --preset release -DPLUMB_TESTS=ON -DPLUMB_CUDA=ON
	cmake --build build --target plumb_cli plumb_cuda_plugin test_cuda
	PLUMB_PLUGINS=$(CURDIR)/build/lib/plumb PLUMB_GPU_ROWS=$(GPU_ROWS) build/bin/test_cuda
	PLUMB_BIN=$(CURDIR)/$(PLUMB) PLUMB_CUDA_TEST_PLUGIN=$(CURDIR)/build/lib/plumb $(PYTHON) -m pytest -q tests/cli/test_gpu.py

# Measures every level that docs/inference.md claims, and writes its table.
laws:
	@tools/setup build test
	cmake --preset release -DPLUMB_TESTS=ON -DPLUMB_WERROR=ON
	cmake --build build --target plumb_laws
	build/bin/plumb-laws $(if $(SEED),--seed $(SEED)) --write docs/inference.md

# A .deb with the tool, its plugins, manual pages, completion and the library.
deb:
	@tools/setup build web figures arrow duckdb package
	@if [ -f build/build.ninja ]; then cmake build >/dev/null; else cmake --preset release -DPLUMB_TESTS=OFF; fi
	cmake --build build --target plumb_cli plumb_api plumb_simulate plumb_plugins plumb_pages plumb_package_docs
	rm -f build/*.deb
	cd build && cpack -G DEB
	mkdir -p dist
	cp build/*.deb dist/
	lintian --fail-on error dist/*.deb

# Both packages, and the list of what they are made from (SPDX).
package: python deb
	tools/sbom -o dist/plumb.spdx.json

SECONDS ?= 60
fuzz:
	@tools/setup build fuzz
	fuzz/run $(SECONDS)

bench:
	@tools/setup build arrow bench duckdb scale
	cmake --preset release -B build-bench -DPLUMB_TESTS=OFF -DPLUMB_BENCH=ON
	cmake --build build-bench
	bench/run build-bench

format:
	@tools/setup lint
	clang-format-14 -i $(CXX_FILES)
	$(PYTHON) tools/wrap_comments.py $(CXX_FILES)

format-check:
	@$(PART) format clang-format-14 --dry-run --Werror $(CXX_FILES)

lint:
	@tools/setup build test lint
	clang-format-14 --dry-run --Werror $(CXX_FILES)
	cmake --preset dev
	cppcheck -q -j2 --error-exitcode=1 --enable=warning,performance,portability --std=c++20 --language=c++ -Iinclude -Isrc \
	  --suppress=missingIncludeSystem --suppressions-list=tools/cppcheck_suppressions.txt $(filter src/% cli/% shell/%,$(filter %.cpp,$(CXX_FILES)))
	run-clang-tidy-14 -quiet -p build-dev -extra-arg=-Wno-unknown-warning-option "$(CURDIR)/(src|shell|cli)/.*\.cpp"

clean:
	rm -rf build build-* demo dist
