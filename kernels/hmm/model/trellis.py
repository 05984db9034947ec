"""The trellis of Viterbi for views: costs of states at chosen letters, and the winners between neighbouring letters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.rows import cpu_rows
from antidiag.kernels.hmm.rows.cpu_tables import build_cost_tables
from antidiag.kernels.monitor import Monitor

SLICE = 1 << 25
"""Cells between two checks for cancellation."""


class Trellis(NamedTuple):
    """Letters ``first``, ``first + 1``, ...: costs as of `compute_costs`, (k, l), and winners, int32, (k, l).

    ``winners[i, s]`` is the state at the letter before that leads best to state s at letter ``first + i``, the smallest
    of equally good ones; -1 where none leads there, and at letter 0.
    """

    first_letter: int
    costs: np.ndarray
    winners: np.ndarray


def compute_costs(problem: HmmProblem, letters: np.ndarray, monitor: Monitor | None = None) -> np.ndarray:
    """Return the least cost of being in each state at each of these letters, its emission included; float64, (k, l).

    ``letters`` ascend and count from 0. Costs are negative natural logarithms as `HmmProblem.step_costs` rounds them;
    infinite where a state is impossible. All rows up to the last letter are computed, a slice at a time.
    """
    letters = np.asarray(letters, np.int64)
    found = np.empty((letters.size, problem.states))
    if not letters.size:
        return found
    model, stop = build_cost_tables(problem), workers.make_stop_word()
    several = max(1, SLICE // model.width**2)
    rows = np.empty((several + 1, model.width))
    rows[0] = model.initial
    for first in range(0, int(letters[-1]) + 1, several):
        (monitor or Monitor()).update(first, int(letters[-1]) + 1, "rows")
        last = min(first + several, int(letters[-1]))
        onwards = model._replace(seen=model.seen[first:])
        cpu_rows.compute_rows(rows[0].copy(), rows.reshape(-1), onwards, 0, last - first, stop)
        here = np.flatnonzero((letters >= first) & (letters < first + several))
        found[here] = rows[letters[here] - first, : problem.states]
        rows[0] = rows[last - first]
    return (found + problem.step_costs.emissions[problem.observations[letters]]) / problem.step_costs.scale


def compute_trellis(problem: HmmProblem, first: int, last: int, monitor: Monitor | None = None) -> Trellis:
    """Return the trellis of the letters ``first`` to ``last``, half-open."""
    before = max(0, first - 1)
    costs = compute_costs(problem, np.arange(before, last), monitor)
    transitions = problem.step_costs.transitions / problem.step_costs.scale
    winners = np.full(costs.shape, -1, np.int32)
    for row in range(1, len(costs)):
        ways = costs[row - 1][:, None] + transitions
        winners[row] = np.where(np.isfinite(ways.min(axis=0)), ways.argmin(axis=0), -1)
    return Trellis(first, costs[first - before :], winners[first - before :])
