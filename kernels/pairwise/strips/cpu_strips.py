"""Phase 1 on the CPU: threads take strips in order, each a row batch behind its left neighbour.

Boundary columns pass from strip to strip through memory. A strip's progress word is the last row whose boundary
cells are written; its neighbour waits for the word before it computes a batch of T rows.

Where only the score is wanted, threads + 1 boundary columns are enough, used in turn. A strip finishes after its
left neighbour, since it needs that one's last row, so the unfinished strips among those handed out are the latest
ones, at most one a thread. When strip k is handed out, strip k - threads has therefore finished; it was the last to
read column k - threads - 1 (the right boundary of the strip of that number), whose place strip k takes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.clock import now_ns
from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun, LoggedCells
from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.cpu.progress_words import wait_until_reached
from antidiag.kernels.cpu.simd import LANES, SHORT_LANES, load_acquire, store_release
from antidiag.kernels.cpu.workers import WORD_STRIDE
from antidiag.kernels.pairwise.encoding import EncodedPair, EndCell, choose_end, first_greatest
from antidiag.kernels.pairwise.kernel_records import NEVER_BETTER, StripProgress, pair_costs, second_piece
from antidiag.kernels.pairwise.model import SkippedBlocks
from antidiag.kernels.pairwise.parameters import UNCUT
from antidiag.kernels.pairwise.pruning.bounds import PruningBounds
from antidiag.kernels.pairwise.pruning.cpu_blocks import (
    MARK,
    NO_BOUNDS,
    BlockBounds,
    can_skip_block,
    fill_skipped_borders,
    skip_blocks,
)
from antidiag.kernels.pairwise.strips.cpu_16bit import PairIn16Bits
from antidiag.kernels.pairwise.strips.cpu_16bit_kernels import compute_tile_16
from antidiag.kernels.pairwise.strips.cpu_16bit_states import compute_state_tile_16
from antidiag.kernels.pairwise.strips.cpu_sizes import score_type, tile_width
from antidiag.kernels.pairwise.strips.cpu_tile_kernels import (
    NEW_STATE,
    StripBorders,
    StripEnds,
    StripProblem,
    compute_score_tile,
    compute_state_tile,
    find_best_in_row,
    find_lane_place,
    from_lane_order,
    store_chunk_row,
    to_lane_order,
)
from antidiag.kernels.pairwise.strips.start_states import KIND_K, PLACE_BITS

SLICES = 8
"""Steps of the log for each strip."""


class ChunkRows(NamedTuple):
    """Height of the chunks of a strip, and their last rows: int32 (chunks, parts, s), parts as `StripRun` says."""

    h: int
    bottoms: np.ndarray


@dataclass(eq=False)
class StripRun:
    """A pair cut into strips, and the arrays that compiled code needs.

    Arrays have a place for H and one for each gap state: v = 2, or 3 where gap costs have two pieces.

    ``values`` int32 (columns kept, v, m + 16): H and K of boundary columns, strip k in place k mod their number;
    a column in ``kept`` is written there instead. ``states`` int32 (strips, v, m + 16): their local start states, or
    None. ``top`` int32 (v, n + 1) and ``left`` int32 (v, m + 16): H and G above, H and K on the left; None where these
    are the borders of the matrix. ``best`` int32 (strips, 4): score, row, column in the strip and state of its best
    cell, or of that in the last row where paths end there. ``corner`` is the last cell: H and, where they are kept, its
    state. ``last_column`` int32 (2, m + 16): H of the last column of the matrix where paths end there, and the states.

    Strips may be cut into chunks of ``h`` rows. ``bottoms`` int32 (strips, chunks - 1, chunk_parts, s): H and G of each
    chunk's last row but the lowest's and, where ``chunk_parts`` is 2 v rather than v, their start states; all states
    are then local to chunks. They are written to ``bottoms_at``, where it is set.

    The first ``finished_strips`` were computed by an earlier run; their progress words say so too. Where ``short_rows``
    is not 0, tiles of at most so many rows are computed in 16 bits.

    With ``bounds`` tiles are skipped (cpu_blocks.py): ``skipped`` uint8 (strips, blocks) says which, ``cuts`` int64
    (blocks + 1) in which rows blocks end. Borders of skipped blocks are not written.
    """

    pair: EncodedPair
    s: int
    batch: int
    values: np.ndarray
    run: CpuRun = field(default_factory=CpuRun)
    states: np.ndarray | None = None
    kept_columns: Mapping[int, np.ndarray] = field(default_factory=dict)
    top: np.ndarray | None = None
    left: np.ndarray | None = None
    h: int = UNCUT
    chunk_parts: int = 0
    bottoms_at: np.ndarray | None = None
    finished_strips: int = 0
    short_rows: int = 0
    bounds: PruningBounds | None = None

    def __post_init__(self) -> None:
        pair, m = self.pair, self.pair.rows.size
        self.letters = np.zeros(m + 2 * LANES, np.uint8)
        self.letters[LANES + 1 : LANES + 1 + m] = pair.rows
        self.profile_type = score_type(pair.table)
        self.short = PairIn16Bits(pair, self.short_rows, self.states is not None) if self.short_rows else None
        self.costs, self.second = pair_costs(pair), second_piece(pair)
        self.progress = np.zeros(self.strip_count * WORD_STRIDE, np.int64)
        self.best = np.zeros((self.strip_count, 4), np.int32)
        self.best[:, 0] = 0 if pair.is_local else NEVER_BETTER
        self.corner: tuple[int, ...] = (0,)
        self.last_column = np.zeros((2, self.values.shape[2] if pair.free.right else 0), np.int32)
        self.last_column[0] = MARK
        self.cuts = self._cut_blocks() if self.bounds else np.zeros(1, np.int64)
        self.skipped = np.zeros((self.strip_count, self.cuts.size - 1), np.uint8)
        if self.bottoms_at is None:
            self.bottoms_at = np.empty((self.strip_count, (m - 1) // self.h, self.chunk_parts, self.s), np.int32)
        self.bottoms = self.bottoms_at
        border = np.tile(pair.left_scores(0, self.values.shape[2]), (pair.value_count, 1))
        self.first_column = border if self.left is None else self.left

    @property
    def strip_count(self) -> int:
        """The number of strips."""
        return -(-self.pair.columns.size // self.s)

    @property
    def row_count(self) -> int:
        """The number of rows of all strips together, which is the work of phase 1."""
        return self.strip_count * self.pair.rows.size

    @property
    def finished_rows(self) -> int:
        """The number of rows of all strips that are finished."""
        return int(self.progress.sum())

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        letters = self.letters.nbytes + (self.short.letters.nbytes if self.short else 0)
        arrays = (self.values, self.first_column, self.bottoms, self.progress, self.best, self.skipped)
        return letters + sum(array.nbytes for array in arrays) + (0 if self.states is None else self.states.nbytes)

    @property
    def computed_cells(self) -> int:
        """The number of cells that are not skipped."""
        m, n = self.pair.rows.size, self.pair.columns.size
        widths = np.diff(np.minimum(np.arange(self.strip_count + 1) * self.s, n))
        return m * n - int(widths @ (self.skipped @ np.diff(self.cuts)))

    @property
    def skipped_blocks(self) -> SkippedBlocks | None:
        """The blocks that were skipped, or None."""
        if not self.skipped.any():
            return None
        columns = np.minimum(np.arange(self.strip_count + 1, dtype=np.int64) * self.s, self.pair.columns.size)
        skipped_cells = self.pair.rows.size * self.pair.columns.size - self.computed_cells
        return SkippedBlocks(self.cuts, columns, np.packbits(self.skipped, axis=1), skipped_cells)

    @property
    def slice_rows(self) -> int:
        """Rows of a strip that are logged as one event: all where blocks are skipped."""
        slices = 1 if self.bounds else SLICES
        return -(-self.pair.rows.size // slices // self.batch) * self.batch

    def _cut_blocks(self) -> np.ndarray:
        """Return the rows in which blocks end, as `advance_strip` cuts them."""
        m, height = self.pair.rows.size, self.batch if not self.short_rows else min(self.batch, self.short_rows)
        starts = [*range(0, m, self.h), m]
        pieces = [np.arange(start, end, height) for start, end in pairwise(starts)]
        return np.concatenate([*pieces, [m]]).astype(np.int64)

    def block_bounds(self, strip: int) -> BlockBounds:
        """Return what decides which blocks of a strip are skipped."""
        if self.bounds is None:
            return NO_BOUNDS
        (start, end), pair, bounds = self.column_range(strip), self.pair, self.bounds
        gains = _repeat_last(bounds.column_gains[start + 1 : end + 1], tile_width(end - start))
        return BlockBounds(
            is_on=1,
            row_gains=bounds.row_gains,
            column_gains=to_lane_order(gains, self.lane_count),
            first_gain=int(bounds.column_gains[start]),
            columns_left=bounds.column_gains.size - 1 - start,
            columns_behind=bounds.column_gains.size - 1 - end,
            least=bounds.least,
            row_cost=bounds.row_cost,
            column_cost=bounds.column_cost,
            floor=pair.score_floor,
            cuts=self.cuts,
            skipped=self.skipped,
            own=strip,
            rise=max(int(pair.table.max(initial=0)), 0) + pair.extend,
            opening=pair.open,
        )

    def computed_rows(self, strip: int, top: int, bottom: int) -> tuple[int, int]:
        """Return the rows from the first to the last computed block of a strip; without bounds ``top``, ``bottom``."""
        if self.bounds is None:
            return top, bottom
        computed = np.flatnonzero(self.skipped[strip] == 0)
        return (int(self.cuts[computed[0]]), int(self.cuts[computed[-1] + 1])) if computed.size else (0, 0)

    def mark_skipped_rows(self, first: int, end: int) -> None:
        """Mark what skipped blocks left unwritten in the last rows of the chunks of some strips."""
        ends = np.searchsorted(self.cuts, self.h * np.arange(1, self.bottoms.shape[1] + 1)) - 1
        for strip in range(first, end) if self.bounds else ():
            self.bottoms[strip, self.skipped[strip, ends] != 0] = MARK

    def mark_skipped_column(self, strip: int, first: int, values: np.ndarray) -> None:
        """Mark what skipped blocks left unwritten in a part of the boundary column on the right of a strip.

        ``values`` int32 (2, cells) begins in row ``first``.
        """
        end = first + values.shape[1]
        above, below = np.searchsorted(self.cuts, (first, end))
        blocks = np.arange(max(above - 1, 0), min(below, self.cuts.size - 1))
        for block in blocks[self.skipped[strip, blocks] != 0] if strip >= 0 else ():
            top, bottom = max(self.cuts[block] + 1, first), min(self.cuts[block + 1] + 1, end)
            values[:, top - first : max(bottom, top) - first] = MARK

    def column_range(self, strip: int) -> tuple[int, int]:
        """Return first boundary column and last column of a strip."""
        return strip * self.s, min((strip + 1) * self.s, self.pair.columns.size)

    def strip_problem(self, strip: int, top: int = 0) -> StripProblem:
        """Return the inputs of the cells of a strip below row ``top``, -1 or more."""
        return StripProblem(self.letters[top + 1 :], self.make_profile(strip), self.costs)

    def make_profile(self, strip: int) -> np.ndarray:
        """Return the scores of every row letter with the columns of a strip, flat, as a tile takes them."""
        start, end = self.column_range(strip)
        scores: np.ndarray = np.zeros((len(self.pair.table), tile_width(end - start) + LANES), self.profile_type)
        scores[:, : end - start] = self.pair.table[:, self.pair.columns[start:end]]
        return scores.ravel()

    def kept_row(self, row: int, start: int, end: int) -> np.ndarray:
        """Return H and G of columns start + 1 .. end of row 0 or of a chunk's last row; int32.

        ``start`` begins a strip.
        """
        if row == 0:
            border = self.pair.top_scores(start + 1, end + 1)
            count = self.pair.value_count
            return np.tile(border, (count, 1)) if self.top is None else self.top[:, start + 1 : end + 1]
        strips = slice(start // self.s, -(-end // self.s))
        pieces = self.bottoms[strips, row // self.h - 1, : self.pair.value_count]
        if self.bounds is not None:
            is_skipped = self.skipped[strips, np.searchsorted(self.cuts, row) - 1].astype(bool)
            pieces = np.where(is_skipped[:, None, None], np.int32(MARK), pieces)
        return pieces.transpose(1, 0, 2).reshape(self.pair.value_count, -1)[:, : end - start]

    def top_edge(self, strip: int, chunk: int = 0, lanes: int = LANES) -> np.ndarray:
        """Return the row above a strip or chunk as a tile of ``lanes`` lanes takes it.

        It holds H, G and, where they are kept, the states of row 0. Columns beyond the end have the values of the last
        one.
        """
        start, end = self.column_range(strip)
        row = self.kept_row(chunk * self.h, start, end)
        count = len(row)
        edge = np.zeros((count if self.states is None else 2 * count, tile_width(row.shape[1])), np.int32)
        for part, values in enumerate(row):
            edge[part] = to_lane_order(_repeat_last(values, edge.shape[1]), lanes)
        edge[count:] = self.top_state
        return edge

    @property
    def lane_count(self) -> int:
        """Lanes of the tiles of phase 1."""
        return LANES if self.short is None else SHORT_LANES

    @property
    def top_state(self) -> int:
        """The start state of row 0: new paths, or one along the row."""
        return NEW_STATE if self.pair.free.top else KIND_K << PLACE_BITS

    def left_column(self, strip: int) -> np.ndarray:
        """Return H and K of the boundary column on the left of a strip; int32 (2, m + 16)."""
        return self.right_column(strip - 1) if strip else self.first_column

    def right_column(self, strip: int) -> np.ndarray:
        """Return the boundary column on the right of a strip."""
        return self.kept_columns[strip] if strip in self.kept_columns else self.values[strip % len(self.values)]

    def ends_of_strip(self, strip: int) -> StripEnds:
        """Return where paths may end in a strip."""
        (start, end), free = self.column_range(strip), self.pair.free
        place = find_lane_place(end - start - 1, tile_width(end - start), self.lane_count)
        return StripEnds(
            last_row=self.pair.rows.size if free.bottom else -1,
            columns=end - start,
            place=place if free.right and strip == self.strip_count - 1 else -1,
            last_column=self.last_column,
        )

    def begin_strip(self, strip: int) -> tuple[StripBorders, StripProgress]:
        """Return borders and progress of a strip that is about to be computed.

        Row 0 of the right column is set: H is the next strip's corner; K of row 0 is never read.
        """
        right = self.right_column(strip)
        right[:, 0] = self.kept_row(0, *self.column_range(strip))[0, -1]
        borders = StripBorders(self.top_edge(strip, 0, self.lane_count), self.left_column(strip), right)
        return borders, StripProgress(self.progress, strip, self.run.stop)


def _repeat_last(values: np.ndarray, length: int) -> np.ndarray:
    """Return values of which the last one is repeated up to a length."""
    return values[np.minimum(np.arange(length), values.size - 1)]


def find_best_cell(strips: StripRun) -> tuple[int, tuple[int, int], int]:
    """Return score, end cell and its start state: of the corner, or by the tie rule among the strips."""
    pair, (m, n) = strips.pair, (strips.pair.rows.size, strips.pair.columns.size)
    ends = [EndCell(0, 0, 0)] if pair.is_local else [EndCell(strips.corner[0], m, n, strips.corner[-1])]
    ends += pair.border_ends
    if pair.is_local or pair.free.bottom:
        score, row, column, state = strips.best.T.astype(np.int64)
        column += np.arange(strips.strip_count) * strips.s
        k = np.lexsort((column, row, -score))[0]
        ends.append(EndCell(int(score[k]), int(row[k]), int(column[k]), int(state[k])))
    if pair.free.right:
        most, at = first_greatest(strips.last_column[0, 1 : m + 1])
        ends.append(EndCell(most, at + 1, n, int(strips.last_column[1, at + 1])))
    best = choose_end(ends)
    return best.score, best.cell, best.state


@inner_njit
def wait_for_left_strip(progress, row):
    """Wait for the strip on the left to reach ``row``; return False if the run was stopped."""
    strip = progress.own
    return wait_until_reached(progress.words, max(strip - 1, 0) * WORD_STRIDE, row if strip > 0 else 0, progress.stop)


call_wait_for_left_strip = cached_njit(wait_for_left_strip)
"""`wait_for_left_strip` for calls from Python."""


@cached_njit
def advance_strip(
    problem, short, table, borders, states, chunks, best, progress, batch, until, ends, bounds, second=None
):
    """Compute a strip down to row ``until``; return early on stop. Return the ns that it waited for its neighbour.

    The strip's own progress word is the row it has reached. Either ``problem`` (32 bits) or ``short`` with ``table``
    (16 bits, see `compute_tile_16`) is None. ``states`` None: values only. No tile crosses the end of a chunk.
    ``ends`` says where paths end (`StripEnds`): ``best`` becomes that of the last row. ``bounds`` (`BlockBounds`) says
    which tiles are skipped. ``second`` is the second piece of gap costs, or None.
    """
    h, bottoms = chunks
    lanes = LANES
    if short is not None:
        lanes = SHORT_LANES
        batch = min(batch, short.most_rows)
    own, waited_ns = progress.own * WORD_STRIDE, 0
    row = progress.words[own]
    block = np.searchsorted(bounds.cuts, row) if bounds.is_on else 0
    while row < until:
        rows = min(batch, until - row, h - row % h)
        if progress.own > 0 and load_acquire(progress.words, own - WORD_STRIDE) < row + rows:
            waited_ns -= now_ns()
            wait_for_left_strip(progress, row + rows)
            waited_ns += now_ns()
        if load_acquire(progress.stop, 0) != 0:
            return waited_ns
        is_skipped = False
        if bounds.is_on:
            is_skipped = can_skip_block(bounds, borders.edge, borders.left, block)
            if is_skipped:
                left_row = load_acquire(progress.words, max(own - WORD_STRIDE, 0))
                block = skip_blocks(bounds, borders.edge, block, left_row, until)
                rows = bounds.cuts[block] - row
            else:
                fill_skipped_borders(bounds, borders.edge, borders.left, block, short is not None)
                block += 1
        if short is not None and not is_skipped:
            if states is None:
                compute_tile_16(short, table, borders, row, rows, best, ends, second)
            else:
                compute_state_tile_16(short, table, borders, states, row, rows, best, ends, second)
        if problem is not None and not is_skipped:
            if states is None:
                compute_score_tile(problem, borders, row, rows, best, None, ends, second)
            else:
                compute_state_tile(problem, borders, states, row, rows, best, ends, second)
        row += rows
        if row == ends.last_row:
            find_best_in_row(borders.edge, row, ends.columns, lanes, best)
        if row % h == 0 and row // h <= bottoms.shape[0] and not is_skipped:
            store_chunk_row(borders.edge, bottoms[row // h - 1], lanes)
        store_release(progress.words, own, row)
    return waited_ns


def compute_strips(
    strips: StripRun, phase: CpuPhase, is_logged: bool = True, report: Callable[[], None] | None = None
) -> None:
    """Compute all unfinished strips on threads; raise Cancelled. ``report`` as in `share_strips`."""
    share_strips(strips, phase, lambda worker, strip: _compute_strip(strips, strip, worker, phase, is_logged), report)


def share_strips(
    strips: StripRun,
    phase: CpuPhase,
    compute: Callable[[int, int], None],
    report: Callable[[], None] | None = None,
) -> None:
    """Call ``compute(worker, strip)`` for all unfinished strips, in order, on threads; raise Cancelled.

    Progress is counted in rows of strips, unless ``report`` reports it.
    """
    unfinished = range(strips.finished_strips, strips.strip_count)
    phase.share_tasks(unfinished, compute, report=report or (lambda: phase.report(strips.finished_rows)))


def _compute_strip(strips: StripRun, strip: int, worker: int, phase: CpuPhase, is_logged: bool) -> None:
    """Compute a strip, in slices if it is logged; return early on stop."""
    m, (start, end) = strips.pair.rows.size, strips.column_range(strip)
    borders, progress = strips.begin_strip(strip)
    problem: StripProblem | None
    problem, short, table = strips.strip_problem(strip), None, None
    if strips.short is not None:
        problem, short, table = None, strips.short.strip_problem((start, end)), strips.short.table
    states = None if strips.states is None else strips.states[strip]
    if states is not None:
        states[:, 0] = strips.top_state
    chunks, best, ends = ChunkRows(strips.h, strips.bottoms[strip]), strips.best[strip], strips.ends_of_strip(strip)
    bounds, slice_rows = strips.block_bounds(strip), strips.slice_rows if is_logged else m
    for top in range(0, m, slice_rows):
        bottom = min(top + slice_rows, m)
        call_wait_for_left_strip(progress, min(top + strips.batch, bottom))
        begun_ns = time.perf_counter_ns()
        waited_ns = advance_strip(
            problem,
            short,
            table,
            borders,
            states,
            chunks,
            best,
            progress,
            strips.batch,
            bottom,
            ends,
            bounds,
            strips.second,
        )
        if strips.run.stop[0]:
            return
        rows = strips.computed_rows(strip, top, bottom)
        if is_logged and rows[0] < rows[1]:
            phase.log(LoggedCells(rows, (start, end), strip), worker, begun_ns, waited_ns)
    if strip == strips.strip_count - 1:
        strips.corner = tuple(
            int(from_lane_order(part, strips.lane_count)[end - start - 1])
            for part in borders.edge[:: strips.pair.value_count]
        )
