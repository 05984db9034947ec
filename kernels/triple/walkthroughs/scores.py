"""Three sequences step by step: LAYERED, SLOPED, and one core that goes cell by cell (linear gaps)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.text import format_count
from antidiag.kernels.trials import TrialChooser
from antidiag.kernels.triple import problem as problems
from antidiag.kernels.triple import reference
from antidiag.kernels.triple.grid import ChunkGrid
from antidiag.kernels.triple.model import LETTER_BITS, MOVE_ORDER, PAIRS, TripleAnswer, TripleProblem
from antidiag.kernels.walkthroughs.animation import (
    Animation,
    AnimationStep,
    AnimationTable,
    Cell,
    CellFormula,
    DataCrossing,
    FormulaCase,
    HeldData,
    blank_table,
    format_sum,
    numbered_names,
)
from antidiag.kernels.walkthroughs.typed_inputs import count_input, parse_sequence, score_inputs, sequence_input
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough
from antidiag.kernels.walkthroughs.worker_schedule import Item, WorkerSchedule, simulate_workers

RECURRENCE = "H(i, j, k) = maximum over the seven possible last columns: H of the predecessor + score of the column"
COLUMN_TEXTS = {
    move: " ".join(letter if move & bit else "\u2212" for letter, bit in zip("abc", LETTER_BITS, strict=True))
    for move in MOVE_ORDER
}
INPUTS = (
    sequence_input("first", "First sequence", "GCATG"),
    sequence_input("second", "Second sequence", "GATTC"),
    sequence_input("third", "Third sequence", "GCTTC"),
    *score_inputs(match=2, mismatch=-1, gap_extend=1),
)
CHUNK = count_input("s", "Chunk width s", "Rows and columns of a chunk.", 3, "cells")
WORKERS = count_input(
    "workers", "Multiprocessors", "Multiprocessors that compute at the same time.", 2, "multiprocessors"
)


def build_typed_problem(values: Mapping[str, Any]) -> TripleProblem:
    """Build the problem of the three sequences that were typed, with linear gaps."""
    sequences = [parse_sequence(values[name], name) for name in ("first", "second", "third")]
    scores = {name: values[name] for name in ("match", "mismatch", "gap_extend")}
    return problems.build_problem(sequences, {**scores, "gap_open": 0})


class CubePlay:
    """The values of a problem, and the recurrence of each cell."""

    def __init__(self, made: TripleProblem) -> None:
        self.problem = made
        self.values = reference.compute_cube(made).astype(float)
        self.answer: TripleAnswer = reference.align_triple(made)
        self.cells: tuple[int, int, int] = self.values.shape

    def score_column(self, cell: tuple[int, int, int], move: int) -> float:
        """Return what the last column of a move adds."""
        score = 0.0
        for x, y in PAIRS:
            letters = (move & LETTER_BITS[x] > 0) + (move & LETTER_BITS[y] > 0)
            if letters == 2:
                codes = self.problem.codes
                score += float(self.problem.scoring.scores[codes[x][cell[x] - 1], codes[y][cell[y] - 1]])
            elif letters == 1:
                score -= self.problem.scoring.extend
        return score

    def moves(self, cell: tuple[int, int, int]) -> list[tuple[int, tuple[int, int, int]]]:
        """List the moves that can end in a cell, in the order of the tie rule, and where each comes from."""
        found = []
        for move in MOVE_ORDER:
            before = tuple(place - (move & bit > 0) for place, bit in zip(cell, LETTER_BITS, strict=True))
            if min(before) >= 0:
                found.append((move, before))
        return found  # type: ignore[return-value]

    def explain_cell(self, cell: Cell) -> CellFormula:
        """Return the recurrence of a cell with its numbers."""
        here = cell[1], cell[2], cell[3]
        cases = []
        for move, before in self.moves(here):
            score = self.score_column(here, move)
            value = float(self.values[before])
            text = f"H{before} + the column {COLUMN_TEXTS[move]}"
            cases.append(FormulaCase(text, format_sum(value, score), value + score, ((0, *before),)))
        if not cases:
            cases = [FormulaCase("0, for nothing is aligned yet", "0", 0.0)]
        return CellFormula(f"H{here}", "max", tuple(cases), float(self.values[here]))

    def make_play(
        self, title: str, found: WorkerSchedule, steps: list[AnimationStep], workers: tuple[str, ...], s: int
    ) -> Animation:
        """Make the walkthrough of a schedule and its steps."""
        made, (values, at, who) = self.problem, blank_table(self.cells)
        values[:] = self.values
        for cell, step in found.step_of.items():
            at[cell], who[cell] = step, found.worker_of[cell]
        first, second, third = (one.letters.decode("ascii") for one in made.sequences)
        row_cuts, column_cuts = (tuple(range(s, size, s)) for size in self.cells[:2])
        table = AnimationTable(
            "H",
            values,
            at,
            who,
            rows=("", *first),
            columns=("", *second),
            layers=("k = 0", *(f"k = {k}, {letter}" for k, letter in enumerate(third, 1))),
            cuts=(row_cuts, column_cuts),
            formula=RECURRENCE,
        )
        path = self.answer.alignment
        assert path is not None
        rows = "\n".join(path.gapped_rows(made.sequences))
        return Animation(
            title,
            (table,),
            tuple(steps),
            workers,
            self.explain_cell,
            answer=self.answer,
            answer_text=f"score {made.scoring.unscale_score(self.answer.score):,}\n{rows}",
            ends=((0, *made.lengths),),
            path=_to_table_cells(path.cells().tolist()),
        )


def play_chunks(made: TripleProblem, values: Mapping[str, Any], layered: bool) -> Animation:
    """Play chunks of s x s cells and all layers, on antidiagonals of chunks; inside by layers or by sloped planes."""
    cube, s, workers = CubePlay(made), values["s"], values["workers"]
    grid = ChunkGrid(cube.cells, s, cube.cells[2])
    queues: list[list[list[Item]]] = [[] for _ in range(workers)]
    for place, (row, column) in enumerate(grid.chunk_order()):
        queues[place % workers] += _order_chunk_cells(grid, row, column, layered)
    chunk_of = {(i, j): (i // s, j // s) for i in range(cube.cells[0]) for j in range(cube.cells[1])}

    def list_needed(cell: Item) -> Iterable[Item]:
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

    found = simulate_workers(queues, list_needed)
    title = "LAYERED" if layered else "SLOPED"
    return cube.make_play(
        title, found, _describe_steps(cube, found, s, layered), numbered_names(workers, "multiprocessor"), s
    )


def _order_chunk_cells(grid: ChunkGrid, row: int, column: int, layered: bool) -> list[list[Item]]:
    """Return the cells of a chunk, step by step."""
    high, wide, deep = grid.box_size(row, column, 0)
    at: dict[int, list[Item]] = {}
    for i in range(high):
        for j in range(wide):
            for k in range(deep):
                step = i + j + k * (high + wide - 1 if layered else 1)
                at.setdefault(step, []).append((row * grid.s + i, column * grid.s + j, k))
    return [at[step] for step in sorted(at)]


def _describe_steps(cube: CubePlay, found: WorkerSchedule, s: int, layered: bool) -> list[AnimationStep]:
    """Describe what each step computes, holds and hands on."""
    cells_of_steps: list[list[Item]] = [[] for _ in range(found.step_count)]
    for cell, step in found.step_of.items():
        cells_of_steps[step].append(cell)
    last = cube.cells[0] - 1, cube.cells[1] - 1
    planes, size = ("two layers", 2 * s * s) if layered else ("four sloped planes", 4 * (s + 1) ** 2)
    faces: list[Item] = []
    steps = []

    def chunk_of(cell: Item) -> tuple[int, int]:
        return cell[0] // s, cell[1] // s

    def is_on_face(cell: Item) -> bool:
        return any(cell[side] % s == s - 1 and cell[side] < last[side] for side in (0, 1))

    for step, cells in enumerate(cells_of_steps):
        chunks = sorted(set(map(chunk_of, cells)))
        held, crossings = [], []
        for chunk in chunks:
            own = [cell for cell in cells if chunk_of(cell) == chunk]
            worker = found.worker_of[own[0]]
            computed = [cell for cell, done in found.step_of.items() if done <= step and chunk_of(cell) == chunk]
            still_held = _to_table_cells(cell for cell in computed if _is_still_held(cell, own[0], layered))
            held.append(HeldData("shared memory", f"chunk {chunk}: {planes}", 4 * size, still_held))
            written = list(filter(is_on_face, own))
            faces += written
            if written:
                what = f"chunk {chunk} writes {format_count(len(written), 'cell')} of its faces"
                crossings.append(
                    DataCrossing(what, "global memory", 4 * len(written), worker, cells=_to_table_cells(written))
                )
            sources = {before for cell in own for _, before in cube.moves(cell)}  # type: ignore[arg-type]
            read = sorted(before for before in sources if chunk_of(before) != chunk)
            if read:
                what = f"chunk {chunk} reads {format_count(len(read), 'cell')} of its neighbours' faces"
                crossings.append(DataCrossing(what, "global memory", 4 * len(read), -1, worker, _to_table_cells(read)))
        if faces:
            held.append(HeldData("global memory", "faces of chunks", 4 * len(faces), _to_table_cells(faces)))
        kind = "an antidiagonal of a layer" if layered else "a sloped plane"
        text = f"{format_count(len(cells), 'cell')}: {kind} in {format_count(len(chunks), 'chunk')}"
        if waiting := found.waiting[step]:
            text += f"; {format_count(len(waiting), 'multiprocessor')} waiting for a face"
        steps.append(AnimationStep(f"{text}.", held=tuple(held), crossings=tuple(crossings), waiting=waiting))
    return steps


def _is_still_held(cell: Item, newest: Item, layered: bool) -> bool:
    """Return whether a cell of a chunk still lies in shared memory when another is computed."""
    if layered:
        return newest[2] - 1 <= cell[2] <= newest[2]
    return sum(newest) - 3 <= sum(cell) <= sum(newest)


def play_serial(made: TripleProblem, values: Mapping[str, Any], title: str) -> Animation:
    """Play one core that computes a row of cells along the third sequence in each step."""
    cube = CubePlay(made)
    found = WorkerSchedule()
    steps: list[AnimationStep] = []
    for i in range(cube.cells[0]):
        for j in range(cube.cells[1]):
            row = [(i, j, k) for k in range(cube.cells[2])]
            for cell in row:
                found.step_of[cell], found.worker_of[cell] = len(steps), 0
            rows = ((a, b) for a in (i - 1, i) for b in range(cube.cells[1]) if a >= 0 and (a, b) <= (i, j))
            planes = _to_table_cells((a, b, k) for a, b in rows for k in range(cube.cells[2]))
            held = HeldData("host memory", "two planes of the cube", 8 * cube.cells[1] * cube.cells[2], planes)
            text = (
                f"One core goes along k in row i = {i}, column j = {j}: {format_count(len(row), 'cell')}, one by one."
            )
            steps.append(AnimationStep(text, held=(held,)))
            found.waiting.append(())
    return cube.make_play(title, found, steps, ("core",), max(cube.cells))


def draw_inputs(choose: TrialChooser) -> dict[str, Any]:
    """Draw three short sequences and scores."""
    letters = choose.choose_one(("AC", "ACGT"))
    match, mismatch = choose.choose_one(((2, -1), (1, -1), (5, -4)))
    words = {
        name: "".join(choose.choose_one(letters) for _ in range(choose.draw_integer(1, 4)))
        for name in ("first", "second", "third")
    }
    return {**words, "match": match, "mismatch": mismatch, "gap_extend": choose.choose_one((0, 1, 2))}


def assert_answer(play: Animation, answer: TripleAnswer) -> None:
    """Check the score, and the alignment where there is one."""
    assert play.cell_value(play.ends[0]) == play.answer.score == answer.score, (
        f"{play.answer.score}, not {answer.score}"
    )
    if answer.alignment is not None:
        assert np.array_equal(play.answer.alignment.moves, answer.alignment.moves)


def _to_table_cells(cells: Iterable[Any]) -> tuple[Cell, ...]:
    """Return cells of the cube as cells of its table."""
    return tuple((0, *cell) for cell in cells)


def count_cells(made: TripleProblem) -> int:
    """Count the cells of the cube."""
    return int(np.prod([length + 1 for length in made.lengths]))


LAYERED = Walkthrough(
    INPUTS,
    (CHUNK, WORKERS),
    build_typed_problem,
    partial(play_chunks, layered=True),
    draw_inputs,
    assert_answer,
    count_cells,
)
SLOPED = Walkthrough(
    INPUTS,
    (CHUNK, WORKERS),
    build_typed_problem,
    partial(play_chunks, layered=False),
    draw_inputs,
    assert_answer,
    count_cells,
)
SCORING = Walkthrough(
    INPUTS, (), build_typed_problem, partial(play_serial, title="Scoring"), draw_inputs, assert_answer, count_cells
)
TRACEBACK = Walkthrough(
    INPUTS, (), build_typed_problem, partial(play_serial, title="Traceback"), draw_inputs, assert_answer, count_cells
)
