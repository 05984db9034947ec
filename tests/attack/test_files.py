"""A short attack with a fixed seed on all readers; ``make attack`` goes on for as long as one likes."""

from __future__ import annotations

import pytest

from tests.attack.__main__ import attempt

SEED, FILES, PARTS = 14, 100, 4


@pytest.mark.parametrize("part", range(PARTS))
def test_damaged_files_are_read_or_refused(part: int) -> None:
    numbers = range(part * FILES, (part + 1) * FILES)
    found = [text for number in numbers if (text := attempt("files", SEED, number, "cpu"))]
    assert not found, "\n".join(found)
