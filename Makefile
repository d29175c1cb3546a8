# SPDX-License-Identifier: Apache-2.0
#
# What one does with a checkout. Every target that builds installs missing Debian packages first.

.PHONY: help packages build test demo static deb dist image docs console format lint fuzz soak bench bench-smoke ci-full clean

SOURCES := Package.swift Sources Tests Examples Benchmarks/Sources Fuzzing/Sources
FUZZ_SECONDS ?= 600
SOAK_SECONDS ?= 1800
# Where the program is built, and what Tests/run and its build are told besides.
BUILD ?= .build
TESTS ?=
BUILD_OPTIONS ?=

# What goes into packages: a program with Swift's libraries inside, by default one that is built, and the folder of its man pages if there
# is one.
PROGRAM ?=
MAN ?=
PACKAGED := $(or $(PROGRAM),.build/static/release/outcrop)
# The commit, which `outcrop --version` shows, if this is a clean checkout.
COMMIT := $(shell git rev-parse --short=12 HEAD 2>/dev/null)$(shell git diff --quiet HEAD 2>/dev/null || echo -changed)

help: ## Lists the targets.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

packages: ## Installs the Debian packages that are missing.
	@sh .ci/packages

build: packages ## Builds the program: .build/release/outcrop
	swift build -c release --product outcrop --scratch-path $(BUILD)

test: ## Runs the tests: about twenty minutes the first time, half of it to build them.
	@sh .ci/packages test
	@Tests/run $(TESTS) -- $(BUILD_OPTIONS)

demo: build ## Serves the demo model with generated data.
	.build/release/outcrop serve --demo --store sqlite:.build/demo.sqlite

docs: packages ## Builds the library's documentation with DocC: .build/documentation/Outcrop.doccarchive
	@.ci/documentation

static: packages ## Builds the program with Swift's libraries inside: .build/static/release/outcrop
	OUTCROP_COMMIT=$(COMMIT) swift build -c release --product outcrop --static-swift-stdlib --scratch-path .build/static \
	    -Xswiftc -file-prefix-map -Xswiftc "$(CURDIR)=/outcrop" -Xcc "-ffile-prefix-map=$(CURDIR)=/outcrop"

ifeq ($(PROGRAM),)
deb dist: static
endif

deb: ## Builds the Debian package: .build/packages/outcrop_VERSION_ARCHITECTURE.deb
	@Packaging/deb $(PACKAGED) .build/packages $(MAN)

dist: ## Builds the archive with its checksum: .build/packages/outcrop-VERSION-linux-MACHINE.tar.gz
	@Packaging/dist $(PACKAGED) .build/packages $(MAN)

image: ## Builds the container's image with Docker: outcrop:VERSION
	Config/container/build

console: ## Lists the files of the console that the program embeds, after one was added or removed.
	sh Sources/CConsole/list

format: ## Formats the code in place.
	swift format --in-place --recursive --parallel $(SOURCES)

lint: ## Fails where the formatting differs or a rule of style is broken.
	swift format lint --strict --recursive --parallel $(SOURCES)

fuzz: packages ## Runs each fuzz target for FUZZ_SECONDS (600 each, which is 45 minutes on two processors).
	Fuzzing/run $(FUZZ_SECONDS)

soak: build ## Loads the server with all it is there for, for SOAK_SECONDS (1800).
	@sh .ci/packages test
	Trials/soak .build/release/outcrop $(SOAK_SECONDS)

bench: build ## Measures the engine, and its SQLite store and the server against plain C: about an hour.
	@sh .ci/packages test
	Benchmarks/run

bench-smoke: build ## Runs the measurements for a moment, to see that they work.
	@sh .ci/packages test
	Benchmarks/run --smoke

ci-full: ## Runs all that .ci/run takes turns with: about an hour and a half.
	bash .ci/run --full

clean: ## Removes what was built.
	rm -rf .build
