# `make run` sets up and opens the window; `make test` sets up and tests. Nothing else is needed first.
PYTHON ?= python3
VENV := .venv/bin/python

# Tests start many programs; each would compile every source again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run setup setup-dev test test-all check lint docs packages bundle gpu-test attack bench bench-gui screenshots format clean

run: setup
	$(VENV) main.py

setup:
	@$(PYTHON) scripts/setup.py

setup-dev:
	@$(PYTHON) scripts/setup.py --dev

# Files of tests are dealt out to processes, in the order of tests/conftest.py; what a file has compiled serves all of
# its tests. A process that dies ends the run: pytest-xdist may wait for ever for what its successor should do. The last
# line says what was not tested.
TESTS := $(VENV) -m pytest -n logical --maxprocesses 4 --dist loadgroup --no-loadscope-reorder --max-worker-restart 0

test: setup-dev
	$(TESTS)

# The slow ones too.
test-all: setup-dev
	$(TESTS) -m "not gpu"

# The last table is a report: it never fails.
check: lint
	$(VENV) scripts/package_view.py mypy
	$(VENV) scripts/readability.py

lint: setup-dev
	$(VENV) -m ruff check .
	$(VENV) -m ruff format --check .
	$(VENV) scripts/package_view.py lint-imports

# With the Python at hand: a GPU machine needs neither the environment nor Qt. Where it has pytest-xdist, eight processes
# share the GPU.
SHARED := import xdist; print("-n 8 --dist loadgroup --no-loadscope-reorder --max-worker-restart 0")
gpu-test:
	$(PYTHON) -m pytest -m gpu $(shell $(PYTHON) -c '$(SHARED)' 2>/dev/null)

# Random problems, damaged files, killed programs, full disks and lost devices, for so many minutes. BACKEND=cuda tries
# problems and memory on a GPU; ARGS may be "--only problems,files --seed 7".
MINUTES ?= 10
BACKEND ?= cpu
attack: setup-dev
	$(VENV) -m tests.attack --minutes $(MINUTES) --backend $(BACKEND) $(ARGS)

bench: setup-dev
	$(VENV) -m bench $(ARGS)

bench-gui: setup-dev
	$(VENV) scripts/bench_gui.py $(ARGS)

screenshots: setup-dev
	$(VENV) scripts/screenshots.py

# The site, in build/site; a warning is an error.
docs: setup-dev
	$(VENV) scripts/build_site.py

# What is published: sdist and wheel in dist, checked.
packages: setup-dev
	rm -f dist/*.whl dist/*.tar.gz
	$(VENV) -m build --outdir dist
	$(VENV) -m twine check --strict dist/*.whl dist/*.tar.gz
	$(VENV) -m check_wheel_contents dist/*.whl

# A folder with Python and all libraries, dist/antidiag, which is tried out offscreen.
bundle: setup-dev
	$(VENV) -m pip install --quiet "pyinstaller>=6.11"
	$(VENV) -m PyInstaller --noconfirm --log-level WARN --distpath dist --workpath build/pyinstaller packaging/pyinstaller/antidiag.spec
	$(VENV) packaging/pyinstaller/try_out.py dist/antidiag

format: setup-dev
	$(VENV) -m ruff check --fix .
	$(VENV) -m ruff format .

clean:
	rm -rf .venv .pytest_cache .ruff_cache .mypy_cache .hypothesis .import_linter_cache
