"""Monitors that stand for others hand on the wish to cancel, by `check`, `update` and the property alike."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import PART_STEPS, CancelOnlyMonitor, Monitor, PartMonitor


@pytest.mark.parametrize("make", [CancelOnlyMonitor, lambda whole: PartMonitor(whole, 0, 2, "phase")])
@pytest.mark.parametrize("is_whole", [True, False])
def test_a_monitor_is_cancelled_with_the_one_it_stands_for(make: Callable[[Monitor], Monitor], is_whole: bool) -> None:
    whole = Monitor()
    part = make(whole)
    assert not part.is_cancelled
    (whole if is_whole else part).cancel()
    assert part.is_cancelled and whole.is_cancelled == is_whole
    for call in (part.check, lambda: part.update(1, 2)):
        with pytest.raises(Cancelled):
            call()


def test_a_silent_monitor_reports_nothing() -> None:
    reports: list[tuple[int, int, str]] = []
    CancelOnlyMonitor(Monitor(lambda *report: reports.append(report))).update(1, 2)
    assert not reports


def test_the_parts_of_a_phase_never_go_back() -> None:
    reports: list[tuple[int, int, str]] = []
    whole = Monitor(lambda *report: reports.append(report))
    part = PartMonitor(whole, 1, 2, "aligning")
    for done in (5, 0, 10):
        part.update(done, 10, "own phase")
    assert reports == [
        (PART_STEPS + done, 2 * PART_STEPS, "aligning") for done in (0, PART_STEPS // 2, PART_STEPS // 2, PART_STEPS)
    ]
