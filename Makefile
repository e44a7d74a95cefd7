# Two verbs do everything: `make demo` and `make test`. See README.md.
#
# Meson and ninja do the work; this file only gives it short names.

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
TEST_FUZZ_SECONDS ?= 3

# Where this machine's python3 looks for packages below PREFIX.
PYTHONDIR ?= $(shell python3 tools/pythondir $(PREFIX))

.PHONY: all build build-quick build-san build-fuzz page demo test test-all sanitize fuzz soak \
	test-cluster bench bench-train bench-accuracy format install clean help

all: build

build: build-quick
	@ninja -C build benches
	@! grep -q '^build kernels:' build/build.ninja || ninja -C build kernels

# All but what nvcc compiles, which takes it minutes, and the benches.
build-quick: build/build.ninja
	@ninja -C build

build-san: build-san/build.ninja
	@ninja -C build-san all benches

build-fuzz: build-fuzz/build.ninja
	@ninja -C build-fuzz fuzz

build/build.ninja:
	meson setup build

# The second compiler, so that both see every line.
build-san/build.ninja:
	CC=clang meson setup build-san --buildtype=debugoptimized \
	    -Db_sanitize=address,undefined -Db_lundef=false

build-fuzz/build.ninja:
	CC=clang meson setup build-fuzz --buildtype=debugoptimized -Dfuzz=true \
	    -Db_sanitize=address,undefined -Db_lundef=false

# What `throng web` shows; throng is built without it where npm is not there.
page:
	@tools/page

# Only the two programs: tests and benches need more packages, and minutes.
demo:
	@tools/setup build
	@tools/page
	@$(MAKE) --no-print-directory build/build.ninja
	@ninja -C build throng throng-worker
	@examples/quickstart/demo
	@examples/digits/demo
	@printf '\nNext: `(cd build/demo/digits && ../../throng web)` shows it in a browser;\n'
	@printf 'make install PREFIX=~/.local, then `throng init` in a folder of yours.\n'

# What a person runs to see that it works: minutes, and small packages only.
test:
	@tools/setup build test
	@tests/run --quick

# All the others: sanitizers, fuzzing, and what takes long or large packages.
test-all:
	@tools/setup build test test-all cluster
	@tools/page --tests
	@tests/run --rest --fuzz-seconds $(TEST_FUZZ_SECONDS)

# On a real Slurm of pretended nodes, which the tests start and end; on HTCondor,
# for which one stands in unless a pool's condor_submit is on PATH.
test-cluster:
	@tools/setup build test cluster
	@tests/run cluster

sanitize:
	@tools/setup build test test-all
	@tests/run sanitize

fuzz:
	@tools/setup build test test-all
	@$(MAKE) --no-print-directory build-fuzz
	@tools/fuzz --seconds $(FUZZ_SECONDS)

soak:
	@tools/setup build test test-all
	@tests/run soak

bench:
	@tools/setup build bench
	@$(MAKE) --no-print-directory build
	@bench/run

bench-train:
	@tools/setup build bench
	@$(MAKE) --no-print-directory build
	@bench/train; status=$$?; bench/infer || status=$$?; \
		bench/cohort && exit $$status

bench-accuracy:
	@tools/setup build bench
	@$(MAKE) --no-print-directory build
	@bench/accuracy

format:
	@tools/format

# Tests and benches are not built for it, as they are not for `demo`.
install: build/build.ninja
	@ninja -C build throng throng-worker libthrong.a
	@! grep -q 'throng-worker-cuda:' build/build.ninja || \
	    ninja -C build throng-worker-cuda
	tools/install "$(DESTDIR)" "$(PREFIX)" "$(PYTHONDIR)"

clean:
	rm -rf build build-san build-fuzz

help:
	@echo 'make            build into build/'
	@echo 'make page       the page of `throng web`, by npm'
	@echo 'make demo       install what is missing, build, run an example'
	@echo 'make test       install what is missing, build, test: some minutes'
	@echo 'make test-all   and then the rest: sanitizers, fuzzing, slow tests'
	@echo 'make test-cluster  studies on a real Slurm, started for it, and on HTCondor'
	@echo 'make sanitize   the tests under address and undefined sanitizers'
	@echo 'make fuzz       each fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS)'
	@echo 'make soak       the long tests'
	@echo 'make bench      measurements, as ratios'
	@echo 'make bench-train training, against PyTorch'
	@echo 'make bench-accuracy models on real data (an hour)'
	@echo 'make format     lay out the code as .clang-format says'
	@echo 'make install    to DESTDIR, below PREFIX=$(PREFIX)'
	@echo 'make clean      remove the build folders'
