# SPDX-License-Identifier: MIT
# The front door. CMake and Ninja do the work; this installs what is missing
# and says the few words people need.
BUILD ?= build
PREFIX ?= /usr/local
# Where the system notes which packages it has.
PACKAGES ?= $(wildcard /var/lib/dpkg/status /var/lib/rpm/rpmdb.sqlite)
BARE = -DTUTTI_TESTS=OFF -DTUTTI_BENCH=OFF
SHOWN = double-mass-spring-damper water-tank

.PHONY: help demo test build whole deps-demo deps-build \
	deps-deb deps-test install clean format convergence error-control \
	tuned-examples bench long deb dist site

help:
	@echo "make demo     install what is missing, build, run a co-simulation, show it"
	@echo "make test     the same, then run every test"
	@echo "make build    the program ($(BUILD)/tutti) and the examples ($(BUILD)/examples)"
	@echo "make install  program, library, kit, examples and man pages below PREFIX=$(PREFIX)"
	@echo "make deb      Debian packages, $(BUILD)/*.deb"
	@echo "make site     the documents as a site, $(BUILD)/site/index.html"
	@echo "make dist     the sources in one file, with its checksum, in $(BUILD)"
	@echo "make format   let clang-format 14 lay out the sources"
	@echo "make bench    what playing costs beside the units; $(BUILD)/bench/results.json"
	@echo "make long     every test once more with the sanitizers, and 1e8 events: an hour or so"
	@echo "make convergence  measure how fast errors fall; writes docs/convergence.md"
	@echo "make tuned-examples 'tutti tune' on every example; writes docs/tuned-examples.md"
	@echo "make error-control  measure errors against tolerances; writes docs/error-control.md"

# Before the first of these that needs them; each has the packages of those
# before it.
deps-demo deps-build deps-deb deps-test:
	@tools/install-deps.sh $(@:deps-%=%)

# Packages that came since are looked for: MPI, SUNDIALS, HDF5. Tests are left out
# until they are wanted.
$(BUILD)/build.ninja: $(PACKAGES)
	@mkdir -p $(BUILD)
	@cmake -S . -B $(BUILD) -G Ninja $(if $(wildcard $(BUILD)/CMakeCache.txt),,$(BARE)) \
	    >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }
	@touch $@

build: deps-build
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	@cmake --build $(BUILD) --target product examples/all

# With tests, and what counts instructions.
whole: deps-test
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja BARE=
	@! grep -qs '^TUTTI_\(TESTS\|BENCH\):BOOL=OFF' $(BUILD)/CMakeCache.txt \
	    || cmake -DTUTTI_TESTS=ON -DTUTTI_BENCH=ON $(BUILD) >/dev/null

test: whole
	@cmake --build $(BUILD)
	@ctest --test-dir $(BUILD) --output-on-failure -j 4 --no-label-summary; \
	    code=$$?; tools/skipped.py $(BUILD); exit $$code

demo: deps-demo
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	@cmake --build $(BUILD) --target tutti_program $(SHOWN:%=examples/%/all)
	@tools/demo.sh $(BUILD)

# What takes longer: every test with the sanitizers, and many events.
long: whole build
	@bench/long_events.py $(BUILD)
	@cmake -S . -B build-asan -G Ninja -DTUTTI_SANITIZE=ON -DTUTTI_WERROR=ON \
	    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-g1 -O1" >/dev/null
	@cmake --build build-asan
	@TUTTI_LONG=1 ctest --test-dir build-asan --output-on-failure -j 4 --no-label-summary \
	    -LE '^(web|house|bench)$$'
	@tools/fuzz.sh build-fuzz 60

convergence: build
	@tools/convergence.py $(BUILD)

error-control: build
	@tools/error_control.py $(BUILD)

tuned-examples: build
	@tools/tuned_examples.py $(BUILD)

bench: whole
	@cmake --build $(BUILD) --target bench_all
	@bench/bench.py $(BUILD)

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

# Program, library, headers and kit, Python, documents; with MPI its plugin.
deb: deps-deb build
	@rm -f $(BUILD)/*.deb
	@cd $(BUILD) && cpack -G DEB >cpack.log 2>&1 || { cat cpack.log; exit 1; }
	@rm -rf $(BUILD)/_CPack_Packages
	@ls -l $(BUILD)/*.deb | awk '{ print $$5, $$NF }'

# What git has of the present commit.
dist:
	@tools/dist.sh $(BUILD)

site:
	@tools/site.sh $(BUILD)

format: 
	@tools/format.sh

clean:
	rm -rf $(BUILD)
