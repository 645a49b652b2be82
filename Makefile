# Everything runs in .venv, which is built where it is missing or older than pyproject.toml. ARGS="..." is passed on.

PYTHON ?= python3
READY := .venv/.ready

.PHONY: help serve test crash attack soak memory stalls bench cup lint docs .venv

help:
	@echo 'make serve   run the server             ARGS="--port 9000"'
	@echo 'make test    run the tests              ARGS="-k settings"'
	@echo 'make crash   kill servers, 500 times    ARGS="--seed 7"'
	@echo 'make bench   measure, in five minutes   ARGS="rounds memory"'
	@echo 'make cup     play 19,900 games, twice   ARGS="--players 60"'
	@echo 'make lint    check style and format'
	@echo 'make attack  attack a server for long   ARGS="-k replays"'
	@echo 'make soak    play 10,000 matches with all that goes wrong'
	@echo 'make memory  measure what players and matches need'
	@echo 'make stalls  measure how long the event loop is kept'
	@echo 'make docs    put into the documents what the server really answers'
	@echo 'make .venv   build the environment      PYTHON=python3.12'

serve: $(READY)
	@exec .venv/bin/lobby serve $(ARGS)

test: $(READY)
	@exec .venv/bin/python -m pytest $(ARGS)

# A season is 20 kills; the name of a test that fails holds its seed.
crash: $(READY)
	@exec .venv/bin/python -m pytest tests/crash --seasons 25 --seed $$$$ $(ARGS)

# Best on a machine that does nothing else.
bench: $(READY)
	@exec .venv/bin/python tests/bench/page.py $(ARGS)

cup: $(READY)
	@exec .venv/bin/python tests/bench/cup.py $(ARGS)

lint: $(READY)
	@.venv/bin/ruff check . && .venv/bin/ruff format --check .

attack: $(READY)
	@LONG=500 .venv/bin/python -m pytest -s tests/attacks $(ARGS)

soak: $(READY)
	@LONG=10000 .venv/bin/python -m pytest -s tests/soak $(ARGS)

memory: $(READY)
	@.venv/bin/python tests/bench/memory.py $(ARGS)

stalls: $(READY)
	@.venv/bin/python tests/bench/stalls.py $(ARGS)

docs: $(READY)
	@PYTHONPATH=tests/lobby:docs/examples/tictactoe .venv/bin/python tests/docs/played.py $(ARGS)

.venv: $(READY)

# The last step marks the environment as whole, so that an interrupted build is begun again.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'lobby needs Python 3.11 or later; name one with: make PYTHON=/path/to/python3' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "This Python can't make virtual environments; on Debian and Ubuntu: sudo apt install python3-venv" >&2; exit 1; }
	@echo 'Building .venv, this once ...' >&2
	@$(PYTHON) -m venv --clear .venv
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
