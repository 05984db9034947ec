"""Words of k letters that two sequences share: what a dot plot shows, from whole genomes down to single letters.

``build`` makes an index of the shorter sequence once. ``density`` looks the words of the longer one up in it, as far
as they lie in the window, and counts matches by pixel, so that nothing but the index and the picture is ever kept.
``runs`` gives the very matches of a small window. A match is two equal words or, of nucleotides, a word and the
reverse complement of another; words with a letter that stands for several (N, X) match nothing. ``build`` and
``density`` compute on the GPU that is named, or on the CPU; both give the same.

Windows are half-open ranges of cells (i, j), as everywhere: a match covers the cells of its letters, and is counted in
the pixel of the middle one.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu.workers import cores, share, stop_word
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.model import Sequence
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.pictures import cpu_dotplot
from antidiag.kernels.pairwise.pictures.cpu_dotplot import UNKNOWN, Counted, Index, Pixels, Words
from antidiag.kernels.pairwise.pictures.dotplot_sizes import LEAST_K, MOST_K, buckets_for, indexed, of_nucleotides

Span = tuple[int, int]

MOST_LOOKUPS = 2**26
"""Places that the words of a window may have together before those with most are thinned."""
LEAST_LOOKUPS = 8
SLICE = 2**20
"""Letters between two looks at the wish to cancel."""
TASKS = 128
"""Parts of a window, which threads take one after another."""


@dataclass(frozen=True, eq=False)
class WordIndex:
    """The words of the shorter sequence of a pair by bucket, and both sequences as codes.

    ``index.codes`` are those of the shorter one, ``queries`` (uint8) those of the longer; ``step`` is the distance of
    the words in the index; ``swapped`` tells that the shorter sequence is the second; ``device`` is the number of the
    GPU that looks words up, None for the CPU.
    """

    k: int
    index: Index
    queries: np.ndarray
    step: int
    words: Words
    nucleotides: bool
    swapped: bool
    device: int | None = None

    @property
    def nbytes(self) -> int:
        return self.queries.nbytes + sum(array.nbytes for array in self.index)


@dataclass(frozen=True, eq=False)
class Density:
    """Matches by pixel over half-open ranges of cells, uint32 (pixels down, pixels across).

    ``thinned`` words had more than ``most`` places, or share a bucket with one that has; about ``most`` of the bucket
    were looked at.
    """

    rows: Span
    columns: Span
    forward: np.ndarray
    reverse: np.ndarray
    thinned: int
    most: int


@dataclass(frozen=True, eq=False)
class Runs:
    """Matches of a small window, those that overlap on a diagonal joined.

    The arrays are int64. Run r is of letters first[r] .. first[r] + lengths[r] of the first sequence and likewise of
    the second (from 0, half-open); where reverse[r] (bool), one is the reverse complement of the other.
    """

    rows: Span
    columns: Span
    first: np.ndarray
    second: np.ndarray
    lengths: np.ndarray
    reverse: np.ndarray


def build(
    first: Sequence, second: Sequence, k: int, monitor: Monitor | None = None, device: int | None = None
) -> WordIndex:
    """Index the words of the shorter sequence; raises Cancelled, what a GPU fails with, and ParameterError where k is
    none."""
    if not LEAST_K <= k <= MOST_K:
        raise ParameterError(f"k={k} is not a whole number from {LEAST_K} to {MOST_K}")
    monitor, swapped = monitor or Monitor(), len(first) > len(second)
    nucleotides = of_nucleotides(first, second)
    codes, queries = (_codes(sequence, nucleotides) for sequence in sorted((first, second), key=len))
    places, step = indexed(codes.size)
    if device is None:
        index, words = _index(codes, k, step, places, monitor)
    else:
        from antidiag.kernels.pairwise.pictures import cuda_dotplot  # CuPy is imported where a GPU is used

        index, words = cuda_dotplot.index(codes, k, step, places, monitor, device)
    return WordIndex(k, index, queries, step, words, nucleotides, swapped, device)


def density(
    found: WordIndex, rows: Span, columns: Span, shape: tuple[int, int], monitor: Monitor | None = None
) -> Density:
    """Count the matches in a window of cells by pixel, on all cores or on the GPU; raises Cancelled, and what a GPU
    fails with.

    There are at most ``shape`` pixels, and never more than cells. Pixel p of h covers cells p size // h up to
    (p + 1) size // h of the window, as in ``matrix.window``.
    """
    monitor = monitor or Monitor()
    shape = min(shape[0], rows[1] - rows[0]), min(shape[1], columns[1] - columns[0])
    spans, sizes = ((columns, rows), shape[::-1]) if found.swapped else ((rows, columns), shape)
    down = _pixels(spans[0], sizes[0], found.index.codes.size, found.k)
    across = _pixels(spans[1], sizes[1], found.queries.size, found.k)
    images = np.zeros((2, across.number, down.number), np.uint32)
    most = max(MOST_LOOKUPS // max(across.high - across.low, 1), LEAST_LOOKUPS)
    thinned = _count(found, Counted(across, down, most, images), monitor)
    if not found.swapped:
        images = np.ascontiguousarray(images.transpose(0, 2, 1))
    return Density(rows, columns, images[0], images[1], thinned, most)


def runs(found: WordIndex, rows: Span, columns: Span, most: int) -> Runs | None:
    """Every match that touches a window of cells, joined to runs; None where there are more than ``most`` runs.

    Of a match that leaves the window, up to k letters beyond it are included. The window has an index of its own, so
    no word is left out; it should be small.
    """
    spans = (columns, rows) if found.swapped else (rows, columns)
    starts, parts = [], []
    for (low, high), codes in zip(spans, (found.index.codes, found.queries), strict=True):
        starts.append(max(low - found.k, 0))
        parts.append(codes[starts[-1] : high - 1 + found.k - 1])
    index, words = _index(parts[0], found.k, 1, max(parts[0].size - found.k + 1, 0), Monitor())
    table = np.empty((most, 4), np.int64)
    seen = np.full((2, parts[0].size + parts[1].size + 1, 2), -2, np.int64)
    count = cpu_dotplot.find_runs(index, words, parts[1], found.nucleotides, seen, table)
    if count > most:
        return None
    table = table[:count]
    places = table[:, 0] + starts[0], table[:, 1] + starts[1]
    first, second = places[::-1] if found.swapped else places
    return Runs(rows, columns, first, second, table[:, 2] + found.k - 1, table[:, 3] > 0)


def _count(found: WordIndex, counted: Counted, monitor: Monitor) -> int:
    """Count on the device of the index; of how many words not all places were looked at."""
    if found.device is None:
        return _count_on_cpu(found, counted, monitor)
    from antidiag.kernels.pairwise.pictures import cuda_dotplot  # CuPy is imported where a GPU is used

    return cuda_dotplot.count(
        found.index, found.words, found.queries, found.nucleotides, counted, monitor, found.device
    )


def _count_on_cpu(found: WordIndex, counted: Counted, monitor: Monitor) -> int:
    """Threads take stretches of queries that begin and end with pixels, so that each writes pixels of its own."""
    across = counted.across
    borders = _edges(across)
    tasks = np.unique(np.linspace(0, across.number, TASKS + 1).astype(np.int64))
    tickets, thinned, done, stop = itertools.count(), [0] * cores(), [0] * cores(), stop_word()

    def work(worker: int) -> None:
        while not stop[0] and (task := next(tickets)) < tasks.size - 1:
            low, high = (int(np.clip(borders[tasks[task + end]], across.low, across.high)) for end in (0, 1))
            for start in range(low, high, SLICE):
                if not stop[0]:
                    part = start, min(start + SLICE, high)
                    thinned[worker] += cpu_dotplot.count_matches(
                        found.index, found.words, found.queries, *part, found.nucleotides, counted
                    )
            done[worker] += 1

    share(work, len(done), stop, lambda: monitor.update(sum(done), tasks.size - 1, "matches"))
    return sum(thinned)


def _index(codes: np.ndarray, k: int, step: int, room: int, monitor: Monitor) -> tuple[Index, Words]:
    """Index the words at every ``step``-th place, at most ``room`` of them."""
    buckets = buckets_for(room)
    words = cpu_dotplot.words(k, buckets)
    starts = np.zeros(buckets + 2, np.int32)
    for low in range(0, codes.size, SLICE):
        monitor.update(low, 2 * codes.size, "words")
        cpu_dotplot.count_words(codes, low, min(low + SLICE, codes.size), step, words, starts)
    np.cumsum(starts, out=starts)
    places = np.empty(starts[-1], np.int32)
    for low in range(0, codes.size, SLICE):
        monitor.update(codes.size + low, 2 * codes.size, "words")
        cpu_dotplot.place_words(codes, low, min(low + SLICE, codes.size), step, words, starts, places)
    return Index(codes, starts, places), words


def _pixels(cells: Span, count: int, letters: int, k: int) -> Pixels:
    """Pixels of a window in places of words, whose middle letter is that of the cell."""
    middle = (k + 1) // 2
    last = max(letters - k + 1, 0)
    low, high = (min(max(cell - middle, 0), last) for cell in cells)
    return Pixels(low, high, cells[0] - middle, cells[1] - cells[0], count)


def _edges(pixels: Pixels) -> np.ndarray:
    """Where pixels begin and end, int64 (count + 1)."""
    return pixels.start + np.arange(pixels.number + 1, dtype=np.int64) * pixels.size // pixels.number


def _codes(sequence: Sequence, nucleotides: bool) -> np.ndarray:
    """The letters as codes, uint8: A, C, G, T and U are 0, 1, 2, 3, 3; letters of proteins are 0 to 25."""
    table = np.full(256, UNKNOWN, np.uint8)
    if nucleotides:
        table[list(b"ACGTU")] = 0, 1, 2, 3, 3
    else:
        table[list(range(ord("A"), ord("Z") + 1))] = np.arange(26)
        table[ord("X")] = UNKNOWN
    letters, codes = sequence.array, np.empty(len(sequence), np.uint8)
    for low in range(0, codes.size, SLICE):  # looking up holds the interpreter's lock
        codes[low : low + SLICE] = table[letters[low : low + SLICE]]
    return codes
