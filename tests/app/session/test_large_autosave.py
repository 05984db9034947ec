"""Edits of a large alignment are saved beside it, and there again after the program was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antidiag.app.session import archive
from antidiag.app.session.autosave import Autosave, autosave_parts, autosave_path, set_aside
from antidiag.app.session.parts import LEAST, Parts
from antidiag.app.session.session import Session
from antidiag.app.session.state import State
from antidiag.app.views.aligned.editing.edit_history import AlignmentEditor
from antidiag.kernels.alignments import alignment_edits
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences, written_letters
from antidiag.kernels.model import SequenceType

ROOT = Path(__file__).parents[3]
SHAPE = (1500, 3000)
PROGRAM = """
import time
from PySide6.QtCore import QCoreApplication
from tests.app.session import test_large_autosave as there

app = QCoreApplication([])
begun = there.Opened()
begun.edit(there.gapped)
begun.save()
begun.edit(there.turned)

def stuck(place):
    (begun.autosave.parts._folder / f"{'0' * 32}.draft").write_bytes(b"half of it")
    print("writing", flush=True)
    time.sleep(600)

if {stuck}:
    begun.autosave.parts.writing = stuck
begun.save()
print("saved", flush=True)
time.sleep(600)
"""


def large() -> AlignedSequences:
    letters = np.random.default_rng(1).choice(np.frombuffer(b"ACGT-", np.uint8), SHAPE)
    letters.setflags(write=False)
    return AlignedSequences(tuple(f"row{number}" for number in range(len(letters))), letters, SequenceType.DNA, "large")


def gapped(before: AlignedSequences) -> AlignedSequences:
    return alignment_edits.insert_gaps(before, np.arange(0, SHAPE[0], 2), 100)


def turned(before: AlignedSequences) -> AlignedSequences:
    return alignment_edits.reverse_complement(before)


class Opened:
    """A session with a large alignment that is edited, and saved as it is behind the user's back."""

    def __init__(self) -> None:
        self.session = Session()
        self.autosave = Autosave(self.session, dict)
        self.session.add_data([large()])
        self.editor = AlignmentEditor(self.session.state.data[0])

    def edit(self, change: Callable[[AlignedSequences], AlignedSequences]) -> None:
        self.editor.apply_edit("an edit", change(self.editor.state.alignment))
        self.session.keep_edits(self.session.state.data[0], "aligned", self.editor.edits)

    def save(self) -> None:
        self.autosave._timer.stop()
        self.autosave._save_soon()
        self.autosave._wait(lambda share: None)


def restored(parts: Parts) -> AlignmentEditor:
    """What is open after a start."""
    state, _, _, edits = archive.load(autosave_path(), parts)
    editor = AlignmentEditor(state.data[0])
    editor.restore_edits(edits[0]["aligned"])
    return editor


def files(parts: Parts) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in parts._folder.iterdir()}


def same(found: AlignedSequences, wanted: AlignedSequences) -> bool:
    return found.names == wanted.names and np.array_equal(written_letters(found), written_letters(wanted))


@pytest.mark.slow
@pytest.mark.parametrize("stuck", [False, True], ids=["between", "while-saving"])
def test_a_killed_program_has_its_edits_at_the_next_start(qtbot: Any, folder: Path, stuck: bool) -> None:
    started = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.replace("{stuck}", str(stuck))], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert started.stdout is not None
    with started:
        assert started.stdout.readline() == ("writing\n" if stuck else "saved\n")
        os.kill(started.pid, signal.SIGKILL)
    wanted = gapped(large())
    parts = autosave_parts()
    again = restored(parts)
    assert same(again.state.alignment, wanted if stuck else turned(wanted))
    archive.save(autosave_path(), State((), (), (again.original,)), [], {}, parts=parts)
    assert len(files(parts)) == 1  # what the killed program left behind is gone


def test_an_edit_writes_what_it_changed(qtbot: Any, folder: Path) -> None:
    begun = Opened()
    begun.save()
    (base,) = files(begun.autosave.parts).items()
    small = autosave_path().stat().st_size
    for row in range(4):
        begun.edit(lambda before, row=row: alignment_edits.insert_gaps(before, np.array([row]), 100))
        begun.save()
    assert files(begun.autosave.parts) == dict([base])
    assert autosave_path().stat().st_size < small + LEAST
    begun.edit(gapped)
    begun.save()
    after = files(begun.autosave.parts)
    assert after.items() >= {base} and len(after) == 2
    editor = restored(autosave_parts())
    assert same(editor.state.alignment, begun.editor.state.alignment)


def test_what_was_read_is_not_written_again_and_goes_on(qtbot: Any, folder: Path) -> None:
    begun = Opened()
    begun.edit(turned)
    begun.edit(gapped)
    begun.save()
    parts = autosave_parts()
    before = files(parts)
    state, _, _, edits = archive.load(autosave_path(), parts)
    archive.save(autosave_path(), state, [], {}, edits, parts=parts)
    assert files(parts) == before and len(before) == 3
    (parts._folder / next(iter(before))).unlink()
    archive.save(autosave_path(), state, [], {}, edits, parts=parts)
    assert same(restored(autosave_parts()).state.alignment, begun.editor.state.alignment)
    archive.save(folder / "all.antidiag", state, [], {}, edits)
    state, _, _, edits = archive.load(folder / "all.antidiag")
    again = AlignmentEditor(state.data[0])
    again.restore_edits(edits[0]["aligned"])
    assert same(again.state.alignment, begun.editor.state.alignment)


def test_a_session_whose_arrays_are_gone_says_so(qtbot: Any, folder: Path) -> None:
    begun = Opened()
    begun.save()
    for path in begun.autosave.parts._folder.iterdir():
        path.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        archive.load(autosave_path(), autosave_parts())
    begun.autosave.parts._folder.rmdir()
    with pytest.raises(InputError, match="a folder that is not there"):
        archive.load(autosave_path())


def test_a_session_that_is_set_aside_takes_its_arrays_along(qtbot: Any, folder: Path) -> None:
    for edit in (turned, gapped):
        begun = Opened()
        begun.edit(edit)
        begun.save()
        kept = set_aside()
        assert kept is not None and not archive.folder_of(autosave_path()).exists()
        archive.save(autosave_path(), State((), (), ()), [], {}, parts=autosave_parts())
        state, _, _, edits = archive.load(kept)
        again = AlignmentEditor(state.data[0])
        again.restore_edits(edits[0]["aligned"])
        assert same(again.state.alignment, begun.editor.state.alignment)


@pytest.mark.parametrize("name", ["beside/../x.npy", "beside/x", "beside//etc/passwd"])
def test_a_name_of_no_such_file_is_refused(folder: Path, name: str) -> None:
    with pytest.raises(InputError, match="no file beside"):
        autosave_parts().read(name)


def test_arrays_that_may_change_stay_in_the_session(folder: Path) -> None:
    array = np.zeros(LEAST, np.uint8)
    parts = autosave_parts()
    assert parts.place(array) is None
    array.setflags(write=False)
    assert parts.place(array) == parts.place(array) != parts.place(array[:])
    assert parts.place(array[:100]) is None and parts.place(np.frombuffer(bytes(LEAST), np.uint8)) is None
