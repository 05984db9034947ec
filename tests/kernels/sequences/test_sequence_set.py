"""A set of sequences behaves as the list that it was made of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import registry
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.search.database import make_memory_database
from antidiag.kernels.sequences import sequence_set
from antidiag.kernels.sequences.sequence_set import MANY_SEQUENCES, SequenceSet, SharedSequences, concatenate
from antidiag.kernels.sequences.text_column import TextColumn

TEXTS = st.text(max_size=8)
SEQUENCES = st.builds(
    Sequence,
    name=TEXTS,
    letters=st.text("ACGT", max_size=12).map(str.encode),
    type=st.sampled_from(SequenceType),
    description=TEXTS,
    source=st.sampled_from(["", "a.fa", "b.fa"]),
    note=TEXTS,
)
LISTS = st.lists(SEQUENCES, max_size=6)


@given(LISTS)
def test_a_set_gives_its_sequences_back(listed: list[Sequence]) -> None:
    found = SequenceSet.from_sequences(listed)
    assert list(found) == listed == [found[row] for row in range(len(found))]
    assert [one.note for one in found] == [one.note for one in listed]
    assert found.lengths.tolist() == [len(one) for one in listed]
    assert list(found.names) == [one.name for one in listed]
    assert found == SequenceSet.from_sequences(iter(listed))
    assert SequenceSet.from_sequences(found) is found


@given(LISTS, st.data())
def test_rows_are_taken_as_from_a_list(listed: list[Sequence], data: st.DataObject) -> None:
    found = SequenceSet.from_sequences(listed)
    rows = data.draw(st.lists(st.integers(0, len(listed) - 1), max_size=8)) if listed else []
    assert list(found.take(rows)) == [listed[row] for row in rows]
    cut = data.draw(st.slices(len(listed)))
    assert list(found[cut]) == listed[cut]


def test_problems_hold_many_sequences_in_columns_however_they_are_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequence_set, "MANY_SEQUENCES", 3)
    listed = [Sequence(f"s{number}", b"MKVLA", SequenceType.PROTEIN) for number in range(4)]
    batch = registry.find_method("batch-score").problem_type.make_problem(listed, {})
    assert isinstance(batch.sequences, SequenceSet) and list(batch.sequences) == listed
    database = make_memory_database([*listed, Sequence("empty", b"", SequenceType.PROTEIN)])
    assert isinstance(database.sequences, SequenceSet) and list(database.sequences) == listed


@given(LISTS, LISTS)
def test_sets_are_joined_as_lists_are(one: list[Sequence], other: list[Sequence]) -> None:
    assert list(SequenceSet.from_sequences(one) + other) == one + other


@given(st.lists(SEQUENCES, min_size=1, max_size=6), st.lists(SEQUENCES, max_size=3), st.data())
def test_rows_that_share_columns_are_those_of_a_list(
    listed: list[Sequence], more: list[Sequence], data: st.DataObject
) -> None:
    rows = data.draw(st.permutations(range(len(listed))))[: data.draw(st.integers((len(listed) + 1) // 2, len(listed)))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sequence_set, "MANY_SEQUENCES", 1)
        first = SequenceSet.from_sequences(listed)
        found = first.take(rows) + more
        expected = [listed[row] for row in rows] + more
        assert isinstance(found, SharedSequences) and found.sets[0] is first
        assert list(found) == expected == [found[row] for row in range(len(found))]
        assert found == SequenceSet.from_sequences(expected) == found
        assert found.lengths.tolist() == np.diff(found.offsets).tolist() == [len(one) for one in expected]
        assert found.letters.tobytes() == b"".join(one.letters for one in expected)
        assert (list(found.names), list(found.notes)) == (
            [one.name for one in expected],
            [one.note for one in expected],
        )
        assert found.different_types == {one.type for one in expected}
        cut = data.draw(st.slices(len(found)))
        assert list(found[cut]) == expected[cut]
    with pytest.raises(AttributeError):
        found.unknown  # noqa: B018 - only to ask for it


def test_small_sets_that_many_edits_add_become_one() -> None:
    found = SequenceSet.from_sequences(Sequence(f"s{row}", b"A", SequenceType.DNA) for row in range(MANY_SEQUENCES))
    for row in range(20):
        found += [Sequence(f"new {row}", b"C", SequenceType.DNA)]
    assert isinstance(found, SharedSequences) and [len(one) for one in found.sets] == [MANY_SEQUENCES, 20]
    assert list(found.names)[-20:] == [f"new {row}" for row in range(20)] and found.rows.nbytes == 2 * len(found)
    assert found.take(np.arange(MANY_SEQUENCES // 4)).names.data.base is not found.sets[0].names.data.base


@pytest.mark.parametrize("rows", [np.array([3]), np.array([-1]), np.array([0.5]), np.array([[0]])])
def test_rows_that_do_not_fit_are_refused(rows: np.ndarray) -> None:
    sets = [SequenceSet.from_sequences([Sequence("a", b"A", SequenceType.DNA)] * 3)]
    with pytest.raises(ValueError, match="rows"):
        SharedSequences(sets, rows)


def test_nothing_is_a_set_as_well() -> None:
    assert len(concatenate([])) == 0
    assert SequenceSet.from_sequences([])[:5] == SequenceSet.from_sequences([])
    with pytest.raises(IndexError):
        SequenceSet.from_sequences([])[0]


def test_offsets_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="offsets"):
        TextColumn(np.zeros(3, np.uint8), np.array([0, 2], np.int64))
