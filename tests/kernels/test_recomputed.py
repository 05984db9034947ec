"""What methods declare that they compute again is true of their runs, and counts no cells beyond the problem."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import engine, registry
from antidiag.kernels.cost_estimate import nothing_recomputed
from antidiag.kernels.method import Method
from antidiag.kernels.pairwise.bit_parallel.trials import draw_pair as draw_edit_pair
from antidiag.kernels.pairwise.bit_parallel.trials import make_edit_pair
from antidiag.kernels.pairwise.checkpointed import sizes
from antidiag.kernels.scoring import Scoring, match_mismatch
from antidiag.kernels.steps import StepLog
from tests.choosing import HypothesisChooser
from tests.example_counts import try_examples
from tests.kernels.triple.problems import triples
from tests.problems import pair, pairs

SIDES = (("row_start", "row_end"), ("column_start", "column_end"))
LAYERS = ("layer_start", "layer_end")
SCORING = Scoring(match_mismatch(2, -3), 5, 2)
METHODS = [method for method in registry.METHODS if method.cost.count_recomputed is not nothing_recomputed]
DECLARING = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.id)
CHECKED = try_examples(15, deadline=None)


def counted(method: Method, problem: Any, given: dict[str, Any]) -> tuple[int, int]:
    """Cells that a run computed after phase 1, and those that its method declares."""
    taken = method.parameters.names()
    planned = engine.plan_run(method, problem, {name: value for name, value in given.items() if name in taken}, "cpu")
    steps = StepLog()
    engine.execute(planned, steps=steps, keep_rate=False)
    events = steps.ordered_events()
    events = events[events["phase"] > 1]
    sides = (*SIDES, LAYERS) if method.problem_type.id == "triple" else SIDES
    cells = int(np.prod([np.maximum(events[end] - events[start], 0) for start, end in sides], axis=0).sum())
    return cells, method.cost.count_recomputed(planned.problem, planned.parameters)


@DECLARING
@CHECKED
@given(data=st.data())
def test_no_run_computes_more_cells_again_than_are_declared(method: Method, data: st.DataObject) -> None:
    is_edit = method.problem_type.id == "edit-distance"
    if is_edit:
        problem = draw_edit_pair(HypothesisChooser(data.draw), 1200)
    else:
        problem = data.draw(pairs() if method.problem_type.id == "pair" else triples(40))
    tiles = (512, 1024) if is_edit else (32, 64, 1024)
    given = {name: data.draw(st.sampled_from(values)) for name, values in {
        "s": (32, 64, 96), "h": (16, 48), "tile": tiles, "recompute": ("start-point", "first-row"),
    }.items()}  # fmt: skip
    computed, declared = counted(method, problem, given)
    assert computed <= declared <= problem.cells


@DECLARING
def test_a_strip_wider_than_the_problem_is_not_computed_again_beyond_it(method: Method) -> None:
    """A path along the diagonal of one chunk: all of it is computed again, and none of what is beyond it."""
    rows = "ACGTTGCA" * 4
    of_two = {"pair": lambda: pair(rows, rows, SCORING), "edit-distance": lambda: make_edit_pair(rows, rows)}
    problem = of_two.get(method.problem_type.id, lambda: data_of_three(method, rows))()
    given = {"s": 1024 if method.problem_type.id == "pair" else 112, "h": 1024, "tile": 4096, "recompute": "first-row"}
    declared = problem.cells if "alignment" in method.returns else 0
    assert counted(method, problem, given) == (declared, declared)


def data_of_three(method: Method, letters: str) -> Any:
    two = pair(letters, letters, SCORING)
    return method.problem_type.build_problem((two.first, two.second, two.first), {})


def test_tiles_inside_tiles_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tile that is cut into tiles itself is computed again, and then the tiles in it that are on the path."""
    for name, value in {"SMALL_CELLS": 33 * 33, "LEAST_TILE": 32, "TILES": 8, "TILE_STRIP": 32}.items():
        monkeypatch.setattr(sizes, name, value)
    rows = "".join(np.random.default_rng(1).choice(list("ACGT"), 500))
    problem, method = pair(rows, rows, SCORING), registry.find_method("checkpointed-alignment")
    computed, declared = counted(method, problem, {"s": 32, "tile": 256})
    assert 500 * 256 < computed <= declared
