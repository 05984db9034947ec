"""A run played again from its measured step log."""

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt

from antidiag.app.kit.replay.player import TICKS
from antidiag.app.kit.replay.side_by_side import SideBySideReplay
from antidiag.app.kit.selection import Selection
from antidiag.app.views.replay.view import ReplayView
from antidiag.kernels import engine
from antidiag.kernels.experiments.point_data.run_replay import NEVER
from antidiag.kernels.model import Result
from antidiag.kernels.pairwise.trials import TRIALS
from antidiag.kernels.registry import find_method
from antidiag.kernels.steps import StepLog


def _log():
    """Two strips of two batches: worker 0 has the first, worker 1 follows."""
    steps = StepLog()
    for strip, worker, start in ((0, 0, 0), (1, 1, 10)):
        for part in range(2):
            begun = start + 10 * part
            steps.add(
                1, strip, (50 * part, 50 * part + 50), (100 * strip, 100 * strip + 100), worker, begun, begun + 10
            )
    steps.add(3, 0, (0, 100), (0, 100), 0, 40, 60)
    return steps


def _ran(steps):
    """A result with this log; nothing else of it is looked at but its method and problem."""
    problem, values = TRIALS.make_long_problem(find_method("striped-alignment"), "cpu", 1)
    times = {"phase 1": 1.0, "phase 2": 1.0, "phase 3": 1.0}
    return Result("striped-alignment", problem, {"s": 8, "T": 8, **values}, "cpu", "a CPU", None, times, 0, 0,
                  datetime.now(UTC), steps=steps)  # fmt: skip


@pytest.fixture
def result():
    problem, values = TRIALS.make_long_problem(find_method("striped-score"), "cpu", 4)
    planned = engine.plan_run(find_method("striped-score"), problem, {**values, "threads": 2, "s": 32}, "cpu")
    return engine.execute(planned, keep_rate=False)


def test_a_real_run_is_played_from_start_to_end(qtbot, result):
    view = ReplayView(Selection())
    qtbot.addWidget(view)
    view.resize(700, 500)
    view.show()
    assert ReplayView.shows(result)
    view.show_result(result)
    qtbot.waitUntil(lambda: view.replay is not None)
    assert "than it ran" in view.status.text()
    pictures = set()
    for value in (0, TICKS // 2, TICKS):
        view.player.slider.setValue(value)
        image = view.grab().toImage()
        pictures.add(bytes(image.constBits()))
    assert len(pictures) == 3
    assert (view.replay.sheets[0].pixel_states(view.time_ns) == 2).all()
    assert (view.replay.sheets[0].begun < NEVER).all(), "the whole matrix was computed"
    view.player.play()
    assert view.player.is_playing and view.player.slider.value() == 0
    view.player.advance(0.1)
    assert view.player.slider.value() > 0
    view.show_result(None)
    assert not view.player.is_playing and view.replay is None


def test_runs_side_by_side_have_one_measured_clock(qtbot):
    slow, fast = _log(), StepLog()
    fast.add(1, 0, (0, 100), (0, 100), 0, 1000, 1030)
    shown = SideBySideReplay()
    qtbot.addWidget(shown)
    shown.resize(900, 500)
    shown.show()
    shown.show_results([("slow", _ran(slow)), ("fast", _ran(fast)), ("empty", _ran(StepLog()))])
    qtbot.waitUntil(lambda: len(shown.runs) == 2)
    assert shown.span_ns == 60, "the slowest gives the whole"
    first, second = (replay for _, replay in shown.runs)
    told = []
    for value in (0, TICKS // 4, TICKS // 2, TICKS):
        shown.player.slider.setValue(value)
        at = shown.time_ns
        told.append((first.done(at), second.done(1000 + at),
                     first.sheets[0].done_share(at), second.sheets[0].done_share(1000 + at)))  # fmt: skip
    assert told == [(0, 0, 0, 0), (1, 0, 0.25, 0), (4, 1, 1, 1), (5, 1, 1, 1)]
    assert "0.000 of 0.000 ms (measured)" in shown.status.text() and "slower than it ran" in shown.status.text()
    qtbot.keyClick(shown, Qt.Key.Key_Left)
    assert shown.player.slider.value() == TICKS - 10
    shown.show_results([("empty", _ran(StepLog()))])
    qtbot.waitUntil(lambda: not shown.runs)
    assert "no parts" in shown.status.text()
