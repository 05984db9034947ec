"""The sweep over all strips on the CPU, with a band for paths from corner to corner.

Threads take strips in order, each a block of rows behind its left neighbour. Boundary columns pass from strip to strip
as bits, in threads + 1 places that are used in turn. Where the path is wanted, boundary columns and rows whose number
is a multiple of the tile are kept.

Band (Ukkonen 1985): with n - m = delta, a path from corner to corner of cost delta + 2 p + 1 or less stays on diagonals
-p to delta + p; one that begins in the corner and ends anywhere, of cost p or less, on diagonals -p to p. A
strip computes the rows of its part of the band, in whole words. Differences that come from outside are taken as 1,
which a path along the border of the band has, so a distance within these bounds is exact, and so are all cells of all
best paths. Else p grows: the distance that was found bounds the true one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.clock import now_ns
from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun
from antidiag.kernels.cpu.jit import cached_njit, inline_njit
from antidiag.kernels.cpu.progress_words import wait_until_reached
from antidiag.kernels.cpu.simd import WORD_LANES, fetch_add, load_acquire, popcount, store_release
from antidiag.kernels.cpu.workers import WORD_STRIDE
from antidiag.kernels.pairwise.bit_parallel.border_ends import find_end, least_of_bits
from antidiag.kernels.pairwise.bit_parallel.cpu_words import (
    BITS,
    BLOCK,
    SCRATCH_ROWS,
    compute_block,
    find_strip_matches,
)
from antidiag.kernels.pairwise.bit_parallel.word_pair import WordPair
from antidiag.kernels.pairwise.bit_parallel.word_sizes import CPU_STRIP as STRIP
from antidiag.kernels.pairwise.bit_parallel.word_sizes import FIRST_BAND, band_cells, band_rows, boundary_words
from antidiag.kernels.pairwise.encoding import EndCell
from antidiag.kernels.steps import STEP

USUAL_GROWTH, UNRELATED_GROWTH = 2, 8
"""How p grows, and how it grows where the first bands find more than a third of the letters different."""
UNRELATED_SHARE = 0.35
UNREACHED = 2**40
"""A distance of cells outside of the band."""
CERTAIN_COST = 3
"""A band that is certain to be wide enough is taken if it has at most so many times the cells of the last one."""
ALL_ONES = -1


class WordRun(NamedTuple):
    """Arrays of a sweep that compiled code takes.

    ``letters``: int8 arrays of the row letters in reverse, from index 8 on, with 8 more on either side: the codes where
    there are more than eight letters, else their bits as 0 or -1. ``columns`` uint8; ``match_starts`` and
    ``match_codes`` as in `WordPair.match_lists`. ``bands`` int64 (strips, 2): first and last row of each strip.
    ``columns_kept`` int64 (places + kept, 2, words): rise and fall of boundary columns. ``rows_kept`` int64 (rows,
    strips * 16): plus and minus of rows whose number is a multiple of ``tile``, by strip. ``last_row`` int64 (strips *
    16). ``first_column`` int64 (2, words). ``sums`` int64 (strips): difference of the upper corners of a strip and the
    next one. ``rises`` int64 (strips): difference of the left corners of a strip that reaches row m. ``log`` int64
    (strips, 4): start, end, thread, and ns waited. ``tile`` is 0 where nothing is kept.
    """

    letters: tuple[np.ndarray, ...]
    columns: np.ndarray
    match_starts: np.ndarray
    match_codes: np.ndarray
    letter_rows: int
    bands: np.ndarray
    columns_kept: np.ndarray
    rows_kept: np.ndarray
    last_row: np.ndarray
    first_column: np.ndarray
    sums: np.ndarray
    rises: np.ndarray
    log: np.ndarray
    progress: np.ndarray
    ticket: np.ndarray
    row_count: int
    padding: int
    places: int
    tile: int
    top_is_free: int
    left_is_free: int


@dataclass(eq=False)
class WordSweep:
    """A pair, the arrays of its sweep, and the band of the last one; ``tile`` is 0 where only the score is wanted."""

    pair: WordPair
    run: CpuRun
    tile: int = 0
    arrays: WordRun = field(init=False)

    def __post_init__(self) -> None:
        pair, free = self.pair, self.pair.pair.free
        words, strips = boundary_words(pair.m), pair.strip_count
        kept = (strips - 1) * STRIP // self.tile if self.tile else 0
        places = min(self.run.threads + 1, strips)
        starts, codes = pair.match_lists
        letters = _split_letters(pair)
        self.arrays = WordRun(
            letters=letters,
            columns=pair.pair.columns,
            match_starts=starts,
            match_codes=codes,
            letter_rows=max(pair.pair.letter_count, 4 if len(letters) < 3 else 8),
            bands=np.empty((strips, 2), np.int64),
            columns_kept=np.empty((places + kept, 2, words), np.int64),
            rows_kept=np.empty(((pair.m - 1) // self.tile if self.tile else 0, strips * 2 * WORD_LANES), np.int64),
            last_row=np.empty(strips * 2 * WORD_LANES, np.int64),
            first_column=np.zeros((2, words), np.int64),
            sums=np.empty(strips, np.int64),
            rises=np.zeros(strips, np.int64),
            log=np.zeros((strips, 4), np.int64),
            progress=np.zeros(strips * WORD_STRIDE, np.int64),
            ticket=np.zeros(1, np.int64),
            row_count=pair.m,
            padding=pair.padding,
            places=places,
            tile=self.tile,
            top_is_free=int(free.top),
            left_is_free=int(free.left),
        )
        self.arrays.first_column[0] = 0 if free.left else ALL_ONES

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays = [one for one in self.arrays if isinstance(one, np.ndarray)]
        return sum(one.nbytes for one in (*arrays, *self.arrays.letters)) - self.arrays.columns.nbytes

    @property
    def band_cells(self) -> int:
        """Cells of the band."""
        return band_cells(self.arrays.bands, self.pair.n)

    def set_band(self, half_width: int | None) -> None:
        """Compute the band of p, or everything if p is None; strips beyond the band have no rows."""
        bands, m = self.arrays.bands, self.pair.m
        if half_width is None:
            bands[:] = 0, m
            return
        delta = self.pair.n - m if self.pair.ends_in_corner else 0
        bands[:] = band_rows(m, self.pair.n, half_width, delta)

    def compute_cells(self, phase: CpuPhase, already_done: int) -> int:
        """Compute the cells of the band on threads; return the distance of the last cell. Raises Cancelled."""
        arrays, run = self.arrays, self.run
        arrays.progress[:] = arrays.ticket[:] = 0
        rows = arrays.bands[:, 1] - arrays.bands[:, 0]
        share = self.band_cells / max(int(rows.sum()), 1)

        def report() -> None:
            reached = np.maximum(arrays.progress[::WORD_STRIDE] - arrays.bands[:, 0], 0)
            phase.report(max(already_done, int(np.minimum(reached, rows).sum() * share)))

        phase.share(lambda worker: compute_strips(arrays, worker, run.stop), report, min(run.threads, len(rows)))
        return int(arrays.sums.sum())

    def log_strips(self, phase: CpuPhase) -> None:
        """Log every strip of the last sweep."""
        log, run = self.arrays.log, self.run
        if not run.steps.keeps_events:
            return
        steps = np.zeros(len(log), STEP)
        steps["phase"], steps["strip"] = phase.number, np.arange(len(log))
        steps["row_start"], steps["row_end"] = self.arrays.bands.T
        steps["column_end"] = (steps["strip"] + np.int64(1)) * STRIP - self.pair.padding
        steps["column_start"] = np.maximum(steps["column_end"] - STRIP, 0)
        steps["start_ns"], steps["end_ns"] = log[:, 0] - run.started_ns, log[:, 1] - run.started_ns
        steps["worker"], steps["waited_ns"] = log[:, 2], log[:, 3]
        run.steps.add_array(steps)


def count_planes(pair: WordPair) -> int:
    """Return the arrays of row letters: planes of bits for up to eight letters, else 1 of codes."""
    letters = pair.pair.letter_count
    return 1 if letters > 8 else 2 if letters <= 4 else 3


def _split_letters(pair: WordPair) -> tuple[np.ndarray, ...]:
    """Return the letters of the rows as a block takes them (see `WordRun`)."""
    codes = np.zeros(pair.m + 2 * WORD_LANES, np.int8)
    codes[WORD_LANES : WORD_LANES + pair.m] = pair.pair.rows[::-1]
    planes = count_planes(pair)
    return (codes,) if planes == 1 else tuple(-(codes >> bit & 1) for bit in range(planes))


def find_distance(sweep: WordSweep, phase: CpuPhase) -> tuple[EndCell, int]:
    """Run sweeps until the best score is certain; return where its path ends, and the cells of the last sweep."""
    pair = sweep.pair
    if not pair.is_banded:
        sweep.set_band(None)
        sweep.compute_cells(phase, 0)
        return _find_end(sweep), sweep.band_cells
    delta, computed, half_width = pair.n - pair.m, 0, FIRST_BAND
    if not pair.ends_in_corner and not pair.pair.free.bottom:
        half_width += delta  # column n is not reached before
    while True:
        sweep.set_band(half_width)
        distance = sweep.compute_cells(phase, computed)
        end = EndCell(-distance, pair.m, pair.n) if pair.ends_in_corner else _find_end_in_band(sweep)
        certain = (distance - delta) // 2 if pair.ends_in_corner else -end.score
        if certain <= half_width:
            return end, sweep.band_cells
        computed = max(computed, sweep.band_cells)
        half_width = _grow_band(pair, half_width, certain)


def _grow_band(pair: WordPair, half_width: int, certain: int) -> int:
    """Return p of the next band, given the least p that is certain to be enough."""
    if STRIP + 2 * certain <= CERTAIN_COST * (STRIP + 2 * half_width):
        return certain
    is_unrelated = certain > UNRELATED_SHARE * pair.m / (2 if pair.ends_in_corner else 1)
    return min(half_width * (UNRELATED_GROWTH if is_unrelated else USUAL_GROWTH), certain)


def _find_end_in_band(sweep: WordSweep) -> EndCell:
    """Return the best end in the band of paths that begin in the corner."""
    pair, arrays, free = sweep.pair, sweep.arrays, sweep.pair.pair.free
    bases, last = np.append(0, np.cumsum(arrays.sums)[:-1]), len(arrays.bands) - 1
    row, column = (UNREACHED, pair.n), (UNREACHED, pair.m)
    words = arrays.last_row.reshape(-1, 2, WORD_LANES)
    for strip in np.flatnonzero((arrays.bands[:, 1] == pair.m) & (arrays.bands[:, 0] < pair.m)).tolist():
        if free.bottom or strip == last:
            padding = 0 if strip else pair.padding
            corner = int(bases[strip] + arrays.rises[strip])
            least, at = least_of_bits(words[strip, 0], words[strip, 1], corner, padding, STRIP - padding, free.bottom)
            row = min(row, (least, pair.strip_columns(strip)[0] + at))
    first, until = arrays.bands[last].tolist()
    if free.right and first < until:
        above = int(bases[last]) + pair.n - pair.strip_columns(last)[0]
        bits = arrays.columns_kept[last % arrays.places][:, first // BITS :]
        least, at = least_of_bits(bits[0], bits[1], above, 0, until - first, True)
        column = least, first + at
    return pair.choose_end(row, column)


def _find_end(sweep: WordSweep) -> EndCell:
    """Return the best end of paths that may end on borders."""
    arrays = sweep.arrays
    row = arrays.last_row.reshape(-1, 2, WORD_LANES).transpose(1, 0, 2).reshape(2, -1)
    return find_end(sweep.pair, row, arrays.columns_kept[(len(arrays.bands) - 1) % arrays.places])


@inline_njit
def boundary_place(arrays, strip):
    """Return where the right boundary column of a strip lies in ``columns_kept``."""
    end = (strip + 1) * STRIP
    if arrays.tile > 0 and end % arrays.tile == 0 and strip < arrays.bands.shape[0] - 1:
        return arrays.places + end // arrays.tile - 1
    return strip % arrays.places


@inline_njit
def begin_row(arrays, strip, row, words):
    """Set plus and minus of a strip in its first row: the border of the matrix, or of the band."""
    for lane in range(WORD_LANES):
        words[lane], words[WORD_LANES + lane] = ALL_ONES, 0
        if row == 0 and arrays.top_is_free:
            words[lane] = 0
        elif strip == 0:
            padding = min(max(arrays.padding - lane * BITS, 0), BITS)
            words[lane] = ALL_ONES << padding if padding < BITS else 0


@inline_njit
def sum_words(words, start, count):
    """Return the bits that are set in words."""
    total = 0
    for word in range(start, start + count):
        total += popcount(words[word])
    return total


@inline_njit
def sum_column(column, first_row, last_row):
    """Return D of a boundary column in its last row, less that in its first row, a multiple of 64."""
    total = 0
    for word in range(first_row // BITS, (last_row + BITS - 1) // BITS):
        rows = last_row - word * BITS
        mask = ALL_ONES if rows >= BITS else (1 << rows) - 1
        total += popcount(column[0, word] & mask) - popcount(column[1, word] & mask)
    return total


@cached_njit
def compute_strips(arrays, worker, stop):
    """Compute strips in order of the ticket until there are none left, or ``stop[0]`` is set."""
    strips, m, tile = arrays.bands.shape[0], arrays.row_count, arrays.tile
    letters, bands, columns_kept, progress = arrays.letters, arrays.bands, arrays.columns_kept, arrays.progress
    log, last_row, rows_kept = arrays.log, arrays.last_row, arrays.rows_kept
    scratch = np.empty((4, SCRATCH_ROWS), np.int64)
    words, equal = np.empty(2 * WORD_LANES, np.int64), np.empty(arrays.letter_rows * WORD_LANES, np.int64)
    while True:
        strip = fetch_add(arrays.ticket, 0)
        if strip >= strips or load_acquire(stop, 0) != 0:
            return
        first, last = bands[strip, 0], bands[strip, 1]
        if first >= last:
            arrays.sums[strip] = 0
            log[strip, 0] = log[strip, 1] = now_ns()
            log[strip, 2], log[strip, 3] = worker, 0
            store_release(progress, strip * WORD_STRIDE, m)
            continue
        find_strip_matches(
            arrays.columns, strip * STRIP - arrays.padding, arrays.match_starts, arrays.match_codes,
            arrays.left_is_free, equal,
        )  # fmt: skip
        begin_row(arrays, strip, first, words)
        total = sum_words(words, 0, WORD_LANES)
        left = columns_kept[boundary_place(arrays, strip - 1)] if strip > 0 else arrays.first_column
        right = columns_kept[boundary_place(arrays, strip)]
        row, waited = first, 0
        begun = now_ns()
        while row < last:
            rows = min(BLOCK - row % BLOCK, last - row)
            if strip > 0 and load_acquire(progress, (strip - 1) * WORD_STRIDE) < row + rows:
                waited -= now_ns()
                wait_until_reached(progress, (strip - 1) * WORD_STRIDE, row + rows, stop)
                waited += now_ns()
            if load_acquire(stop, 0) != 0:
                return
            compute_block(letters, m, equal, words, left, right, row, rows, scratch, None, None)
            row += rows
            if tile > 0 and row % tile == 0 and row < m:
                for word in range(2 * WORD_LANES):
                    rows_kept[row // tile - 1, strip * 2 * WORD_LANES + word] = words[word]
            if row < last:
                store_release(progress, strip * WORD_STRIDE, row)
        for word in range(2 * WORD_LANES):
            last_row[strip * 2 * WORD_LANES + word] = words[word]
        if last == m:
            arrays.rises[strip] = sum_column(left, first, m)
        below = bands[strip + 1, 1] if strip + 1 < strips else last
        for word in range(last // BITS, (below + BITS - 1) // BITS):
            if word * BITS >= last:
                right[0, word], right[1, word] = ALL_ONES, 0
        arrays.sums[strip] = total + sum_column(right, first, bands[strip + 1, 0] if strip + 1 < strips else m)
        log[strip, 0], log[strip, 1], log[strip, 2], log[strip, 3] = begun, now_ns(), worker, waited
        store_release(progress, strip * WORD_STRIDE, m)
