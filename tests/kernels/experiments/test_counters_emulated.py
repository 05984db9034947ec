"""What the parts of a run on a GPU count, from logs of the device code on the emulator, and on a device."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine, trials
from antidiag.kernels.experiments.point_data.step_counters import count_steps, phase_name
from antidiag.kernels.registry import find_method

CASES = pytest.mark.parametrize(
    ("id", "given", "phase", "cells", "unit"),
    [
        ("striped-alignment", {"s": 128}, "phase 1", lambda made: made.rows * made.columns, "cells"),
        ("sloped-bt1", {}, "phase 1", lambda made: made.cells, "cells"),
        ("nj-basic", {}, "joins", lambda made: made.cells, "pairs"),
        ("nj-pruned", {}, "joins", lambda made: made.cells, "pairs of all joins, most of which are not read"),
        ("floyd-blocked", {}, "distances", lambda made: made.n**3, "cells"),
        ("nussinov", {}, "table", lambda made: made.cells, "cells"),
        ("viterbi-matvecprod", {}, "rows", lambda made: made.cells, "cells"),
    ],
)


@CASES
def test_a_phase_on_the_emulator_counts_all_that_it_computes(emulated, id, given, phase, cells, unit):
    made = trials.load_trials(find_method(id).problem_type).make_long_problem(find_method(id), "cpu", 1)[0]
    _check(emulated(id, made, **given), phase, cells, unit)


@pytest.mark.gpu
@CASES
def test_a_phase_on_a_gpu_counts_all_that_it_computes(id, given, phase, cells, unit):
    made = trials.load_trials(find_method(id).problem_type).make_long_problem(find_method(id), "cuda", 4)[0]
    _check(
        engine.execute(engine.plan_run(find_method(id), made, given, "cuda"), keep_rate=False, keep_parts=False),
        phase,
        cells,
        unit,
    )


@pytest.mark.gpu
def test_recomputed_cells_on_a_gpu_are_no_more_than_the_method_says():
    made = trials.load_trials(find_method("sloped-checkpointed").problem_type).make_long_problem(
        find_method("sloped-checkpointed"), "cuda", 16
    )[0]
    result = engine.execute(
        engine.plan_run(find_method("sloped-checkpointed"), made, {}, "cuda"), keep_rate=False, keep_parts=False
    )
    method = find_method(result.method)
    again = method.cost.count_recomputed(made, method.restore_parameters(result))
    assert round(count_steps(result).cells.sum(), 3) <= made.cells + again


def _check(result, phase, cells, unit):
    found, events = count_steps(result), result.steps.ordered_events()
    assert events.size and found.cells.size == events.size == found.bytes.size
    named = {number: phase_name(result, number) for number in np.unique(events["phase"]).tolist()}
    assert phase in named.values() and set(named.values()) <= set(result.times_ms)
    here = np.isin(events["phase"], [number for number, name in named.items() if name == phase])
    assert found.cells[here].sum() == pytest.approx(cells(result.problem)) and found.unit == unit
    assert (found.cells >= 0).all() and np.isfinite(found.cells).all() and (found.bytes >= 0).all()
