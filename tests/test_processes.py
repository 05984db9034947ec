"""How the tests are dealt out to processes."""

from __future__ import annotations

import os

import pytest


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="the tests run in one process")
def test_tests_of_a_file_run_in_one_process(request: pytest.FixtureRequest) -> None:
    """pytest-xdist keeps together what has the same group, which it appends to the ids."""
    if not request.config.getoption("loadgroup", False):
        pytest.skip("tests are not dealt out in groups")
    assert request.node.nodeid.endswith("@tests/test_processes.py")
