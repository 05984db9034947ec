"""A set of sequences behaves as the list that it was made of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.sequences.sequence_set import SequenceSet, concatenate
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


@given(LISTS, LISTS, st.data())
def test_sets_are_joined_and_changed_as_lists_are(
    one: list[Sequence], other: list[Sequence], data: st.DataObject
) -> None:
    joined = SequenceSet.from_sequences(one) + other
    assert list(joined) == one + other
    if one:
        row = data.draw(st.integers(0, len(one) - 1))
        changed = [*one]
        changed[row] = Sequence("new", b"AC", SequenceType.DNA)
        assert list(SequenceSet.from_sequences(one).replace({row: changed[row]})) == changed


def test_nothing_is_a_set_as_well() -> None:
    assert len(concatenate([])) == 0
    assert SequenceSet.from_sequences([])[:5] == SequenceSet.from_sequences([])
    with pytest.raises(IndexError):
        SequenceSet.from_sequences([])[0]


def test_offsets_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="offsets"):
        TextColumn(np.zeros(3, np.uint8), np.array([0, 2], np.int64))
