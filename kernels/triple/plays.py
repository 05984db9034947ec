"""Three sequences step by step: LAYERED, SLOPED, and one core that goes cell by cell (linear gaps)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plays.inputs import letters_of, score_inputs, sequence_input
from antidiag.kernels.plays.model import Case, Cell, Crossing, Formula, Held, Play, Step, Table, added, blank, names
from antidiag.kernels.plays.schedule import Item, Schedule, simulate
from antidiag.kernels.plays.staging import Staging
from antidiag.kernels.text import counted
from antidiag.kernels.trials import Choose
from antidiag.kernels.triple import problem as problems
from antidiag.kernels.triple import reference
from antidiag.kernels.triple.grid import Grid
from antidiag.kernels.triple.model import LETTER, ORDER, PAIRS, TripleAnswer, TripleProblem

RECURRENCE = (
    "H(i, j, k) = the greatest of seven: H of the cell before, for each of the seven columns that can stand last"
)
COLUMNS = {7: "a b c", 6: "a b \u2212", 5: "a \u2212 c", 3: "\u2212 b c", 4: "a \u2212 \u2212", 2: "\u2212 b \u2212",
           1: "\u2212 \u2212 c"}  # fmt: skip

INPUTS = (
    sequence_input("first", "First sequence", "GCATG"),
    sequence_input("second", "Second sequence", "GATTC"),
    sequence_input("third", "Third sequence", "GCTTC"),
    *score_inputs(match=2, mismatch=-1, gap_extend=1),
)
CHUNK = Parameter("s", "int", "Chunk width s", "Rows and columns of a chunk.", default=3, minimum=1, maximum=16,
                  unit="cells")  # fmt: skip
WORKERS = Parameter("workers", "int", "Multiprocessors", "Those that compute at the same time.", default=2, minimum=1,
                    maximum=16, unit="multiprocessors")  # fmt: skip


def problem(values: Mapping[str, Any]) -> TripleProblem:
    """The three sequences that were typed, with linear gaps."""
    sequences = [letters_of(values[name], name) for name in ("first", "second", "third")]
    scores = {name: values[name] for name in ("match", "mismatch", "gap_extend")}
    return problems.build(sequences, {**scores, "gap_open": 0})


class Cube:
    """The numbers of a problem, and how each comes about."""

    def __init__(self, made: TripleProblem) -> None:
        self.problem = made
        self.values = reference.cube(made).astype(float)
        self.answer: TripleAnswer = reference.align(made)
        self.cells: tuple[int, int, int] = self.values.shape

    def column(self, cell: tuple[int, int, int], move: int) -> float:
        """What the last column of a move adds."""
        score = 0.0
        for x, y in PAIRS:
            letters = (move & LETTER[x] > 0) + (move & LETTER[y] > 0)
            if letters == 2:
                codes = self.problem.codes
                score += float(self.problem.scoring.scores[codes[x][cell[x] - 1], codes[y][cell[y] - 1]])
            elif letters == 1:
                score -= self.problem.scoring.extend
        return score

    def moves(self, cell: tuple[int, int, int]) -> list[tuple[int, tuple[int, int, int]]]:
        """The moves that can end in a cell, in the order of the rule, and where each comes from."""
        found = []
        for move in ORDER:
            before = tuple(place - (move & bit > 0) for place, bit in zip(cell, LETTER, strict=True))
            if min(before) >= 0:
                found.append((move, before))
        return found  # type: ignore[return-value]

    def explain(self, cell: Cell) -> Formula:
        here = cell[1], cell[2], cell[3]
        cases = []
        for move, before in self.moves(here):
            score = self.column(here, move)
            value = float(self.values[before])
            cases.append(Case(f"H{before} + the column {COLUMNS[move]}", added(value, score), value + score,
                              ((0, *before),)))  # fmt: skip
        if not cases:
            cases = [Case("0, for nothing is aligned yet", "0", 0.0)]
        return Formula(f"H{here}", "max", tuple(cases), float(self.values[here]))

    def play(self, title: str, found: Schedule, steps: list[Step], workers: tuple[str, ...], s: int) -> Play:
        made, (values, at, who) = self.problem, blank(self.cells)
        values[:] = self.values
        for cell, step in found.step_of.items():
            at[cell], who[cell] = step, found.worker_of[cell]
        first, second, third = (one.letters.decode("ascii") for one in made.sequences)
        cuts = tuple(tuple(range(s, size, s)) for size in self.cells[:2])
        table = Table("H", values, at, who, ("", *first), ("", *second),
                      tuple(f"k = {k}" + (f", {third[k - 1]}" if k else "") for k in range(self.cells[2])),
                      cuts=(cuts[0], cuts[1]), formula=RECURRENCE)  # fmt: skip
        path = self.answer.alignment
        assert path is not None
        rows = "\n".join(path.gapped(made.sequences))
        return Play(
            title, (table,), tuple(steps), workers, self.explain, self.answer,
            f"score {made.scoring.unscaled(self.answer.score):,}\n{rows}", ((0, *made.lengths),),
            tuple((0, *cell) for cell in map(tuple, path.cells().tolist())),
        )  # fmt: skip


def chunked(made: TripleProblem, values: Mapping[str, Any], layered: bool) -> Play:
    """Chunks of s x s cells and all layers, on antidiagonals of chunks; inside by layers, or by sloped planes."""
    cube, s, workers = Cube(made), values["s"], values["workers"]
    grid = Grid(cube.cells, s, cube.cells[2])
    queues: list[list[list[Item]]] = [[] for _ in range(workers)]
    for place, (row, column) in enumerate(grid.order()):
        queues[place % workers] += _orders(grid, row, column, layered)
    chunk_of = {(i, j): (i // s, j // s) for i in range(cube.cells[0]) for j in range(cube.cells[1])}

    def needs(cell: Item) -> Iterable[Item]:
        i, j, k = cell
        if layered:  # a layer begins when the faces beside it are complete
            if i % s or j % s:
                return
            bottom, right = min(i + s, cube.cells[0]) - 1, min(j + s, cube.cells[1]) - 1
            if j:
                yield bottom, j - 1, k
            if i:
                yield i - 1, right, k
            return
        for _, before in cube.moves((i, j, k)):
            if chunk_of[before[:2]] != chunk_of[i, j]:
                yield before

    found = simulate(queues, needs)
    title = "LAYERED" if layered else "SLOPED"
    return cube.play(title, found, _tell(cube, found, s, layered), names(workers, "multiprocessor"), s)


def _orders(grid: Grid, row: int, column: int, layered: bool) -> list[list[Item]]:
    """The cells of a chunk, step by step."""
    high, wide, deep = grid.size(row, column, 0)
    at: dict[int, list[Item]] = {}
    for i in range(high):
        for j in range(wide):
            for k in range(deep):
                step = i + j + k * (high + wide - 1 if layered else 1)
                at.setdefault(step, []).append((row * grid.s + i, column * grid.s + j, k))
    return [at[step] for step in sorted(at)]


def _tell(cube: Cube, found: Schedule, s: int, layered: bool) -> list[Step]:
    """What each step does, holds and hands on."""
    at: list[list[Item]] = [[] for _ in range(found.steps)]
    for cell, step in found.step_of.items():
        at[step].append(cell)
    last_row, last_column = cube.cells[0] - 1, cube.cells[1] - 1
    faces: list[Item] = []
    steps = []
    for step, cells in enumerate(at):
        chunks = sorted({(i // s, j // s) for i, j, _ in cells})
        held, crossings = [], []
        for chunk in chunks:
            own = [cell for cell in cells if (cell[0] // s, cell[1] // s) == chunk]
            worker = found.worker_of[own[0]]
            kept = [cell for cell, done in found.step_of.items() if (cell[0] // s, cell[1] // s) == chunk
                    and done <= step and _still(cell, own[0], layered)]  # fmt: skip
            planes = "two layers" if layered else "four sloped planes"
            size = 2 * s * s if layered else 4 * (s + 1) ** 2
            held.append(Held("shared memory", f"chunk {chunk}: {planes}", 4 * size, _cells(kept)))
            written = [cell for cell in own if (cell[0] % s == s - 1 and cell[0] < last_row)
                       or (cell[1] % s == s - 1 and cell[1] < last_column)]  # fmt: skip
            faces += written
            if written:
                what = f"chunk {chunk} writes {counted(len(written), 'cell')} of its faces"
                crossings.append(Crossing(what, "global memory", 4 * len(written), worker, cells=_cells(written)))
            read = {before for cell in own for _, before in cube.moves(cell)  # type: ignore[arg-type]
                    if (before[0] // s, before[1] // s) != chunk}  # fmt: skip
            if read:
                what = f"chunk {chunk} reads {counted(len(read), 'cell')} of its neighbours' faces"
                crossings.append(Crossing(what, "global memory", 4 * len(read), -1, worker, _cells(sorted(read))))
        if faces:
            held.append(Held("global memory", "faces of chunks", 4 * len(faces), _cells(faces)))
        kind = "an antidiagonal of a layer" if layered else "a sloped plane"
        text = f"{counted(len(cells), 'cell')}: {kind} in {counted(len(chunks), 'chunk')}"
        if waiting := found.waiting[step]:
            text += f"; {counted(len(waiting), 'multiprocessor')} waiting for a face"
        steps.append(Step(f"{text}.", held=tuple(held), crossings=tuple(crossings), waiting=waiting))
    return steps


def _still(cell: Item, newest: Item, layered: bool) -> bool:
    """Whether a cell of a chunk still lies in shared memory when another is computed."""
    if layered:
        return newest[2] - 1 <= cell[2] <= newest[2]
    return sum(newest) - 3 <= sum(cell) <= sum(newest)


def serial(made: TripleProblem, values: Mapping[str, Any], title: str) -> Play:
    """One core, a row of cells along the third sequence in each step."""
    cube = Cube(made)
    found = Schedule()
    steps: list[Step] = []
    for i in range(cube.cells[0]):
        for j in range(cube.cells[1]):
            row = [(i, j, k) for k in range(cube.cells[2])]
            for cell in row:
                found.step_of[cell], found.worker_of[cell] = len(steps), 0
            planes = [(a, b, k) for a in (i - 1, i) for b in range(cube.cells[1]) for k in range(cube.cells[2])
                      if a >= 0 and (a, b) <= (i, j)]  # fmt: skip
            held = Held("host memory", "two planes of the cube", 8 * cube.cells[1] * cube.cells[2], _cells(planes))
            text = f"One core goes along k in row i = {i}, column j = {j}: {counted(len(row), 'cell')}, one by one."
            steps.append(Step(text, held=(held,)))
            found.waiting.append(())
    return cube.play(title, found, steps, ("core",), max(cube.cells))


def draw(choose: Choose) -> dict[str, Any]:
    """Three short sequences and scores."""
    letters = choose.of(("AC", "ACGT"))
    match, mismatch = choose.of(((2, -1), (1, -1), (5, -4)))
    words = {
        name: "".join(choose.of(letters) for _ in range(choose.integer(1, 4))) for name in ("first", "second", "third")
    }
    return {**words, "match": match, "mismatch": mismatch, "gap_extend": choose.of((0, 1, 2))}


def agrees(play: Play, answer: TripleAnswer) -> None:
    """Score, and alignment where there is one."""
    assert play.value(play.ends[0]) == play.answer.score == answer.score, f"{play.answer.score}, not {answer.score}"
    if answer.alignment is not None:
        assert np.array_equal(play.answer.alignment.moves, answer.alignment.moves)


def _cells(cells: Iterable[Any]) -> tuple[Cell, ...]:
    return tuple((0, *cell) for cell in cells)


def size(made: TripleProblem) -> int:
    return int(np.prod([length + 1 for length in made.lengths]))


LAYERED = Staging(INPUTS, (CHUNK, WORKERS), problem, partial(chunked, layered=True), draw, agrees, size)
SLOPED = Staging(INPUTS, (CHUNK, WORKERS), problem, partial(chunked, layered=False), draw, agrees, size)
SCORING = Staging(INPUTS, (), problem, partial(serial, title="Scoring"), draw, agrees, size)
TRACEBACK = Staging(INPUTS, (), problem, partial(serial, title="Traceback"), draw, agrees, size)
