"""Counts of an alignment that is edited."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from antidiag.kernels.alignments import alignment_edits, block_edits, column_counter, column_statistics, row_statistics
from antidiag.kernels.alignments.blocked_cells import BlockedCells
from antidiag.kernels.alignments.column_counter import ColumnCounter
from antidiag.kernels.alignments.column_statistics import count_columns
from antidiag.kernels.alignments.cpu_blocks import BLOCK_WIDTH
from antidiag.kernels.cpu import workers
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.clustal_marks import clustal_marks
from antidiag.kernels.model import SequenceType


def test_nobody_looks_for_what_an_edit_changed_that_wrote_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step of a gesture would wait for it, and the answer is to count on a thread."""
    letters = np.full((20, BLOCK_WIDTH), ord("A"), np.uint8)
    letters[:, -1] = ord("-")
    found = block_edits.to_blocks(AlignedSequences(tuple(map(str, range(20))), letters, SequenceType.DNA))
    monkeypatch.setattr(column_counter, "MAX_LETTERS_AT_ONCE", 8 * BLOCK_WIDTH)
    counts = ColumnCounter()
    counts.store_counts(found, count_columns(found.letters))
    few, many = (alignment_edits.move_cells(found, np.arange(rows), 0, BLOCK_WIDTH - 1, 1) for rows in (5, 10))
    most = alignment_edits.move_cells(found, np.arange(19), 0, BLOCK_WIDTH - 1, 1)  # the other row is written
    for here in (most, few):
        assert np.array_equal(counts.find_counts(here).counts, count_columns(here.letters).counts)
    monkeypatch.setattr(BlockedCells, "changed_blocks", lambda *_: pytest.fail("looked for"))
    assert counts.find_counts(many) is None


def test_many_letters_are_counted_by_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_statistics, "BATCH_LETTERS", 40)
    monkeypatch.setattr(column_statistics, "CACHED_COLUMNS", 8)
    monkeypatch.setattr(workers, "count_processors", lambda: 2)
    letters = np.frombuffer(b"ACGT-", np.uint8)[np.random.default_rng(1).integers(0, 5, (17, 21))]
    expected = np.zeros((21, column_statistics.CLASSES), np.int32)
    for row in letters:
        expected[np.arange(21), column_statistics.LETTER_CLASS[row]] += 1
    met, add, first = threading.Barrier(2, timeout=10), column_statistics._add_part, iter(range(2))

    def added(*part: object) -> None:
        if next(first, None) is not None:
            met.wait()  # one thread alone would wait for the other
        add(*part)

    monkeypatch.setattr(column_statistics, "_add_part", added)
    assert np.array_equal(count_columns(letters).counts, expected)


def test_columns_of_one_letter_have_no_entropy_less_than_none() -> None:
    """A table would say -0."""
    entropy = count_columns(np.full((3, 2), ord("A"), np.uint8)).entropy
    assert [f"{value:.4g}" for value in entropy] == ["0", "0"]


def test_ambiguous_letters_are_no_consensus_and_no_identity():
    rows = (b"NNARX*", b"NNARX*", b"NANRX*", b"NCNAX*")
    letters = np.array([list(row) for row in rows], np.uint8)
    dna = column_statistics.count_columns(letters, type=SequenceType.DNA)
    assert dna.consensus.tobytes() == b"NAAAX*"
    assert dna.identity.tolist() == [0, 0.25, 0.5, 0.25, 0, 1]
    protein = column_statistics.count_columns(letters, type=SequenceType.PROTEIN)
    assert protein.consensus.tobytes() == b"NNARX*" and protein.identity.tolist() == [1, 0.5, 0.5, 0.75, 0, 1]
    assert protein.conservation.tolist()[4] < 11 == protein.conservation.tolist()[0]
    assert dna.part(0, 1).identity.tolist() == [0]


@pytest.mark.parametrize(
    ("kind", "identity", "marks"), [(SequenceType.DNA, 0.25, b"   *"), (SequenceType.PROTEIN, 0.5, b" *:*")]
)
def test_identity_of_rows_and_clustal_marks_leave_ambiguous_letters_out(kind, identity, marks):
    found = AlignedSequences(("a", "b"), np.array([list(b"XNRA"), list(b"XNKA")], np.uint8), kind)
    assert row_statistics.row_identities(found, 0).tolist()[1] == identity
    assert clustal_marks(found.letters, kind) == marks
