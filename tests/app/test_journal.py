"""The journal: an edit is there again although the program was killed right after it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antidiag.app import file_actions, settings
from antidiag.app.session import archive, autosave, journal
from antidiag.app.session.entry import Entry
from antidiag.app.session.session import Session
from antidiag.app.session.state import State
from antidiag.kernels.io import tree_files
from antidiag.kernels.model import Sequence, SequenceType
from tests.app.views import examples

ROOT = Path(__file__).resolve().parents[2]
STOCKHOLM = "# STOCKHOLM 1.0\none AC-GT\ntwo ACGGT\nthree A--GT\n//\n"
EDITED = """
import sys
import time
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from antidiag.app import application, settings
found = settings.Settings()
app = application.make_application(found)
window = application.Window(found)
window.show()
window.loader.open_paths(sys.argv[1:])
while window.viewer.datum is None or window.viewer.current.alignment is None:
    app.processEvents()
view = window.viewer.current
view.canvas.go_to(0, 1)
QTest.keyClick(view.canvas, Qt.Key.Key_Space)
window.session.rename(0, "renamed")
time.sleep(0.5)  # the machine may be busy; the window does not turn to anything else meanwhile
print("edited", view.alignment.letters.shape, flush=True)
while True:
    pass
"""
DNA = [Sequence(name, b"ACGT", SequenceType.DNA) for name in "abc"]


@pytest.mark.slow
def test_an_edit_right_before_a_kill_is_there_at_the_next_start(
    qtbot: Any, folder: Path, make_window: Callable[[], Any], tmp_path: Path
) -> None:
    """As a person whose machine lost power: the gap that was typed last, and the name."""
    family, letters = tmp_path / "family.sto", tmp_path / "letters.fa"
    family.write_text(STOCKHOLM)
    letters.write_text(">first\nACGTACGT\n")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", settings.FOLDER_VARIABLE: str(folder)}
    command = [sys.executable, "-c", EDITED, str(letters), str(family)]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as child:
        said = child.stdout.readline()
        child.send_signal(signal.SIGKILL)
    assert said.startswith("edited (3, 6)")
    again = make_window()
    assert file_actions.open_autosaved(again)
    qtbot.waitUntil(lambda: again.viewer.datum is not None and not again.opening)
    qtbot.waitUntil(lambda: again.viewer.current.alignment is not None)
    assert again.viewer.current.alignment.letters.shape == (3, 6)
    assert again.session.state.sequences[0].name == "renamed"


@pytest.fixture
def kept(qtbot: Any, folder: Path) -> autosave.Autosave:
    """The automatic saving of a session whose timer never ends."""
    found = autosave.Autosave(Session(), lambda: {"method": "x"})
    found._timer.setInterval(10**8)
    return found


def read_again(kept: autosave.Autosave) -> archive.Saved:
    """What the next start would read."""
    kept.journal.wait()
    path = autosave.autosave_path()
    saved = archive.load(path, kept.parts) if path.exists() else (State(), (), {}, {})
    return autosave.autosave_journal().replay(saved)


def entry(number: int) -> Entry:
    made = examples.result(examples.problem("ACGTACGT", "ACGTTCGT"))
    started = datetime(2025, 3, 4, 12, number, tzinfo=UTC)
    return Entry(made.__class__(**{**vars_of(made), "started": started}))


def vars_of(result: Any) -> dict[str, Any]:
    return {
        name: getattr(result, name) for name in result.__dataclass_fields__ if result.__dataclass_fields__[name].init
    }


def test_each_kind_of_change_is_journaled(kept: autosave.Autosave) -> None:
    session = kept._session
    session.add(DNA)
    session.rename(1, "other")
    older, newer = entry(1), entry(2)
    session.add_result(older)
    session.add_result(newer)
    session.keep_edits(older, "aligned", {"order": np.array([1, 0]), "summary": "2 rows"})
    session.rename_result(newer, "best")
    assert not autosave.autosave_path().exists()
    state, entries, settings_, _ = read_again(kept)
    assert [one.name for one in state.sequences] == ["a", "other", "c"]
    assert [one.name for one in entries] == ["best", ""] and settings_["method"] == "x"
    assert entries[1].edits["aligned"]["order"].tolist() == [1, 0]
    session.remove_results([session.entries[0]])
    session.keep_edits(session.entries[0], "aligned", None)
    _, entries, *_ = read_again(kept)
    assert len(entries) == 1 and not entries[0].edits


def test_a_saved_session_needs_no_journal_and_later_changes_come_on_top(kept: autosave.Autosave) -> None:
    session = kept._session
    session.add(DNA)
    kept.finish()
    assert not kept.journal.has_records()
    session.rename(0, "later")
    state, *_ = read_again(kept)
    assert [one.name for one in state.sequences] == ["later", "b", "c"]
    again = autosave.Autosave(Session(), dict)
    again.journal.replay(archive.load(autosave.autosave_path(), again.parts))
    assert again.journal.number == kept.journal.number


def test_a_record_that_cannot_be_read_is_told_and_left_out(kept: autosave.Autosave) -> None:
    kept._session.add(DNA)
    kept.journal.wait()
    (path,) = kept.journal.folder.glob("*-state.record")
    path.write_bytes(b"no session")
    told: list[str] = []
    found = autosave.autosave_journal().replay((State(), (), {}, {}), told.append)
    assert not found[0].sequences and len(told) == 1 and "could not be read" in told[0]


def test_very_many_sequences_are_not_journaled(kept: autosave.Autosave, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autosave, "FEW", 2)
    kept._session.add(DNA)
    kept.journal.wait()
    assert not list(kept.journal.folder.glob("*-state.record")) and kept._timer.isActive()


def test_results_with_the_same_start_are_told_apart() -> None:
    one, other = entry(1), entry(1)
    keys = journal.key_entries((other, one))
    assert list(keys.values()) == [one, other] and len(keys) == 2


def test_tree_edits_are_there_after_each_of_several_kills(qtbot: Any, make_window: Callable[[], Any]) -> None:
    """Each start continues from the edits of all earlier ones, whether the whole session was saved between or not."""
    window = make_window()
    (tree,) = tree_files.parse_trees("((a:1,b:2):1,((c:1,d:1):.5,(e:1,f:2):.7):.3,(g:1,h:1):1);")
    window.session.add_data([tree])
    window.shown_data.show_datum(tree)
    expected = tree
    for number in range(3):
        view = window.viewer.current
        assert view.id == "tree" and view.editor.tree == expected
        view.editor.swap_children(1 + number % 2)
        view.editor.root_above(3 + number)
        if number == 1:
            window.autosave._save_soon()
            window.autosave._wait(lambda share: None)
            view.editor.swap_children(0)
        expected = view.editor.tree
        kill(window)
        window = reopen(qtbot, make_window)
    assert window.viewer.current.editor.tree == expected != tree


def kill(window: Any) -> None:
    """Let a window write nothing any more, as if its process were killed."""
    window.autosave.journal.wait()
    window.autosave.close()


def reopen(qtbot: Any, make_window: Callable[[], Any]) -> Any:
    """Return a window that shows the tree of the last session."""
    window = make_window()
    assert file_actions.open_autosaved(window)
    qtbot.waitUntil(lambda: window.viewer.datum is not None and not window.opening)
    qtbot.waitUntil(lambda: window.viewer.current.tree is not None)
    return window
