"""A play: a method on a small problem, step by step, with every number that it computes. No Qt here.

A play has **tables**, whose cells are computed in **steps**. A step is what the method computes at once: an
antidiagonal, a plane, a product, a join. Of every cell a play knows its value, the step in which it is computed, and
which worker computes it; of every step, what lies in which memory, and what crosses from one worker to another. The
recurrence of a cell, with its numbers filled in, is a `Formula`; its cases name the cells that they take, so that
"needed before it is there" is a test, and all best paths can be counted.

A cell is (table, row, column, layer). It is computed once: where a method writes a place again, as Floyd and Warshall
do, the layers of the table are the versions of the place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np

Cell = tuple[int, int, int, int]
"""Table, row, column, layer."""
Place = Literal["registers", "shared memory", "global memory", "host memory"]
Rule = Literal["max", "min", "sum", "product", "value"]

GIVEN = -1
"""The step of a cell that is known before the first step."""
NEVER = np.iinfo(np.int32).max
"""The step of a place of a table that is not computed at all."""
CLOSE = 1e-9
"""Sums of fractions that differ by less are one number."""


@dataclass(frozen=True, eq=False)
class Table:
    """Numbers that a method computes.

    ``values`` (float64), ``step_of`` (int32: GIVEN, a step, or NEVER) and ``worker_of`` (int32, -1 for none) have the
    shape (rows, columns, layers). ``rows``, ``columns`` and ``layers`` name the lines, for people. With ``versions``
    layers are those of one place after another, and the newest that is computed is shown. ``letters``: values are codes
    of letters. ``cuts`` are the rows and columns before which a border of strips, chunks or blocks runs. ``gone``
    (int32, rows x columns) is the step from which a place is no longer used. ``aside``: a table that is looked at for
    details only. ``formula`` is the recurrence in symbols. ``counts``: its places are cells of the problem.
    """

    name: str
    values: np.ndarray
    step_of: np.ndarray
    worker_of: np.ndarray
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    versions: bool = False
    letters: bool = False
    cuts: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    gone: np.ndarray | None = None
    aside: bool = False
    formula: str = ""
    counts: bool = True

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.values.shape

    @property
    def computed(self) -> np.ndarray:
        """Whether a step computes a place, bool."""
        return (self.step_of >= 0) & (self.step_of < NEVER)

    def known(self, step: int) -> np.ndarray:
        """Whether the value of a place is there after a step, bool; -1 is before the first."""
        return self.step_of <= step

    def newest(self, step: int) -> np.ndarray:
        """Of a table of versions, the layer that is shown after a step; int64 (rows, columns), -1 for none."""
        layers = np.arange(self.shape[2])
        return np.where(self.known(step), layers, -1).max(axis=2)


@dataclass(frozen=True)
class Case:
    """One of the ways to a value: in symbols, with its numbers, and the cells that it takes them from."""

    text: str
    filled: str
    value: float
    sources: tuple[Cell, ...] = ()
    label: str = ""


@dataclass(frozen=True)
class Formula:
    """The recurrence of one cell: ``left`` is the ``rule`` of its cases ("value": the only one).

    ``alone`` names the case that ends a path where it wins, whatever else gives the same: the 0 of a local alignment.
    """

    left: str
    rule: Rule
    cases: tuple[Case, ...]
    value: float
    alone: int | None = None

    @property
    def winners(self) -> tuple[int, ...]:
        """The numbers of the cases that give the value; all of them where they are summed."""
        if self.rule not in ("max", "min"):
            return tuple(range(len(self.cases)))
        found = tuple(number for number, case in enumerate(self.cases) if same(case.value, self.value))
        return (self.alone,) if self.alone in found else found

    def combined(self) -> float:
        """What the rule makes of the cases."""
        values = [case.value for case in self.cases]
        if self.rule == "max":
            return max(values)
        if self.rule == "min":
            return min(values)
        return math.fsum(values) if self.rule == "sum" else math.prod(values)


@dataclass(frozen=True)
class Held:
    """What lies in a memory during a step. ``bytes`` is what it takes there."""

    place: Place
    what: str
    bytes: int
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Crossing:
    """What crosses in a step: values that a worker writes for others, or reads; -1 stands for all or for the host."""

    what: str
    place: Place
    bytes: int
    source: int = -1
    target: int = -1
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Step:
    """One step: what happens, in which phase, and what is where. ``waiting`` are workers that would work and cannot.

    ``marked`` are cells to look at that are not computed in it, such as the pair that is joined, or the path.
    """

    text: str
    phase: str = ""
    held: tuple[Held, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    waiting: tuple[int, ...] = ()
    marked: tuple[Cell, ...] = ()
    barrier: bool = False


@dataclass(frozen=True)
class Branch:
    """A node of a tree that a step makes: its number, its children, its height, and the lengths of its edges."""

    node: int
    children: tuple[int, ...]
    height: float
    step: int
    lengths: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Play:
    """A method on a small problem, step by step.

    ``workers`` names those that can work at the same time. ``explain(cell)`` is the formula of a computed cell;
    ``ends`` are the cells in which best paths end, ``exits`` others in which a path may end that is not the best.
    ``multiplied``: values are products, not sums. ``leaves`` are the names of the leaves of a tree, ``branches`` its
    other nodes. ``answer`` is what the method found, as its family tells it; ``told`` says it to people. ``path`` are
    the cells of the path that the method returns.
    """

    title: str
    tables: tuple[Table, ...]
    steps: tuple[Step, ...]
    workers: tuple[str, ...]
    explain: Callable[[Cell], Formula]
    answer: Any = None
    told: str = ""
    ends: tuple[Cell, ...] = ()
    path: tuple[Cell, ...] = ()
    leaves: tuple[str, ...] = ()
    branches: tuple[Branch, ...] = ()
    unit: str = "cells"
    notes: tuple[str, ...] = field(default=())
    exits: tuple[Cell, ...] = ()
    multiplied: bool = False

    def __len__(self) -> int:
        return len(self.steps)

    @cached_property
    def cells_of(self) -> tuple[tuple[Cell, ...], ...]:
        """The cells that each step computes."""
        found: list[list[Cell]] = [[] for _ in self.steps]
        for number, table in enumerate(self.tables):
            for i, j, k in np.argwhere(table.computed).tolist():
                found[table.step_of[i, j, k]].append((number, i, j, k))
        return tuple(map(tuple, found))

    @cached_property
    def main_cells(self) -> np.ndarray:
        """Cells of the problem that each step computes, int64: H, E and F of one place are one cell."""
        own = [table.counts and not table.aside for table in self.tables]
        return np.array([sum(own[cell[0]] for cell in cells) for cells in self.cells_of], np.int64)

    @cached_property
    def busy(self) -> np.ndarray:
        """Workers that compute in each step, int64."""
        return np.array([len({self.worker(cell) for cell in cells} - {-1}) for cells in self.cells_of], np.int64)

    @cached_property
    def bytes_crossed(self) -> np.ndarray:
        """Bytes that cross in each step, int64."""
        return np.array([sum(one.bytes for one in step.crossings) for step in self.steps], np.int64)

    @cached_property
    def rounds(self) -> np.ndarray:
        """Cells that the busiest worker computes in each step, one after another, int64."""
        found = []
        for cells in self.cells_of:
            own = [self.worker(cell) for cell in cells if not self.tables[cell[0]].aside]
            found.append(max((own.count(worker) for worker in set(own)), default=0))
        return np.array(found, np.int64)

    def times_ns(self, machine: Machine) -> np.ndarray:
        """The modelled end of each step, float64: see `Machine`."""
        barriers = np.array([step.barrier for step in self.steps])
        spent = self.rounds * machine.cell_ns + self.bytes_crossed / machine.bytes_a_ns + machine.step_ns
        return np.cumsum(spent + barriers * machine.barrier_ns)

    def value(self, cell: Cell) -> float:
        """The value of a cell, whenever it is computed."""
        return float(self.tables[cell[0]].values[cell[1:]])

    def worker(self, cell: Cell) -> int:
        """Who computes a cell; -1 for nobody."""
        return int(self.tables[cell[0]].worker_of[cell[1:]])

    def step(self, cell: Cell) -> int:
        """When a cell is computed."""
        return int(self.tables[cell[0]].step_of[cell[1:]])

    def letter(self, cell: Cell) -> str:
        """The value of a cell as it is written."""
        value = self.value(cell)
        if self.tables[cell[0]].letters:
            return "" if math.isnan(value) else chr(int(value))
        return number(value)

    @cached_property
    def formula(self) -> Callable[[Cell], Formula]:
        """`explain`, which remembers."""
        return lru_cache(maxsize=None)(self.explain)


@dataclass(frozen=True)
class Machine:
    """The numbers of the modelled clock: a cell, the start of a step, a barrier of all workers, and bytes a nanosecond.

    They are a model, not a measurement; what a device does is in the timelines of runs.
    """

    cell_ns: float = 1.0
    step_ns: float = 2.0
    barrier_ns: float = 20.0
    bytes_a_ns: float = 4.0


def number(value: float) -> str:
    """A number as people write it; nothing where there is none."""
    if math.isnan(value):
        return ""
    if math.isinf(value) or abs(value) >= 2**29:
        return "\u221e" if value > 0 else "\u2212\u221e"
    text = f"{value:,.0f}" if float(value).is_integer() else f"{value:.4g}"
    return text.replace("-", "\u2212")


def added(*values: float) -> str:
    """Numbers in a sum: '5 + 2 - 3'."""
    text = number(values[0])
    for value in values[1:]:
        text += f" \u2212 {number(-value)}" if value < 0 else f" + {number(value)}"
    return text


def same(one: float, other: float) -> bool:
    """Whether two values are one number, rounding apart."""
    if math.isinf(one) or math.isinf(other):
        return one == other
    return abs(one - other) <= CLOSE * max(1.0, abs(one), abs(other))


def names(count: int, word: str) -> tuple[str, ...]:
    """'block 0', 'block 1', ..."""
    return tuple(f"{word} {number}" for number in range(count))


def labelled(letters: str) -> tuple[str, ...]:
    """The names of rows or columns of which the first is before all letters."""
    return ("", *letters)


def blank(shape: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values, steps and workers of a table of which nothing is known."""
    size = tuple(shape)
    return np.full(size, np.nan), np.full(size, NEVER, np.int32), np.full(size, -1, np.int32)
