"""The windows that a box is cut into: which cells each computes, and what is copied before and after it.

SLOPED cuts a box into ranges of sloped planes, LAYERED into ranges of lines, which are layers.
"""

from __future__ import annotations

from typing import NamedTuple

from antidiag.kernels.cpu.jit import inner_njit
from antidiag.kernels.triple.chunks.cpu.boxes import PLANES_PER_BLOCK, BoxExtent
from antidiag.kernels.triple.chunks.cpu.faces import FaceSpan
from antidiag.kernels.triple.chunks.cpu.layouts import BoxLayout

MOST_WINDOWS = 8
"""Windows that a box is cut into, unless they would be short."""
LEAST_PLANES, LEAST_LAYERS = PLANES_PER_BLOCK, 32
"""Sloped planes, of which a window has a multiple, and least layers of a window."""


class BoxWindow(NamedTuple):
    """Ranges of lines and of planes of a window, and what is taken in and handed on.

    ``needed`` are the layers of the neighbours that it needs, ``ready`` the layers that are complete after it,
    ``touched`` those that it changes.
    """

    lines: tuple[int, int]
    planes: tuple[int, int]
    taken: FaceSpan
    given: FaceSpan
    needed: int
    ready: int
    touched: tuple[int, int]


@inner_njit
def _count_planes(layered, box, n):
    """Count the planes, or lines, of a box."""
    return box.lines if layered else box.lines + box.strips * n.lanes + box.cells - 2


@inner_njit
def _window_length(length, layered):
    """Return the planes, or lines, of a window."""
    return (
        max(LEAST_LAYERS, -(-length // MOST_WINDOWS))
        if layered
        else LEAST_PLANES * -(-length // (LEAST_PLANES * MOST_WINDOWS))
    )


@inner_njit
def count_windows(layered: bool, box: BoxExtent, n: BoxLayout) -> int:
    """Return the windows of a box."""
    length = _count_planes(layered, box, n)
    return -(-length // _window_length(length, layered))


def bound_window_count(layered: bool, box: BoxExtent, n: BoxLayout) -> int:
    """Bound the windows of a box: neither this one nor a smaller one has more; a smaller one can have more than it."""
    return min(MOST_WINDOWS, -(-_count_planes(layered, box, n) // (LEAST_LAYERS if layered else LEAST_PLANES)))


@inner_njit
def locate_window(layered: bool, box: BoxExtent, n: BoxLayout, number: int) -> BoxWindow:
    """Return a window of a box, by its number."""
    length = _count_planes(layered, box, n)
    step = _window_length(length, layered)
    first, last = number * step, min((number + 1) * step, length)
    if layered:
        return _make_layer_window(box, n, first, last)
    return _make_plane_window(box, n, first, last, length)


@inner_njit
def _make_plane_window(box, n, first, last, length):
    """Return a window of sloped planes. What a plane needs on the left and above lies in layers before it."""
    tail = n.lanes - 1
    before, needed = min(first, box.cells), min(last, box.cells)
    rows = (first if first < box.cells else box.cells + tail, last if last < box.cells else box.cells + tail)
    ready, done = _count_ready_layers(box, n, first, length), _count_ready_layers(box, n, last, length)
    taken = FaceSpan(rows, (-1, box.lines, before, needed), (-1, box.lines) if first == 0 else (0, 0))
    given = FaceSpan(
        (ready, done + tail if last == length else done),
        (-1, box.lines, ready, done),
        (-1, box.lines) if last == length else (0, 0),
    )
    touched = max(first - box.lines - box.strips * n.lanes + 2, 0), min(last, box.cells)
    return BoxWindow((0, box.lines), (first, last), taken, given, needed, done, touched)


@inner_njit
def _count_ready_layers(box, n, plane, length):
    """Count the layers that are complete when all planes before one are."""
    if plane == length:
        return box.cells
    return min(max(plane - box.lines - box.strips * n.lanes + 2, 0), box.cells - 1)


@inner_njit
def _make_layer_window(box, n, first, last):
    """Return a window of layers."""
    steps = box.cells + n.lanes - 1
    lines = (first if first > 0 else -1, last)
    taken = FaceSpan((0, 0) if first > 0 else (0, steps), (lines[0], last, 0, box.cells), lines)
    given = FaceSpan((0, steps) if last == box.lines else (0, 0), (lines[0], last, 0, box.cells), lines)
    return BoxWindow((first, last), (0, 0), taken, given, last, last, (first, last))


@inner_njit
def make_whole_window(box: BoxExtent, n: BoxLayout) -> BoxWindow:
    """Return the window of a box that is computed in one go and hands nothing on."""
    lines = (-1, box.lines)
    taken = FaceSpan((0, box.cells + n.lanes - 1), (-1, box.lines, 0, box.cells), lines)
    return BoxWindow((0, box.lines), (0, 0), taken, FaceSpan((0, 0), (0, 0, 0, 0), (0, 0)), 0, 0, (0, 0))
