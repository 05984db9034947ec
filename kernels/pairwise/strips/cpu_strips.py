"""Phase 1 on the CPU: threads take strips in order, each a row batch behind its left neighbour.

Boundary columns pass from strip to strip through memory. A strip's progress word is the last row whose boundary
cells are written; its neighbour waits for the word before it computes a batch of T rows.

Where only the score is wanted, threads + 1 boundary columns are enough, used in turn. A strip finishes after its
left neighbour, since it needs that one's last row, so the unfinished strips among those handed out are the latest
ones, at most one a thread. When strip k is handed out, strip k - threads has therefore finished; it was the last to
read column k - threads - 1 (the right boundary of the strip of that number), whose place strip k takes.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.clock import now_ns
from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.cpu.simd import LANES, SHORT_LANES, acquire, release
from antidiag.kernels.cpu.waiting import wait_for
from antidiag.kernels.cpu.workers import share, stop_word
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.encoding import Encoded
from antidiag.kernels.pairwise.parameters import UNCUT
from antidiag.kernels.pairwise.records import NEVER_BETTER, Progress, costs_of
from antidiag.kernels.pairwise.strips.cpu_cells import (
    NEW_STATE,
    Borders,
    StripProblem,
    end_chunk,
    in_lanes,
    out_of_lanes,
    score_tile,
    state_tile,
)
from antidiag.kernels.pairwise.strips.cpu_short import Short
from antidiag.kernels.pairwise.strips.cpu_short_cells import short_tile
from antidiag.kernels.pairwise.strips.cpu_short_states import short_state_tile
from antidiag.kernels.pairwise.strips.cpu_sizes import WORD, score_type, tile_width
from antidiag.kernels.pairwise.strips.path import KIND_K, PLACE_BITS
from antidiag.kernels.steps import Steps

SLICES = 8
"""Steps of the log for each strip."""


class Chunks(NamedTuple):
    """Height of the chunks of a strip, and where their last rows are kept: int32 (chunks, 2 or 4, s)."""

    h: int
    bottoms: np.ndarray


@dataclass(eq=False)
class Strips:
    """A pair cut into strips, and what compiled code needs of it.

    ``values`` int32 (columns kept, 2, m + 16): H and K of boundary columns, strip k in place k mod their number;
    a column in ``kept`` is written there instead. ``states`` int32 (strips, 2, m + 16): their local start states, or
    None. ``top`` int32 (2, n + 1) and ``left`` int32 (2, m + 16): H and G above, H and K on the left; None where these
    are the borders of the matrix. ``best`` int32 (strips, 4): score, row, column in the strip and state of its best
    cell. ``corner`` is the last cell: H and, where they are kept, its state.

    Strips may be cut into chunks of ``h`` rows. ``bottoms`` int32 (strips, chunks - 1, chunk_parts, s): H and G of each
    chunk's last row but the lowest's and, where ``chunk_parts`` is 4 rather than 2, their start states; all states are
    then local to chunks. They go to ``bottoms_at``, where it is given.

    The first ``done`` strips were computed by an earlier run; their progress words say so too. Where ``short_rows`` is
    not 0, tiles of at most so many rows are computed in 16 bits.
    """

    pair: Encoded
    s: int
    batch: int
    workers: int
    values: np.ndarray
    states: np.ndarray | None = None
    kept: Mapping[int, np.ndarray] = field(default_factory=dict)
    top: np.ndarray | None = None
    left: np.ndarray | None = None
    h: int = UNCUT
    chunk_parts: int = 0
    bottoms_at: np.ndarray | None = None
    done: int = 0
    short_rows: int = 0
    stop: np.ndarray = field(default_factory=stop_word)

    def __post_init__(self) -> None:
        pair, m = self.pair, self.pair.rows.size
        self.letters = np.zeros(m + 2 * LANES, np.uint8)
        self.letters[LANES + 1 : LANES + 1 + m] = pair.rows
        self.profile_type = score_type(pair.table)
        self.short = Short(pair, self.short_rows, self.states is not None) if self.short_rows else None
        self.costs = costs_of(pair)
        self.progress = np.zeros(self.count * WORD, np.int64)
        self.best = np.zeros((self.count, 4), np.int32)
        self.best[:, 0] = 0 if pair.local else NEVER_BETTER
        self.corner: tuple[int, ...] = (0,)
        if self.bottoms_at is None:
            self.bottoms_at = np.empty((self.count, (m - 1) // self.h, self.chunk_parts, self.s), np.int32)
        self.bottoms = self.bottoms_at
        border = np.tile(pair.border(0, self.values.shape[2]), (2, 1))
        self.first_column = border if self.left is None else self.left

    @property
    def count(self) -> int:
        return -(-self.pair.columns.size // self.s)

    @property
    def nbytes(self) -> int:
        letters = self.letters.nbytes + (self.short.letters.nbytes if self.short else 0)
        arrays = (self.values, self.first_column, self.bottoms, self.progress, self.best)
        return letters + sum(array.nbytes for array in arrays) + (0 if self.states is None else self.states.nbytes)

    def columns(self, strip: int) -> tuple[int, int]:
        """First boundary column and last column of a strip."""
        return strip * self.s, min((strip + 1) * self.s, self.pair.columns.size)

    def problem(self, strip: int, top: int = 0) -> StripProblem:
        """What the cells of a strip below row ``top``, -1 or more, are computed from."""
        return StripProblem(self.letters[top + 1 :], self.profile(strip), self.costs)

    def profile(self, strip: int) -> np.ndarray:
        """Scores of every row letter with the columns of a strip, flat, as a tile takes it."""
        start, end = self.columns(strip)
        scores: np.ndarray = np.zeros((len(self.pair.table), tile_width(end - start) + LANES), self.profile_type)
        scores[:, : end - start] = self.pair.table[:, self.pair.columns[start:end]]
        return scores.ravel()

    def row(self, row: int, start: int, end: int) -> np.ndarray:
        """H and G of columns start + 1 .. end of row 0 or of a chunk's last row; int32. ``start`` begins a strip."""
        if row == 0:
            border = self.pair.border(start + 1, end + 1)
            return np.tile(border, (2, 1)) if self.top is None else self.top[:, start + 1 : end + 1]
        pieces = self.bottoms[start // self.s : -(-end // self.s), row // self.h - 1, :2]
        return pieces.transpose(1, 0, 2).reshape(2, -1)[:, : end - start]

    def top_edge(self, strip: int, chunk: int = 0, lanes: int = LANES) -> np.ndarray:
        """The row over a strip, or over a chunk of it, as a tile of so many lanes takes it: H, G and, where they are
        kept, the states of row 0. Columns beyond the end have the values of the last one."""
        start, end = self.columns(strip)
        row = self.row(chunk * self.h, start, end)
        edge = np.zeros((2 if self.states is None else 4, tile_width(row.shape[1])), np.int32)
        for part, values in enumerate(row):
            edge[part] = in_lanes(np.pad(values, (0, edge.shape[1] - values.size), "edge"), lanes)
        edge[2:] = self.top_state
        return edge

    @property
    def lanes(self) -> int:
        """Lanes of the tiles of phase 1."""
        return LANES if self.short is None else SHORT_LANES

    @property
    def top_state(self) -> int:
        """The start state of row 0: new paths, or one along the row."""
        return NEW_STATE if self.pair.local else KIND_K << PLACE_BITS

    def left_column(self, strip: int) -> np.ndarray:
        """H and K of the boundary column on the left of a strip; int32 (2, m + 16)."""
        return self.right_column(strip - 1) if strip else self.first_column

    def right_column(self, strip: int) -> np.ndarray:
        """The boundary column on the right of a strip."""
        return self.kept[strip] if strip in self.kept else self.values[strip % len(self.values)]

    def begin(self, strip: int) -> tuple[Borders, Progress]:
        """Borders and progress of a strip that is about to be computed.

        Row 0 of the right column is set: H is the next strip's corner; K of row 0 is never read.
        """
        right = self.right_column(strip)
        right[:, 0] = self.row(0, *self.columns(strip))[0, -1]
        borders = Borders(self.top_edge(strip, 0, self.lanes), self.left_column(strip), right)
        return borders, Progress(self.progress, strip, self.stop)


def best_cell(strips: Strips) -> tuple[int, tuple[int, int], int]:
    """Score, end cell and its start state: of the corner, or by the tie rule among the strips."""
    if not strips.pair.local:
        return strips.corner[0], (strips.pair.rows.size, strips.pair.columns.size), strips.corner[-1]
    score, row, column, state = strips.best.T.astype(np.int64)
    column += np.arange(strips.count) * strips.s
    k = np.lexsort((column, row, -score))[0]
    return (int(score[k]), (int(row[k]), int(column[k])), int(state[k])) if score[k] > 0 else (0, (0, 0), 0)


@compiled
def may_compute(progress, row):
    """Wait for the strip on the left to reach ``row``; False where all are to stop."""
    strip = progress.own
    return wait_for(progress.words, max(strip - 1, 0) * WORD, row if strip > 0 else 0, progress.stop)


@compiled
def advance(problem, short, table, borders, states, chunks, best, progress, batch, until):
    """Compute a strip down to row ``until``, or until told to stop; the nanoseconds that it waited for its neighbour.

    The strip's own progress word says how far it has come. One of ``problem`` and ``short`` (with ``table``, as
    short_tile takes it) is None: that of the number of bits that it is not computed in. ``states`` None: values only.
    No tile goes beyond the end of a chunk.
    """
    h, bottoms = chunks
    lanes = LANES
    if short is not None:
        lanes = SHORT_LANES
        batch = min(batch, short.most_rows)
    own, waited_ns = progress.own * WORD, 0
    row = progress.words[own]
    while row < until:
        rows = min(batch, until - row, h - row % h)
        if progress.own > 0 and acquire(progress.words, own - WORD) < row + rows:
            waited_ns -= now_ns()
            may_compute(progress, row + rows)
            waited_ns += now_ns()
        if acquire(progress.stop, 0) != 0:
            return waited_ns
        if short is not None:
            if states is None:
                short_tile(short, table, borders, row, rows, best)
            else:
                short_state_tile(short, table, borders, states, row, rows, best)
        if problem is not None:
            if states is None:
                score_tile(problem, borders, row, rows, best, None)
            else:
                state_tile(problem, borders, states, row, rows, best)
        row += rows
        if row % h == 0 and row // h <= bottoms.shape[0]:
            end_chunk(borders.edge, bottoms[row // h - 1], lanes)
        release(progress.words, own, row)
    return waited_ns


def compute(strips: Strips, monitor: Monitor, steps: Steps, started_ns: int, slices: int = SLICES) -> None:
    """Phase 1: all strips, on threads, with so many steps of the log each; raises Cancelled."""

    def one_strip(strip: int, worker: int) -> None:
        for rows, begun_ns, ended_ns, waited_ns in _compute_strip(strips, strip, slices):
            times_ns = begun_ns - started_ns, ended_ns - started_ns
            steps.add(1, strip, rows, strips.columns(strip), worker, *times_ns, waited_ns=waited_ns)

    share_strips(strips, one_strip, monitor, "phase 1")


def share_strips(strips: Strips, one_strip: Callable[[int, int], None], monitor: Monitor, phase: str) -> None:
    """``one_strip(strip, worker)`` for all strips that are not done, in order, on threads; raises Cancelled."""
    tickets = itertools.count(strips.done)

    def work(worker: int) -> None:
        while not strips.stop[0] and (strip := next(tickets)) < strips.count:
            one_strip(strip, worker)

    def report() -> None:
        monitor.update(int(strips.progress.sum()), strips.count * strips.pair.rows.size, phase)

    share(work, min(strips.workers, strips.count), strips.stop, report)


def _compute_strip(strips: Strips, strip: int, slices: int) -> Iterator[tuple[tuple[int, int], int, int, int]]:
    """Compute a strip slice by slice: its rows, begin, end and waiting in ns. Ends early when told to stop."""
    m, (start, end) = strips.pair.rows.size, strips.columns(strip)
    borders, progress = strips.begin(strip)
    problem = strips.problem(strip) if strips.short is None else None
    short, table = (None, None) if strips.short is None else (strips.short.problem((start, end)), strips.short.table)
    states = None if strips.states is None else strips.states[strip]
    if states is not None:
        states[:, 0] = strips.top_state
    chunks, best = Chunks(strips.h, strips.bottoms[strip]), strips.best[strip]
    slice_rows = -(-m // slices // strips.batch) * strips.batch
    for top in range(0, m, slice_rows):
        bottom = min(top + slice_rows, m)
        may_compute(progress, min(top + strips.batch, bottom))
        begun_ns = time.perf_counter_ns()
        waited_ns = advance(problem, short, table, borders, states, chunks, best, progress, strips.batch, bottom)
        if strips.stop[0]:
            return
        yield (top, bottom), begun_ns, time.perf_counter_ns(), waited_ns
    if strip == strips.count - 1:
        strips.corner = tuple(int(out_of_lanes(part, strips.lanes)[end - start - 1]) for part in borders.edge[::2])
