"""The edits of the open data, as functions from state to state."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.app.session import state as module
from antidiag.app.session.state import State
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.sequences import sequence_set


def sequences(*names: str) -> tuple[Sequence, ...]:
    return tuple(Sequence(name, b"ACGT", SequenceType.DNA) for name in names)


def names(state: State) -> str:
    return "".join(sequence.name for sequence in state.sequences)


def inputs(state: State, count: int = 2) -> str:
    return "".join(state.sequences[row].name for row in state.rows(count))


def test_first_two_are_the_inputs_until_somebody_chooses():
    state = State(sequences(*"abcd"))
    assert inputs(state) == "ab"
    assert inputs(state, 3) == "abc"
    assert inputs(State(sequences("a"))) == "a"
    assert inputs(State()) == ""


def test_what_fills_up_the_inputs_is_of_their_type_where_there_is_such():
    dna, protein = sequences(*"abc"), tuple(Sequence(name, b"MKV", SequenceType.PROTEIN) for name in "pq")
    mixed = State(dna[:1] + protein[:1] + dna[1:] + protein[1:])
    assert inputs(mixed) == "ab" and inputs(mixed, 3) == "abc" and inputs(mixed, 4) == "abcp"
    assert inputs(State(mixed.sequences, chosen=(1,))) == "pq"
    assert inputs(State(dna[:1] + protein[:1])) == "ap"  # who has no other takes it, and is warned


def test_choosing_a_row_that_is_the_other_input_swaps_them():
    state = State(sequences(*"abcd"))
    assert inputs(module.chosen(state, 0, 3, 2)) == "db"
    assert inputs(module.chosen(state, 0, 1, 2)) == "ba"


def test_edits_keep_what_was_chosen():
    state = module.chosen(State(sequences(*"abcd")), 0, 2, 2)
    assert inputs(state) == "cb"
    assert inputs(module.inserted(state, 0, sequences("x"))) == "cb"
    assert inputs(module.removed(state, [0])) == "cb"
    assert inputs(module.removed(state, [2])) == "ba"
    assert inputs(module.moved(state, [2], -1)) == "cb"


def test_moving_stops_at_the_border():
    state = State(sequences(*"abcd"))
    assert names(module.moved(state, [0, 1], -1)) == "abcd"
    assert names(module.moved(state, [1, 2], -1)) == "bcad"
    assert names(module.moved(state, [1, 2], 1)) == "adbc"
    assert names(module.moved(state, [0, 3], 1)) == "bacd"


def test_what_was_opened_is_chosen_by_its_rows_and_in_their_order():
    state = module.with_chosen(State(sequences(*"abc")), [2, 0])
    assert state.chosen == (2, 0)
    assert module.with_chosen(state, []).chosen == (2, 0)


def reference_moved(rows: list[int], count: int, step: int) -> list[int]:
    """The order after every chosen row changed places with its neighbour, one after the other."""
    order = list(range(count))
    for row in sorted(rows, reverse=step > 0):
        if 0 <= row + step < count and order[row + step] not in rows:
            order[row], order[row + step] = order[row + step], order[row]
    return order


@given(st.integers(0, 9), st.sets(st.integers(0, 8)), st.sampled_from([-1, 1]), st.sets(st.integers(0, 8)))
def test_moving_and_removing_any_rows(count, wanted, step, subset):
    letters, rows = "abcdefghi"[:count], sorted(row for row in wanted if row < count)
    used = tuple(sorted(row for row in subset if row < count))
    state = State(sequences(*letters), subset=used)
    after, left = module.moved(state, rows, step), module.removed(state, rows)
    assert names(after) == "".join(letters[row] for row in reference_moved(rows, count, step))
    assert names(left) == "".join(letter for row, letter in enumerate(letters) if row not in rows)
    for changed, gone in ((after, set()), (left, {letters[row] for row in rows})):
        assert {names(changed)[row] for row in changed.subset} == {letters[row] for row in used} - gone
        assert list(changed.subset) == sorted(changed.subset)


def test_what_was_opened_together_last_is_the_input_of_a_run_of_any_number():
    state = State(sequences("a", "b", "c", "d"))
    several = module.with_opened(state, range(2, 4))
    assert several.subset == (2, 3) and list(several.rows(None)) == [2, 3]
    more = module.with_opened(module.inserted(several, 4, sequences("e")), (4,))
    assert more.subset == (2, 3, 4), "a single one goes in beside them"
    assert module.with_opened(state, range(4)).subset == (), "all of them"
    assert module.with_opened(state, (3,)) is state and module.with_opened(state, ()) is state


def test_what_is_of_other_sequences_is_left_out_when_new_ones_come():
    class OfTaxa:
        def __init__(self, *names):
            self.names = names

    mine, other, nameless = OfTaxa("a", "b"), OfTaxa("x", "y"), object()
    state = State(data=(mine, other, nameless), picked=(1, 0, 2))
    assert module.without_strangers(state, sequences("a", "b")).picked == (0, 2)
    assert module.without_strangers(state, sequences("a", "b"), beside=[other]) is state
    assert module.left_out(state, 0).picked == (1, 2)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.integers(0, 6), st.sampled_from([-1, 1]))
def test_edits_of_a_set_of_sequences_are_those_of_a_tuple(rows, place, step):
    few = State(sequences(*"abcdef"), chosen=(1, 3), subset=(2, 4))
    edits = (
        lambda state: module.inserted(state, place, sequences("x", "y")),
        lambda state: module.removed(state, rows),
        lambda state: module.moved(state, sorted(set(rows)), step),
        lambda state: module.replaced(state, {row: sequences("z")[0] for row in rows}),
        lambda state: module.duplicated(state, rows),
        lambda state: module.retyped(state, rows, SequenceType.RNA),
        lambda state: module.kept_alone(state, rows),
    )
    expected = [edit(few) for edit in edits]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sequence_set, "MANY_SEQUENCES", 1)
        many = replace(few, sequences=sequence_set.pack_sequences(few.sequences))
        found = [edit(many) for edit in edits]
    assert all(isinstance(state.sequences, sequence_set.SequenceSet) for state in found if state.sequences)
    assert found == expected
