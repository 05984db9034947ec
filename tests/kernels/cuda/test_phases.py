"""Phases that do not wait for their ends: their times, log and progress are as of those that do."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import Monitor

if TYPE_CHECKING:
    from antidiag.kernels.cuda.run import DeviceRun


def two_phases(waits: bool, launch_s: float = 0.002) -> tuple[DeviceRun, list[tuple[int, str]]]:
    """A run of two phases, of three launches and of one, and what it told of them, in turn."""
    from antidiag.kernels.cuda.run import DeviceRun

    told: list[tuple[int, str]] = []
    run = DeviceRun(Monitor(lambda done, total, name: told.append((done, name))), rows=10)
    for name, launches in (("first", 3), ("second", 1)):
        with run.begin_phase(name, waits=waits, ahead=2) as phase:
            for number in range(1, launches + 1):
                time.sleep(launch_s)
                phase.note_launch(number, launches)
    return run, told


def test_all_is_told_when_the_run_settles(emulated) -> None:
    waiting, expected = two_phases(True)
    queued, told = two_phases(False)
    assert told == expected[:2]  # two launches and the end of a phase are under way
    queued.finish_pending()
    assert told == expected == [(1, "first"), (2, "first"), (3, "first"), (1, "second")]
    assert list(queued.times_ms) == list(waiting.times_ms)
    for run in (waiting, queued):
        assert run.times_ms["first"] >= 4 and run.times_ms["second"] >= 2


def test_the_log_goes_on_where_the_phase_before_ended(emulated) -> None:
    run, _ = two_phases(False)
    run.finish_pending()
    steps = run.steps.ordered_events()
    assert steps["phase"].tolist() == [1, 1, 1, 2]
    assert steps["column_end"].tolist() == [1, 2, 3, 1]
    assert (steps["start_ns"][1:] >= steps["end_ns"][:-1]).all()
    assert steps["end_ns"][-1] == pytest.approx(1e6 * sum(run.times_ms.values()), abs=1000)


def test_a_copy_is_in_no_phase_that_is_under_way(emulated) -> None:
    import numpy as np

    from antidiag.kernels.cuda.run import DeviceRun

    DeviceRun(Monitor()).upload_array(np.zeros(3))  # the first copy loads what copies
    run, _ = two_phases(False, launch_s=0.1)  # far longer than a copy, also on a busy machine
    run.upload_array(np.zeros(3))
    assert run.times_ms["second"] >= 100
    assert run.times_ms["transfer"] < run.times_ms["first"]


def test_what_is_to_be_done_meanwhile_is_done_once_and_before_the_end(emulated) -> None:
    from antidiag.kernels.cuda.run import DeviceRun

    run, done = DeviceRun(Monitor()), []
    run.run_while_waiting(lambda: done.append("log"))
    with run.begin_phase("rows") as phase:
        assert not done
        phase.note_launch()
    assert done == ["log"]
    run.run_while_waiting(lambda: done.append("more"))
    run.finish_pending()
    run.finish_pending()
    assert done == ["log", "more"]


def test_a_run_that_is_cancelled_waits_for_nothing_more(emulated) -> None:
    from antidiag.kernels.cuda.run import DeviceRun

    run = DeviceRun(monitor := Monitor())

    def launch() -> None:
        with run.begin_phase("rows", waits=False, ahead=0) as phase:
            monitor.cancel()
            phase.note_launch(1, 2)

    with pytest.raises(Cancelled):
        launch()
    run.finish_pending()
    assert "rows" not in run.times_ms
