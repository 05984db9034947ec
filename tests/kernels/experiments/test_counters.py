"""What the parts of a run count: cells as often as a textbook has them, bytes as the model of the method says."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine, trials
from antidiag.kernels.experiments.measuring import paired_runs
from antidiag.kernels.experiments.point_data.step_counters import count_steps, find_traffic_model, phase_name
from antidiag.kernels.model import Result
from antidiag.kernels.registry import METHODS, find_method


def _ran(id: str, size: int = 2, **given) -> Result:
    made = paired_runs.make_paired_problem(find_method(id), size)
    return engine.execute(engine.plan_run(find_method(id), made, given, "cpu"), keep_rate=False, keep_parts=False)


def _by_phase(result: Result) -> dict[str, float]:
    found, events = count_steps(result), result.steps.ordered_events()
    return {phase_name(result, number): round(float(found.cells[events["phase"] == number].sum()))
            for number in np.unique(events["phase"]).tolist()}  # fmt: skip


def test_strips_count_the_cells_of_their_ranges_and_the_bytes_of_their_borders():
    result = _ran("striped-alignment", 8, s=32, threads=2, T=32)
    found, events = count_steps(result), result.steps.ordered_events()
    m, n = result.problem.rows, result.problem.columns
    assert _by_phase(result)["phase 1"] == m * n and found.unit == "cells"
    first = events["phase"] == 1
    areas = (events["row_end"] - events["row_start"]) * (events["column_end"] - events["column_start"])
    np.testing.assert_array_equal(found.cells, areas)
    assert first.sum() > 4
    borders = -(-n // 32)
    # H and a gap state, 8 bytes a cell, written and read of all borders but the last; a start state of each.
    assert found.bytes.sum() == pytest.approx(2 * 8 * m * (borders - 1) + 8 * m * borders)
    assert found.has_traffic_model and "Li et al. 2012, section V.A" in found.bytes_description


def test_boxes_that_overlap_are_shared_out():
    """An antidiagonal is logged as the box around it; its cells are those of the matrix, once."""
    result = _ran("antidiagonal")
    found, cells = count_steps(result), result.problem.rows * result.problem.columns
    assert found.cells.sum() == pytest.approx(cells)
    assert found.has_traffic_model and found.bytes.sum() == pytest.approx(8 * 4 * cells), (
        "H three times, E, F, and its own"
    )


def test_where_there_is_no_model_of_the_traffic_it_is_said():
    result = _ran("perot-recurrence")
    found = count_steps(result)
    assert found.cells.sum() == pytest.approx(result.problem.rows * result.problem.columns)
    assert not found.has_traffic_model and "no traffic model" in found.bytes_description and not found.bytes.any()


@pytest.mark.parametrize(
    ("id", "phases", "unit"),
    [
        ("profile-simple", {"scores": 64 * 64, "maximisation": 64 * 64}, "scores and cells"),
        ("nj-serial", {"joins": sum(k * (k - 1) // 2 for k in range(2, 33))}, "pairs"),
        ("floyd-smem", {"distances": 5 * 20**3}, "cells"),
        ("nussinov", {"table": sum(j - i for i in range(32) for j in range(i + 1, 32))}, "cells"),
        ("viterbi-serial", {"rows": 128 * 128 * 32, "path": 0}, "cells"),
        ("lcs-single-linkage", {"linkage": 80 * 79 // 2}, "pairs"),
    ],
)
def test_a_phase_counts_what_a_textbook_does(id, phases, unit):
    result = _ran(id)
    assert _by_phase(result) == phases and count_steps(result).unit == unit


def test_longer_parts_of_a_folding_count_more():
    result = _ran("nussinov", 16, threads=1)
    events, cells = result.steps.ordered_events(), count_steps(result).cells
    apart = events["column_start"] - events["row_start"]
    whole = (events["row_end"] - events["row_start"] == 64) & (events["column_end"] - events["column_start"] == 64)
    assert np.unique(apart[whole]).size > 2
    means = [cells[whole & (apart == one)].mean() for one in np.unique(apart[whole])]
    assert means == sorted(means) and means[-1] > 2 * means[1]


def test_every_model_of_traffic_says_what_its_bytes_are():
    found = [one for one in METHODS if find_traffic_model(one)]
    assert len(found) > 20 and all(find_traffic_model(one).help and find_traffic_model(one).source for one in found)
    assert {trials.load_trials(one.problem_type) is not None for one in found} == {True}
