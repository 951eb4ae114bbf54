# Every target does its own set-up in .venv: slow the first time (Spark is a large download), quick ever after.
# Needs Python >= 3.11 and make. No network is used once a target's packages are installed.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/sh

# The first Python that is new enough; PYTHON=... on the command line outranks it.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)

# spark-submit looks for its Python on PATH.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# What runs is the venv's own Spark, whatever Spark this machine is set up for.
unexport SPARK_HOME SPARK_CONF_DIR SPARK_REMOTE PYSPARK_PYTHON PYSPARK_DRIVER_PYTHON PYSPARK_SUBMIT_ARGS

BENCH := $(wildcard benchmarks/peers.py)
PIP := .venv/bin/python -m pip --disable-pip-version-check

# The extra `java` is installed only where no Java is found; the second look says why there is none even then.
define NEED_JAVA
@.venv/bin/python -m nbspark.runtime.java >/dev/null 2>&1 || $(PIP) install -e '.[java]' || true
@.venv/bin/python -m nbspark.runtime.java >/dev/null
endef

# Made once for this Java and this Spark; without it everything starts later and is the same.
define CLASS_ARCHIVE
@.venv/bin/python -m nbspark.runtime.archive || true
endef

.PHONY: help
help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile $(if $(BENCH),,| grep -v 'make bench')

.PHONY: demo
demo: .venv/installed-demo  ## Train on BBC news, score and evaluate what was held out, learn a second day
	$(NEED_JAVA)
	$(CLASS_ARCHIVE)
	.venv/bin/nbspark demo --output build/demo

.PHONY: test
test: .venv/installed-test  ## Run the tests and the examples in the docstrings (ARGS='-k ties' for a few)
	$(NEED_JAVA)
	$(CLASS_ARCHIVE)
	.venv/bin/pytest -n auto --maxprocesses 4 --dist worksteal $(ARGS)

.PHONY: test-sail
test-sail: .venv-sail/installed  ## Run the tests of documents on Sail, an engine that reads files otherwise
	.venv-sail/bin/python -m pytest -m sail tests/documents/test_sail.py $(ARGS)

.PHONY: lint
lint: .venv/installed-test  ## Check style, format and types
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy

ifneq ($(BENCH),)
.PHONY: bench
bench: .venv/installed-bench .venv-sail/installed  ## Time nbspark beside its peers (ARGS='...' go to benchmarks/peers.py)
	$(NEED_JAVA)
	.venv/bin/python $(BENCH) $(ARGS)
endif

.PHONY: clean
clean:  ## Remove what was built; the packages in .venv stay (rm -r .venv removes them too)
	rm -rf build dist ./*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis spark-warehouse metastore_db derby.log
	find nbspark jobs tests benchmarks -name __pycache__ -prune -exec rm -rf {} +

# pip comes last into a new venv, so a venv without it is half of one.
.venv/bin/pip:
	@test -n '$(PYTHON)' || { echo 'nbspark needs Python 3.11 or newer, and none is on PATH. Install one, or run: make PYTHON=/path/to/python3 ...' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'nbspark needs Python 3.11 or newer; $(PYTHON) is older: ' `$(PYTHON) --version` >&2; exit 1; }
	@$(PYTHON) -m venv --clear .venv || { echo 'The venv could not be made. On Debian and Ubuntu its module is a package of its own: apt-get install python3-venv' >&2; exit 1; }

.venv/installed-demo: pyproject.toml | .venv/bin/pip
	$(PIP) install -e '.[spark,demo]'
	@touch $@

.venv/installed-bench: pyproject.toml | .venv/bin/pip
	$(PIP) install -e '.[spark,bench]'
	@touch $@

# Sail wants the thin client of Spark Connect, which is another build of the package pyspark.
.venv-sail/installed: pyproject.toml | .venv/bin/pip
	@$(PYTHON) -m venv --clear .venv-sail
	.venv-sail/bin/python -m pip --disable-pip-version-check install -e . 'pysail>=0.7' 'pyspark-client>=4.2,<4.3' 'pandas>=2.2,<3' 'pytest>=8'
	@touch $@

.venv/installed-test: pyproject.toml | .venv/bin/pip
	$(PIP) install -e '.[spark,zh,stopwords,test]'
	@touch $@
