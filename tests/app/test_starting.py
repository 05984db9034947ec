"""What is open when the window has started: the last session, files that are named, or a sample."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

from PySide6.QtCore import Qt

from antidiag.app import settings, startup, texts, views
from antidiag.app.kit import ask
from antidiag.app.panels.sequence_table import NAME, ROLE
from antidiag.app.session import archive, autosave, data_loader
from antidiag.app.session.state import State
from antidiag.app.startup import load_the_rest, start_with
from antidiag.app.window import Window
from tests.app.steps import cells, run, set_parameter

ROOT = Path(__file__).resolve().parents[2]
LATER = {"numba", "llvmlite", "scipy", "cupy", "pyqtgraph", "Bio.SeqIO", "Bio.AlignIO", "optuna", "rich", "typer"}
"""What takes long to load, and what the window shows at first does without."""
OPENED = """
import sys
from antidiag.app import application, settings
found = settings.Settings()
application.make_application(found)
window = application.Window(found)
window.show()
print(*sorted(sys.modules))
print(window.isVisible(), *window.viewer.views, window.tune_page.is_created, window.learn_page.is_created)
print(sys.getswitchinterval())
"""


def test_the_window_opens_without_what_nobody_looks_at_yet(tmp_path):
    """What makes a start slow, told without a clock: packages that load long, and what is not seen."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", settings.FOLDER_VARIABLE: str(tmp_path)}
    found = subprocess.run([sys.executable, "-c", OPENED], cwd=ROOT, env=environment, capture_output=True, text=True,
                           check=True)  # fmt: skip
    loaded, shown, (switch_s,) = (line.split() for line in found.stdout.splitlines())
    assert float(switch_s) <= 0.1e-3  # so long each call of Qt may wait beside a job
    assert shown == ["True", "False", "False"]
    assert not LATER & set(loaded)
    assert "antidiag.app.panels.viewer" in loaded and not [
        name for name in loaded if name.startswith("antidiag.app.views.")
    ]
    assert not [
        name
        for name in loaded
        if name.startswith(("antidiag.app.tune.", "antidiag.app.learn.", "antidiag.app.compare."))
        and name != "antidiag.app.learn.page_titles"  # words alone, for the search
    ]


def test_what_the_first_result_needs_is_loaded_on_a_thread(qtbot, ready, monkeypatch):
    threads = []
    monkeypatch.setattr(startup.views, "preload_views", lambda: threads.append(threading.current_thread()))
    rest = load_the_rest(ready)
    qtbot.waitUntil(lambda: not rest.busy)
    assert len(threads) == 1 and threads[0] is not threading.main_thread()
    run(qtbot, ready)


def test_the_rest_is_loaded_when_what_was_open_last_is_read(ready, monkeypatch):
    """Threads that run Python would hold up the window beside each other: one reads, then one looks for GPUs, then one
    loads, and what plans is not disturbed either."""
    done, later = [], []
    monkeypatch.setattr(startup, "load_the_rest", lambda window: done.append("loaded"))
    monkeypatch.setattr(ready, "look_around", lambda: done.append("looked"))
    monkeypatch.setattr(startup, "QTimer", SimpleNamespace(singleShot=lambda *given: later.append(given[-1])))

    def begins(reading: bool, looking: bool, planning: bool) -> list[str]:
        monkeypatch.setattr(ready.autosave, "reading", reading)
        monkeypatch.setattr(ready.device, "is_looking", looking, raising=False)
        monkeypatch.setattr(type(ready.planner), "busy", planning)
        later.pop()()
        return done

    later.append(lambda: startup.load_after_start(ready))
    assert begins(reading=True, looking=False, planning=True) == []
    assert begins(reading=False, looking=True, planning=True) == ["looked"]
    assert begins(reading=False, looking=False, planning=True) == ["looked"]
    assert begins(reading=False, looking=True, planning=False) == ["looked"]
    assert begins(reading=False, looking=False, planning=False) == ["looked", "loaded"] and not later


def test_the_window_is_opening_until_the_last_result_is_shown(qtbot, make_window, ready):
    run(qtbot, ready)
    ready.close()
    again = make_window()
    assert not again.opening
    start_with(again, [])
    seen = []
    again.session.shown_changed.connect(lambda: seen.append((again.opening, again.viewer.result)))
    assert again.opening
    qtbot.waitUntil(lambda: again.viewer.result is not None)
    assert seen == [(True, None)] and not again.opening


def test_the_device_box_says_whether_it_looks(qtbot, window):
    qtbot.waitUntil(lambda: not window.device.is_looking)
    window.device.look()
    assert window.device.is_looking
    qtbot.waitSignal(window.device.found).wait()
    assert not window.device.is_looking


def test_the_form_is_laid_out_once_for_what_was_open_last(qtbot, make_window, ready, monkeypatch):
    """Every time more is a block of the window."""
    ready.close()
    again, asked, shown = make_window(), [], []
    monkeypatch.setattr(again.planner, "ask", lambda request: asked.append(request.method.id))
    again.method.method_changed.connect(shown.append)
    start_with(again, [])
    qtbot.waitUntil(lambda: bool(again.session.state.sequences) and not again.autosave.reading)
    assert asked == [ready.method.method.id] and len(shown) == 1


def test_what_was_open_last_is_prepared_by_the_thread_that_reads_it(qtbot, make_window, ready, monkeypatch):
    ready.close()
    again, threads = make_window(), []
    monkeypatch.setattr(data_loader, "LONG", 1)
    monkeypatch.setattr(texts, "describe_content", lambda sequence: threads.append(threading.current_thread()) or "")
    start_with(again, [])
    qtbot.waitUntil(lambda: bool(again.session.state.sequences))
    assert len(threads) >= 2 and threading.main_thread() not in threads[:2]


def test_the_session_is_there_again_at_the_next_start(qtbot, make_window, ready, monkeypatch):
    ready.sequences.swap_button.click()
    run(qtbot, ready)
    set_parameter(ready, "s", 64)
    ready.close()
    again, loaded = make_window(), []
    monkeypatch.setattr(
        views, "preload_views", lambda: loaded.append((threading.current_thread(), again.session.entries))
    )
    results = []
    again.recalled.connect(lambda: results.append(again.viewer.result))
    start_with(again, [])
    qtbot.waitUntil(lambda: bool(again.session.entries))
    assert results and set(results) == {None}  # a result is shown in a turn of its own, after the rest
    qtbot.waitUntil(lambda: again.viewer.result is not None)
    ((loader, before),) = loaded
    assert loader is not threading.main_thread() and not before  # the window waits for no view
    assert cells(again, NAME) == ["one", "two"]
    assert cells(again, ROLE) == ["2", "1"]
    assert again.method.parameters.editor("s").text() == "64 columns"
    assert again.viewer.result.score == ready.session.entries[0].result.score
    assert again.viewer.result.problem == ready.session.entries[0].result.problem


def test_the_first_start_is_one_click_from_a_result(qtbot, window):
    start_with(window, [])
    qtbot.waitUntil(window.method.run_button.isEnabled)
    assert len(window.session.state.sequences) == 2
    qtbot.mouseClick(window.method.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(window.session.entries))


def test_files_named_at_the_start_are_opened_instead(qtbot, window, pair):
    start_with(window, [str(pair)])
    qtbot.waitUntil(lambda: cells(window, NAME) == ["one", "two"])
    assert ask._last_folder() == str(pair.parent), "dialogs begin beside the files"


def test_a_file_named_at_the_start_leaves_the_last_results(qtbot, ready, make_window, tmp_path):
    run(qtbot, ready)
    ready.close()
    third = tmp_path / "third.fa"
    third.write_text(">three\nACGTACGT\n")
    again = make_window()
    start_with(again, [str(third)])
    qtbot.waitUntil(lambda: "three" in cells(again, NAME))
    assert cells(again, NAME) == ["one", "two", "three"]
    assert len(again.session.entries) == 1


def test_a_session_named_at_the_start_sets_the_last_one_aside(qtbot, ready, make_window, tmp_path):
    run(qtbot, ready)
    other = tmp_path / "other.antidiag"
    archive.save(other, State(), (), {})
    ready.close()
    again = make_window()
    start_with(again, [str(other)])
    qtbot.waitUntil(lambda: not again.queue.active)
    kept = autosave.previous_path()
    assert str(kept) in again.settings.recent_files()
    qtbot.waitUntil(lambda: kept.name in again.jobs.message.text())
    assert again.session.entries == ()
    _, entries, *_ = archive.load(kept)
    assert len(entries) == 1


def test_results_are_not_closed_by_a_session_unasked(qtbot, ready, tmp_path, monkeypatch):
    run(qtbot, ready)
    other = tmp_path / "other.antidiag"
    archive.save(other, State(), (), {})
    asked = []
    monkeypatch.setattr(Window, "confirm_replace", lambda self, name: asked.append(name))
    ready.loader.open_paths([other])
    assert asked == ["other.antidiag"] and len(ready.session.entries) == 1
    monkeypatch.setattr(Window, "confirm_replace", lambda self, name: True)
    ready.loader.open_paths([other])
    qtbot.waitUntil(lambda: ready.session.entries == ())
