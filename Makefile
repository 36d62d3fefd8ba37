# make help lists the targets. Everything works from a fresh clone with Python >= 3.10 (pip and venv) and nothing else.

VENV   := .venv
PY     := $(VENV)/bin/python
STAMP  := $(VENV)/.installed
ORACLE := .oracle

# The first Python that is new enough and can make an environment. `make PYTHON=/path/to/python setup` overrides it.
# Candidates are run, not only found: a version manager's shim may exist without its Python.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.10 python3 python; do \
	if "$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; \
	then echo "$$p"; break; fi; done)

# The oracle's Python: $PYTHON37, else a python3.7 that runs, else pyenv's newest 3.7.
PYTHON37 ?= $(shell for p in python3.7 $$(ls -d $${PYENV_ROOT:-$$HOME/.pyenv}/versions/3.7.*/bin/python 2>/dev/null | sort -V -r); do \
	if "$$p" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 7))' >/dev/null 2>&1; then echo "$$p"; break; fi; done)

JOBS ?= 2
PROGRAMS ?= tests/programs
# Of the ops' cases those that changed: what is drawn at random would be another each time. CASES= asks for all of them.
CASES ?= --stale

.DEFAULT_GOAL := help
.PHONY: help setup run test check native sanitize index stubs format docs tutorials bench oracle keras3 goldens release clean

help:  ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

setup: $(STAMP)  ## make .venv and install Headrace into it, as constraints.txt says

NATIVE := setup.py $(wildcard headrace/native/src/*.* headrace/native/src/isa/*.*)

$(STAMP): pyproject.toml constraints.txt $(NATIVE)
	@test -n "$(PYTHON)" || { echo "no Python >= 3.10 with venv found; name one: make PYTHON=/path/to/python $(MAKECMDGOALS)"; exit 1; }
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev,examples]"
	@$(PY) -c "from headrace import native; print('native runner:', native.description())"
	@touch $(STAMP)

native:  ## build the native runner again, with what the compiler says
	$(PY) setup.py --quiet build_ext --inplace
	@$(PY) -c "from headrace import native; print('native runner:', native.description())"

sanitize: setup  ## test the native kernels for wrong addresses and undefined behaviour
	$(PY) tools/sanitize_native.py

run: setup  ## train and test two digit classifiers: a TensorFlow 1.x script, unchanged
	$(PY) -m headrace examples/digits.py

test: setup  ## all tests
	$(PY) -m pytest -n $(JOBS) --dist worksteal -q --ignore tests/test_examples.py
	$(PY) -m pytest -n $(JOBS) --dist worksteal -q tests/test_examples.py

check: setup  ## format, lint, types, and which room imports which
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports
	$(PY) tools/make_stubs.py --check

index: setup  ## after an op has been added, moved or removed: write the index of ops again
	$(PY) tools/make_op_index.py

stubs: setup  ## after a public name has been added or moved: write what editors and type checkers read
	$(PY) tools/make_stubs.py

format: setup  ## format the sources and mend what the linter can
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

docs: setup  ## build the site into site/: guides, and a reference of every public name and operation
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[docs]"
	NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true $(PY) -m mkdocs build --quiet
	@echo "open site/index.html"

tutorials: setup  ## run the tutorials again and write their notebooks (docs/tutorials); TUTORIALS="gan nan"
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[tutorials]"
	$(PY) tools/make_tutorials.py $(TUTORIALS)

bench: setup  ## Headrace beside TensorFlow 1.15.5 and 2.21 (make oracle first); BENCH="--only mlp_step"
	$(PY) bench/run.py $(BENCH)

oracle: $(ORACLE)/tf1/.installed $(ORACLE)/tf2/.installed  ## install TensorFlow 1.15.5 and 2.21 to compare with

$(ORACLE)/tf1/.installed: tools/oracle/tf1.txt
	@test -n "$(PYTHON37)" || { echo "TensorFlow 1.15.5 needs Python 3.7 and there is none here."; \
		echo "Install one (pyenv install 3.7.16), or name it: make PYTHON37=/path/to/python3.7 oracle"; exit 1; }
	$(PYTHON37) -m venv $(ORACLE)/tf1
	$(ORACLE)/tf1/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

$(ORACLE)/tf2/.installed: tools/oracle/tf2.txt
	$(PYTHON) -m venv $(ORACLE)/tf2
	$(ORACLE)/tf2/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

keras3: $(ORACLE)/keras3/.installed  ## install Keras 3 on the PyTorch of .venv, a column of make bench

$(ORACLE)/keras3/.installed: tools/oracle/keras3.txt $(STAMP)
	$(PYTHON) -m venv $(ORACLE)/keras3
	$(ORACLE)/keras3/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	$(PY) -c 'import pathlib, torch; print(pathlib.Path(torch.__file__).parents[1])' \
		> $$($(ORACLE)/keras3/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/torch_of_headrace.pth
	@touch $@

goldens: setup oracle  ## record again what TensorFlow 1.15.5 says; PROGRAMS="tests/programs/nn" CASES="--stale"
	$(ORACLE)/tf1/bin/python tools/oracle/make_goldens.py $(PROGRAMS)
	$(PY) tools/oracle/record_cases.py $(CASES)

release: setup  ## build what is to be published into dist/, check it, and say what is left to do
	$(PY) -m pip install --quiet --disable-pip-version-check build twine
	$(PY) tools/release.py

clean:  ## remove what make made, the oracle excepted
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache bench/results
