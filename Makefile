# make: says what there is. The work is done by CMake (CMakePresets.json); this file only names the jobs.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help build train demo test test-release test-asan test-tsan bench format format-check lint clean

PYTHON ?= /usr/bin/python3
PLUMB := build/bin/plumb
CXX_FILES = $(shell git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp')

help:
	@echo "make build    the tool, at $(PLUMB)"
	@echo "make train    the tool with plumb-train beside it, for plumb train and plumb predict (LibTorch)"
	@echo "make demo     builds, evaluates and calibrates a simulated cohort in demo/, ends with demo/report.html"
	@echo "make test     everything that must hold: unit, command line, docs and install tests, headers, sanitizers"
	@echo "make bench    measures, beside other tools where they are installed"
	@echo "make format   lays the code out; make lint checks layout and runs clang-tidy"
	@echo "make clean    removes what was built"

# A directory that "make test" configured serves as it is: only the tool is built in it.
build:
	@tools/setup build web
	@test -f build/build.ninja || cmake --preset release -DPLUMB_TESTS=OFF
	cmake --build build --target plumb_cli

# The tool and plumb-train beside it, on LibTorch.
train:
	@tools/setup build web train
	cmake --preset release -DPLUMB_TRAIN=ON
	cmake --build build --target plumb_cli plumb_train_tool

# Ends with a page that shows the raw and the calibrated model; without node the page is left out, and said so.
demo: build
	@run() { printf '\n$$ %s\n' "$$*"; "$$@"; }; \
	judge() { run $(PLUMB) evaluate --probs "$$1" --counts demo/test/counts.npy --groups demo/test/items.csv:patient \
	  --by demo/test/items.csv:site --bootstrap 200 --json "$$2" "$${@:3}"; }; \
	run $(PLUMB) demo --out demo; \
	page() { if [ -d web/node_modules/vega-embed ]; then echo "--report demo/$$1.html"; fi; }; \
	judge demo/test/probs.npy demo/raw.json $$(page raw); \
	run $(PLUMB) calibrate fit --method temperature --logits demo/validation/logits.npy \
	  --counts demo/validation/counts.npy -o demo/temperature.json; \
	run $(PLUMB) calibrate apply demo/temperature.json --logits demo/test/logits.npy -o demo/temperature.npy; \
	judge demo/temperature.npy demo/calibrated.json $$(page calibrated); \
	if run $(PLUMB) report demo/raw.json demo/calibrated.json -o demo/report.html; then \
	  printf '\nThe report, raw and calibrated side by side: %s/demo/report.html\n' "$(CURDIR)"; fi
	@printf 'The results are demo/raw.json and demo/calibrated.json; the cohort and more commands are told in demo/README.txt.\n'

test:
	@tools/setup build web test browser onnx train
	@start=$$SECONDS; \
	for part in release asan tsan; do \
	  printf '\n== %s\n' "$$part"; \
	  $(MAKE) --no-print-directory test-$$part || { printf '\nFAILED in test-%s after %d s.\n' "$$part" "$$((SECONDS - start))"; exit 1; }; \
	done; \
	printf '\nAll tests passed in %d s: release (unit, training, headers, command line, docs, install), asan, tsan.\n' "$$((SECONDS - start))"

test-release:
	@tools/setup build web test browser onnx train
	cmake --preset release -DPLUMB_TESTS=ON -DPLUMB_WERROR=ON
	cmake --build build
	ctest --test-dir build --output-on-failure -j2
	PLUMB_BIN=$(CURDIR)/$(PLUMB) $(PYTHON) -m pytest -q tests/cli
	PLUMB_BIN=$(CURDIR)/$(PLUMB) tests/browser/run
	PLUMB_BUILD=$(CURDIR)/build tests/install/run

# Under the address sanitizer every unit test but the simulated laws, and short runs of the tool; under the thread
# sanitizer the tests that run things side by side.
TSAN_TESTS := numeric data resample io uncertainty contract
test-asan:
	@tools/setup build test
	cmake --preset asan -DPLUMB_WERROR=ON
	cmake --build build-asan
	ctest --test-dir build-asan --output-on-failure -j2 -E laws
	PLUMB_BIN=$(CURDIR)/build-asan/bin/plumb $(PYTHON) -m pytest -q tests/cli/test_smoke.py

test-tsan:
	@tools/setup build test
	cmake --preset tsan -DPLUMB_WERROR=ON
	cmake --build build-tsan --target $(TSAN_TESTS:%=test_%)
	ctest --test-dir build-tsan --output-on-failure -j2 -R '^($(subst $() $(),|,$(TSAN_TESTS)))$$'

bench:
	@tools/setup build bench
	cmake --preset release -B build-bench -DPLUMB_TESTS=OFF -DPLUMB_BENCH=ON
	cmake --build build-bench
	bench/run build-bench

format:
	@tools/setup lint
	clang-format-14 -i $(CXX_FILES)

format-check:
	clang-format-14 --dry-run --Werror $(CXX_FILES)

lint:
	@tools/setup build test lint
	@$(MAKE) --no-print-directory format-check
	cmake --preset dev
	run-clang-tidy-14 -quiet -p build-dev "$(CURDIR)/(src|shell|cli)/.*\.cpp"

clean:
	rm -rf build build-* demo
