# The commands people use; each sets the machine up first (tools/setup.sh does nothing when all is there).
# Everything real happens in CMake (CMakePresets.json): this file only spares typing.
.DEFAULT_GOAL := help
.PHONY: help setup configure build demo test test-slow bench asan ubsan tsan crash coverage fuzz format format-check \
        tidy install package python clean

# As many compilers as there are cores, but no more than memory allows: one with libtorch's headers takes up to 1.5 GB.
JOBS ?= $(shell awk -v cores=$$(nproc) '/^MemAvailable/ { jobs = int($$2 / 1500000) } \
          END { if (jobs < 1) jobs = 1; print jobs < cores ? jobs : cores }' /proc/meminfo)
PREFIX ?= /usr/local
TEST_ARGS ?=
DEMO_OUT ?= runs/demo
FUZZ_SECONDS ?= 600
KILLS ?= 500

help:
	@echo "make demo          train FactorGCN on built-in data and score its factor graphs (runs/demo)"
	@echo "make test          build everything and run the tests; make test-slow: the long ones"
	@echo "make build         build/factorgcn and build/factorgcn-bench"
	@echo "make python        the Python package's library, and its tests (docs/python.md)"
	@echo "make bench         one training step, beside the same step in PyTorch"
	@echo "make install       into PREFIX (now $(PREFIX))"
	@echo "make package       a .deb and a .tar.gz, in build/package"
	@echo "make asan|ubsan|tsan   the tests under sanitizers (asan: address, leaks, undefined behaviour)"
	@echo "make crash         kill the program at $(KILLS) random moments; nothing may be lost"
	@echo "make coverage      line coverage of src/ by the tests"
	@echo "make fuzz          fuzz the readers of files for FUZZ_SECONDS (now $(FUZZ_SECONDS)) each"
	@echo "make format        apply clang-format; make format-check: only look"
	@echo "make tidy          clang-tidy over src/"
	@echo "make setup         install what is missing; make clean: remove build folders"
	@echo "Variables: JOBS=$(JOBS) (compilers at once), TEST_ARGS (more arguments for ctest), PREFIX, DEMO_OUT"

setup:
	@tools/setup.sh

configure: setup
	@cmake --preset release -DFACTORGCN_CPU_KERNELS=all

build: configure
	@cmake --build build -j $(JOBS) --target factorgcn_cli factorgcn_bench

# With this machine's kernels alone, which are soon there, unless all are there already.
demo: setup
	@grep -qs '^FACTORGCN_CPU_KERNELS:.*=all' build/CMakeCache.txt || \
	  cmake --preset release -DFACTORGCN_CPU_KERNELS=native
	@cmake --build build -j $(JOBS) --target factorgcn_cli
	build/factorgcn train --dataset synthetic --factors 4 --model factorgcn --preset published --seed 0 \
	  --out $(DEMO_OUT) --force

test: configure
	@cmake --build build -j $(JOBS)
	@ctest --test-dir build --output-on-failure -j 2 -LE slow $(TEST_ARGS)

test-slow: configure
	@cmake --build build -j $(JOBS)
	@ctest --test-dir build --output-on-failure -j 2 -L slow $(TEST_ARGS)

bench:
	@tools/setup.sh --bench
	@cmake --preset release -DFACTORGCN_CPU_KERNELS=all
	@cmake --build build -j $(JOBS) --target factorgcn_bench
	@tools/bench.sh

asan ubsan tsan: setup
	@cmake --preset $@
	@cmake --build build-$@ -j $(JOBS)
	@ctest --test-dir build-$@ --output-on-failure -j 2 -LE slow $(TEST_ARGS)

crash: configure
	@cmake --build build -j $(JOBS) --target test_cli
	@FACTORGCN_KILLS=$(KILLS) build/test_cli --gtest_brief=1 --file=killed_commands_test.cpp

coverage:
	@tools/setup.sh --coverage
	@JOBS=$(JOBS) tools/coverage.sh

fuzz:
	@tools/setup.sh --fuzz
	@JOBS=$(JOBS) tools/fuzz.sh $(FUZZ_SECONDS)

format:
	@tools/setup.sh --lint
	@tools/format.sh

format-check:
	@tools/setup.sh --lint
	@tools/format.sh --check

tidy:
	@tools/setup.sh --lint
	@JOBS=$(JOBS) tools/tidy.sh

python:
	@tools/setup.sh --python
	@cmake --preset release -DFACTORGCN_CPU_KERNELS=all
	@cmake --build build -j $(JOBS) --target factorgcn_python factorgcn_cli
	@ctest --test-dir build --output-on-failure -j 2 -L python $(TEST_ARGS)

install: configure
	@cmake --build build -j $(JOBS) --target factorgcn factorgcn_train factorgcn_cli
	@cmake --install build --prefix $(PREFIX)

# For machines other than this one: the kernels of every instruction set.
package:
	@tools/setup.sh --package
	@cmake --preset release -DFACTORGCN_CPU_KERNELS=all
	@cmake --build build -j $(JOBS) --target factorgcn factorgcn_train factorgcn_cli
	@tools/package.sh

clean:
	rm -rf build build-*
