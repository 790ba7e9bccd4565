# `make demo` and `make test` are all that a newcomer needs; both install what is missing.
#
# CHANGEAWARE_VENV, CHANGEAWARE_TEST_VENV: virtual environments to use instead of .venv, .venv-test.

CHANGEAWARE_VENV ?= $(CURDIR)/.venv
CHANGEAWARE_TEST_VENV ?= $(CURDIR)/.venv-test
export CHANGEAWARE_VENV CHANGEAWARE_TEST_VENV

PYTHON = $(CHANGEAWARE_VENV)/bin/python
TEST_PYTHON = $(CHANGEAWARE_TEST_VENV)/bin/python
SUITES ?= style unit oracle conformance c_api wheel python docs coreai
SOURCES = $(shell git ls-files '*.cc' '*.c' '*.h')

.PHONY: demo demo-clip test test-zoo conformance conformance-docs build asan tsan bench setup \
	format tidy clean

demo: build            ## compile a small program, change one input at a time, show what ran
	@$(PYTHON) scripts/demo.py

demo-clip: build       ## the same with CLIP ViT-B/32 at real size (installs PyTorch)
	@scripts/setup.sh test
	@$(TEST_PYTHON) scripts/demo_clip.py

test: build            ## every test; the last line counts them
	@scripts/setup.sh test
	@$(TEST_PYTHON) scripts/run_tests.py $(SUITES)

test-zoo: build        ## small configurations of real models against PyTorch; writes docs/models.md
	@scripts/setup.sh test
	@$(TEST_PYTHON) scripts/run_tests.py zoo
	@$(TEST_PYTHON) tests/zoo/report.py build/reports/zoo docs/models.md

conformance: build     ## all of PyTorch's op samples; results in build/conformance
	@scripts/setup.sh test
	@$(TEST_PYTHON) tests/conformance/whole.py

conformance-docs: build  ## the same without OpenVINO's own lane; rewrites docs/ops.md and the table
	@scripts/setup.sh test
	@$(TEST_PYTHON) tests/conformance/whole.py --no-peer --update-docs

build:                 ## build/bin/changeaware and the unit tests
	@scripts/build.sh release

asan:                  ## the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/build.sh asan
	@$(PYTHON) scripts/run_tests.py asan

tsan:                  ## the unit tests under ThreadSanitizer
	@scripts/build.sh tsan
	@$(PYTHON) scripts/run_tests.py tsan

bench: build           ## the measured table of README.md
	@scripts/setup.sh test
	@$(TEST_PYTHON) bench/run.py

setup:                 ## only install what building needs
	@scripts/setup.sh sdk

format:                ## rewrite the sources as .clang-format says
	@clang-format-16 -i $(SOURCES)

tidy: build            ## clang-tidy on the library and the command line
	@run-clang-tidy-16 -quiet -p build '$(CURDIR)/(src|cli)/'

clean:                 ## delete what was built; the virtual environments stay
	@rm -rf build build-asan build-tsan
