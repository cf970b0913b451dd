# Every target makes its own set-up: a machine with Python 3.11+ and make needs nothing else.
PYTHON ?= python3
BIN := .venv/bin
JOBS ?= 2
# With pip, or with uv where uv made the environment: it has no pip then. To compile all that is installed would take half
# of the time of the set-up; Python compiles what it imports, and keeps it unless it is told not to.
unexport PYTHONDONTWRITEBYTECODE
install = if $(BIN)/python -c 'import pip' 2>/dev/null; \
	then $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '$(1)'; \
	else uv pip install --quiet --python $(BIN)/python --editable '$(1)'; fi

.PHONY: run test slow attack lint docs gallery pre-commit build bench reproduce clean

run: .venv/.run
	$(BIN)/genreplay demo

test: .venv/.dev
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(JOBS)

slow: .venv/.dev
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(JOBS) -m slow

attack: .venv/.dev
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(JOBS) -m attack

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Open out/docs/index.html"

gallery: .venv/.run
	OMP_NUM_THREADS=1 $(BIN)/python tools/gallery.py

pre-commit: .venv/.dev
	$(BIN)/pre-commit run --all-files

build: .venv/.dev
	$(BIN)/python tools/build.py

bench: .venv/.run
	$(BIN)/genreplay bench

reproduce: .venv/.run
	$(BIN)/genreplay reproduce all --resume

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "genreplay needs Python 3.11 or newer: run make with PYTHON=/path/to/it")'
	$(PYTHON) -m venv .venv

.venv/.run: pyproject.toml | .venv/bin/python
	$(call install,.)
	touch $@

.venv/.docs: pyproject.toml | .venv/bin/python
	$(call install,.[docs])
	touch .venv/.run $@

.venv/.dev: pyproject.toml | .venv/bin/python
	$(call install,.[dev])
	touch .venv/.run .venv/.docs $@

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis out dist
