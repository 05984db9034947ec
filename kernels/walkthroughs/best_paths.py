"""Best paths of an animation: their number, the share through each cell, the paths themselves, and near-best cells.

A path is a choice of one winning case for every cell that it needs, from an end back to given cells; it is a tree if
cases combine two cells. The recurrences produce every solution exactly once, so paths correspond to solutions:
alignments, paths of states, structures, orders of products. In local alignments a path ends at the first 0, by the rule
for ties.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.walkthroughs.animation import Animation, Cell, FormulaCase, are_equal

MOST_PATHS = 1000
"""Largest number of paths to iterate over."""


@dataclass(frozen=True, eq=False)
class BestPaths:
    """Exact number of best paths, and for every cell on one of them the fraction of paths through it."""

    total: int
    share: dict[Cell, float]


def count_best_paths(play: Animation) -> BestPaths:
    """Count the best paths; raise InputError for an animation without choices, such as sums."""
    if not play.ends:
        raise InputError(f"{play.title}: there is no best path to count; choose another method, or other letters")
    order = _topological_order(play, play.ends)
    inside: dict[Cell, int] = {}
    for cell in order:
        inside[cell] = (
            sum(_path_product(case, inside) for case in _winning_cases(play, cell)) if play.cell_step(cell) >= 0 else 1
        )
    ends = play.ends
    total = sum(inside[end] for end in ends)
    outside = dict.fromkeys(order, 0)
    for end in ends:
        outside[end] += 1
    for cell in reversed(order):
        if play.cell_step(cell) < 0 or not outside[cell]:
            continue
        for case in _winning_cases(play, cell):
            whole = outside[cell] * _path_product(case, inside)
            for source in case.sources:
                outside[source] += whole // inside[source] if inside[source] else 0
    share = {cell: inside[cell] * outside[cell] / total for cell in order if total and outside[cell] * inside[cell]}
    return BestPaths(total, share)


def iterate_best_paths(play: Animation, most: int = MOST_PATHS) -> Iterator[tuple[Cell, ...]]:
    """Yield up to ``most`` best paths, each as its cells, sources first.

    The first path takes the first winning case everywhere.
    """
    left = most
    for end in play.ends:
        for way in _paths_to(play, end):
            if not left:
                return
            left -= 1
            yield way


def path_deficits(play: Animation) -> dict[Cell, float]:
    """Return for every cell how much the best solution through it is worse than the best solution.

    A case costs its difference from the winning case, a solution the sum of these costs from its end back; solutions
    may end in any of ``ends`` and ``exits``. Cells on no solution are missing. Raises InputError for products, whose
    differences do not add up.
    """
    if not play.ends:
        return {}
    if play.multiplied:
        raise InputError(f"{play.title}: its values are products, and margins are for sums; choose a method of sums")
    best = play.cell_value(play.ends[0])
    rest: dict[Cell, float] = {cell: abs(play.cell_value(cell) - best) for cell in play.exits}
    rest |= dict.fromkeys(play.ends, 0.0)
    for cell in reversed(_topological_order(play, list(rest), all_cases=True)):
        if cell not in rest or play.cell_step(cell) < 0:
            continue
        formula = play.find_formula(cell)
        begins = formula.ending_case is not None and formula.ending_case in formula.winning_cases
        for number, case in enumerate(formula.cases):
            lacks = abs(formula.value - case.value)
            if not np.isfinite(lacks) or (
                begins and number != formula.ending_case and are_equal(formula.value, case.value)
            ):
                continue
            for source in case.sources:
                rest[source] = min(rest.get(source, np.inf), rest[cell] + lacks)
    return rest


def cells_near_best(play: Animation, margin: float) -> dict[Cell, float]:
    """Return the cells on solutions that score within ``margin`` of the best, each with its difference."""
    return {cell: lacks for cell, lacks in path_deficits(play).items() if lacks <= margin + 1e-9}


def _winning_cases(play: Animation, cell: Cell) -> list[FormulaCase]:
    formula = play.find_formula(cell)
    if formula.rule == "sum":
        raise InputError(f"{play.title}: all ways are summed here, so none is best; choose a method that chooses")
    return [formula.cases[number] for number in formula.winning_cases]


def _path_product(case: FormulaCase, inside: dict[Cell, int]) -> int:
    found = 1
    for source in case.sources:
        found *= inside[source]
    return found


def _topological_order(play: Animation, ends: Sequence[Cell], all_cases: bool = False) -> list[Cell]:
    """Return the cells that best (or all) paths to these ends need, sources first."""
    found: dict[Cell, None] = {}
    stack: list[tuple[Cell, bool]] = [(end, False) for end in ends]
    while stack:
        cell, done = stack.pop()
        if cell in found:
            continue
        if done or play.cell_step(cell) < 0:
            found[cell] = None
            continue
        stack.append((cell, True))
        cases = play.find_formula(cell).cases if all_cases else _winning_cases(play, cell)
        stack += [(source, False) for case in cases for source in case.sources if source not in found]
    return list(found)


def _paths_to(play: Animation, cell: Cell) -> Iterator[tuple[Cell, ...]]:
    if play.cell_step(cell) < 0:
        yield (cell,)
        return
    for case in _winning_cases(play, cell):
        for before in _combine_paths(play, case.sources):
            yield (*before, cell)


def _combine_paths(play: Animation, sources: tuple[Cell, ...]) -> Iterator[tuple[Cell, ...]]:
    if not sources:
        yield ()
        return
    for first in _paths_to(play, sources[0]):
        for rest in _combine_paths(play, sources[1:]):
            yield (*first, *rest)
