"""The windows that a box is cut into: which cells each computes, and what passes before and after it.

SLOPED cuts a box into ranges of sloped planes, LAYERED into ranges of lines, which are layers.
"""

from __future__ import annotations

from typing import NamedTuple

from antidiag.kernels.cpu.jit import shared
from antidiag.kernels.triple.chunks.cpu_boxes import BLOCK, Box
from antidiag.kernels.triple.chunks.cpu_faces import Span
from antidiag.kernels.triple.chunks.cpu_sizes import Layout

WINDOWS = 8
"""Windows that a box is cut into, unless they would be short."""
PLANES, LAYERS = BLOCK, 32
"""Sloped planes, of which a window has a multiple, and layers, of which it has so many at least."""


class Window(NamedTuple):
    """Ranges of lines and of planes; what comes in and what goes out; the layers of the neighbours that it needs, the
    layers that are ready after it, and those that it touches."""

    lines: tuple[int, int]
    planes: tuple[int, int]
    taken: Span
    given: Span
    needed: int
    ready: int
    touched: tuple[int, int]


@shared
def _length(layered, box, n):
    """Planes, or lines, of a box."""
    return box.lines if layered else box.lines + box.strips * n.lanes + box.cells - 2


@shared
def _step(length, layered):
    return max(LAYERS, -(-length // WINDOWS)) if layered else PLANES * -(-length // (PLANES * WINDOWS))


@shared
def window_count(layered: bool, box: Box, n: Layout) -> int:
    """Windows of a box."""
    length = _length(layered, box, n)
    return -(-length // _step(length, layered))


def most_windows(layered: bool, box: Box, n: Layout) -> int:
    """No box that is as large as this one or smaller has more windows; a smaller one can have more than this one."""
    return min(WINDOWS, -(-_length(layered, box, n) // (LAYERS if layered else PLANES)))


@shared
def window_of(layered: bool, box: Box, n: Layout, number: int) -> Window:
    """A window of a box, by its number."""
    length = _length(layered, box, n)
    step = _step(length, layered)
    first, last = number * step, min((number + 1) * step, length)
    if layered:
        return _layers(box, n, first, last)
    return _planes(box, n, first, last, length)


@shared
def _planes(box, n, first, last, length):
    """What a plane needs on the left and above lies in layers before it."""
    tail = n.lanes - 1
    before, needed = min(first, box.cells), min(last, box.cells)
    rows = (first if first < box.cells else box.cells + tail, last if last < box.cells else box.cells + tail)
    ready, done = _ready(box, n, first, length), _ready(box, n, last, length)
    taken = Span(rows, (-1, box.lines, before, needed), (-1, box.lines) if first == 0 else (0, 0))
    given = Span(
        (ready, done + tail if last == length else done),
        (-1, box.lines, ready, done),
        (-1, box.lines) if last == length else (0, 0),
    )
    touched = max(first - box.lines - box.strips * n.lanes + 2, 0), min(last, box.cells)
    return Window((0, box.lines), (first, last), taken, given, needed, done, touched)


@shared
def _ready(box, n, plane, length):
    """Layers that are complete when all planes before one are."""
    if plane == length:
        return box.cells
    return min(max(plane - box.lines - box.strips * n.lanes + 2, 0), box.cells - 1)


@shared
def _layers(box, n, first, last):
    steps = box.cells + n.lanes - 1
    lines = (first if first > 0 else -1, last)
    taken = Span((0, 0) if first > 0 else (0, steps), (lines[0], last, 0, box.cells), lines)
    given = Span((0, steps) if last == box.lines else (0, 0), (lines[0], last, 0, box.cells), lines)
    return Window((first, last), (0, 0), taken, given, last, last, (first, last))


@shared
def whole(box: Box, n: Layout) -> Window:
    """A box computed in one go, of which nothing goes out."""
    lines = (-1, box.lines)
    taken = Span((0, box.cells + n.lanes - 1), (-1, box.lines, 0, box.cells), lines)
    return Window((0, box.lines), (0, 0), taken, Span((0, 0), (0, 0, 0, 0), (0, 0)), 0, 0, (0, 0))
