"""What is done in turns of the event loop of their own."""

import time

from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import delete

from antidiag.app.kit.tasks import event_loop
from antidiag.app.kit.tasks.event_loop import CALM_MS, PAUSE_MS, run_after_painting
from tests.patience import PATIENCE_MS


class Slow(QWidget):
    """Takes long to be painted."""

    def __init__(self, done: list[str]) -> None:
        super().__init__()
        self.done = done

    def paintEvent(self, event) -> None:
        time.sleep(3e-3 * CALM_MS)
        self.done.append("painted")


def turns_of(done: list[str], last: str) -> list[list[str]]:
    """What each turn of the event loop did, up to the one that did ``last``."""
    told, until = [], time.monotonic() + PATIENCE_MS / 1000
    while last not in done and time.monotonic() < until:
        before = len(done)
        QApplication.processEvents()
        told.append(done[before:])
    return [each for each in told if each]


def test_what_waits_for_painting_has_a_later_turn(qtbot):
    done = []
    shown = Slow(done)
    qtbot.addWidget(shown)
    shown.show()
    qtbot.waitUntil(lambda: bool(done))
    done.clear()
    shown.update()
    run_after_painting(shown, lambda: done.append("done"))
    time.sleep(3e-3 * PAUSE_MS)  # this turn takes longer than any pause
    assert turns_of(done, "done") == [["painted"], ["done"]]


def test_it_is_done_in_the_end_however_busy_the_window_is(qtbot, monkeypatch):
    done, owner = [], QWidget()
    qtbot.addWidget(owner)
    monkeypatch.setattr(event_loop, "CALM_MS", -1)  # no turn is calm
    run_after_painting(owner, lambda: done.append("done"))
    qtbot.waitUntil(lambda: done == ["done"])


def test_nothing_is_done_for_who_is_gone(qtbot):
    done, owner = [], QWidget()
    run_after_painting(owner, lambda: done.append("gone"))
    delete(owner)
    other = QWidget()
    qtbot.addWidget(other)
    run_after_painting(other, lambda: done.append("there"))
    assert turns_of(done, "there") == [["there"]]
