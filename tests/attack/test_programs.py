"""A short attack with a fixed seed on running programs: killed, and with a disk that takes little or nothing."""

from __future__ import annotations

import sys

import pytest

from tests.attack.making import Plan, attempt

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and limits are those of Linux")
SEED = 14


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["kills", "disks"])
def test_nothing_finished_is_lost(kind: str) -> None:
    assert not (found := attempt(Plan((kind,), SEED, 0.0, "cpu"), kind, 0)), found
