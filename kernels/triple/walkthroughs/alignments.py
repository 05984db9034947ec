"""The alignments of three sequences step by step: faces, with or without local starts, and boxes computed again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from antidiag.kernels.text import format_count
from antidiag.kernels.triple.grid import CHUNK_KINDS, ChunkKind
from antidiag.kernels.triple.model import TripleProblem
from antidiag.kernels.triple.walkthroughs import scores
from antidiag.kernels.walkthroughs.animation import (
    NEVER_STEP,
    Animation,
    AnimationStep,
    AnimationTable,
    Cell,
    CellFormula,
    DataCrossing,
    HeldData,
    blank_table,
)
from antidiag.kernels.walkthroughs.typed_inputs import count_input
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough
from antidiag.kernels.walkthroughs.worker_schedule import Item, WorkerSchedule, simulate_workers

HEIGHT = count_input("h", "Subchunk height h", "Layers of a subchunk.", 2, "layers")
Box = tuple[range, range, range]
RECOMPUTED_TABLE = 1
"""The table of what phase 3 computes."""


def play_phases(made: TripleProblem, values: Mapping[str, Any], kind: ChunkKind, title: str) -> Animation:
    """Play phase 1 as LAYERED or SLOPED, phase 2 from box to box from the end, and phase 3 with all boxes on the path
    at once.

    Without local starts nobody knows where a path enters a box, so that boxes are computed in sequence, from the end.
    """
    first = scores.play_chunks(made, values, kind.layered)
    s, h = values["s"], values.get("h") or first.tables[0].table_shape[2]
    steps = [_describe_phase_1_step(step, kind, first, h) for step in first.steps]
    boxes = _find_path_boxes([cell[1:] for cell in first.path], s, h, kind)
    box_of = {cell: number for number, box in enumerate(boxes) for cell in _list_box_cells(box)}
    if kind.has_local_starts:
        kept = tuple(one for one in steps[-1].held if one.place == "global memory")
        steps += _play_phase_2(first, boxes, kind, kept)
    queues: list[list[list[Item]]] = [[] for _ in range(values["workers"] if kind.has_local_starts else 1)]
    for number, box in enumerate(boxes if kind.has_local_starts else reversed(boxes)):
        queues[number % len(queues)] += _order_box_cells(box, kind.layered)
    found = simulate_workers(queues, lambda item: (), len(steps))
    shape = first.tables[0].table_shape
    numbers, at, who = blank_table(shape)
    for cell, step in found.step_of.items():
        numbers[cell], at[cell], who[cell] = first.tables[0].values[cell], step, found.worker_of[cell]
    steps += _play_phase_3(found, box_of, boxes, len(steps), kind)
    path = tuple((RECOMPUTED_TABLE, *cell[1:]) for cell in first.path if at[cell[1:]] < NEVER_STEP)
    steps.append(AnimationStep("The moves are walked back: the alignment.", steps[-1].phase, marked=path))
    again = replace(first.tables[0], name="H again", values=numbers, step_of=at, worker_of=who)

    def explain(cell: Cell) -> CellFormula:
        if cell[0] != RECOMPUTED_TABLE:
            return first.explain(cell)
        formula, box = first.explain((0, *cell[1:])), box_of[cell[1:]]

        def move_source(source: Cell) -> Cell:
            return RECOMPUTED_TABLE if box_of.get(source[1:]) == box else 0, *source[1:]

        cases = (replace(case, sources=tuple(map(move_source, case.sources))) for case in formula.cases)
        return replace(formula, cases=tuple(cases))

    tables: tuple[AnimationTable, ...] = (first.tables[0], again)
    return replace(first, title=title, tables=tables, steps=tuple(steps), explain=explain)


def _describe_phase_1_step(step: AnimationStep, kind: ChunkKind, first: Animation, h: int) -> AnimationStep:
    """Describe a step of phase 1: local starts go with every face value, and bottom faces of subchunks are kept."""

    def add_starts(one: Any, applies: bool) -> Any:
        return replace(one, what=f"{one.what}, with local starts", bytes=2 * one.bytes) if applies else one

    crossings = [add_starts(one, one.source >= 0) for one in step.crossings]
    held = tuple(add_starts(one, one.place == "global memory") for one in step.held)
    number = first.steps.index(step)
    bottoms = [cell for cell in first.step_cells[number] if kind.has_subchunks and cell[3] % h == h - 1]
    if bottoms:
        each = 8 if kind.starts_per_subchunk else 4
        what = "bottom faces of subchunks" + (", with local starts" if kind.starts_per_subchunk else "")
        crossings.append(DataCrossing(what, "global memory", each * len(bottoms), cells=tuple(bottoms)))
    return replace(step, phase="phase 1", crossings=tuple(crossings), held=held)


def _find_path_boxes(path: list[Any], s: int, h: int, kind: ChunkKind) -> list[Box]:
    """Return the boxes that are computed again, in the order of the path."""
    parts: dict[tuple[int, ...], list[Any]] = {}
    for i, j, k in path:
        parts.setdefault((i // s, j // s, k // h if _recomputes_single_boxes(kind) else 0), []).append((i, j, k))
    found = []
    for (row, column, _), cells in parts.items():
        end, top = cells[-1], cells[0][2] // h * h if kind.has_subchunks else 0
        found.append((range(row * s, end[0] + 1), range(column * s, end[1] + 1), range(top, end[2] + 1)))
    return found


def _recomputes_single_boxes(kind: ChunkKind) -> bool:
    """Return whether each subchunk on the path is computed by itself, not from the first one of its chunk on."""
    return kind.starts_per_subchunk or not kind.has_local_starts


def _list_box_cells(box: Box) -> list[Item]:
    """List the cells of a box."""
    return [(i, j, k) for i in box[0] for j in box[1] for k in box[2]]


def _order_box_cells(box: Box, layered: bool) -> list[list[Item]]:
    """Return the cells of a box, step by step, in the order of the method."""
    high, wide = len(box[0]), len(box[1])
    at: dict[int, list[Item]] = {}
    for i, j, k in _list_box_cells(box):
        inside = i - box[0].start + j - box[1].start
        step = inside + (k - box[2].start) * (high + wide - 1 if layered else 1)
        at.setdefault(step, []).append((i, j, k))
    return [at[step] for step in sorted(at)]


def _play_phase_2(
    first: Animation, boxes: list[Box], kind: ChunkKind, held: tuple[HeldData, ...]
) -> list[AnimationStep]:
    """Describe the steps that follow the local starts from box to box."""
    word, steps = "subchunk" if kind.starts_per_subchunk else "chunk", []
    path = [cell[1:] for cell in first.path]
    for box in reversed(boxes):
        end = tuple(side[-1] for side in box)
        inside = [cell for cell in path if all(place in side for place, side in zip(cell, box, strict=True))]
        entry = path[max(path.index(inside[0]) - 1, 0)]
        text = f"The path leaves a {word} in {end}; the local start there says that it came from {entry}."
        read = DataCrossing("one local start", "global memory", 4)
        steps.append(AnimationStep(text, "phase 2", held, (read,), marked=((0, *entry), (0, *inside[-1]))))
    return steps


def _play_phase_3(
    found: WorkerSchedule, box_of: dict[Item, int], boxes: list[Box], start: int, kind: ChunkKind
) -> list[AnimationStep]:
    """Describe the steps in which boxes are computed again; the first of them is step ``start``."""
    word, phase = (
        "subchunk" if _recomputes_single_boxes(kind) else "chunk",
        "phase 3" if kind.has_local_starts else "path",
    )
    cells_of_steps: list[list[Item]] = [[] for _ in range(found.step_count)]
    for cell, step in found.step_of.items():
        cells_of_steps[step - start].append(cell)
    steps = []
    for cells in cells_of_steps:
        computed = [boxes[number] for number in sorted({box_of[cell] for cell in cells})]
        moves = HeldData("global memory", "moves, a byte per cell", sum(len(_list_box_cells(box)) for box in computed))
        begun = [box for box in computed if tuple(side.start for side in box) in cells]
        face_cells = sum(len(box[2]) * (len(box[0]) + len(box[1])) for box in begun)
        read = (DataCrossing("stored faces, read", "global memory", 4 * face_cells),) if begun else ()
        count = format_count(len(computed), word)
        text = f"{format_count(len(cells), 'cell')} computed again, with moves, in {count} on the path."
        steps.append(AnimationStep(text, phase, (moves,), read))
    return steps


def _stage(name: str) -> Walkthrough:
    """Declare how a method that gives an alignment is played."""
    kind = CHUNK_KINDS[name.lower()]
    height = (HEIGHT,) if kind.has_subchunks else ()
    return Walkthrough(
        inputs=scores.INPUTS,
        parameters=(scores.CHUNK, *height, scores.WORKERS),
        build_problem=scores.build_typed_problem,
        animate=partial(play_phases, kind=kind, title=name),
        draw_inputs=scores.draw_inputs,
        assert_agrees=scores.assert_answer,
        estimate_cells=lambda problem: 2 * scores.count_cells(problem),
    )


LAYERED_BT1, LAYERED_BT2, LAYERED_BT3 = (_stage(f"LAYERED-BT{number}") for number in (1, 2, 3))
SLOPED_BT1, SLOPED_BT2, SLOPED_BT3 = (_stage(f"SLOPED-BT{number}") for number in (1, 2, 3))
SLOPED_CHECKPOINTED = _stage("SLOPED-checkpointed")
