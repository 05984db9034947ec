"""The work of a thread in phase 1, in one compiled call: chunk after chunk, each window as soon as it can be computed.

A chunk's progress word is the number of layers of which both of its vertical faces are ready. Before a window a thread
waits until the chunks above and on the left have the layers that it needs (and, through them, the one between).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.clock import now_ns
from antidiag.kernels.cpu.jit import cached_njit, inline_njit
from antidiag.kernels.cpu.progress_words import wait_until_reached
from antidiag.kernels.cpu.simd import fetch_add, load_acquire, store_release
from antidiag.kernels.cpu.workers import WORD_STRIDE
from antidiag.kernels.triple.chunks.cpu.boxes import skew_scores
from antidiag.kernels.triple.chunks.cpu.faces import BoxLink, advance_box
from antidiag.kernels.triple.chunks.cpu.grid_shape import locate_box, locate_faces, start_codes
from antidiag.kernels.triple.chunks.cpu.windows import count_windows, locate_window, make_whole_window

EVENT_COLUMNS = ("start", "end", "first layer", "last layer", "worker")
"""Columns of ``ChunkBoard.events``; times of ``time.perf_counter_ns``."""


class ChunkBoard(NamedTuple):
    """What threads share beside the faces.

    ``chunks`` int64, shape (chunks, 2): row and column in the order in which they are handed out, by the next number in
    ``tickets``. ``progress`` has a word per chunk, by row and column. ``stop``: not 0 when threads are to return.
    ``events`` int64, shape (chunks, boxes, windows, 5): the windows that were computed (``EVENT_COLUMNS``). ``last``:
    H' and local start of the last cell.
    """

    chunks: np.ndarray
    tickets: np.ndarray
    progress: np.ndarray
    stop: np.ndarray
    events: np.ndarray
    last: np.ndarray


@cached_njit
def compute_chunks(memory, starts, order, costs, letters, shape, faces, board, number):
    """Compute chunks until all are taken or ``stop`` is set.

    ``memory`` and ``starts`` belong to the thread, whose number is ``number``; ``letters`` are the codes along o and l.
    Other arguments as of `cpu_faces.advance`.
    """
    n = memory.layout
    chunks, boxes = board.events.shape[:2]
    while True:
        ticket = fetch_add(board.tickets, 0)
        if ticket >= chunks:
            return
        row, column = board.chunks[ticket, 0], board.chunks[ticket, 1]
        for box in range(boxes):
            extent, below = locate_box(shape, n, row, column, box, shape.h), box * shape.h
            places = locate_faces(shape, n, row, column, box, number)
            link = BoxLink(places, start_codes(shape, box), shape.carried and box > 0)
            skew_scores(memory, letters[1], extent)
            for index in range(count_windows(shape.layered, extent, n)):
                window = locate_window(shape.layered, extent, n, index)
                if not _wait_for_neighbours(board, shape, row, column, below + window.needed):
                    return
                started_ns = now_ns()
                advance_box(memory, starts, None, order, costs, letters[0], extent, window, faces, link)
                store_release(board.progress, (row * shape.columns + column) * WORD_STRIDE, below + window.ready)
                _log_window(board.events[ticket, box, index], started_ns, below, window.touched, number)
            if ticket + 1 == chunks and box + 1 == boxes:
                _store_last_cell(board.last, memory.values, starts, n, extent, shape)


@inline_njit
def _log_window(event, started_ns, below, touched, number):
    """Write the event of a window."""
    event[0], event[1] = started_ns, now_ns()
    event[2], event[3] = below + touched[0], below + touched[1]
    event[4] = number


@inline_njit
def _wait_for_neighbours(board, shape, row, column, layers):
    """Wait for the chunks above and on the left to have so many layers; return False where ``stop`` was set."""
    word = row * shape.columns + column
    if row > 0 and not wait_until_reached(board.progress, (word - shape.columns) * WORD_STRIDE, layers, board.stop):
        return False
    if column > 0 and not wait_until_reached(board.progress, (word - 1) * WORD_STRIDE, layers, board.stop):
        return False
    return load_acquire(board.stop, 0) == 0


@inline_njit
def _store_last_cell(last, values, starts, n, extent, shape):
    """Store H' and local start of the last cell of the cube, after the last box (with affine gaps, of all moves)."""
    l = (shape.cells[0] if shape.layered else shape.cells[1]) - 1 - extent.l  # noqa: E741 - the name of an axis
    strip, lane = l // n.lanes, l % n.lanes
    part = 3 * n.row_part if n.parts > 1 else 0
    place = n.rows + part + (strip * (n.steps + n.lanes) + extent.cells - 1 + lane) * n.lanes + lane
    last[0] = values[place]
    if starts is not None:
        last[1] = starts[place]


@cached_njit
def recompute_box(memory, moves, order, costs, letters, shape, faces, place, layers):
    """Compute the first ``layers`` of a box again, with its moves; ``place`` is its row, its column and its number."""
    (row, column, box), n = place, memory.layout
    extent = locate_box(shape, n, row, column, box, layers)
    link = BoxLink(locate_faces(shape, n, row, column, box, 0), start_codes(shape, box), False)
    skew_scores(memory, letters[1], extent)
    advance_box(memory, None, moves, order, costs, letters[0], extent, make_whole_window(extent, n), faces, link)
