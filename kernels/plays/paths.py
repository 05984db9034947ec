"""All best ways through a play: their exact number, how many go through each cell, one after another, and near misses.

A way is a choice of one winning case for every cell that it needs, from an end back to cells that are given: a path
where cases take one cell, a tree of parts where they take two. The recurrences here make every solution in one way
only, so ways are solutions: alignments, paths of states, structures, orders of products. In local alignments a way ends
at the first 0, as the rule of ties has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kernels.errors import InputError
from kernels.plays.model import Case, Cell, Play

MOST_WAYS = 1000
"""Ways that are stepped through."""


@dataclass(frozen=True, eq=False)
class Ways:
    """``total`` best ways, exactly; of every cell on one of them the ``share`` of ways through it."""

    total: int
    share: dict[Cell, float]


def counted(play: Play) -> Ways:
    """InputError for a play that does not choose: sums, and trees that are grown."""
    if not play.ends:
        raise InputError(f"{play.title}: there is no best path to count; choose another method, or other letters")
    order = _order(play)
    inside: dict[Cell, int] = {}
    for cell in order:
        inside[cell] = sum(_product(case, inside) for case in _winning(play, cell)) if play.step(cell) >= 0 else 1
    ends = play.ends
    total = sum(inside[end] for end in ends)
    outside = dict.fromkeys(order, 0)
    for end in ends:
        outside[end] += 1
    for cell in reversed(order):
        if play.step(cell) < 0 or not outside[cell]:
            continue
        for case in _winning(play, cell):
            whole = outside[cell] * _product(case, inside)
            for source in case.sources:
                outside[source] += whole // inside[source] if inside[source] else 0
    share = {cell: inside[cell] * outside[cell] / total for cell in order if total and outside[cell] * inside[cell]}
    return Ways(total, share)


def each(play: Play, most: int = MOST_WAYS) -> Iterator[tuple[Cell, ...]]:
    """The best ways one after another, up to ``most``; each as its cells, sources before what takes them.

    The first is the one that takes the first winning case everywhere.
    """
    left = most
    for end in play.ends:
        for way in _ways(play, end):
            if not left:
                return
            left -= 1
            yield way


def through(play: Play) -> dict[Cell, float]:
    """Of every cell, the value of the best solution that goes through it; of cells of no solution there is none.

    Values are in the units of the play: the best is that of the ends. They come from the values (forward) and, for
    every case that takes a cell, from what the rest is worth (backward).
    """
    if not play.ends:
        return {}
    better = max if play.formula(play.ends[0]).rule == "max" else min
    order = _order(play, all_cases=True)
    rest: dict[Cell, float] = dict.fromkeys(play.ends, 0.0)
    for cell in reversed(order):
        if cell not in rest or play.step(cell) < 0:
            continue
        for case in play.formula(cell).cases:
            for source in case.sources:
                worth = rest[cell] + case.value - play.value(source)
                if np.isfinite(worth):
                    rest[source] = better(rest[source], worth) if source in rest else worth
    return {cell: play.value(cell) + more for cell, more in rest.items()}


def near(play: Play, margin: float) -> dict[Cell, float]:
    """Cells through which a solution goes that is at most ``margin`` worse than the best, and by how much it is."""
    found = through(play)
    if not found:
        return {}
    best = play.value(play.ends[0])
    return {cell: abs(value - best) for cell, value in found.items() if abs(value - best) <= margin + 1e-9}


def _winning(play: Play, cell: Cell) -> list[Case]:
    formula = play.formula(cell)
    if formula.rule == "sum":
        raise InputError(f"{play.title}: all ways are summed here, so none is best; choose a method that chooses")
    return [formula.cases[number] for number in formula.winners]


def _product(case: Case, inside: dict[Cell, int]) -> int:
    found = 1
    for source in case.sources:
        found *= inside[source]
    return found


def _order(play: Play, all_cases: bool = False) -> list[Cell]:
    """The cells that best ways (or all) need, each after those that it takes."""
    found: dict[Cell, None] = {}
    stack: list[tuple[Cell, bool]] = [(end, False) for end in play.ends]
    while stack:
        cell, done = stack.pop()
        if cell in found:
            continue
        if done or play.step(cell) < 0:
            found[cell] = None
            continue
        stack.append((cell, True))
        cases = play.formula(cell).cases if all_cases else _winning(play, cell)
        stack += [(source, False) for case in cases for source in case.sources if source not in found]
    return list(found)


def _ways(play: Play, cell: Cell) -> Iterator[tuple[Cell, ...]]:
    if play.step(cell) < 0:
        yield (cell,)
        return
    for case in _winning(play, cell):
        for before in _joined(play, case.sources):
            yield (*before, cell)


def _joined(play: Play, sources: tuple[Cell, ...]) -> Iterator[tuple[Cell, ...]]:
    if not sources:
        yield ()
        return
    for first in _ways(play, sources[0]):
        for rest in _joined(play, sources[1:]):
            yield (*first, *rest)
