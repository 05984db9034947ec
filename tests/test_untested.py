"""The last line of a run of tests, on a small project that uses the same plugin."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CONFTEST = """
from tests.untested import Untested, leave_out

def pytest_configure(config):
    config.addinivalue_line("markers", "gpu: needs a GPU")
    config.addinivalue_line("markers", "slow: takes long")
    config.pluginmanager.register(Untested(config))
"""
TESTS = """
import pytest

@pytest.mark.gpu
@pytest.mark.parametrize("number", range(3))
def test_a_kernel(number): pass

@pytest.mark.gpu
@pytest.mark.slow
def test_a_slow_kernel(): pass

@pytest.mark.slow
def test_for_minutes(): pass

@pytest.mark.parametrize("number", range(2))
def test_a_program(number): pytest.skip("nobody has it")

@pytest.mark.skipif(True, reason="no pipes")
def test_pipes(): pass

@pytest.mark.parametrize("number", range(3))
def test_a_part(number, leave_out): leave_out(["long"] * number)

def test_that_runs(): pass
"""
FULL = (
    "not tested: 4 that need a GPU (make gpu-test); 1 that take long (make test-all); 3: long; 2: nobody has it; "
    "1: no pipes; "
    "all of test_library.py: could not import 'nothing_of_this_name': No module named 'nothing_of_this_name'"
)


def last_line(folder: Path, *arguments: str) -> str:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_some.py").write_text(TESTS)
    (folder / "test_library.py").write_text('import pytest\npytest.importorskip("nothing_of_this_name")\n')
    command = [sys.executable, "-m", "pytest", "-q", "-p", "xdist", "-c", "none.ini", "--rootdir", "."]
    (folder / "none.ini").write_text(f"[pytest]\npythonpath = {ROOT}\n")
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # Qt and Hypothesis take longer than the tests
    run = subprocess.run([*command, *arguments], cwd=folder, env=alone, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout.splitlines()[-1]


@pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=("one-process", "two-processes"))
def test_all_that_was_left_out_is_in_the_last_line(tmp_path: Path, processes: tuple[str, ...]) -> None:
    assert last_line(tmp_path, "-m", "not gpu and not slow", *processes) == FULL


def test_what_was_not_asked_for_is_not_left_out(tmp_path: Path) -> None:
    assert last_line(tmp_path, "-k", "that_runs", "test_some.py") == "not tested: nothing"
