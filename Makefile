# Needs Python 3.11 or newer and make; everything else is installed into .venv from requirements.lock.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/ready
CODE   := symroof tests benchmarks derivations
PIP    := $(BIN)/python -m pip --disable-pip-version-check -qq

.PHONY: help report test check lint format bench fuzz lock clean
.DEFAULT_GOAL := help

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

report: $(READY)  ## derive the book and write reports/
	@$(BIN)/symroof report --format md,tex,html
	@$(BIN)/symroof lab

test: lint check  ## everything: lint, types, the book's claims, current reports, unit tests
	@$(BIN)/python -m pytest --numprocesses auto --dist loadfile --ignore tests/browser
	@$(BIN)/python -m pytest tests/browser

check: $(READY)  ## every claim, unit and constraint of the book; are reports/ current?
	@$(BIN)/symroof check
	@$(BIN)/symroof report --check
	@$(BIN)/symroof lab --check

lint: $(READY)  ## style, format and types
	@$(BIN)/ruff check --quiet --output-format concise $(CODE)
	@$(BIN)/ruff format --quiet --check $(CODE) || { echo 'not formatted: run make format'; exit 1; }
	@$(BIN)/mypy --no-error-summary

format: $(READY)  ## put the code into its format
	@$(BIN)/ruff check --quiet --fix $(CODE)
	@$(BIN)/ruff format --quiet $(CODE)

bench: $(READY)  ## start-up, memory, compiled form and sweeps, as ratios
	@$(BIN)/python benchmarks/startup.py
	@$(BIN)/python benchmarks/sweep.py
	@$(BIN)/python benchmarks/embed.py
	@$(BIN)/python benchmarks/explain.py
	@$(BIN)/python benchmarks/lab.py

fuzz: $(READY)  ## a million damaged configurations into `model import` (COUNT=...)
	@$(BIN)/python benchmarks/fuzz_import.py $(or $(COUNT),1000000)

# The oldest Python that is supported resolves the lock: newer ones need no package that it does not need.
lock:  ## resolve requirements.lock anew
	@$(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip --disable-pip-version-check --quiet install pip-tools
	@build/lock/bin/pip-compile --quiet --upgrade --generate-hashes --allow-unsafe --strip-extras --no-header --no-annotate \
	  --no-emit-index-url --no-emit-trusted-host --no-emit-find-links \
	  --extra dev --extra browser --all-build-deps --output-file requirements.lock pyproject.toml

clean:  ## remove what make and the tests put here
	@rm -rf $(VENV) build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): requirements.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo 'symroof needs Python 3.11 or newer, and there is no $(PYTHON): make PYTHON=...'; exit 1; }
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("symroof needs Python 3.11 or newer, and $(PYTHON) is %d.%d: make PYTHON=..." % sys.version_info[:2])'
	@echo 'Installing into $(VENV) ...'
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $(READY)
