"""Other ways to the most probable path, step by step: probabilities, sums made beforehand, and guessed pieces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.hmm import reference
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.sizes import split_pieces
from antidiag.kernels.hmm.walkthroughs.inputs import THREADS, declare_walkthrough
from antidiag.kernels.hmm.walkthroughs.viterbi_rows import (
    RECURRENCE,
    ViterbiCosts,
    assert_path,
    assert_states,
    describe_path,
    describe_row,
    list_ends,
    list_path_cells,
    make_sum_case,
    name_rows,
)
from antidiag.kernels.text import format_count
from antidiag.kernels.walkthroughs import animation as plays
from antidiag.kernels.walkthroughs.animation import (
    Animation,
    AnimationStep,
    AnimationTable,
    Cell,
    CellFormula,
    DataCrossing,
    FormulaCase,
    HeldData,
    format_number,
)
from antidiag.kernels.walkthroughs.typed_inputs import count_input

PIECE = count_input("piece", "Piece", "Letters of a piece.", 2, "letters", most=64)
WORKERS = count_input(
    "workers", "Multiprocessors", "Multiprocessors that take pieces at the same time.", 4, "multiprocessors"
)


def play_probabilities(problem: HmmProblem, values: Mapping[str, Any]) -> Animation:
    """Play Viterbi as the textbook has it: the greatest product; each row is scaled so that none underflows."""
    model, n, size, states = problem.hmm, problem.n, problem.states, problem.hmm.states
    letters, symbols = problem.sequence.letters.decode("ascii"), problem.observations.tolist()
    rows, step_of, worker_of = plays.blank_table((n + 1, size, 1))
    rows[0, :, 0], step_of[:, :, 0], worker_of[:] = model.initial, np.arange(n + 1)[:, None], 0
    scales, steps = [1.0], list[AnimationStep]()
    for k in range(1, n + 1):
        products = rows[k - 1, :, 0] * model.emissions[:, symbols[k - 1]]
        best = (products[:, None] * model.transitions).max(axis=0) if k < n else products
        most = float(best.max())
        scales.append(2.0 ** -np.floor(np.log2(most)) if most and k < n else 1.0)
        rows[k, :, 0] = best * scales[-1]
    for k, scale in enumerate(scales):
        scaled = f" All are multiplied by c({k + 1}) = {format_number(scale)}." if scale != 1 else ""
        text = f"Row {k + 1}, {describe_row(k, letters)}: one thread, state by state.{scaled}"
        held = HeldData("host memory", "all rows, for the way back", 8 * size * (k + 1))
        steps.append(AnimationStep(text, held=(held,)))

    def make_case(k: int, i: int, j: int) -> FormulaCase:
        emitted = float(model.emissions[i, symbols[k - 1]])
        factors = {f"p({k}, {states[i]})": float(rows[k - 1, i, 0]), f"p({letters[k - 1]} in {states[i]})": emitted}
        if k < n:
            factors[f"p({states[i]}, then {states[j]})"] = float(model.transitions[i, j])
        if scales[k] != 1:
            factors[f"c({k + 1})"] = scales[k]
        text, filled = " x ".join(factors), " x ".join(map(format_number, factors.values()))
        return FormulaCase(text, filled, float(np.prod([*factors.values()])), ((0, k - 1, i, 0),), f"from {states[i]}")

    def explain(cell: Cell) -> CellFormula:
        k, j = cell[1], cell[2]
        left, value = (f"p({k + 1}, {states[j]})" if k < n else f"all({states[j]})"), float(rows[k, j, 0])
        cases: tuple[FormulaCase, ...]
        cases = (FormulaCase(f"p({states[j]} at the start)", format_number(value), value),)
        if k:
            cases = tuple(make_case(k, i, j) for i in (range(size) if k < n else (j,)))
        return CellFormula(left, "max", cases, value)

    path = _trace_path_back(problem, rows[:, :, 0])
    formula = (
        "p(k, j) = c(k) x the greatest over i of p(k-1, i) x p(letter k-1 in i) x p(i, then j); c(k) is the power of 2 "
        "that brings the greatest of row k to 1 or more, so p is a probability times all c so far"
    )
    return Animation(
        "Viterbi",
        (AnimationTable("p", rows, step_of, worker_of, name_rows(letters), states, formula=formula),),
        tuple(steps),
        ("thread",),
        explain,
        answer=path,
        answer_text=describe_path(problem, path),
        ends=tuple((0, n, j, 0) for j in range(size) if rows[n, j, 0] and rows[n, j, 0] == rows[n].max()),
        path=list_path_cells(path),
        multiplied=True,
    )


def _trace_path_back(problem: HmmProblem, rows: np.ndarray) -> np.ndarray | None:
    """Return the states, found from the last one back; None where no path is possible."""
    if not rows[-1].any():
        return None
    model, symbols = problem.hmm, problem.observations
    path = [int(rows[-1].argmax())]
    for k in range(problem.n - 1, 0, -1):
        products = rows[k - 1] * model.emissions[:, symbols[k - 1]] * model.transitions[:, path[-1]]
        path.append(int(products.argmax()))
    return np.array(path[::-1])


class SumTablePlay:
    """Tables of sums of transition and emission, one per letter that is seen, and the rows made of them."""

    def __init__(self, problem: HmmProblem, threads: int) -> None:
        self.costs, self.n, self.size, self.states = (
            ViterbiCosts(problem),
            problem.n,
            problem.states,
            problem.hmm.states,
        )
        self.letters = self.costs.letters
        self.kinds = sorted(set(self.letters[:-1]))
        self.workers = np.arange(self.size, dtype=np.int32) % threads
        self.cases: dict[Cell, tuple[FormulaCase, ...]] = {}
        self.tables: list[AnimationTable] = []
        self.steps: list[AnimationStep] = []
        for letter in self.kinds:
            self.add_sum_table(letter)
        if self.kinds:
            count, size = len(self.kinds), self.size
            written = DataCrossing("sums, written", "global memory", 4 * size * size * count)
            text = (
                f"Beforehand: the sums of {format_count(count, 'letter')}, {size} x {size} each; no more of them "
                "differ."
            )
            self.steps.append(AnimationStep(text, "sums", crossings=(written,), barrier=True))

    def add_sum_table(self, letter: str) -> None:
        """Add the sums of the emission of a letter and of all transitions."""
        values, step_of, worker_of = plays.blank_table((self.size, self.size, 1))
        position, states = self.letters.index(letter), self.states
        for i in range(self.size):
            for j in range(self.size):
                text = f"cost of {letter} in {states[i]} + cost of {states[i]}, then {states[j]}"
                emission, transition = self.costs.emission_cost(position, i), self.costs.transition_cost(i, j)
                case = make_sum_case(text, emission, transition, ())
                self.cases[len(self.tables), i, j, 0], values[i, j, 0] = (case,), case.value
        step_of[:], worker_of[:, :, 0] = 0, self.workers
        formula = "S(i, j) = cost of the letter in i + cost of i, then j"
        name = f"S({letter})"
        self.tables.append(
            AnimationTable(name, values, step_of, worker_of, states, states, counts_cells=False, formula=formula)
        )

    def add_rows(self) -> np.ndarray:
        """Add the table of rows, and return the costs of the last row."""
        table, first_step = len(self.tables), len(self.steps)
        values, step_of, worker_of = plays.blank_table((self.n + 1, self.size, 1))
        for k in range(self.n + 1):
            for j in range(self.size):
                self.cases[table, k, j, 0] = cases = self.list_cases(table, values, k, j)
                values[k, j, 0] = min(case.value for case in cases)
            step_of[k], worker_of[k, :, 0] = first_step + k, self.workers
            self.add_row_step(k)
        rows, formula = name_rows(self.letters), "d(k, j) = min over i of d(k-1, i) + S(i, j) of letter k-1"
        self.tables.append(AnimationTable("d", values, step_of, worker_of, rows, self.states, formula=formula))
        return values[self.n, :, 0]

    def list_cases(self, table: int, values: np.ndarray, k: int, j: int) -> tuple[FormulaCase, ...]:
        """Return what the cost of a state in row k is the least of."""
        states, letter = self.states, self.letters[k - 1]
        if not k:
            return (FormulaCase(f"\u2212ln p({states[j]} at the start)", "", self.costs.initial_cost(j)),)
        before = values[k - 1, :, 0]
        if k == self.n:
            text = f"d({k}, {states[j]}) + cost of {letter} in {states[j]}"
            return (make_sum_case(text, before[j], self.costs.last_cost(j), ((table, k - 1, j, 0),)),)
        number_of_sums = self.kinds.index(letter)
        sums = self.tables[number_of_sums]
        return tuple(
            make_sum_case(
                f"d({k}, {states[i]}) + {sums.name}({states[i]}, {states[j]})",
                before[i],
                sums.values[i, j, 0],
                ((table, k - 1, i, 0), (number_of_sums, i, j, 0)),
                f"from {states[i]}",
            )
            for i in range(self.size)
        )

    def add_row_step(self, k: int) -> None:
        """Add the step that computes row k."""
        size = self.size
        held_bytes = 4 * size * (k + 1 + size * len(self.kinds))
        bytes_read = 4 * size + (4 * size * size if 0 < k < self.n else 0)
        self.steps.append(
            AnimationStep(
                f"Row {k + 1}, {describe_row(k, self.letters)}: a thread a state.",
                "rows",
                held=(HeldData("global memory", "rows, and the sums", held_bytes),),
                crossings=(DataCrossing("the row before, and sums of the letter", "global memory", bytes_read),),
                barrier=True,
            )
        )

    def explain(self, cell: Cell) -> CellFormula:
        """Return the recurrence of a cell with its numbers."""
        rows, table = len(self.tables) - 1, self.tables[cell[0]]
        is_row = cell[0] == rows
        left = "total" if is_row and cell[1] == self.n else table.name
        row = f"{cell[1] + 1}" if is_row else self.states[cell[1]]
        name = f"{left}({row}, {self.states[cell[2]]})"
        return CellFormula(name, "min" if is_row else "value", self.cases[cell], float(table.values[cell[1:]]))


def play_sum_tables(problem: HmmProblem, values: Mapping[str, Any]) -> Animation:
    """Play a table of sums for every letter that is seen, made once; then rows of one addition per candidate."""
    found = SumTablePlay(problem, values["threads"])
    last = found.add_rows()
    rows, path = len(found.tables) - 1, reference.find_best_path(problem)
    ends, exits = list_ends(last, rows, problem.n)
    return Animation(
        "TropScalProd",
        tuple(found.tables),
        tuple(found.steps),
        plays.numbered_names(values["threads"], "thread"),
        found.explain,
        answer=path,
        answer_text=describe_path(problem, path, float(last.min())),
        ends=ends,
        path=list_path_cells(path, rows),
        exits=exits,
    )


class GuessedPieces:
    """Rows by pieces; layer r holds what round r made of a row. Costs are whole units, so that rows compare."""

    def __init__(self, problem: HmmProblem, piece: int, workers: int) -> None:
        self.costs, self.size, self.states, self.workers = (
            ViterbiCosts(problem),
            problem.states,
            problem.hmm.states,
            workers,
        )
        self.parts = split_pieces(problem.n, piece)
        self.rows = np.zeros((problem.n, self.size))
        self.newest_layer = np.zeros(problem.n, int)
        self.values, self.step_of, self.worker_of = plays.blank_table((problem.n, self.size, len(self.parts) + 1))
        self.cases: dict[Cell, tuple[FormulaCase, ...]] = {}
        self.steps: list[AnimationStep] = []
        for j, state in enumerate(self.states):
            self.cases[0, 0, j, 0] = (FormulaCase(f"\u2212ln p({state} at the start)", "", self.costs.initial_cost(j)),)
        self.write_row(0, problem.step_costs.initial, 0, 0)
        self.add_step("The start: what each state costs at first.", "round 1", 1)
        self.starts = [np.zeros(self.size) for _ in self.parts]
        if self.parts:
            self.starts[0] = self.rows[0].copy()

    def write_row(self, k: int, row: np.ndarray, layer: int, worker: int) -> None:
        """Write row k as a worker computes it in the next step."""
        self.rows[k] = row
        self.values[k, :, layer] = row / self.costs.scale
        self.step_of[k, :, layer], self.worker_of[k, :, layer] = len(self.steps), worker
        self.newest_layer[k] = layer

    def add_step(self, text: str, phase: str, count: int) -> None:
        """Add a step in which so many pieces compute a row."""
        row_bytes = 4 * self.size * count
        held = HeldData("registers", "a row a piece", row_bytes)
        written = DataCrossing("rows, written for the way back", "global memory", row_bytes)
        self.steps.append(AnimationStep(text, phase, (held,), (written,)))

    def compute_next_row(self, row: np.ndarray, k: int) -> np.ndarray:
        """Return the row after letter k."""
        costs = self.costs.costs
        found: np.ndarray = ((row + costs.emissions[self.costs.symbols[k]])[:, None] + costs.transitions).min(axis=0)
        return found

    def explain_row(self, k: int, before: np.ndarray, sources: list[Cell], layer: int) -> None:
        """Note the cases of row k + 1: from the row before, or without sources from a guess."""
        letter, states = self.costs.letters[k], self.states
        for j in range(self.size):
            self.cases[0, k + 1, j, layer] = tuple(
                make_sum_case(
                    (f"d({k + 1}, {states[i]})" if sources else "the guess")
                    + f" + cost of {letter} in {states[i]}, then {states[j]}",
                    float(before[i]) / self.costs.scale,
                    self.costs.step_cost(k, i, j),
                    tuple(sources[i : i + 1]),
                    f"from {states[i]}",
                )
                for i in range(self.size)
            )

    def list_row_cells(self, k: int) -> list[Cell]:
        """Return the newest cells of row k."""
        return [(0, k, i, int(self.newest_layer[k])) for i in range(self.size)]

    def compute_guessed_rows(self) -> None:
        """Compute all pieces from their guesses, a letter of each at a time, as many at once as there are workers."""
        for first in range(0, len(self.parts), self.workers):
            here = range(first, min(first + self.workers, len(self.parts)))
            for letter in range(max(self.parts[at][1] - self.parts[at][0] for at in here)):
                going = [at for at in here if self.parts[at][0] + letter < self.parts[at][1]]
                made = []
                for at in going:
                    k = self.parts[at][0] + letter
                    before = self.rows[k] if letter else self.starts[at]
                    self.explain_row(k, before, self.list_row_cells(k) if letter or not at else [], 0)
                    made.append((k + 1, self.compute_next_row(before, k), at - first))
                for k, row, worker in made:
                    self.write_row(k, row, 0, worker)
                text = f"{format_count(len(going), 'piece')} at once, letter {letter + 1} of each"
                self.add_step(f"{text}; all but the first began with a guess.", "round 1", len(going))

    def find_wrong_pieces(self) -> list[int]:
        """Return the pieces whose start is not parallel to the end of the piece before."""
        first_rows = ((at, self.parts[at][0]) for at in range(1, len(self.parts)))
        return [at for at, k in first_rows if not are_parallel(self.starts[at], self.rows[k])]

    def correct_pieces(self, layer: int, wrong: list[int]) -> None:
        """Compute wrong pieces again from the end of the piece before, until a row is parallel to the old one."""
        for at in wrong:
            self.starts[at] = self.rows[self.parts[at][0]].copy()
        ends = {at: self.list_row_cells(self.parts[at][0]) for at in wrong}
        for first in range(0, len(wrong), self.workers):
            here = wrong[first : first + self.workers]
            before, letter = {at: self.starts[at] for at in here}, 0
            while before:
                made, done = [], []
                for at in before:
                    k = self.parts[at][0] + letter
                    self.explain_row(k, before[at], self.list_row_cells(k) if letter else ends[at], layer)
                    row = self.compute_next_row(before[at], k)
                    if are_parallel(row, self.rows[k + 1]) or k + 1 == self.parts[at][1]:
                        done.append(at)
                    made.append((k + 1, row, here.index(at)))
                    before[at] = row
                for k, row, worker in made:
                    self.write_row(k, row, layer, worker)
                text = f"{format_count(len(made), 'piece')} corrected, letter {letter + 1} of each."
                if done:
                    text += f" {format_count(len(done), 'piece')} done: parallel to what was there, or at the end."
                self.add_step(text, f"round {layer + 1}", len(made))
                before = {at: row for at, row in before.items() if at not in done}
                letter += 1


def are_parallel(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two rows differ by a constant; impossible states must be the same in both."""
    possible = np.isfinite(one)
    if not np.array_equal(possible, np.isfinite(other)):
        return False
    difference = one[possible] - other[possible]
    return not difference.size or bool((np.abs(difference - difference[0]) < 1e-9).all())


def play_guessed_pieces(problem: HmmProblem, values: Mapping[str, Any]) -> Animation:
    """Play pieces in parallel from a guess, then corrected until rows are parallel to the right ones."""
    found, layer = GuessedPieces(problem, values["piece"], values["workers"]), 0
    found.compute_guessed_rows()
    while wrong := found.find_wrong_pieces():
        layer += 1
        found.correct_pieces(layer, wrong)
    path = reference.find_best_path(problem)
    cells = () if path is None else tuple((0, k, int(j), int(found.newest_layer[k])) for k, j in enumerate(path))
    if cells:
        text = "The way back: rows may be too low or too high as a whole, but which state wins depends on differences."
        found.steps.append(AnimationStep(text, "path", marked=cells))

    def explain(cell: Cell) -> CellFormula:
        name = f"d({cell[1] + 1}, {found.states[cell[2]]})"
        return CellFormula(name, "min", found.cases[cell], float(found.values[cell[1:]]))

    table = AnimationTable(
        "d",
        found.values[:, :, : layer + 1],
        found.step_of[:, :, : layer + 1],
        found.worker_of[:, :, : layer + 1],
        rows=("start", *found.costs.letters[:-1]),
        columns=found.states,
        layers=plays.numbered_names(layer + 1, "round"),
        versions=True,
        cuts=(tuple(first + 1 for first, _ in found.parts[1:]), ()),
        formula=f"{RECURRENCE}; a piece begins with a guess, 0",
    )
    return Animation(
        "TropMatVecProd in pieces",
        (table,),
        tuple(found.steps),
        plays.numbered_names(found.workers, "multiprocessor"),
        explain,
        answer=path,
        answer_text=describe_path(problem, path),
        path=cells,
    )


def assert_probability(play: Animation, answer: Any) -> None:
    """Check that the path is as probable as the best one: in probabilities, rounding decides between equals."""
    assert (answer.states is None) == (play.answer is None)
    if answer.states is not None:
        best = answer.log_probability
        assert abs(float(play.answer_text.split()[1]) + best) < 1e-3 * max(abs(best), 1), (play.answer_text, best)


PROBABILITIES = declare_walkthrough(play_probabilities, assert_probability)
SUMS = declare_walkthrough(play_sum_tables, assert_path, THREADS)
GUESSED = declare_walkthrough(play_guessed_pieces, assert_states, PIECE, WORKERS)
