"""A run played again from its step log."""

import numpy as np

from antidiag.kernels.experiments.point_data import run_replay
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


def test_places_are_begun_and_done_when_the_log_says():
    found = run_replay.create_replay(_log())
    assert [sheet.phase for sheet in found.sheets] == [1, 3] and (found.start_ns, found.end_ns) == (0, 60)
    first = found.sheets[0]
    high, wide = first.begun.shape
    assert first.begun[0, 0] == 0 and first.done[0, 0] == 10 and first.worker[0, 0] == 0
    assert first.begun[high - 1, wide - 1] == 20 and first.worker[high - 1, wide - 1] == 1
    assert (
        first.pixel_states(5)[0, 0] == 1
        and first.pixel_states(5)[0, wide - 1] == 0
        and first.pixel_states(15)[0, 0] == 2
    )
    assert [found.busy_workers(time) for time in (5, 15, 25, 35, 50)] == [1, 2, 1, 0, 1]
    assert [found.done(time) for time in (0, 10, 20, 60)] == [0, 1, 3, 5]
    assert found.current_sheet(39).phase == 1 and found.current_sheet(41).phase == 3
    curve = found.parallelism_curve(6)
    np.testing.assert_allclose(curve, [1, 2, 1, 0, 1, 1])


def test_layers_fill_a_chunk_from_its_top():
    steps = StepLog()
    for part in range(4):
        steps.add(1, 0, (0, 10), (0, 10), 0, 10 * part, 10 * part + 10, layers=(5 * part, 5 * part + 5))
    (sheet,) = run_replay.create_replay(steps).sheets
    share = [(sheet.pixel_states(time) == 2).mean() for time in (0, 10, 20, 30, 40)]
    np.testing.assert_allclose(share, [0, 0.25, 0.5, 0.75, 1])


def test_a_log_without_parts_shows_nothing():
    steps = StepLog()
    assert run_replay.create_replay(steps) is None
    steps.add(1, 0, (0, 0), (0, 0), 0, 0, 5)
    assert run_replay.create_replay(steps) is None
