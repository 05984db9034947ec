"""The methods without strips: Antidiagonal, BlockedAntidiagonal, EnhancedBA and PerotRecurrence, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.plays.matrices import E, F, H, Pair
from antidiag.kernels.plays.model import (
    GIVEN,
    Case,
    Cell,
    Crossing,
    Formula,
    Held,
    Play,
    Step,
    Table,
    added,
    blank,
    labelled,
    names,
    number,
)  # fmt: skip
from antidiag.kernels.plays.schedule import Item, antidiagonals, pieces, simulate
from antidiag.kernels.text import counted

READ, WRITTEN = 20, 12
"""Bytes of global memory that a cell of Antidiagonal reads (H three times, E, F) and writes (H, E, F)."""


def antidiagonal(problem: PairProblem, values: Mapping[str, Any]) -> Play:
    """One launch for each antidiagonal; its cells are shared among the threads."""
    pair, threads = Pair(problem), values["threads"]
    steps, step_of, worker_of = [], {}, {}
    lines = antidiagonals(range(1, pair.m + 1), range(1, pair.n + 1))
    for step, cells in enumerate(lines):
        for place, cell in enumerate(cells):
            step_of[cell], worker_of[cell] = step, place % threads
        steps.append(Step(
            f"Antidiagonal {step + 1}: {counted(len(cells), 'cell')}, none of which needs another. Then all wait.",
            held=(Held("global memory", "this antidiagonal and the two before it: H, E, F", 24 * pair.m,
                       _of_h([cell for line in lines[max(step - 2, 0) : step + 1] for cell in line])),),
            crossings=(
                Crossing("H, E and F of the two antidiagonals before", "global memory", READ * len(cells)),
                Crossing("H, E and F of this one", "global memory", WRITTEN * len(cells), cells=_of_h(cells)),
            ),
            barrier=True,
        ))  # fmt: skip
    return _play("Antidiagonal", pair, pair.tables(step_of, worker_of), steps, names(threads, "thread"))


def blocks(problem: PairProblem, values: Mapping[str, Any], enhanced: bool) -> Play:
    """One launch for each antidiagonal of s x s blocks; a worker takes a block."""
    pair, workers, s = Pair(problem), values["workers"], values["s"]
    rows, columns = pieces(pair.m, s), pieces(pair.n, s)
    step_of: dict[Item, int] = {}
    worker_of: dict[Item, int] = {}
    steps: list[Step] = []
    grid = [(r, c) for r in range(len(rows)) for c in range(len(columns))]
    for line in range(len(rows) + len(columns) - 1):
        here = sorted((r, c) for r, c in grid if r + c == line)
        queues: list[list[list[Item]]] = [[] for _ in range(workers)]
        for place, (r, c) in enumerate(here):
            queues[place % workers] += antidiagonals(rows[r], columns[c])
        found = simulate(queues, lambda item: (), len(steps))
        step_of |= found.step_of
        worker_of |= found.worker_of
        for step in range(len(steps), len(steps) + found.steps):
            now = [cell for cell, at in found.step_of.items() if at == step]
            steps.append(_block_step(line, step, now, found.step_of, found.worker_of, (rows, columns, s), enhanced,
                                     step == max(found.step_of.values())))  # fmt: skip
    cuts = [piece.start for piece in rows[1:]], [piece.start for piece in columns[1:]]
    title = "EnhancedBA" if enhanced else "BlockedAntidiagonal"
    return _play(title, pair, pair.tables(step_of, worker_of, cuts), steps, names(workers, "multiprocessor"))


def _block_step(line: int, step: int, now: list[Item], step_of: dict[Item, int], worker_of: dict[Item, int],
                grid: tuple[list[range], list[range], int], enhanced: bool, last: bool) -> Step:  # fmt: skip
    rows, columns, s = grid
    crossings, held, there = [], [], sorted({((i - 1) // s, (j - 1) // s) for i, j in now})
    for r, c in there:
        block = [(i, j) for i in rows[r] for j in columns[c]]
        own, name = worker_of[block[0]], f"block ({r}, {c})"
        border = len(rows[r]) + len(columns[c])
        done = [cell for cell in block if step_of[cell] <= step]
        held.append(Held("shared memory", f"{name}: its last antidiagonals and borders", 4 * (5 * s + 2 * border),
                         _of_h(cell for cell in done if step_of[cell] >= step - 2)))  # fmt: skip
        if step == step_of[block[0]]:
            crossings.append(Crossing(f"borders that {name} reads", "global memory", 8 * border + 4, -1, own))
        if step == step_of[block[-1]]:
            if enhanced:
                edge = [cell for cell in block if cell[0] == rows[r][-1] or cell[1] == columns[c][-1]]
                crossings.append(Crossing(f"right and bottom border of {name}", "global memory", 8 * border, own,
                                          cells=_of_h(edge)))  # fmt: skip
            else:
                crossings.append(Crossing(f"H, E and F of {name}", "global memory", WRITTEN * len(block), own,
                                          cells=_of_h(block)))  # fmt: skip
    text = f"{counted(len(there), 'block')} at once, {counted(len(now), 'cell')}"
    return Step(text + (". Then the host waits for all blocks." if last else "."), f"launch {line + 1}",
                tuple(held), tuple(crossings), barrier=last)  # fmt: skip


def perot(problem: PairProblem, values: Mapping[str, Any]) -> Play:
    """A row at a time: H without the gap along the row, the greatest of all before by a scan, then H."""
    pair, threads = Pair(problem), values["threads"]
    return _Perot(pair, threads).play()


class _Perot:
    """Tables: H, E and F as ever (E and F only where gaps open), then H' and the passes of the scan."""

    def __init__(self, pair: Pair, threads: int) -> None:
        self.pair, self.threads = pair, threads
        self.coded = pair.coded
        self.passes = max(int(np.ceil(np.log2(max(pair.n, 2)))), 1)
        shape = pair.m + 1, pair.n + 1, 1
        self.h_values, self.h_steps, self.h_workers = blank(shape)
        self.scan_values, self.scan_steps, self.scan_workers = blank((pair.m + 1, pair.n, self.passes + 1))
        self.steps: list[Step] = []
        self.extend, self.opening = float(self.coded.extend), float(self.coded.open)
        self.main = pair.numbers[H]
        self.e, self.f = self._gaps()

    def _gaps(self) -> tuple[np.ndarray, np.ndarray]:
        """E and F, also where gaps are linear."""
        if self.pair.affine:
            return self.pair.numbers[E], self.pair.numbers[F]
        return np.vstack([np.full(self.main.shape[1], -np.inf), self.main[:-1] - self.extend]), np.empty(0)

    def play(self) -> Play:
        pair, main_steps, main_workers = self.pair, *blank((self.pair.m + 1, self.pair.n + 1, 1))[1:]
        main_steps[0], main_steps[:, 0] = GIVEN, GIVEN
        e_steps, f_steps = main_steps.copy(), main_steps.copy()
        own = np.arange(pair.n + 1) % self.threads
        f_values = np.full(self.main.shape, -np.inf)
        for i in range(1, pair.m + 1):
            self._first(i, e_steps, own)
            self._scan(i, own)
            step = len(self.steps)
            main_steps[i, 1:, 0] = f_steps[i, 1:, 0] = step
            main_workers[i, 1:, 0] = own[1:]
            for j in range(1, pair.n + 1):
                f_values[i, j] = self.scan_values[i, j - 1, self.passes] - self.opening - j * self.extend
            self.steps.append(Step(
                f"Row {i}: F(i, j) is the greatest before j, less what the gap costs; H is the greater of H' and F.",
                f"row {i}", (Held("global memory", "rows of H, E, H' and of the scan", 16 * pair.n),),
                (Crossing("H' and the scan, read; H, written", "global memory", 12 * pair.n),), barrier=True,
            ))  # fmt: skip
        lines = tuple(map(labelled, pair.letters))
        workers = main_workers

        def table(name: str, numbers: np.ndarray, steps: np.ndarray, formula: str, aside: bool = False) -> Table:
            return Table(name, numbers[:, :, None], steps, workers, lines[0], lines[1], aside=aside, formula=formula)

        tables = (
            table("H", self.main, main_steps, "H(i, j) = max( H'(i, j), F(i, j) )"),
            table("E", self.e, e_steps, "E(i, j) = max( E(i-1, j), H(i-1, j) - open ) - extend", True),
            table("F", f_values, f_steps, "F(i, j) = scan(j-1) - open - j x extend", True),
            Table("H'", self.h_values, self.h_steps, self.h_workers, lines[0], lines[1],
                  formula="H'(i, j) = H(i, j) without F(i, j)", counts=False),
            Table("scan", self.scan_values, self.scan_steps, self.scan_workers, lines[0], lines[1][:-1],
                  names(self.passes + 1, "pass"), versions=True,
                  formula="scan(j) = max over k \u2264 j of H'(i, k) + k x extend, by doubling", counts=False),
        )  # fmt: skip
        self.f_values = f_values
        return _play("PerotRecurrence", pair, tables, self.steps, names(self.threads, "thread"), self.explain)

    def _first(self, i: int, e_steps: np.ndarray, own: np.ndarray) -> None:
        pair, step = self.pair, len(self.steps)
        self.h_values[i, 0], self.h_steps[i, 0] = self.main[i, 0], GIVEN
        for j in range(1, pair.n + 1):
            score = float(self.coded.table[self.coded.rows[i - 1], self.coded.columns[j - 1]])
            floor = 0.0 if self.coded.local else -np.inf
            self.h_values[i, j] = max(self.main[i - 1, j - 1] + score, self.e[i, j], floor)
        self.h_steps[i, 1:], self.h_workers[i, 1:, 0] = step, own[1:]
        e_steps[i, 1:, 0] = step
        self.steps.append(Step(
            f"Row {i}: H' of all {pair.n} cells at once, without the gap along the row.", f"row {i}",
            (Held("global memory", "rows of H, E, H' and of the scan", 16 * pair.n),),
            (Crossing("H and E of the row above, read; E and H', written", "global memory", 16 * pair.n),),
            barrier=True,
        ))  # fmt: skip

    def _scan(self, i: int, own: np.ndarray) -> None:
        places = self.h_values[i, :-1, 0] + np.arange(self.pair.n) * self.extend
        for number_of in range(self.passes + 1):
            if number_of:
                before = self.scan_values[i, :, number_of - 1]
                places = before.copy()
                apart = 1 << (number_of - 1)
                places[apart:] = np.maximum(before[apart:], before[:-apart])
            self.scan_values[i, :, number_of] = places
            self.scan_steps[i, :, number_of], self.scan_workers[i, :, number_of] = len(self.steps), own[:-1]
            text = (f"each place takes the greater of itself and the one {1 << (number_of - 1)} before it"
                    if number_of else "k x extend is added to place k")  # fmt: skip
            self.steps.append(Step(
                f"Row {i}, scan: {text}.", f"row {i}", (),
                (Crossing("the scan, read and written", "global memory", 8 * self.pair.n),), barrier=True,
            ))  # fmt: skip

    def explain(self, cell: Cell) -> Formula:
        table, i, j, k = cell
        if table == 0:
            cases = (
                Case(f"H'({i}, {j})", number(self.h_values[i, j, 0]), self.h_values[i, j, 0], ((3, i, j, 0),)),
                Case(f"F({i}, {j})", number(self.f_values[i, j]), self.f_values[i, j], ((2, i, j, 0),)),
            )
            return Formula(f"H({i}, {j})", "max", cases, self.main[i, j])
        if table == 1:
            if self.pair.affine:
                return self.pair.formula(E, i, j)
            value = self.main[i - 1, j] - self.extend
            case = Case(f"H({i - 1}, {j}) \u2212 extend", added(self.main[i - 1, j], -self.extend), value,
                        ((0, i - 1, j, 0),))  # fmt: skip
            return Formula(f"E({i}, {j})", "value", (case,), value)
        if table == 2:
            before = self.scan_values[i, j - 1, self.passes]
            case = Case(f"scan({j - 1}) \u2212 open \u2212 {j} x extend",
                        added(before, -self.opening, -j * self.extend), self.f_values[i, j],
                        ((4, i, j - 1, self.passes),))  # fmt: skip
            return Formula(f"F({i}, {j})", "value", (case,), self.f_values[i, j])
        return self._first_formula(i, j) if table == 3 else self._scan_formula(i, j, k)

    def _first_formula(self, i: int, j: int) -> Formula:
        score = float(self.coded.table[self.coded.rows[i - 1], self.coded.columns[j - 1]])
        before = self.main[i - 1, j - 1]
        cases = [
            Case(f"H({i - 1}, {j - 1}) + c", added(before, score), before + score, ((0, i - 1, j - 1, 0),)),
            Case(f"E({i}, {j})", number(self.e[i, j]), float(self.e[i, j]), ((1, i, j, 0),)),
        ]
        if self.coded.local:
            cases.append(Case("0", "0", 0.0))
        return Formula(f"H'({i}, {j})", "max", tuple(cases), float(self.h_values[i, j, 0]),
                       2 if self.coded.local else None)  # fmt: skip

    def _scan_formula(self, i: int, j: int, k: int) -> Formula:
        value = float(self.scan_values[i, j, k])
        if not k:
            case = Case(f"H'({i}, {j}) + {j} x extend", added(self.h_values[i, j, 0], j * self.extend), value,
                        ((3, i, j, 0),))  # fmt: skip
            return Formula(f"scan({j})", "value", (case,), value)
        apart = 1 << (k - 1)
        places = [at for at in (j, j - apart) if at >= 0]
        cases = tuple(
            Case(f"scan({at}) of pass {k - 1}", number(self.scan_values[i, at, k - 1]),
                 float(self.scan_values[i, at, k - 1]), ((4, i, at, k - 1),))
            for at in places
        )  # fmt: skip
        return Formula(f"scan({j}) of pass {k}", "max", cases, value)


def _play(title: str, pair: Pair, tables: tuple[Table, ...], steps: list[Step], workers: tuple[str, ...],
          explain: Callable[[Cell], Formula] | None = None) -> Play:  # fmt: skip
    return Play(
        title, tables, tuple(steps), workers, explain or (lambda cell: pair.formula(*cell[:3])), pair.answer,
        pair.told(), pair.ends, tuple((H, i, j, 0) for i, j in pair.path), exits=pair.exits,
    )  # fmt: skip


def _of_h(cells: Any) -> tuple[Cell, ...]:
    return tuple((H, i, j, 0) for i, j in cells)
