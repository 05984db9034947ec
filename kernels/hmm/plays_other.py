"""Other ways to the most probable path, step by step: in probabilities, from sums of before, in guessed pieces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.hmm import reference
from antidiag.kernels.hmm.plays import INPUTS, THREADS, Rows, agrees_path, draw, problem, told_path
from antidiag.kernels.hmm.problem import HmmProblem
from antidiag.kernels.hmm.sizes import pieces
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plays.model import (
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
    names,
    number,
)
from antidiag.kernels.plays.staging import Staging
from antidiag.kernels.text import counted

PIECE = Parameter("piece", "int", "Piece", "Letters of a piece.", default=2, minimum=1, maximum=64, unit="letters")
WORKERS = Parameter("workers", "int", "Multiprocessors", "Those that take pieces at the same time.", default=4,
                    minimum=1, maximum=16, unit="multiprocessors")  # fmt: skip
GUESS = "d(k, j) = min over i of d(k-1, i) + cost of letter k-1 in i, then j; a piece begins with a guess, 0"


def probabilities(made: HmmProblem, values: Mapping[str, Any]) -> Play:
    """Viterbi as the textbook has it: the greatest product; each row times a power of two, so that none vanishes."""
    model, n, size, states = made.hmm, made.n, made.states, made.hmm.states
    letters, seen = made.sequence.letters.decode("ascii"), _seen(made)
    rows, at, who = blank((n + 1, size, 1))
    rows[0, :, 0], at[:, :, 0], who[:] = model.initial, np.arange(n + 1)[:, None], 0
    scales, steps = [1.0], list[Step]()
    for k in range(1, n + 1):
        ways = rows[k - 1, :, 0] * model.emissions[:, seen[k - 1]]
        best = (ways[:, None] * model.transitions).max(axis=0) if k < n else ways
        most = float(best.max())
        scales.append(2.0 ** -np.floor(np.log2(most)) if most and k < n else 1.0)
        rows[k, :, 0] = best * scales[-1]
    for k in range(n + 1):
        what = "the start" if not k else "the last emission" if k == n else f"letter {k}, {letters[k - 1]}"
        scaled = f" All are multiplied by {number(scales[k])}." if scales[k] != 1 else ""
        steps.append(Step(f"Row {k + 1}, {what}: one thread, state by state.{scaled}",
                          held=(Held("host memory", "all rows, for the way back", 8 * size * (k + 1)),)))  # fmt: skip

    def explain(cell: Cell) -> Formula:
        k, j = cell[1], cell[2]
        left, value = (f"p({k + 1}, {states[j]})" if k < n else f"all({states[j]})"), float(rows[k, j, 0])
        if not k:
            return Formula(left, "max", (Case(f"p({states[j]} at the start)", number(value), value),), value)
        cases = tuple(_product(k, i, j) for i in range(size)) if k < n else (_product(k, j, j),)
        return Formula(left, "max", cases, value)

    def _product(k: int, i: int, j: int) -> Case:
        before, emitted = float(rows[k - 1, i, 0]), float(model.emissions[i, seen[k - 1]])
        parts = [(f"p({k}, {states[i]})", before), (f"p({letters[k - 1]} in {states[i]})", emitted)]
        if k < n:
            parts.append((f"p({states[i]}, then {states[j]})", float(model.transitions[i, j])))
        if scales[k] != 1:
            parts.append((number(scales[k]), scales[k]))
        value = float(np.prod([factor for _, factor in parts]))
        return Case(" x ".join(text for text, _ in parts), " x ".join(number(factor) for _, factor in parts), value,
                    ((0, k - 1, i, 0),), f"from {states[i]}")  # fmt: skip

    table = Table("p", rows, at, who, ("start", *letters[:-1], "end") if n > 1 else ("start", "end"), states,
                  formula="p(k, j) = the greatest over i of p(k-1, i) x p(letter k-1 in i) x p(i, then j)")  # fmt: skip
    path = _way_back(made, rows[:, :, 0], seen)
    cells = () if path is None else (*((0, k, int(j), 0) for k, j in enumerate(path)), (0, n, int(path[-1]), 0))
    ends = tuple((0, n, j, 0) for j in range(size) if rows[n, j, 0] and rows[n, j, 0] == rows[n].max())
    return Play("Viterbi", (table,), tuple(steps), ("thread",), explain, path, told_path(made, path), ends, cells,
                multiplied=True)  # fmt: skip


def _seen(made: HmmProblem) -> list[int]:
    return [made.hmm.alphabet.index(letter) for letter in made.sequence.letters.decode("ascii")]


def _way_back(made: HmmProblem, rows: np.ndarray, seen: list[int]) -> np.ndarray | None:
    """The states, from the last one back; None where no path is possible."""
    if not rows[-1].any():
        return None
    path = [int(rows[-1].argmax())]
    for k in range(made.n - 1, 0, -1):
        ways = rows[k - 1] * made.hmm.emissions[:, seen[k - 1]] * made.hmm.transitions[:, path[-1]]
        path.append(int(ways.argmax()))
    return np.array(path[::-1])


def sums(made: HmmProblem, values: Mapping[str, Any]) -> Play:
    """A table of sums for every letter of the alphabet that is seen, once; then rows of one addition a way."""
    rows, n, size, states, threads = Rows(made), made.n, made.states, made.hmm.states, values["threads"]
    kinds = sorted(set(rows.letters[:-1]))
    cases: dict[Cell, tuple[Case, ...]] = {}
    tables: list[Table] = []
    everyone = np.arange(size, dtype=np.int32) % threads
    for letter in kinds:
        own, at, who = blank((size, size, 1))
        first, place = rows.letters.index(letter), len(tables)
        for i in range(size):
            for j in range(size):
                parts = rows.emission(first, i), rows.transition(i, j)
                own[i, j, 0] = sum(parts)
                text = f"cost of {letter} in {states[i]} + cost of {states[i]}, then {states[j]}"
                cases[place, i, j, 0] = (Case(text, added(*parts), sum(parts)),)
        at[:], who[:, :, 0] = 0, everyone
        tables.append(Table(f"S({letter})", own, at, who, states, states, counts=False,
                            formula="S(i, j) = cost of the letter in i + cost of i, then j"))  # fmt: skip
    steps = [Step(
        f"Beforehand: the sums of {counted(len(kinds), 'letter')}, {size} x {size} each; no more of them differ.",
        "sums", (), (Crossing("sums, written", "global memory", 4 * size * size * len(kinds)),), barrier=True,
    )] if kinds else []  # fmt: skip
    d, begin = len(tables), len(steps)
    numbers, at, who = blank((n + 1, size, 1))
    for k in range(n + 1):
        for j in range(size):
            found = [Case(f"\u2212ln p({states[j]} at the start)", "", rows.initial(j))]
            if k == n:
                found = [Case(f"d({k}, {states[j]}) + cost of {rows.letters[-1]} in {states[j]}",
                              added(numbers[k - 1, j, 0], rows.last(j)), numbers[k - 1, j, 0] + rows.last(j),
                              ((d, k - 1, j, 0),))]  # fmt: skip
            elif k:
                table = kinds.index(rows.letters[k - 1])
                found = [Case(f"d({k}, {states[i]}) + {tables[table].name}({states[i]}, {states[j]})",
                              added(numbers[k - 1, i, 0], tables[table].values[i, j, 0]),
                              float(numbers[k - 1, i, 0] + tables[table].values[i, j, 0]),
                              ((d, k - 1, i, 0), (table, i, j, 0)), f"from {states[i]}")
                         for i in range(size)]  # fmt: skip
            cases[d, k, j, 0] = tuple(found)
            numbers[k, j, 0] = min(case.value for case in found)
        at[k], who[k, :, 0] = begin + k, everyone
        what = "the start" if not k else "the last emission" if k == n else f"letter {k}, {rows.letters[k - 1]}"
        read = 4 * size + (4 * size * size if 0 < k < n else 0)
        steps.append(Step(f"Row {k + 1}, {what}: a thread a state.", "rows",
                          (Held("global memory", "rows, and the sums", 4 * size * (k + 1 + size * len(kinds))),),
                          (Crossing("the row before, and sums of the letter", "global memory", read),),
                          barrier=True))  # fmt: skip
    tables.append(Table("d", numbers, at, who, ("start", *rows.letters[:-1], "end") if n > 1 else ("start", "end"),
                        states, formula="d(k, j) = min over i of d(k-1, i) + S(i, j) of letter k-1"))  # fmt: skip
    path, best = reference.viterbi(made), float(numbers[n].min())
    cells = () if path is None else (*((d, k, int(j), 0) for k, j in enumerate(path)), (d, n, int(path[-1]), 0))
    ends = tuple((d, n, j, 0) for j in range(size) if numbers[n, j, 0] == best and np.isfinite(best))

    def explain(cell: Cell) -> Formula:
        left = tables[cell[0]].name if cell[0] < d else "d" if cell[1] < n else "total"
        row = f"{cell[1] + 1}" if cell[0] == d else states[cell[1]]
        return Formula(f"{left}({row}, {states[cell[2]]})", "min" if cell[0] == d else "value", cases[cell],
                       float(tables[cell[0]].values[cell[1:]]))  # fmt: skip

    return Play("TropScalProd", tuple(tables), tuple(steps), names(threads, "thread"), explain, path,
                told_path(made, path, best), ends, cells,
                exits=tuple((d, n, j, 0) for j in range(size) if np.isfinite(numbers[n, j, 0])))  # fmt: skip


class _Pieces:
    """Rows by pieces; layer r is what round r made of a row. Costs are those of the problem, so that rows compare."""

    def __init__(self, made: HmmProblem, values: Mapping[str, Any]) -> None:
        self.rows, self.size, self.states, self.workers = Rows(made), made.states, made.hmm.states, values["workers"]
        self.parts = pieces(made.n, values["piece"])
        self.now = np.zeros((made.n, self.size))
        self.newest = np.zeros(made.n, int)
        self.values, self.at, self.who = blank((made.n, self.size, len(self.parts) + 1))
        self.cases: dict[Cell, tuple[Case, ...]] = {}
        self.steps: list[Step] = []
        self.now[0] = made.costs.initial
        for j in range(self.size):
            self.cases[0, 0, j, 0] = (Case(f"\u2212ln p({self.states[j]} at the start)", "", self.rows.initial(j)),)
        self.write(0, self.now[0], 0, 0)
        self.tell("The start: what each state costs at first.", "round 1", 1)
        self.starts = [np.array(self.now[0] if not number_of else np.zeros(self.size))
                       for number_of in range(len(self.parts))]  # fmt: skip

    def write(self, k: int, row: np.ndarray, layer: int, worker: int) -> None:
        self.values[k, :, layer] = row / self.rows.scale
        self.at[k, :, layer], self.who[k, :, layer] = len(self.steps), worker
        self.newest[k] = layer

    def tell(self, text: str, phase: str, count: int) -> None:
        self.steps.append(Step(
            text, phase, (Held("registers", "a row a piece", 4 * self.size * count),),
            (Crossing("rows, written for the way back", "global memory", 4 * self.size * count),),
        ))  # fmt: skip

    def advanced(self, row: np.ndarray, k: int) -> np.ndarray:
        """The row after letter k."""
        costs, seen = self.rows.costs, self.rows.seen[k]
        found: np.ndarray = (row[:, None] + costs.emissions[seen][:, None] + costs.transitions).min(axis=0)
        return found

    def explained(self, k: int, before: np.ndarray, sources: list[Cell], layer: int) -> None:
        """The cases of row k + 1: from the row before, or from a guess."""
        for j in range(self.size):
            found = []
            for i in range(self.size):
                start, cost = float(before[i]) / self.rows.scale, self.rows.move(k, i, j)
                text = f"d({k + 1}, {self.states[i]})" if sources else "the guess"
                text += f" + cost of {self.rows.letters[k]} in {self.states[i]}, then {self.states[j]}"
                found.append(Case(text, added(start, cost), start + cost, tuple(sources[i : i + 1]),
                                  f"from {self.states[i]}"))  # fmt: skip
            self.cases[0, k + 1, j, layer] = tuple(found)

    def sources(self, k: int) -> list[Cell]:
        return [(0, k, i, int(self.newest[k])) for i in range(self.size)]

    def guess(self) -> None:
        """All pieces, a letter of each at a time, as many pieces at once as there are workers."""
        for first in range(0, len(self.parts), self.workers):
            here = list(range(first, min(first + self.workers, len(self.parts))))
            for letter in range(max(self.parts[at][1] - self.parts[at][0] for at in here)):
                going = [at for at in here if self.parts[at][0] + letter < self.parts[at][1]]
                rows = []
                for at in going:
                    k = self.parts[at][0] + letter
                    guessed = not letter and at > 0
                    before = self.starts[at] if not letter else self.now[k]
                    self.explained(k, before, [] if guessed else self.sources(k), 0)
                    rows.append((k + 1, self.advanced(before, k), at - first))
                for k, row, worker in rows:
                    self.now[k] = row
                    self.write(k, row, 0, worker)
                self.tell(f"{counted(len(going), 'piece')} at once, letter {letter + 1} of each; all but the first "
                          "began with a guess.", "round 1", len(going))  # fmt: skip

    def wrong(self) -> list[int]:
        return [at for at in range(1, len(self.parts)) if not _parallel(self.starts[at], self.now[self.parts[at][0]])]

    def correct(self, layer: int, wrong: list[int]) -> None:
        """The pieces with a wrong start again, from the end of the piece before, until a row is parallel to its old."""
        for at in wrong:
            self.starts[at] = self.now[self.parts[at][0]].copy()
        ends = {at: self.sources(self.parts[at][0]) for at in wrong}
        for first in range(0, len(wrong), self.workers):
            here = wrong[first : first + self.workers]
            before = {at: self.starts[at] for at in here}
            letter = 0
            while before:
                done, rows = [], []
                for at in before:
                    k = self.parts[at][0] + letter
                    self.explained(k, before[at], ends[at] if not letter else self.sources(k), layer)
                    row = self.advanced(before[at], k)
                    same = _parallel(row, self.now[k + 1])
                    rows.append((k + 1, row, here.index(at)))
                    done += [at] if same or k + 1 == self.parts[at][1] else []
                    before[at] = row
                for k, row, worker in rows:
                    self.now[k] = row
                    self.write(k, row, layer, worker)
                stopped = f" {counted(len(done), 'piece')} done: parallel to what was there, or at the end." * bool(
                    done
                )
                self.tell(f"{counted(len(rows), 'piece')} corrected, letter {letter + 1} of each.{stopped}",
                          f"round {layer + 1}", len(rows))  # fmt: skip
                before = {at: row for at, row in before.items() if at not in done}
                letter += 1


def _parallel(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two rows differ by a constant; states that nothing reaches must be the same."""
    there = np.isfinite(one)
    if not np.array_equal(there, np.isfinite(other)):
        return False
    apart = one[there] - other[there]
    return not apart.size or bool((np.abs(apart - apart[0]) < 1e-9).all())


def guessed(made: HmmProblem, values: Mapping[str, Any]) -> Play:
    """Pieces in parallel from a guess, then corrected until rows are parallel to the right ones."""
    found = _Pieces(made, values)
    found.guess()
    layer = 0
    while wrong := found.wrong():
        layer += 1
        found.correct(layer, wrong)
    path = reference.viterbi(made)
    cells = () if path is None else tuple((0, k, int(j), int(found.newest[k])) for k, j in enumerate(path))
    if cells:
        found.steps.append(Step(
            "The way back: rows may be too low or too high as a whole, but which state wins depends on differences.",
            "path", marked=cells,
        ))  # fmt: skip
    rows = ("start", *found.rows.letters[:-1])
    cuts = tuple(first + 1 for first, _ in found.parts[1:])
    table = Table("d", found.values[:, :, : layer + 1], found.at[:, :, : layer + 1], found.who[:, :, : layer + 1], rows,
                  found.states, names(layer + 1, "round"), versions=True, cuts=(cuts, ()), formula=GUESS)  # fmt: skip

    def explain(cell: Cell) -> Formula:
        return Formula(f"d({cell[1] + 1}, {found.states[cell[2]]})", "min", found.cases[cell],
                       float(found.values[cell[1:]]))  # fmt: skip

    return Play("TropMatVecProd in pieces", (table,), tuple(found.steps), names(found.workers, "multiprocessor"),
                explain, path, told_path(made, path), path=cells)  # fmt: skip


def agrees_states(play: Play, answer: Any) -> None:
    """The states, and where there are none that no path is possible."""
    assert (answer.states is None) == (play.answer is None)
    if answer.states is not None:
        assert play.answer.tolist() == answer.states.tolist()


def agrees_probability(play: Play, answer: Any) -> None:
    """A path as probable as the best: in probabilities, rounding decides between equals."""
    assert (answer.states is None) == (play.answer is None)
    if answer.states is not None:
        best = answer.log_probability
        assert abs(float(play.told.split()[1]) + best) < 1e-3 * max(abs(best), 1), (play.told, best)


PROBABILITIES = Staging(INPUTS, (), problem, probabilities, draw, agrees_probability,
                        lambda made: made.n * made.states**2)  # fmt: skip
SUMS = Staging(INPUTS, (THREADS,), problem, sums, draw, agrees_path, lambda made: made.n * made.states**2)
GUESSED = Staging(INPUTS, (PIECE, WORKERS), problem, guessed, draw, agrees_states,
                  lambda made: made.n * made.states**2)  # fmt: skip
