import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import session as module
from app.session import Session, State
from kernels.errors import InputError
from kernels.model import Sequence, SequenceType
from kernels.pairwise.problem import PAIR


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


def do(session: Session, what: str, row: int) -> None:
    if what in ("undo", "redo"):
        getattr(session.undo_stack, what)()
    elif what == "swap":
        session.swap()
    elif row >= 0 and what in ("up", "down"):
        session.move([row], -1 if what == "up" else 1)
    elif row >= 0 and what == "choose":
        session.choose(min(1, len(session.state.sequences) - 1), row)
    elif row >= 0:
        {"remove": session.remove, "duplicate": session.duplicate}[what]([row])


@given(st.lists(st.tuples(st.sampled_from(["remove", "up", "down", "duplicate", "choose", "swap", "undo", "redo"]),
                          st.integers(0, 5)), max_size=20))  # fmt: skip
def test_undoing_everything_gives_the_start_back(steps):
    session = Session()
    session.add(sequences(*"abc"))
    for what, row in steps:
        do(session, what, min(row, len(session.state.sequences) - 1))
        assert len(set(session.state.rows(2))) == min(2, len(session.state.sequences))
    end = session.state
    while session.undo_stack.canUndo():
        session.undo_stack.undo()
    assert session.state == State()
    while session.undo_stack.canRedo():
        session.undo_stack.redo()
    if "undo" not in [what for what, _ in steps]:
        assert session.state == end


def test_rename_takes_no_empty_name_and_one_line():
    session = Session()
    session.add(sequences("a"))
    session.rename(0, "  ")
    assert names(session.state) == "a"
    session.rename(0, "new\n name ")
    assert names(session.state) == "new name"


def test_a_type_that_the_letters_refuse():
    session = Session()
    session.add([Sequence("p", b"MEEPQSDPSV", SequenceType.PROTEIN)])
    with pytest.raises(InputError, match="p: letter 'E' at position 2"):
        session.retype([0], SequenceType.DNA)
    assert session.state.sequences[0].type is SequenceType.PROTEIN


def test_what_was_opened_is_chosen_by_identity_and_in_its_order():
    first, second, third = (Sequence("same", b"ACGT", SequenceType.DNA) for _ in range(3))
    state = module.with_chosen(State((first, second, third)), [third, first])
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


def test_data_of_a_result_are_found_again_by_identity_and_else_by_what_they_are():
    session = Session()
    session.add(same := [Sequence("same", b"ACGT", SequenceType.DNA) for _ in range(3)])
    session.use(PAIR, [same[2], same[1]])
    assert session.state.chosen == (2, 1)
    session.use(PAIR, [same[1], Sequence("same", b"ACGT", SequenceType.DNA)])
    assert session.state.chosen == (1, 0)
