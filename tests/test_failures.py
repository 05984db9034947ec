"""That a failure is told when it happens, and a test that hangs as well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.failures import WHOLE

ROOT = Path(__file__).resolve().parents[1]
CONFTEST = """
from tests.failures import Failures

def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Failures(config))
"""
TESTS = """
import time
import pytest

@pytest.mark.parametrize("number", range({count}))
def test_that_fails(number): assert number < 0, "too large"

def test_that_hangs(): time.sleep(600)
"""


def test_failures_are_told_before_a_process_that_hangs_is_ended(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_some.py").write_text(TESTS.format(count=WHOLE + 2))
    settings = f"pythonpath = {ROOT}\nfaulthandler_timeout = 2\nfaulthandler_exit_on_timeout = true\n"
    (tmp_path / "none.ini").write_text(f"[pytest]\n{settings}")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "xdist", "-c", "none.ini", "--rootdir", "."]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    processes = ["-n", "1", "--max-worker-restart", "0"]
    run = subprocess.run([*command, *processes], cwd=tmp_path, env=alone, capture_output=True, text=True, check=False)
    told = run.stdout.partition("=== FAILURES")[0]
    assert told.count("def test_that_fails(number): assert number < 0") == WHOLE
    assert f"test_some.py::test_that_fails[{WHOLE + 1}]: AssertionError: too large" in told
    assert "test_some.py::test_that_hangs: worker 'gw0' crashed" in told
    assert "in test_that_hangs" in run.stderr
    assert run.returncode == 1
