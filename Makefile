# The developer's manual: every command that one needs, by name. 'make' alone prints it.
#
# Needs make, Python 3.11 or later and a package index. The first call sets up .venv; the following ones go straight to work.

STUDY ?= quickstart
CORES ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
PYTHON ?= python3
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check --no-input

.DEFAULT_GOAL := help
.PHONY: help run test lint format check docs lock setup clean

help: ## Print this list
	@echo "make [target] [STUDY=$(STUDY)] [CORES=$(CORES)] [PYTHON=$(PYTHON)] [ARGS=...]"
	@echo
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "RECSENS_DATA names the folder of your copies of data sets (data/README.md)."

run: $(READY) ## Bring the results of STUDY up to date, on CORES processors; the report is results/report.html
	@$(BIN)/recsens run $(STUDY) --cores $(CORES) $(ARGS)

test: $(READY) ## Run the tests, on CORES processors; ARGS goes to pytest: ARGS='-m "not workflow"'
	@$(BIN)/python -m pytest --numprocesses $(CORES) --dist worksteal $(ARGS)

lint: $(READY) ## Check format, types, spelling, the workflow and the generated files
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/mypy --no-error-summary
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint --quiet
	$(BIN)/codespell
	$(BIN)/python -m recsens.reference --check

format: $(READY) ## Mend what can be mended by machine
	$(BIN)/ruff check --quiet --fix --exit-zero
	$(BIN)/ruff format --quiet
	$(BIN)/snakefmt Snakefile workflow

check: ## Do what continuous integration does: lint, then test
	@.ci/run

docs: $(READY) ## Write the generated files anew: docs/reference, config/README.md, the schema of study files
	@$(BIN)/python -m recsens.reference

lock: ## Choose the versions of requirements.lock anew, with uv
	uv pip compile pyproject.toml --extra dev --extra slurm --universal --fork-strategy fewest --python-version 3.11 \
		--generate-hashes --no-emit-index-url --no-annotate --no-header --output-file requirements.lock

setup: $(READY) ## Set up .venv and compile the numeric kernels

clean: ## Remove .venv and all caches; results/ and data/ stay
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# The kernels are compiled here, once, and kept beside the sources: no job waits for a compiler.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "$(PYTHON) is too old: give a Python of 3.11 or later, as in 'make PYTHON=python3.12'" >&2; exit 1; }
	@echo "Setting up $(VENV) (a minute or two, once)" >&2
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --require-hashes --requirement requirements.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@echo "Compiling the numeric kernels (half a minute, once)" >&2
	@$(BIN)/python -m recsens.warming
	@touch $@
