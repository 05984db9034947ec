import threading

import shiboken6
from PySide6.QtCore import QCoreApplication, QObject

from antidiag.app.kit.tasks import latest_task
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.kernels.errors import InputError, MemoryRefused
from tests.patience import PATIENCE_S


def test_value_arrives_on_the_gui_thread(qtbot):
    latest = LatestTask(owner := QObject())
    seen = []
    latest.finished.connect(lambda value: seen.append((value, threading.current_thread() is threading.main_thread())))
    latest.request(lambda monitor: 42)
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [(42, True)]
    assert not latest.busy
    assert owner is not None


def test_latest_request_wins_and_older_ones_are_cancelled(qtbot):
    latest = LatestTask(owner := QObject())
    started, cancelled, seen = threading.Event(), threading.Event(), []

    def slow(monitor):
        started.set()
        while not monitor.is_cancelled:
            threading.Event().wait(0.001)
        cancelled.set()
        monitor.check()

    latest.finished.connect(seen.append)
    latest.request(slow)
    assert started.wait(PATIENCE_S)
    for number in range(5):
        latest.request(lambda monitor, number=number: number)
    qtbot.waitUntil(lambda: 4 in seen)
    assert cancelled.is_set()
    assert seen == [4]
    assert owner is not None


def test_errors_and_progress_are_delivered(qtbot):
    latest = LatestTask(owner := QObject())
    progress, errors = [], []
    latest.progressed.connect(progress.append)
    latest.failed.connect(errors.append)

    def work(monitor):
        monitor.update(1, 2, "half")
        raise ValueError("broken")

    latest.request(work)
    qtbot.waitUntil(lambda: bool(errors))
    assert progress == [(1, 2, "half")]
    assert str(errors[0]) == "broken"
    assert owner is not None


def test_errors_that_nobody_expects_are_reported_with_their_traceback(qtbot, monkeypatch):
    """Those of the program itself always, a lack of memory where the view shows no errors."""
    reported, shown, owner = [], [], QObject()
    monkeypatch.setattr(threading, "excepthook", reported.append)
    silent, speaking = LatestTask(owner), LatestTask(owner, failed=shown.append)

    def fail_with(error):
        def work(monitor):
            raise error

        return work

    wrong, poor = ValueError("broken"), MemoryError("none left")
    for task, error, expected in (
        (speaking, InputError("too short"), []),
        (speaking, poor, []),
        (speaking, wrong, [wrong]),
        (silent, wrong, [wrong, wrong]),
        (silent, poor, [wrong, wrong, poor]),
    ):
        task.request(fail_with(error))
        qtbot.waitUntil(lambda task=task: not task.busy)
        assert [found.exc_value.__cause__ or found.exc_value for found in reported] == expected
    assert [type(error) for error in shown] == [InputError, MemoryRefused, ValueError]
    assert reported[0].exc_traceback is not None


def test_nothing_is_heard_after_cancel(qtbot):
    latest = LatestTask(owner := QObject())
    seen = []
    latest.finished.connect(seen.append)
    started, finish = threading.Event(), threading.Event()

    def late(monitor):
        started.set()
        finish.wait()
        return "late"

    latest.request(late)
    started.wait()
    thread = latest._thread
    latest.cancel()
    finish.set()
    thread.join()
    QCoreApplication.sendPostedEvents()
    assert seen == []
    assert owner is not None


def test_a_view_may_be_deleted_just_before_its_thread_tells_something(qtbot, monkeypatch) -> None:
    """Between the look whether it is still there, and the signal."""
    latest, told, valid, send = LatestTask(owner := QObject()), [], latest_task.isValid, LatestTask._send_message
    looked, deleted = threading.Event(), threading.Event()

    def look(found: object) -> bool:
        there = valid(found)
        if threading.current_thread() is not threading.main_thread():
            looked.set()
            deleted.wait(PATIENCE_S)
        return there

    monkeypatch.setattr(latest_task, "isValid", look)
    monkeypatch.setattr(LatestTask, "_send_message", lambda *given: (told.append(given[2]), send(*given)))
    latest.request(lambda monitor: 1)
    thread = latest._thread
    assert looked.wait(PATIENCE_S)
    shiboken6.delete(latest)
    deleted.set()
    thread.join(PATIENCE_S)
    qtbot.wait(20)
    assert not thread.is_alive() and told == ["finished"] and owner is not None  # not "failed" after it
