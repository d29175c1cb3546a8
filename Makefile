# SPDX-License-Identifier: Apache-2.0
#
# What one does with a checkout. Every target that builds installs missing Debian packages first.

.PHONY: help packages build test demo format lint fuzz soak bench bench-smoke clean

SOURCES := Package.swift Sources Tests Examples Benchmarks/Package.swift Benchmarks/Sources Fuzzing/Package.swift Fuzzing/Sources
FUZZ_SECONDS ?= 600
SOAK_SECONDS ?= 1800

help: ## Lists the targets.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

packages: ## Installs the Debian packages that are missing.
	@sh .ci/packages

build: packages ## Builds the program: .build/release/outcrop
	swift build -c release --product outcrop

test: ## Runs the tests.
	@sh .ci/packages test
	swift test

demo: build ## Serves the demo model with generated data.
	.build/release/outcrop serve --demo --store sqlite:.build/demo.sqlite

format: ## Formats the code in place.
	swift format --in-place --recursive --parallel $(SOURCES)

lint: ## Fails where the formatting differs or a rule of style is broken.
	swift format lint --strict --recursive --parallel $(SOURCES)

fuzz: packages ## Runs each fuzz target for FUZZ_SECONDS (600).
	Fuzzing/run $(FUZZ_SECONDS)

soak: build ## Loads the server with all it is there for, for SOAK_SECONDS (1800).
	@sh .ci/packages test
	Trials/soak .build/release/outcrop $(SOAK_SECONDS)

bench: build ## Measures the engine, and its SQLite store and the server against plain C.
	@sh .ci/packages test
	Benchmarks/run

bench-smoke: build ## Runs the measurements for a moment, to see that they work.
	@sh .ci/packages test
	Benchmarks/run --smoke

clean: ## Removes what was built.
	rm -rf .build Benchmarks/.build Fuzzing/.build
