"""Walkthroughs of the baselines: Antidiagonal, BlockedAntidiagonal, EnhancedBA and PerotRecurrence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.walkthroughs.pair_tables import GLOBAL, E, F, H, PairTables, cells_of_h
from antidiag.kernels.text import format_count
from antidiag.kernels.walkthroughs.animation import (
    GIVEN_STEP,
    Animation,
    AnimationStep,
    AnimationTable,
    Cell,
    CellFormula,
    DataCrossing,
    FormulaCase,
    HeldData,
    blank_table,
    format_number,
    format_sum,
    numbered_names,
    sequence_labels,
)
from antidiag.kernels.walkthroughs.worker_schedule import (
    Item,
    WorkerSchedule,
    rectangle_antidiagonals,
    simulate_workers,
    split_range,
)

SCAN = "scan(j) = max over k \u2264 j of H'(i, k) + k x extend, by doubling"
READ, WRITTEN = 20, 12
"""Bytes of global memory that a cell of Antidiagonal reads (H three times, E, F) and writes (H, E, F)."""


def animate_antidiagonals(problem: PairProblem, values: Mapping[str, Any]) -> Animation:
    """Return the walkthrough of Antidiagonal: threads share each antidiagonal."""
    pair, threads = PairTables(problem), values["threads"]
    steps, step_of, worker_of = [], {}, {}
    lines = rectangle_antidiagonals(range(1, pair.row_count + 1), range(1, pair.column_count + 1))
    for step, cells in enumerate(lines):
        for place, cell in enumerate(cells):
            step_of[cell], worker_of[cell] = step, place % threads
        text = f"Antidiagonal {step + 1}: {format_count(len(cells), 'cell')}, all independent. Then all threads wait."
        recent = cells_of_h(cell for line in lines[max(step - 2, 0) : step + 1] for cell in line)
        held = HeldData(GLOBAL, "this antidiagonal and the two before it: H, E, F", 24 * pair.row_count, recent)
        read = DataCrossing("H, E and F of the two antidiagonals before", GLOBAL, READ * len(cells))
        written = DataCrossing("H, E and F of this one", GLOBAL, WRITTEN * len(cells), cells=cells_of_h(cells))
        steps.append(AnimationStep(text, held=(held,), crossings=(read, written), barrier=True))
    tables, workers = pair.make_tables(step_of, worker_of), numbered_names(threads, "thread")
    return pair.build_animation("Antidiagonal", tables, steps, workers, lambda cell: pair.explain_cell(*cell[:3]))


def animate_blocks(problem: PairProblem, values: Mapping[str, Any], enhanced: bool) -> Animation:
    """Return the walkthrough of the blocked methods: a worker takes a block of each antidiagonal of blocks."""
    pair, workers, s = PairTables(problem), values["workers"], values["s"]
    rows, columns = split_range(pair.row_count, s), split_range(pair.column_count, s)
    step_of: dict[Item, int] = {}
    worker_of: dict[Item, int] = {}
    steps: list[AnimationStep] = []
    grid = [(r, c) for r in range(len(rows)) for c in range(len(columns))]
    for line in range(len(rows) + len(columns) - 1):
        here = sorted((r, c) for r, c in grid if r + c == line)
        queues: list[list[list[Item]]] = [[] for _ in range(workers)]
        for place, (r, c) in enumerate(here):
            queues[place % workers] += rectangle_antidiagonals(rows[r], columns[c])
        found = simulate_workers(queues, lambda item: (), len(steps))
        step_of |= found.step_of
        worker_of |= found.worker_of
        for step in range(len(steps), len(steps) + found.step_count):
            now = [cell for cell, at in found.step_of.items() if at == step]
            last = step == max(found.step_of.values())
            steps.append(_make_block_step(line, step, now, found, (rows, columns, s), enhanced, last))
    cuts = [piece.start for piece in rows[1:]], [piece.start for piece in columns[1:]]
    title = "EnhancedBA" if enhanced else "BlockedAntidiagonal"
    tables, processors = pair.make_tables(step_of, worker_of, cuts), numbered_names(workers, "multiprocessor")
    return pair.build_animation(title, tables, steps, processors, lambda cell: pair.explain_cell(*cell[:3]))


def _make_block_step(
    line: int,
    step: int,
    now: list[Item],
    found: WorkerSchedule,
    grid: tuple[list[range], list[range], int],
    enhanced: bool,
    last: bool,
) -> AnimationStep:
    """Return one step of an antidiagonal of blocks."""
    rows, columns, s = grid
    step_of, worker_of = found.step_of, found.worker_of
    crossings, held, there = [], [], sorted({((i - 1) // s, (j - 1) // s) for i, j in now})
    for r, c in there:
        block = [(i, j) for i in rows[r] for j in columns[c]]
        own, name = worker_of[block[0]], f"block ({r}, {c})"
        border = len(rows[r]) + len(columns[c])
        done = [cell for cell in block if step_of[cell] <= step]
        recent = cells_of_h(cell for cell in done if step_of[cell] >= step - 2)
        held.append(
            HeldData("shared memory", f"{name}: its last antidiagonals and borders", 4 * (5 * s + 2 * border), recent)
        )
        if step == step_of[block[0]]:
            crossings.append(DataCrossing(f"borders that {name} reads", GLOBAL, 8 * border + 4, -1, own))
        if step == step_of[block[-1]]:
            what, stored, count = f"H, E and F of {name}", block, WRITTEN * len(block)
            if enhanced:
                stored = [cell for cell in block if cell[0] == rows[r][-1] or cell[1] == columns[c][-1]]
                what, count = f"right and bottom border of {name}", 8 * border
            crossings.append(DataCrossing(what, GLOBAL, count, own, cells=cells_of_h(stored)))
    text = f"{format_count(len(there), 'block')} at once, {format_count(len(now), 'cell')}"
    text += ". Then the host waits for all blocks." if last else "."
    return AnimationStep(text, f"launch {line + 1}", tuple(held), tuple(crossings), barrier=last)


def animate_perot(problem: PairProblem, values: Mapping[str, Any]) -> Animation:
    """Return the walkthrough of PerotRecurrence: a row of H', its scan, then H."""
    pair, threads = PairTables(problem), values["threads"]
    return _PerotAnimation(pair, threads).make_animation()


class _PerotAnimation:
    """Tables H, E and F (E and F only where gaps open), then H' and the passes of the scan."""

    def __init__(self, pair: PairTables, threads: int) -> None:
        self.pair, self.threads = pair, threads
        self.coded = pair.encoded_pair
        self.passes = max(int(np.ceil(np.log2(max(pair.column_count, 2)))), 1)
        shape = pair.row_count + 1, pair.column_count + 1, 1
        self.h_values, self.h_steps, self.h_workers = blank_table(shape)
        self.scan_values, self.scan_steps, self.scan_workers = blank_table(
            (pair.row_count + 1, pair.column_count, self.passes + 1)
        )
        self.steps: list[AnimationStep] = []
        self.extend, self.opening = float(self.coded.extend), float(self.coded.open)
        self.main = pair.cell_values[H]
        self.e, self.f = self._gap_values()

    def _gap_values(self) -> tuple[np.ndarray, np.ndarray]:
        """Return E and F, also where gaps are linear."""
        if self.pair.has_affine_gaps:
            return self.pair.cell_values[E], self.pair.cell_values[F]
        return np.vstack([np.full(self.main.shape[1], -np.inf), self.main[:-1] - self.extend]), np.empty(0)

    def make_animation(self) -> Animation:
        """Return the walkthrough."""
        pair, main_steps, main_workers = (
            self.pair,
            *blank_table((self.pair.row_count + 1, self.pair.column_count + 1, 1))[1:],
        )
        main_steps[0], main_steps[:, 0] = GIVEN_STEP, GIVEN_STEP
        e_steps, f_steps = main_steps.copy(), main_steps.copy()
        own = np.arange(pair.column_count + 1) % self.threads
        f_values = np.full(self.main.shape, -np.inf)
        for i in range(1, pair.row_count + 1):
            self._add_intermediate_step(i, e_steps, own)
            self._add_scan_steps(i, own)
            step = len(self.steps)
            main_steps[i, 1:, 0] = f_steps[i, 1:, 0] = step
            main_workers[i, 1:, 0] = own[1:]
            for j in range(1, pair.column_count + 1):
                f_values[i, j] = self.scan_values[i, j - 1, self.passes] - self.opening - j * self.extend
            text = f"Row {i}: F(i, j) is the greatest before j, minus the gap cost; H is the greater of H' and F."
            self._add_step(i, text, "H' and the scan, read; H, written", 12)
        lines = sequence_labels(pair.letters_of_axes[0]), sequence_labels(pair.letters_of_axes[1])
        intermediate = self.h_values, self.h_steps, self.h_workers
        scan = self.scan_values, self.scan_steps, self.scan_workers, lines[0], lines[1][:-1]

        def table(
            name: str, numbers: np.ndarray, steps: np.ndarray, formula: str, aside: bool = False
        ) -> AnimationTable:
            return AnimationTable(
                name, numbers[:, :, None], steps, main_workers, *lines, details_only=aside, formula=formula
            )

        tables = (
            table("H", self.main, main_steps, "H(i, j) = max( H'(i, j), F(i, j) )"),
            table("E", self.e, e_steps, "E(i, j) = max( E(i-1, j), H(i-1, j) - open ) - extend", True),
            table("F", f_values, f_steps, "F(i, j) = scan(j-1) - open - j x extend", True),
            AnimationTable(
                "H'", *intermediate, *lines, formula="H'(i, j) = H(i, j) without F(i, j)", counts_cells=False
            ),
            AnimationTable(
                "scan", *scan, numbered_names(self.passes + 1, "pass"), versions=True, formula=SCAN, counts_cells=False
            ),
        )
        self.f_values = f_values
        return pair.build_animation(
            "PerotRecurrence", tables, self.steps, numbered_names(self.threads, "thread"), self.explain_cell
        )

    def _add_intermediate_step(self, i: int, e_steps: np.ndarray, own: np.ndarray) -> None:
        """Add the step in which H' of a row is computed."""
        pair, step = self.pair, len(self.steps)
        self.h_values[i, 0], self.h_steps[i, 0] = self.main[i, 0], GIVEN_STEP
        for j in range(1, pair.column_count + 1):
            score = float(self.coded.table[self.coded.rows[i - 1], self.coded.columns[j - 1]])
            floor = 0.0 if self.coded.is_local else -np.inf
            self.h_values[i, j] = max(self.main[i - 1, j - 1] + score, self.e[i, j], floor)
        self.h_steps[i, 1:], self.h_workers[i, 1:, 0] = step, own[1:]
        e_steps[i, 1:, 0] = step
        text = f"Row {i}: H' of all {pair.column_count} cells at once, without the gap along the row."
        self._add_step(i, text, "H and E of the row above, read; E and H', written", 16)

    def _add_step(self, i: int, text: str, transfer: str, cell_bytes: int) -> None:
        held = HeldData(GLOBAL, "rows of H, E, H' and of the scan", 16 * self.pair.column_count)
        crossing = DataCrossing(transfer, GLOBAL, cell_bytes * self.pair.column_count)
        self.steps.append(AnimationStep(text, f"row {i}", (held,), (crossing,), barrier=True))

    def _add_scan_steps(self, i: int, own: np.ndarray) -> None:
        """Add the steps of the scan of a row."""
        places = self.h_values[i, :-1, 0] + np.arange(self.pair.column_count) * self.extend
        for number_of in range(self.passes + 1):
            if number_of:
                before = self.scan_values[i, :, number_of - 1]
                places = before.copy()
                apart = 1 << (number_of - 1)
                places[apart:] = np.maximum(before[apart:], before[:-apart])
            self.scan_values[i, :, number_of] = places
            self.scan_steps[i, :, number_of], self.scan_workers[i, :, number_of] = len(self.steps), own[:-1]
            text = "k x extend is added to place k"
            if number_of:
                text = f"each place takes the greater of itself and the one {1 << (number_of - 1)} before it"
            crossing = DataCrossing("the scan, read and written", GLOBAL, 8 * self.pair.column_count)
            self.steps.append(AnimationStep(f"Row {i}, scan: {text}.", f"row {i}", (), (crossing,), barrier=True))

    def explain_cell(self, cell: Cell) -> CellFormula:
        """Return the recurrence of a cell of any table."""
        table, i, j, k = cell
        if table == 0:
            cases = (
                FormulaCase(
                    f"H'({i}, {j})", format_number(self.h_values[i, j, 0]), self.h_values[i, j, 0], ((3, i, j, 0),)
                ),
                FormulaCase(f"F({i}, {j})", format_number(self.f_values[i, j]), self.f_values[i, j], ((2, i, j, 0),)),
            )
            return CellFormula(f"H({i}, {j})", "max", cases, self.main[i, j])
        if table == 1:
            if self.pair.has_affine_gaps:
                return self.pair.explain_cell(E, i, j)
            before = self.main[i - 1, j]
            value, sources = before - self.extend, ((0, i - 1, j, 0),)
            case = FormulaCase(f"H({i - 1}, {j}) \u2212 extend", format_sum(before, -self.extend), value, sources)
            return CellFormula(f"E({i}, {j})", "value", (case,), value)
        if table == 2:
            text, sources = f"scan({j - 1}) \u2212 open \u2212 {j} x extend", ((4, i, j - 1, self.passes),)
            sum_text = format_sum(self.scan_values[i, j - 1, self.passes], -self.opening, -j * self.extend)
            case = FormulaCase(text, sum_text, self.f_values[i, j], sources)
            return CellFormula(f"F({i}, {j})", "value", (case,), self.f_values[i, j])
        return self._explain_intermediate(i, j) if table == 3 else self._explain_scan(i, j, k)

    def _explain_intermediate(self, i: int, j: int) -> CellFormula:
        score = float(self.coded.table[self.coded.rows[i - 1], self.coded.columns[j - 1]])
        before = self.main[i - 1, j - 1]
        cases = [
            FormulaCase(f"H({i - 1}, {j - 1}) + c", format_sum(before, score), before + score, ((0, i - 1, j - 1, 0),)),
            FormulaCase(f"E({i}, {j})", format_number(self.e[i, j]), float(self.e[i, j]), ((1, i, j, 0),)),
        ]
        if self.coded.is_local:
            cases.append(FormulaCase("0", "0", 0.0))
        value, alone = float(self.h_values[i, j, 0]), 2 if self.coded.is_local else None
        return CellFormula(f"H'({i}, {j})", "max", tuple(cases), value, alone)

    def _explain_scan(self, i: int, j: int, k: int) -> CellFormula:
        value = float(self.scan_values[i, j, k])
        if not k:
            sum_text = format_sum(self.h_values[i, j, 0], j * self.extend)
            case = FormulaCase(f"H'({i}, {j}) + {j} x extend", sum_text, value, ((3, i, j, 0),))
            return CellFormula(f"scan({j})", "value", (case,), value)
        cases = []
        for at in (j, j - (1 << (k - 1))):
            if at >= 0:
                before = float(self.scan_values[i, at, k - 1])
                cases.append(
                    FormulaCase(f"scan({at}) of pass {k - 1}", format_number(before), before, ((4, i, at, k - 1),))
                )
        return CellFormula(f"scan({j}) of pass {k}", "max", tuple(cases), value)
