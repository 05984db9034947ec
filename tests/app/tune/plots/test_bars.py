"""Stacked phases: what they show adds up to a run that was made."""

from __future__ import annotations

from antidiag.app.tune.plots.phase_bars import phase_times
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun


def test_the_phases_are_those_of_the_run_of_median_length() -> None:
    runs = tuple(TimedRun(sum(times) + 1, dict(zip(("phase 1", "transfer"), times, strict=True)))
                 for times in ((9.0, 1.0), (1.0, 2.0), (2.0, 3.0)))  # fmt: skip
    found = phase_times(MeasuredPoint("1", "m", "M", {}, PointStatus.MEASURED, runs=runs))
    assert [time for _, time in found] == [2.0, 3.0, 1.0], "medians of each would be 2, 2 and 1"
    assert phase_times(MeasuredPoint("1", "m", "M", {}, PointStatus.REFUSED)) == ()
