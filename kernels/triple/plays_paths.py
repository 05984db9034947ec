"""The alignments of three sequences step by step: faces, with or without local starts, and boxes computed again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plays.model import NEVER, Cell, Crossing, Formula, Held, Play, Step, Table, blank
from antidiag.kernels.plays.schedule import Item, simulate
from antidiag.kernels.plays.staging import Staging
from antidiag.kernels.text import counted
from antidiag.kernels.triple import plays
from antidiag.kernels.triple.grid import KINDS, Kind
from antidiag.kernels.triple.model import TripleProblem

HEIGHT = Parameter("h", "int", "Subchunk height h", "Layers of a subchunk.", default=2, minimum=1, maximum=16,
                   unit="layers")  # fmt: skip
Box = tuple[range, range, range]
AGAIN = 1
"""The table of what phase 3 computes."""


def play(made: TripleProblem, values: Mapping[str, Any], kind: Kind, title: str) -> Play:
    """Phase 1 as LAYERED or SLOPED; phase 2 from box to box, from the end; phase 3 all boxes on the path at once.

    Without local starts nobody knows where a path enters a box, so that boxes are computed in turn, from the end.
    """
    first = plays.chunked(made, values, kind.layered)
    s, h = values["s"], values.get("h") or first.tables[0].shape[2]
    steps = [_kept(step, kind, first, h) for step in first.steps]
    boxes = _boxes([cell[1:] for cell in first.path], s, h, kind)
    box_of = {cell: number for number, box in enumerate(boxes) for cell in _cells_of(box)}
    if kind.starts:
        kept = tuple(one for one in steps[-1].held if one.place == "global memory")
        steps += _phase_2(first, boxes, kind, kept)
    queues: list[list[list[Item]]] = [[] for _ in range(values["workers"] if kind.starts else 1)]
    for number, box in enumerate(boxes if kind.starts else reversed(boxes)):
        queues[number % len(queues)] += _order(box, kind.layered)
    found = simulate(queues, lambda item: (), len(steps))
    shape = first.tables[0].shape
    numbers, at, who = blank(shape)
    for cell, step in found.step_of.items():
        numbers[cell], at[cell], who[cell] = first.tables[0].values[cell], step, found.worker_of[cell]
    steps += _phase_3(found.step_of, box_of, boxes, len(steps), found.steps, kind)
    path = tuple((AGAIN, *cell[1:]) for cell in first.path if at[cell[1:]] < NEVER)
    steps.append(Step("The moves are walked back: the alignment.", steps[-1].phase, marked=path))
    again = replace(first.tables[0], name="H again", values=numbers, step_of=at, worker_of=who)

    def explain(cell: Cell) -> Formula:
        if cell[0] != AGAIN:
            return first.explain(cell)
        formula, box = first.explain((0, *cell[1:])), box_of[cell[1:]]
        cases = tuple(
            replace(case, sources=tuple((AGAIN if box_of.get(source[1:]) == box else 0, *source[1:])
                                        for source in case.sources))
            for case in formula.cases
        )  # fmt: skip
        return replace(formula, cases=cases)

    tables: tuple[Table, ...] = (first.tables[0], again)
    return replace(first, title=title, tables=tables, steps=tuple(steps), explain=explain)


def _kept(step: Step, kind: Kind, first: Play, h: int) -> Step:
    """A step of phase 1: local starts go with every value of a face, and bottom faces of subchunks are kept."""
    crossings = [
        replace(one, what=f"{one.what}, with local starts", bytes=2 * one.bytes) if one.source >= 0 else one
        for one in step.crossings
    ]
    held = tuple(
        replace(one, what=f"{one.what}, with local starts", bytes=2 * one.bytes)
        if one.place == "global memory"
        else one
        for one in step.held
    )
    number = first.steps.index(step)
    bottoms = [cell for cell in first.cells_of[number] if kind.subchunks and cell[3] % h == h - 1]
    if bottoms:
        each = 8 if kind.local else 4
        what = "bottom faces of subchunks" + (", with local starts" if kind.local else "")
        crossings.append(Crossing(what, "global memory", each * len(bottoms), cells=tuple(bottoms)))
    return replace(step, phase="phase 1", crossings=tuple(crossings), held=held)


def _boxes(path: list[Any], s: int, h: int, kind: Kind) -> list[Box]:
    """What is computed again, in the order of the path."""
    parts: dict[tuple[int, ...], list[Any]] = {}
    for i, j, k in path:
        parts.setdefault((i // s, j // s, k // h if _single(kind) else 0), []).append((i, j, k))
    found = []
    for (row, column, _), cells in parts.items():
        end, top = cells[-1], cells[0][2] // h * h if kind.subchunks else 0
        found.append((range(row * s, end[0] + 1), range(column * s, end[1] + 1), range(top, end[2] + 1)))
    return found


def _single(kind: Kind) -> bool:
    """Whether each subchunk on the path is computed again by itself, not from the first of its chunk on."""
    return kind.local or not kind.starts


def _cells_of(box: Box) -> list[Item]:
    return [(i, j, k) for i in box[0] for j in box[1] for k in box[2]]


def _order(box: Box, layered: bool) -> list[list[Item]]:
    """The cells of a box, step by step, as its method goes through a chunk."""
    high, wide = len(box[0]), len(box[1])
    at: dict[int, list[Item]] = {}
    for i, j, k in _cells_of(box):
        inside = i - box[0].start + j - box[1].start
        step = inside + (k - box[2].start) * (high + wide - 1 if layered else 1)
        at.setdefault(step, []).append((i, j, k))
    return [at[step] for step in sorted(at)]


def _phase_2(first: Play, boxes: list[Box], kind: Kind, held: tuple[Held, ...]) -> list[Step]:
    word, steps = "subchunk" if kind.local else "chunk", []
    path = [cell[1:] for cell in first.path]
    for box in reversed(boxes):
        end = tuple(side[-1] for side in box)
        inside = [cell for cell in path if all(place in side for place, side in zip(cell, box, strict=True))]
        entry = path[max(path.index(inside[0]) - 1, 0)]
        steps.append(Step(
            f"The path leaves a {word} in {end}; the local start there says that it came from {entry}.", "phase 2",
            held, (Crossing("one local start", "global memory", 4),), marked=((0, *entry), (0, *inside[-1])),
        ))  # fmt: skip
    return steps


def _phase_3(step_of: dict[Item, int], box_of: dict[Any, int], boxes: list[Box], start: int, count: int,
             kind: Kind) -> list[Step]:  # fmt: skip
    word, steps = "subchunk" if _single(kind) else "chunk", []
    at: list[list[Item]] = [[] for _ in range(count)]
    for cell, step in step_of.items():
        at[step - start].append(cell)
    for cells in at:
        there = sorted({box_of[cell] for cell in cells})
        moves = sum(len(_cells_of(boxes[number])) for number in there)
        corners = [boxes[box_of[cell]] for cell in cells if all(
            place == side.start for place, side in zip(cell, boxes[box_of[cell]], strict=True))]  # fmt: skip
        faces = sum(len(box[2]) * (len(box[0]) + len(box[1])) for box in corners)
        steps.append(Step(
            f"{counted(len(cells), 'cell')} computed again, with moves, in {counted(len(there), word)} on the path.",
            "phase 3" if kind.starts else "path", (Held("global memory", "moves, a byte a cell", moves),),
            (Crossing("stored faces, read", "global memory", 4 * faces),) if faces else (),
        ))  # fmt: skip
    return steps


def _staging(name: str, *more: Parameter) -> Staging:
    kind = KINDS[name.lower()]
    return Staging(plays.INPUTS, (plays.CHUNK, *more, plays.WORKERS), plays.problem,
                   partial(play, kind=kind, title=name), plays.draw, plays.agrees,
                   lambda made: 2 * plays.size(made))  # fmt: skip


STAGINGS = {name: _staging(name, *((HEIGHT,) if KINDS[name.lower()].subchunks else ()))
            for name in (*(f"{order}-BT{number}" for order in ("LAYERED", "SLOPED") for number in (1, 2, 3)),
                         "SLOPED-checkpointed")}  # fmt: skip
LAYERED_BT1, LAYERED_BT2, LAYERED_BT3, SLOPED_BT1, SLOPED_BT2, SLOPED_BT3, SLOPED_CHECKPOINTED = STAGINGS.values()
