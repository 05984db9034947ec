"""Counts of an alignment that is edited."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from antidiag.app.views.aligned import counting
from antidiag.app.views.aligned.counting import Counts
from antidiag.kernels.cpu import workers
from antidiag.kernels.io import aligned_columns, aligned_edits, tiled_edits
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.aligned_columns import count
from antidiag.kernels.io.cpu_tiles import WIDTH
from antidiag.kernels.io.tiles import Tiles
from antidiag.kernels.model import SequenceType


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


def test_many_letters_are_counted_by_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aligned_columns, "PART", 40)
    monkeypatch.setattr(aligned_columns, "COUNTED", 8)
    monkeypatch.setattr(workers, "cores", lambda: 2)
    letters = np.frombuffer(b"ACGT-", np.uint8)[np.random.default_rng(1).integers(0, 5, (17, 21))]
    expected = np.zeros((21, aligned_columns.CLASSES), np.int32)
    for row in letters:
        expected[np.arange(21), aligned_columns.CLASS[row]] += 1
    met, add, first = threading.Barrier(2, timeout=10), aligned_columns._add, iter(range(2))

    def added(*part: object) -> None:
        if next(first, None) is not None:
            met.wait()  # one thread alone would wait for the other
        add(*part)

    monkeypatch.setattr(aligned_columns, "_add", added)
    assert np.array_equal(count(letters).counts, expected)


def test_columns_of_one_letter_have_no_entropy_less_than_none() -> None:
    """A table would say -0."""
    entropy = count(np.full((3, 2), ord("A"), np.uint8)).entropy
    assert [f"{value:.4g}" for value in entropy] == ["0", "0"]
