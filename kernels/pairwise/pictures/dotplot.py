"""The dot plot of two sequences: their common words of k letters, from whole genomes to single letters.

`build_word_index` indexes the shorter sequence once. `count_density` looks the words of the longer one up, as far as
they lie in the window, and counts matches by pixel; only the index and the picture are kept. `find_match_runs` returns
the matches of a small window. A match is two equal words or, of nucleotides, a word and the reverse complement of
another; words with a letter that stands for several (N, X) match nothing. The first two run on a GPU or on the CPU;
both give the same.

Windows are half-open ranges of cells (i, j): a match covers the cells of its letters, and is counted in the pixel of
the middle one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.model import Sequence
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.pictures import cpu_dotplot
from antidiag.kernels.pairwise.pictures.cpu_dotplot import UNKNOWN, MatchCounts, PixelRange, WordBuckets, WordHashing
from antidiag.kernels.pairwise.pictures.dotplot_sizes import (
    LEAST_K,
    MOST_K,
    are_nucleotides,
    bucket_count,
    indexed_words,
)
from antidiag.kernels.sequences.alphabets import ambiguous_letters

Span = tuple[int, int]

MOST_LOOKUPS = 2**26
"""Most places that the words of a window compare; beyond it, frequent words are sampled."""
LEAST_LOOKUPS = 8
SLICE = 2**20
"""Letters between two checks for cancellation."""
TASKS = 128
"""Parts of a window that threads take in turn."""


@dataclass(frozen=True, eq=False)
class WordIndex:
    """The words of the shorter sequence of a pair by bucket, and both sequences as codes.

    ``index.codes`` are those of the shorter one, ``queries`` (uint8) those of the longer; ``step`` is the distance of
    the words in the index; ``swapped``: the shorter sequence is the second; ``device`` is the number of the GPU that
    looks words up, None for the CPU.
    """

    k: int
    index: WordBuckets
    queries: np.ndarray
    step: int
    words: WordHashing
    nucleotides: bool
    swapped: bool
    device: int | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of the index."""
        return self.queries.nbytes + sum(array.nbytes for array in self.index)


@dataclass(frozen=True, eq=False)
class MatchDensity:
    """Matches by pixel over half-open ranges of cells, uint32 (pixels down, pixels across).

    ``thinned`` words had more than ``most`` places, or share a bucket with such a word; about ``most`` places of the
    bucket were compared.
    """

    rows: Span
    columns: Span
    forward: np.ndarray
    reverse: np.ndarray
    thinned: int
    most_places: int


@dataclass(frozen=True, eq=False)
class MatchRuns:
    """Matches of a small window; overlapping ones on a diagonal are joined.

    The arrays are int64. Run r is of letters first[r] .. first[r] + lengths[r] of the first sequence and likewise of
    the second (from 0, half-open); where reverse[r] (bool), one is the reverse complement of the other.
    """

    rows: Span
    columns: Span
    first: np.ndarray
    second: np.ndarray
    lengths: np.ndarray
    reverse: np.ndarray


def build_word_index(
    first: Sequence, second: Sequence, k: int, monitor: Monitor | None = None, device: int | None = None
) -> WordIndex:
    """Index the words of the shorter sequence.

    Parameters
    ----------
    first, second : Sequence
    k : int
        Letters of a word, LEAST_K to MOST_K.
    monitor : Monitor, optional
    device : int, optional
        The GPU to run on; None for the CPU.

    Returns
    -------
    WordIndex

    Raises
    ------
    ParameterError
        If k is out of range.
    Cancelled, MemoryRefused, BackendUnavailable
    """
    if not LEAST_K <= k <= MOST_K:
        raise ParameterError(f"k must be a whole number from {LEAST_K} to {MOST_K}; got {k}")
    monitor, swapped = monitor or Monitor(), len(first) > len(second)
    nucleotides = are_nucleotides(first, second)
    codes, queries = (_letter_codes(sequence, nucleotides) for sequence in sorted((first, second), key=len))
    places, step = indexed_words(codes.size)
    if device is None:
        index, words = _build_index(codes, k, step, places, monitor)
    else:
        from antidiag.kernels.pairwise.pictures import cuda_dotplot  # CuPy is imported where a GPU is used

        index, words = cuda_dotplot.build_index(codes, k, step, places, monitor, device)
    return WordIndex(k, index, queries, step, words, nucleotides, swapped, device)


def count_density(
    word_index: WordIndex, rows: Span, columns: Span, shape: tuple[int, int], monitor: Monitor | None = None
) -> MatchDensity:
    """Count the matches in a window of cells by pixel, on all cores or on the GPU of the index.

    Parameters
    ----------
    found : WordIndex
    rows, columns : tuple of int
        Half-open ranges of cells.
    shape : tuple of int
        Most pixels down and across; never more than cells. Pixel p of h covers cells p size // h up to
        (p + 1) size // h of the window, as in `matrix_view.compute_window`.
    monitor : Monitor, optional

    Returns
    -------
    MatchDensity

    Raises
    ------
    Cancelled, MemoryRefused, BackendUnavailable
    """
    monitor = monitor or Monitor()
    shape = min(shape[0], rows[1] - rows[0]), min(shape[1], columns[1] - columns[0])
    spans, sizes = ((columns, rows), shape[::-1]) if word_index.swapped else ((rows, columns), shape)
    down = _word_pixels(spans[0], sizes[0], word_index.index.codes.size, word_index.k)
    across = _word_pixels(spans[1], sizes[1], word_index.queries.size, word_index.k)
    images = np.zeros((2, across.number, down.number), np.uint32)
    most = max(MOST_LOOKUPS // max(across.high - across.low, 1), LEAST_LOOKUPS)
    thinned = _count_matches(word_index, MatchCounts(across, down, most, images), monitor)
    if not word_index.swapped:
        images = np.ascontiguousarray(images.transpose(0, 2, 1))
    return MatchDensity(rows, columns, images[0], images[1], thinned, most)


def find_match_runs(word_index: WordIndex, rows: Span, columns: Span, most_runs: int) -> MatchRuns | None:
    """Return every match that touches a window of cells, joined to runs; None where there are more than ``most`` runs.

    A match that leaves the window is followed for up to k letters. The window is indexed anew, so no word is left out;
    it should be small.
    """
    spans = (columns, rows) if word_index.swapped else (rows, columns)
    starts, parts = [], []
    for (low, high), codes in zip(spans, (word_index.index.codes, word_index.queries), strict=True):
        starts.append(max(low - word_index.k, 0))
        parts.append(codes[starts[-1] : high - 1 + word_index.k - 1])
    index, words = _build_index(parts[0], word_index.k, 1, max(parts[0].size - word_index.k + 1, 0), Monitor())
    table = np.empty((most_runs, 4), np.int64)
    seen = np.full((2, parts[0].size + parts[1].size + 1, 2), -2, np.int64)
    count = cpu_dotplot.find_runs(index, words, parts[1], word_index.nucleotides, seen, table)
    if count > most_runs:
        return None
    table = table[:count]
    places = table[:, 0] + starts[0], table[:, 1] + starts[1]
    first, second = places[::-1] if word_index.swapped else places
    return MatchRuns(rows, columns, first, second, table[:, 2] + word_index.k - 1, table[:, 3] > 0)


def _count_matches(word_index: WordIndex, counted: MatchCounts, monitor: Monitor) -> int:
    """Count matches on the device of the index; return of how many words only a sample was compared."""
    if word_index.device is None:
        return _count_on_cpu(word_index, counted, monitor)
    from antidiag.kernels.pairwise.pictures import cuda_dotplot  # CuPy is imported where a GPU is used

    return cuda_dotplot.count_matches(
        word_index.index,
        word_index.words,
        word_index.queries,
        word_index.nucleotides,
        counted,
        monitor,
        word_index.device,
    )


def _count_on_cpu(word_index: WordIndex, counted: MatchCounts, monitor: Monitor) -> int:
    """Count matches on threads, which take ranges of queries that begin and end with pixels."""
    run, across = CpuRun(monitor, threads=count_processors()), counted.across
    borders = np.clip(_pixel_edges(across), across.low, across.high)
    tasks = np.unique(np.linspace(0, across.number, TASKS + 1).astype(np.int64))
    thinned = [0] * run.threads

    def compute(worker: int, task: int) -> None:
        low, high = borders[tasks[task : task + 2]].tolist()
        for start in range(low, high, SLICE):
            if not run.stop[0]:
                part = start, min(start + SLICE, high)
                thinned[worker] += cpu_dotplot.count_matches(
                    word_index.index, word_index.words, word_index.queries, *part, word_index.nucleotides, counted
                )

    with run.phase("matches", tasks.size - 1) as phase:
        phase.share_tasks(range(tasks.size - 1), compute)
    return sum(thinned)


def _build_index(
    codes: np.ndarray, k: int, step: int, most_words: int, monitor: Monitor
) -> tuple[WordBuckets, WordHashing]:
    """Index the words at every ``step``-th place, at most ``room`` of them."""
    buckets = bucket_count(most_words)
    words = cpu_dotplot.hash_parameters(k, buckets)
    starts = np.zeros(buckets + 2, np.int32)
    for low in range(0, codes.size, SLICE):
        monitor.update(low, 2 * codes.size, "words")
        cpu_dotplot.count_words(codes, low, min(low + SLICE, codes.size), step, words, starts)
    np.cumsum(starts, out=starts)
    places = np.empty(starts[-1], np.int32)
    for low in range(0, codes.size, SLICE):
        monitor.update(codes.size + low, 2 * codes.size, "words")
        cpu_dotplot.place_words(codes, low, min(low + SLICE, codes.size), step, words, starts, places)
    return WordBuckets(codes, starts, places), words


def _word_pixels(cells: Span, count: int, letters: int, k: int) -> PixelRange:
    """Return the pixels of a window in places of words, whose middle letter is that of the cell."""
    middle = (k + 1) // 2
    last = max(letters - k + 1, 0)
    low, high = (min(max(cell - middle, 0), last) for cell in cells)
    return PixelRange(low, high, cells[0] - middle, cells[1] - cells[0], count)


def _pixel_edges(pixels: PixelRange) -> np.ndarray:
    """Return where pixels begin and end, int64 (count + 1)."""
    return pixels.start + np.arange(pixels.number + 1, dtype=np.int64) * pixels.size // pixels.number


def _letter_codes(sequence: Sequence, nucleotides: bool) -> np.ndarray:
    """Return the letters as codes, uint8: A, C, G, T and U are 0, 1, 2, 3, 3; letters of proteins are 0 to 25.

    Ambiguous letters have no code: a word with one is equal to none.
    """
    table = np.full(256, UNKNOWN, np.uint8)
    if nucleotides:
        table[list(b"ACGTU")] = 0, 1, 2, 3, 3
    else:
        table[list(range(ord("A"), ord("Z") + 1))] = np.arange(26)
        table[list(ambiguous_letters(protein=True).encode())] = UNKNOWN
    letters, codes = sequence.letter_array, np.empty(len(sequence), np.uint8)
    for low in range(0, codes.size, SLICE):  # in slices, because indexing holds the GIL
        codes[low : low + SLICE] = table[letters[low : low + SLICE]]
    return codes
