"""Slices through the cube, and the candidates of a cell, against the textbook recurrence."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.triple import reference
from antidiag.kernels.triple.model import MOVE_ORDER, TripleProblem
from antidiag.kernels.triple.pictures import slices
from antidiag.kernels.triple.problem import build_problem
from antidiag.kernels.triple.trials import find_best_answer
from tests.example_counts import try_examples
from tests.kernels.triple.problems import triples
from tests.problems import sequence


@try_examples(25)
@given(triples(longest=7))
def test_slices_and_kept_values_are_those_of_the_recurrence(problem: TripleProblem) -> None:
    H = reference.compute_cube(problem)
    cell = tuple(length // 2 for length in problem.lengths)
    kept = slices.compute_cube(problem, Monitor())
    every = slices.compute_slices(problem, cell, frozenset((0, 1, 2)), Monitor())
    for axis in range(3):
        expected = H.take(cell[axis], axis)
        assert np.array_equal(kept.plane_scores(axis, cell[axis]), expected)
        assert np.array_equal(every[axis], expected)
        assert np.array_equal(slices.compute_slices(problem, cell, frozenset((axis,)), Monitor())[axis], expected)


@try_examples(25)
@given(triples(longest=4))
def test_candidates_are_the_values_by_last_move(problem: TripleProblem) -> None:
    V, kept = reference.compute_values(problem), slices.compute_cube(problem, Monitor())
    for cell in product(*(range(length + 1) for length in problem.lengths)):
        found = slices.list_candidates(kept, cell)
        if cell == (0, 0, 0):
            assert found == (None,) * 7 and slices.choose_winner(found) is None
            continue
        for move, candidate in zip(MOVE_ORDER, found, strict=True):
            assert (candidate is None) == (V[cell][move] < -(2**39))
            assert candidate is None or candidate.value == V[cell][move]
        taken = slices.choose_winner(found)
        assert taken.value == kept.cell_score(cell)
        assert taken is next(c for c in found if c is not None and c.value == taken.value)


@try_examples(15)
@given(triples(longest=9))
def test_winners_lead_along_the_path(problem: TripleProblem) -> None:
    kept, cell, moves = slices.compute_cube(problem, Monitor()), problem.lengths, []
    taken = slices.choose_winner(slices.list_candidates(kept, cell))
    while taken is not None:
        moves.append(taken.move)
        found = slices.list_candidates(kept, taken.before)
        taken = slices.choose_winner(found) if taken.after is None else found[MOVE_ORDER.index(taken.after)]
    assert np.array_equal(moves[::-1], find_best_answer(problem).alignment.moves)


def test_a_large_cube_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = _problem()
    monkeypatch.setattr(slices, "MOST_KEPT_VALUES", 100)
    monkeypatch.setattr(slices, "MOST_CELLS", 100)
    assert not slices.is_kept(problem)
    with pytest.raises(InputError, match="too many cells to keep"):
        slices.compute_cube(problem, Monitor())
    with pytest.raises(InputError, match="120 cells, and slices are shown up to 100"):
        slices.compute_slices(problem, (1, 1, 1), frozenset((0,)), Monitor())


def test_computing_slices_can_be_cancelled() -> None:
    monitor = Monitor()
    monitor.cancel()
    with pytest.raises(Cancelled):
        slices.compute_slices(_problem(), (1, 1, 1), frozenset((0,)), monitor)


def _problem() -> TripleProblem:
    return build_problem([sequence("ACG", "x"), sequence("ACGTA", "y"), sequence("ACGT", "z")], {})
