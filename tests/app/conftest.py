"""A window over a fake method, with settings of its own and no GPU; the command line within this process."""

from __future__ import annotations

import gc
import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE_MS

if importlib.util.find_spec("typer"):
    from antidiag.app.cli import program
if importlib.util.find_spec("PySide6"):
    from antidiag.app import application, settings
    from antidiag.app.jobs.queue import collect_due_garbage
    from antidiag.app.kit import ask
    from antidiag.app.session.entry import Entry
    from antidiag.app.window import Window
    from antidiag.kernels import engine, registry
    from antidiag.kernels.cuda import devices
    from antidiag.kernels.model import Result
    from antidiag.kernels.msa import trials
    from tests.app import fake
    from tests.app.answers import Answers

WINDOW_SIZE = 1500, 940
"""Pixels of a window in which no panel is folded; the screen of the offscreen platform is smaller."""
PAIR_FASTA = ">one first record\nACGTACGTACGTACGTAAAA\n>two\nACGTACGTTCGTACGTAAAA\n"


if importlib.util.find_spec("pytestqt"):
    from PySide6.QtCore import QCoreApplication, QEvent, Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication, QWidget
    from pytestqt.qtbot import QtBot

    class PatientBot(QtBot):
        """Waits for what must come however busy the machine is."""

        def waitUntil(self, callback: Callable[[], object], *, timeout: int = PATIENCE_MS) -> None:
            super().waitUntil(callback, timeout=timeout)

        def waitSignal(self, signal: Any, *, timeout: int = PATIENCE_MS, **more: Any) -> Any:
            return super().waitSignal(signal, timeout=timeout, **more)

        def waitExposed(self, widget: Any, *, timeout: int = PATIENCE_MS) -> Any:
            return super().waitExposed(widget, timeout=timeout)

    @pytest.fixture
    def qtbot(qapp: Any, request: pytest.FixtureRequest) -> Iterator[PatientBot]:
        """As that of pytest-qt; no key is down any longer that was in the test before, and no widget of this one is
        left, which would be dressed anew with every window that follows: also none without a parent that lambdas on its
        own signals keep, and no menu of pyqtgraph's plots.

        Garbage is collected here, as in the program on the GUI thread alone: a worker that collects it could destroy Qt
        objects of an earlier test.
        """
        gc.disable()
        QTest.keyRelease(QWidget(), Qt.Key.Key_Control)
        assert qapp.keyboardModifiers() == Qt.KeyboardModifier.NoModifier
        yield PatientBot(request)
        for widget in QApplication.topLevelWidgets():
            if widget.parent() is None:
                widget.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        collect_due_garbage()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the window keeps its settings in this test."""
    monkeypatch.setenv(settings.FOLDER_VARIABLE, str(tmp_path / "settings"))
    return tmp_path / "settings"


@pytest.fixture
def answers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Answers:
    """Answer the questions of the window, which opens no dialogs in this test."""
    found = Answers()
    monkeypatch.setattr(ask, "dialogs", found)
    return found


@pytest.fixture
def make_window(qtbot: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Window]]:
    """Opens windows; closes them at the end without asking."""
    methods = (fake.make(), fake.make("other"), fake.make_weighing(), fake.make_kept())
    monkeypatch.setattr(registry, "METHODS", methods)
    monkeypatch.setattr(devices, "discover_devices", lambda: ((), "there is none in tests"))
    monkeypatch.setattr(Window, "confirm_close", lambda self, jobs: True)
    fake.RELEASED.clear()
    opened: list[Window] = []

    def make() -> Window:
        found = settings.Settings()
        application.make_application(found)
        window = Window(found, methods)
        qtbot.addWidget(window)
        window.resize(*WINDOW_SIZE)
        window.show()
        window.look_around()
        opened.append(window)
        return window

    yield make
    fake.RELEASED.set()
    for window in opened:
        window.close()


@pytest.fixture
def window(make_window: Callable[[], Window]) -> Window:
    return make_window()


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """A file of two DNA records."""
    path = tmp_path / "pair.fa"
    path.write_text(PAIR_FASTA)
    return path


@pytest.fixture
def ready(qtbot: Any, window: Window, pair: Path) -> Window:
    """A window in which a run could start."""
    window.loader.open_paths([pair])
    qtbot.waitUntil(window.method.run_button.isEnabled)
    return window


@pytest.fixture
def says(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command line that must succeed; what it wrote on standard output."""

    def run(*arguments: str) -> str:
        code = program.main([str(argument) for argument in arguments])
        written = capsys.readouterr()
        assert (code, written.err) == (0, "")
        return written.out

    return run


@pytest.fixture
def refuses(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command line that must be refused; its one line on standard error."""

    def run(*arguments: str, code: int = 2) -> str:
        assert program.main([str(argument) for argument in arguments]) == code
        written = capsys.readouterr()
        assert written.out == ""
        assert written.err.count("\n") == 1
        assert written.err.startswith("antidiag: ")
        return written.err

    return run


@pytest.fixture(scope="module")
def families() -> tuple[Result, Result]:
    """Two multiple alignments of other sequences."""
    method = registry.find_method("msa-clustalw")
    problems = [method.problem_type.make_problem(trials.generate_family(*size), {}) for size in ((6, 220), (5, 180))]
    made = [
        engine.execute(engine.plan_run(method, one, {}, "cpu"), keep_rate=False, keep_parts=False) for one in problems
    ]
    return made[0], made[1]


@pytest.fixture
def two(window: Window, families: tuple[Result, Result]) -> Window:
    """A window with both results, of which the first is shown."""
    window.resize(1500, 900)
    for result in families[::-1]:
        window.session.add_result(Entry(result))
    return window
