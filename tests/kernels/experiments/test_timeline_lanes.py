"""Lanes of a timeline: events of each worker."""

import pytest

from antidiag.kernels.experiments.point_data.timeline_lanes import lay_out_lanes
from antidiag.kernels.steps import StepLog


def log(*events):
    """A step log of (worker, strip, start, end)."""
    steps = StepLog()
    for worker, strip, start, end in events:
        steps.add(1, strip, (0, 10), (32 * strip, 32 * strip + 32), worker, start, end)
    return steps


def test_lanes_find_events():
    found = lay_out_lanes(log((5, 0, 0, 100), (2, 1, 10, 50), (5, 2, 120, 200)))
    assert found.workers.tolist() == [2, 5]
    assert found.depth == 1
    assert found.events["strip"][found.event_at(1, 150)] == 2
    assert found.events["strip"][found.event_at(0, 10)] == 1
    assert found.event_at(1, 110) is None
    assert found.events["strip"][found.event_at(1, 115, reach_ns=6)] == 2
    assert found.event_at(2, 10) is None
    assert found.busy_share() == pytest.approx((100 + 40 + 80) / 400)


def test_strips_at_once_on_one_worker_get_rows_of_their_own():
    found = lay_out_lanes(log((0, 0, 0, 100), (0, 1, 50, 150), (0, 2, 100, 160), (1, 3, 0, 10)))
    assert found.depth == 2
    rows = dict(zip(found.events["strip"].tolist(), found.row.tolist(), strict=True))
    assert rows == {0: 0, 1: 1, 2: 0, 3: 2}
    for row in range(found.row_count):
        events = found.events[found.borders[row] : found.borders[row + 1]]
        assert (events["start_ns"][1:] >= events["end_ns"][:-1]).all()


def test_an_empty_log_has_no_lanes():
    found = lay_out_lanes(StepLog())
    assert (found.row_count, found.busy_share(), found.end_ns) == (0, 0.0, 0)
