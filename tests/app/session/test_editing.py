import pytest

from antidiag.app.jobs.queue import JobQueue
from antidiag.app.session import sequence_editor
from antidiag.app.session.sequence_editor import SequenceEditor
from antidiag.app.session.session import Session
from antidiag.kernels.model import Sequence, SequenceType


@pytest.fixture
def table(qtbot, monkeypatch):
    """A session of five rows of which three are many, its queue, an editor, and what it refused."""
    monkeypatch.setattr(sequence_editor, "MANY", 2)
    session, queue, said = Session(), JobQueue(), []
    session.add(Sequence(name, b"ACGT", SequenceType.DNA) for name in "abcde")
    yield session, queue, SequenceEditor(session, queue, said.append), said
    queue.shut_down()


def names(session):
    return [sequence.name for sequence in session.state.sequences]


def test_few_rows_are_edited_at_once(table):
    session, queue, editor, _ = table
    editor.duplicate_rows([0, 3])
    assert names(session) == ["a", "b", "c", "d", "a_copy", "d_copy", "e"]
    assert not queue.jobs


def test_many_rows_are_edited_by_a_job_and_undone_at_once(qtbot, table):
    session, queue, editor, said = table
    editor.duplicate_rows(range(5))
    assert names(session) == list("abcde")
    qtbot.waitUntil(lambda: not queue.jobs)
    assert names(session) == [*"abcde", "a_copy", "b_copy", "c_copy", "d_copy", "e_copy"]
    session.undo_stack.undo()
    assert names(session) == list("abcde")
    assert not said


def test_an_edit_of_many_rows_does_not_overwrite_what_was_done_meanwhile(qtbot, table):
    session, _, editor, said = table
    editor.change_type(range(5), SequenceType.PROTEIN)
    session.remove([0])
    qtbot.waitUntil(lambda: bool(said))
    assert names(session) == list("bcde")
    assert {sequence.type for sequence in session.state.sequences} == {SequenceType.DNA}
    assert "Change type to protein was not done" in said[0]


@pytest.mark.parametrize("rows", [[0], range(5)])
def test_a_type_that_the_letters_refuse_is_said(qtbot, table, rows):
    session, queue, editor, said = table
    session.add([Sequence("p", b"MEEPQSDPSV", SequenceType.PROTEIN)])
    editor.change_type([*rows, 5], SequenceType.DNA)
    qtbot.waitUntil(lambda: bool(said) or any(job.error for job in queue.jobs))
    told = said[0] if said else queue.jobs[0].error
    assert "p: letter 'E' at position 2" in told
    assert session.state.sequences[5].type is SequenceType.PROTEIN
