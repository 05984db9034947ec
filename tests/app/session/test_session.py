"""The session: edits with undo."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.app.session.session import Session
from antidiag.app.session.state import State
from antidiag.kernels.errors import InputError
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.problem import PAIR
from tests.app.session.test_state import names, sequences


def do(session: Session, what: str, row: int) -> None:
    if what in ("undo", "redo"):
        getattr(session.undo_stack, what)()
    elif what == "swap":
        session.swap_inputs()
    elif row >= 0 and what in ("up", "down"):
        session.move([row], -1 if what == "up" else 1)
    elif row >= 0 and what == "choose":
        session.choose(min(1, len(session.state.sequences) - 1), row)
    elif row >= 0:
        {"remove": session.remove, "duplicate": session.duplicate_rows}[what]([row])


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
        session.change_type([0], SequenceType.DNA)
    assert session.state.sequences[0].type is SequenceType.PROTEIN


def test_data_of_a_result_are_found_again_by_what_they_are():
    session = Session()
    same = Sequence("same", b"ACGT", SequenceType.DNA)
    session.add([same, Sequence("other", b"AC", SequenceType.DNA), same])
    session.use(PAIR, [session.state.sequences[1], same])
    assert session.state.chosen == (1, 0)
    session.use(PAIR, [same, same])
    assert session.state.chosen == (0, 2), "two rows where there are two"
