"""Counts of an alignment that is edited."""

from __future__ import annotations

import numpy as np
import pytest

from app.views.aligned import counting
from app.views.aligned.counting import Counts
from kernels.io import aligned_edits, tiled_edits
from kernels.io.aligned import AlignedSequences
from kernels.io.aligned_columns import count
from kernels.io.cpu_tiles import WIDTH
from kernels.io.tiles import Tiles
from kernels.model import SequenceType


def test_nobody_looks_for_what_an_edit_changed_that_wrote_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step of a gesture would wait for it, and the answer is to count on a thread."""
    letters = np.full((20, WIDTH), ord("A"), np.uint8)
    letters[:, -1] = ord("-")
    found = tiled_edits.tiled(AlignedSequences(tuple(map(str, range(20))), letters, SequenceType.DNA))
    monkeypatch.setattr(counting, "SMALL", 8 * WIDTH)
    counts = Counts()
    counts.take(found, count(found.letters))
    few, many = (aligned_edits.move(found, np.arange(rows), 0, WIDTH - 1, 1) for rows in (5, 10))
    most = aligned_edits.move(found, np.arange(19), 0, WIDTH - 1, 1)  # the other row is written
    for here in (most, few):
        assert np.array_equal(counts.of(here).counts, count(here.letters).counts)
    monkeypatch.setattr(Tiles, "otherwise", lambda *_: pytest.fail("looked for"))
    assert counts.of(many) is None
