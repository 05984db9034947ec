"""What a thread does in phase 1, in one compiled call: chunk after chunk, each window as soon as it can be computed.

A chunk's progress word is the number of layers of which both of its vertical faces are ready. A thread that is about to
compute a window waits until the chunks above and on the left have the layers that it needs (and, through them, the one
between).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.clock import now_ns
from antidiag.kernels.cpu.jit import compiled, inlined
from antidiag.kernels.cpu.simd import acquire, release, take_ticket
from antidiag.kernels.cpu.waiting import wait_for
from antidiag.kernels.triple.chunks.cpu_boxes import skew
from antidiag.kernels.triple.chunks.cpu_faces import Link, advance
from antidiag.kernels.triple.chunks.cpu_shape import box_of, codes_of, places_of
from antidiag.kernels.triple.chunks.cpu_sizes import WORD
from antidiag.kernels.triple.chunks.cpu_windows import whole, window_count, window_of

EVENT = ("start", "end", "first layer", "last layer", "worker")
"""Columns of ``Board.events``; times of ``time.perf_counter_ns``."""


class Board(NamedTuple):
    """What threads share beside the faces.

    ``chunks`` int64, shape (chunks, 2): row and column in the order in which they are handed out, by the next number in
    ``tickets``. ``progress`` has a word a chunk, by row and column. ``stop``: not 0 when threads are to return.
    ``events`` int64, shape (chunks, boxes, windows, 5): the windows that were computed (``EVENT``). ``last``: H' and
    local start of the last cell.
    """

    chunks: np.ndarray
    tickets: np.ndarray
    progress: np.ndarray
    stop: np.ndarray
    events: np.ndarray
    last: np.ndarray


@compiled
def compute_chunks(memory, starts, order, costs, letters, shape, faces, board, number):
    """Compute chunks until all are taken or ``stop`` is set.

    ``memory`` and ``starts`` belong to the thread, whose number is ``number``; ``letters`` are the codes along o and
    l. Other arguments as of cpu_faces.advance.
    """
    n = memory.layout
    chunks, boxes = board.events.shape[:2]
    while True:
        ticket = take_ticket(board.tickets, 0)
        if ticket >= chunks:
            return
        row, column = board.chunks[ticket, 0], board.chunks[ticket, 1]
        for box in range(boxes):
            extent, below = box_of(shape, n, row, column, box, shape.h), box * shape.h
            places = places_of(shape, n, row, column, box, number)
            link = Link(places, codes_of(shape, box), shape.carried and box > 0)
            skew(memory, letters[1], extent)
            for index in range(window_count(shape.layered, extent, n)):
                window = window_of(shape.layered, extent, n, index)
                if not _wait(board, shape, row, column, below + window.needed):
                    return
                started_ns = now_ns()
                advance(memory, starts, None, order, costs, letters[0], extent, window, faces, link)
                release(board.progress, (row * shape.columns + column) * WORD, below + window.ready)
                _note(board.events[ticket, box, index], started_ns, below, window.touched, number)
            if ticket + 1 == chunks and box + 1 == boxes:
                _keep_last(board.last, memory.values, starts, n, extent, shape)


@inlined
def _note(event, started_ns, below, touched, number):
    event[0], event[1] = started_ns, now_ns()
    event[2], event[3] = below + touched[0], below + touched[1]
    event[4] = number


@inlined
def _wait(board, shape, row, column, layers):
    """Wait for the chunks above and on the left to have so many layers; False where ``stop`` was set."""
    word = row * shape.columns + column
    if row > 0 and not wait_for(board.progress, (word - shape.columns) * WORD, layers, board.stop):
        return False
    if column > 0 and not wait_for(board.progress, (word - 1) * WORD, layers, board.stop):
        return False
    return acquire(board.stop, 0) == 0


@inlined
def _keep_last(last, values, starts, n, extent, shape):
    """H' and local start of the last cell of the cube, after the last box (with affine gaps, of all moves)."""
    l = (shape.cells[0] if shape.layered else shape.cells[1]) - 1 - extent.l  # noqa: E741 - the name of an axis
    strip, lane = l // n.lanes, l % n.lanes
    part = 3 * n.row_part if n.parts > 1 else 0
    place = n.rows + part + (strip * (n.steps + n.lanes) + extent.cells - 1 + lane) * n.lanes + lane
    last[0] = values[place]
    if starts is not None:
        last[1] = starts[place]


@compiled
def recompute(memory, moves, order, costs, letters, shape, faces, place, layers):
    """Compute the first ``layers`` of a box again, with its moves; ``place`` is its row, its column and its number."""
    (row, column, box), n = place, memory.layout
    extent = box_of(shape, n, row, column, box, layers)
    link = Link(places_of(shape, n, row, column, box, 0), codes_of(shape, box), False)
    skew(memory, letters[1], extent)
    advance(memory, None, moves, order, costs, letters[0], extent, whole(extent, n), faces, link)
