# Every command by name; 'make' alone prints the list.
#
# Needs make, Python 3.11 or later and a package index. The first call sets up .venv; later calls use it.

STUDY ?= quickstart
CORES ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
PYTHON ?= python3
PACKAGE ?= --editable .
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
NEURAL := $(VENV)/.neural
SITE := $(VENV)/.site
# Container images often set this. Every process would then compile each module that it imports.
unexport PYTHONDONTWRITEBYTECODE
# By itself, uv does not trust authorities that only this machine knows, such as a company's; pip then installs, much more slowly.
export UV_SYSTEM_CERTS ?= 1

PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check --no-input
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python

.DEFAULT_GOAL := help
.PHONY: help run stand-in test test-all test-built trials lint format check docs site lock setup neural clean

help: ## Print this list
	@echo "make [target] [STUDY=$(STUDY)] [CORES=$(CORES)] [PYTHON=$(PYTHON)] [ARGS=...]"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "Set RECSENS_DATA to the folder with your copies of data sets (data/README.md)."

run: $(INSTALLED) ## Run STUDY on CORES processors, recomputing only what has changed, and write results/report.html
	@$(BIN)/recsens run $(STUDY) --cores $(CORES) $(ARGS)

stand-in: $(INSTALLED) ## Run STUDY on small simulated files in the layouts of the data sets that you would have to bring
	@$(BIN)/python benchmarks/stand_ins.py --to build/stand-ins
	@RECSENS_DATA=build/stand-ins $(BIN)/recsens run $(STUDY) --cores $(CORES) $(ARGS)

test: $(READY) ## Run the tests on CORES processors; ARGS goes to pytest, such as ARGS='-m "not workflow"'
	@$(BIN)/python -m pytest --numprocesses $(CORES) --dist worksteal $(ARGS)

test-all: $(READY) ## Run all tests, including slow ones, and say which are skipped and why
	@$(BIN)/python -m pytest --numprocesses $(CORES) --dist worksteal --slow -rs $(ARGS)

trials: $(READY) ## Before a release: try other library versions, other frameworks and long runs with faults
	@$(BIN)/python -m pytest --numprocesses $(CORES) --dist worksteal --trials -m trial -rs $(ARGS)

test-built: $(INSTALLED) ## Build the sdist and the wheel, and run the tests on the installed wheel where the sdist is unpacked
	@rm -rf build/dist
	@$(BIN)/python -m hatchling build --directory build/dist
	@tar -xzf build/dist/*.tar.gz -C build/dist
	@$(MAKE) --no-print-directory -C build/dist/recsens-*/ test PACKAGE="$$(echo $(CURDIR)/build/dist/*.whl)"

lint: $(INSTALLED) ## Check format, types, spelling, the workflow and the generated files
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/mypy --no-error-summary
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint --quiet
	$(BIN)/codespell
	$(BIN)/python -m docs.generate --check

format: $(INSTALLED) ## Fix formatting, and everything else that a machine can fix
	$(BIN)/ruff check --quiet --fix --exit-zero
	$(BIN)/ruff format --quiet
	$(BIN)/snakefmt Snakefile workflow

check: ## Run the same checks as continuous integration: lint, then test-all
	@.ci/run

docs: $(INSTALLED) ## Generate docs/reference, config/README.md, PACKAGE.md, the schema and the picture of the rules
	@$(BIN)/python -m docs.generate

site: $(SITE) ## Build the pages as a site for a browser, build/site/index.html, with two reports
	@$(BIN)/python -m docs.site

lock: $(INSTALLED) ## Choose new versions for requirements.lock and requirements-site.lock, and the lowest ones for 'make trials'
	$(BIN)/uv pip compile pyproject.toml --extra dev --extra slurm --universal --fork-strategy fewest --python-version 3.11 \
		--generate-hashes --no-emit-index-url --no-annotate --no-header --output-file requirements.lock
	$(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["site"], sep="\n")' \
		| $(BIN)/uv pip compile - --constraint requirements.lock --universal --fork-strategy fewest --python-version 3.11 \
		--generate-hashes --no-emit-index-url --no-annotate --no-header --output-file requirements-site.lock
	$(BIN)/uv pip compile pyproject.toml --resolution lowest-direct --python-version 3.11 \
		--no-emit-index-url --no-annotate --no-header --output-file tests/trials/lowest-light.txt
	$(BIN)/uv pip compile pyproject.toml --extra study --resolution lowest-direct --python-version 3.11 \
		--no-emit-index-url --no-annotate --no-header --output-file tests/trials/lowest.txt

setup: $(READY) ## Set up .venv and compile the numeric kernels

neural: $(NEURAL) ## Add PyTorch for CPUs to .venv, for gmf, mlp, neumf, latent_cross and lc_nn

clean: ## Remove .venv and all caches; results/ and data/ stay
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	find src docs tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# uv takes a fifth of pip's time, because it leaves bytecode to the first import. Without an index for uv, pip installs.
$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "$(PYTHON) is too old: use Python 3.11 or later, as in 'make PYTHON=python3.12'" >&2; exit 1; }
	@echo "Setting up $(VENV) (half a minute, once)" >&2
	@rm -f $(READY)
	@$(PYTHON) -m venv $(VENV)
	@sed -n '/^uv==/,/[^\\]$$/p' requirements.lock >$(VENV)/uv.txt
	@{ $(PIP) install --require-hashes --only-binary :all: --requirement $(VENV)/uv.txt \
		&& index="$${PIP_INDEX_URL:-$$($(BIN)/python -m pip config get global.index-url 2>/dev/null || :)}" \
		&& $(UV) $${index:+--default-index "$$index"} --require-hashes --requirement requirements.lock; } 2>/dev/null \
		|| $(PIP) install --require-hashes --requirement requirements.lock
	@$(PIP) install --no-deps --no-build-isolation $(PACKAGE)
	@touch $@

# This compiles all kernels once and stores them with the sources. Without it, a study's first run compiles its own kernels.
# It also compiles the installed modules: tests start hundreds of processes, most of which may not write compiled files.
$(READY): $(INSTALLED)
	@echo "Compiling the numeric kernels on all processors (a minute or two, once)" >&2
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib >/dev/null 2>&1 || :
	@$(BIN)/python -m recsens.workflow.compile_kernels
	@touch $@

# A package in both locks has the same version in both.
$(SITE): $(READY) requirements-site.lock
	@echo "Installing the generator of the site (50 packages, once)" >&2
	@$(PIP) install --no-deps --require-hashes --requirement requirements-site.lock
	@touch $@

# Without dependencies, because the two locks list everything that PyTorch needs.
$(NEURAL): $(READY) requirements-neural.lock
	@echo "Installing PyTorch for CPUs (200 MB)" >&2
	@$(PIP) install --no-deps --require-hashes --requirement requirements-neural.lock
	@$(BIN)/python -m recsens.workflow.compile_kernels
	@touch $@
