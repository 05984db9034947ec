"""All best ways through a play: their exact number, how many go through each cell, one after another, and near misses.

A way is a choice of one winning case for every cell that it needs, from an end back to cells that are given: a path
where cases take one cell, a tree of parts where they take two. The recurrences here make every solution in one way
only, so ways are solutions: alignments, paths of states, structures, orders of products. In local alignments a way ends
at the first 0, as the rule of ties has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.plays.model import Case, Cell, Play, same

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
    order = _order(play, play.ends)
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


def worse(play: Play) -> dict[Cell, float]:
    """Of every cell, by how much the best solution through it is worse than the best; cells of none are left out.

    A case that does not win costs what it lacks, and a solution what its cases cost together, from its end back; it may
    end in any of the ends and exits. Where the ends are those of several questions, each is held against its own best.
    InputError where values are multiplied: what they lack does not add up.
    """
    if not play.ends:
        return {}
    if play.multiplied:
        raise InputError(f"{play.title}: its values are products, and margins are for sums; choose a method of sums")
    best = play.value(play.ends[0])
    rest: dict[Cell, float] = {cell: abs(play.value(cell) - best) for cell in play.exits}
    rest |= dict.fromkeys(play.ends, 0.0)
    for cell in reversed(_order(play, list(rest), all_cases=True)):
        if cell not in rest or play.step(cell) < 0:
            continue
        formula = play.formula(cell)
        begins = formula.alone is not None and formula.alone in formula.winners
        for number, case in enumerate(formula.cases):
            lacks = abs(formula.value - case.value)
            if not np.isfinite(lacks) or (begins and number != formula.alone and same(formula.value, case.value)):
                continue
            for source in case.sources:
                rest[source] = min(rest.get(source, np.inf), rest[cell] + lacks)
    return rest


def through(play: Play) -> dict[Cell, float]:
    """Of every cell, the value of the best solution that goes through it, in the units of the ends: see `worse`."""
    if not play.ends:
        return {}
    better = 1 if play.formula(play.ends[0]).rule == "max" else -1
    best = play.value(play.ends[0])
    return {cell: best - better * lacks for cell, lacks in worse(play).items()}


def near(play: Play, margin: float) -> dict[Cell, float]:
    """Cells through which a solution goes that is at most ``margin`` worse than the best, and by how much it is."""
    return {cell: lacks for cell, lacks in worse(play).items() if lacks <= margin + 1e-9}


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


def _order(play: Play, ends: Sequence[Cell], all_cases: bool = False) -> list[Cell]:
    """The cells that best ways (or all) to these ends need, each after those that it takes."""
    found: dict[Cell, None] = {}
    stack: list[tuple[Cell, bool]] = [(end, False) for end in ends]
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
