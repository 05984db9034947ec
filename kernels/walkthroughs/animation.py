"""Step-by-step animation of a method on a small problem, with every number that it computes.

An animation has **tables** whose cells are computed in **steps**. A step is what the method computes at once: an
antidiagonal, a plane, a product, a join. Every cell has a value, a step and a worker; every step lists the contents of
each memory and the transfers between workers. The recurrence of a cell with its numbers is a `CellFormula`; its cases
name the cells on which they depend, so that tests can check the order and all best paths can be counted.

A cell is (table, row, column, layer) and is computed once. Where a method overwrites a position, as Floyd-Warshall
does, the layers of the table are the versions of the position.
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

GIVEN_STEP = -1
"""Step of a cell that is known before the first step."""
NEVER_STEP = np.iinfo(np.int32).max
"""Step of a position that is never computed."""
TOLERANCE = 1e-9
"""Relative difference below which two values count as equal."""


@dataclass(frozen=True, eq=False)
class AnimationTable:
    """A table of numbers that a method computes.

    ``values`` (float64), ``step_of`` (int32: GIVEN, a step, or NEVER) and ``worker_of`` (int32, -1 for none) have the
    shape (rows, columns, layers). ``rows``, ``columns`` and ``layers`` are labels. With ``versions``, layers are
    versions of a position, and the newest computed one is shown. With ``letters``, values are codes of letters.
    ``cuts`` are the rows and columns before which a border of strips, chunks or blocks runs. ``gone`` (int32, rows x
    columns) is the step from which a position is unused. With ``aside``, the table is shown for details only.
    ``formula`` is the recurrence in symbols. ``counts`` is whether positions are cells of the problem.
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
    unused_from: np.ndarray | None = None
    details_only: bool = False
    formula: str = ""
    counts_cells: bool = True

    @property
    def table_shape(self) -> tuple[int, int, int]:
        """Rows, columns and layers."""
        return self.values.shape

    @property
    def computed_cells(self) -> np.ndarray:
        """Whether a step computes each position, bool."""
        return (self.step_of >= 0) & (self.step_of < NEVER_STEP)

    def known_cells(self, step: int) -> np.ndarray:
        """Return whether the value of each position is known after a step, bool; -1 is before the first step."""
        return self.step_of <= step

    def newest_layers(self, step: int) -> np.ndarray:
        """Return the newest version of each position after a step; int64 (rows, columns), -1 for none."""
        layers = np.arange(self.table_shape[2])
        return np.where(self.known_cells(step), layers, -1).max(axis=2)


@dataclass(frozen=True)
class FormulaCase:
    """One case of a recurrence: in symbols, with its numbers, and with its source cells."""

    text: str
    filled: str
    value: float
    sources: tuple[Cell, ...] = ()
    label: str = ""


@dataclass(frozen=True)
class CellFormula:
    """The recurrence of one cell: ``left`` is the ``rule`` of its cases ("value": the only case).

    ``alone`` is the number of a case that ends a path whenever it wins, even in a tie: the 0 of a local alignment.
    """

    left: str
    rule: Rule
    cases: tuple[FormulaCase, ...]
    value: float
    ending_case: int | None = None

    @property
    def winning_cases(self) -> tuple[int, ...]:
        """Numbers of the cases that give the value; all cases of a sum."""
        if self.rule not in ("max", "min"):
            return tuple(range(len(self.cases)))
        found = tuple(number for number, case in enumerate(self.cases) if are_equal(case.value, self.value))
        return (self.ending_case,) if self.ending_case in found else found


@dataclass(frozen=True)
class HeldData:
    """Data in a memory during a step, with their size in bytes."""

    place: Place
    what: str
    bytes: int
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class DataCrossing:
    """A transfer in a step between workers; -1 stands for all workers or for the host."""

    what: str
    place: Place
    bytes: int
    source: int = -1
    target: int = -1
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class AnimationStep:
    """One step in words, with its phase, memory contents, transfers and waiting workers.

    ``marked`` are highlighted cells that are not computed in the step, such as the joined pair or the path.
    """

    text: str
    phase: str = ""
    held: tuple[HeldData, ...] = ()
    crossings: tuple[DataCrossing, ...] = ()
    waiting: tuple[int, ...] = ()
    marked: tuple[Cell, ...] = ()
    barrier: bool = False


@dataclass(frozen=True)
class AnimationBranch:
    """A tree node that a step creates: its number, children, height and edge lengths."""

    node: int
    children: tuple[int, ...]
    height: float
    step: int
    lengths: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Animation:
    """The step-by-step animation of a method on a small problem.

    ``workers`` are the names of parallel workers. ``explain(cell)`` returns the formula of a computed cell; ``ends``
    are the cells in which best paths end, ``exits`` cells in which other paths may end. With ``multiplied``, values are
    products and not sums. ``leaves`` are the names of the leaves of a tree, ``branches`` its other nodes. ``answer`` is
    the answer of the method, ``answer_text`` the answer in words, and ``path`` the cells of the returned path.
    """

    title: str
    tables: tuple[AnimationTable, ...]
    steps: tuple[AnimationStep, ...]
    workers: tuple[str, ...]
    explain: Callable[[Cell], CellFormula]
    answer: Any = None
    answer_text: str = ""
    ends: tuple[Cell, ...] = ()
    path: tuple[Cell, ...] = ()
    leaves: tuple[str, ...] = ()
    branches: tuple[AnimationBranch, ...] = ()
    unit: str = "cells"
    notes: tuple[str, ...] = field(default=())
    exits: tuple[Cell, ...] = ()
    multiplied: bool = False

    def __len__(self) -> int:
        return len(self.steps)

    @cached_property
    def step_cells(self) -> tuple[tuple[Cell, ...], ...]:
        """Cells that each step computes."""
        found: list[list[Cell]] = [[] for _ in self.steps]
        for number, table in enumerate(self.tables):
            for i, j, k in np.argwhere(table.computed_cells).tolist():
                found[table.step_of[i, j, k]].append((number, i, j, k))
        return tuple(map(tuple, found))

    @cached_property
    def main_cells(self) -> np.ndarray:
        """Number of problem cells that each step computes, int64; H, E and F of a position count once."""
        own = [table.counts_cells and not table.details_only for table in self.tables]
        return np.array([sum(own[cell[0]] for cell in cells) for cells in self.step_cells], np.int64)

    @cached_property
    def busy_workers(self) -> np.ndarray:
        """Number of busy workers in each step, int64."""
        return np.array([len({self.cell_worker(cell) for cell in cells} - {-1}) for cells in self.step_cells], np.int64)

    @cached_property
    def bytes_crossed(self) -> np.ndarray:
        """Transferred bytes in each step, int64."""
        return np.array([sum(one.bytes for one in step.crossings) for step in self.steps], np.int64)

    @cached_property
    def busiest_cells(self) -> np.ndarray:
        """Number of cells of the busiest worker in each step, int64."""
        found = []
        for cells in self.step_cells:
            own = [self.cell_worker(cell) for cell in cells if not self.tables[cell[0]].details_only]
            found.append(max((own.count(worker) for worker in set(own)), default=0))
        return np.array(found, np.int64)

    def times_ns(self, machine: ModelMachine) -> np.ndarray:
        """Return the modelled end of each step in ns, float64."""
        barriers = np.array([step.barrier for step in self.steps])
        spent = self.busiest_cells * machine.cell_ns + self.bytes_crossed / machine.bytes_a_ns + machine.step_ns
        return np.cumsum(spent + barriers * machine.barrier_ns)

    def cell_value(self, cell: Cell) -> float:
        """Return the value of a cell."""
        return float(self.tables[cell[0]].values[cell[1:]])

    def cell_worker(self, cell: Cell) -> int:
        """Return the worker of a cell; -1 for none."""
        return int(self.tables[cell[0]].worker_of[cell[1:]])

    def cell_step(self, cell: Cell) -> int:
        """Return the step of a cell."""
        return int(self.tables[cell[0]].step_of[cell[1:]])

    def format_cell(self, cell: Cell) -> str:
        """Return the value of a cell as text."""
        value = self.cell_value(cell)
        if self.tables[cell[0]].letters:
            return "" if math.isnan(value) else chr(int(value))
        return format_number(value)

    @cached_property
    def find_formula(self) -> Callable[[Cell], CellFormula]:
        """`explain` with a cache."""
        return lru_cache(maxsize=None)(self.explain)


@dataclass(frozen=True)
class ModelMachine:
    """Parameters of the modelled clock: time of a cell, a step and a barrier, and bytes per nanosecond.

    They are a model, not a measurement.
    """

    cell_ns: float = 1.0
    step_ns: float = 2.0
    barrier_ns: float = 20.0
    bytes_a_ns: float = 4.0


def format_number(value: float) -> str:
    """Return a number as text; "" for NaN."""
    if math.isnan(value):
        return ""
    if math.isinf(value) or abs(value) >= 2**29:
        return "\u221e" if value > 0 else "\u2212\u221e"
    text = f"{value:,.0f}" if float(value).is_integer() else f"{value:.4g}"
    return text.replace("-", "\u2212")


def format_sum(*values: float) -> str:
    """Return numbers as a sum: '5 + 2 - 3'."""
    text = format_number(values[0])
    for value in values[1:]:
        text += f" \u2212 {format_number(-value)}" if value < 0 else f" + {format_number(value)}"
    return text


def are_equal(one: float, other: float) -> bool:
    """Return whether two values are equal apart from rounding."""
    if math.isinf(one) or math.isinf(other):
        return one == other
    return abs(one - other) <= TOLERANCE * max(1.0, abs(one), abs(other))


def numbered_names(count: int, word: str) -> tuple[str, ...]:
    """Return numbered names: 'block 0', 'block 1', ..."""
    return tuple(f"{word} {number}" for number in range(count))


def sequence_labels(letters: str) -> tuple[str, ...]:
    """Return labels of rows or columns, the first of which precedes all letters."""
    return ("", *letters)


def blank_table(shape: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return values, steps and workers of an empty table."""
    size = tuple(shape)
    return np.full(size, np.nan), np.full(size, NEVER_STEP, np.int32), np.full(size, -1, np.int32)
