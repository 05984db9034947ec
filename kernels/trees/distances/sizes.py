"""Memory and work of the distance methods."""

from __future__ import annotations

from typing import Any

import numpy as np

from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.memory import Footprint
from antidiag.kernels.model import sequence_lengths
from antidiag.kernels.trees.distances.alignment_columns.column_distances import count_planes
from antidiag.kernels.trees.distances.cuda_sources import STRIP
from antidiag.kernels.trees.distances.pair_tiles import TILE
from antidiag.kernels.trees.distances.problem import AlignedProblem, FullProblem, KtupleProblem, SixmerProblem
from antidiag.kernels.trees.distances.shared_words.kmers import BASES, GROUPS, K
from antidiag.kernels.trees.distances.word_chains.ktuples import find_short_sequences, possible_kmers
from antidiag.kernels.trees.parameters import PairParameters

STATE_BYTES = 16 * 16
"""Bytes of a row of 16 pairs: H, F and their counts."""

LETTER_BYTES = 16
"""Bytes per letter: codes, words, and their places."""
WORD_BYTES = 28
"""Bytes of a 6-mer on the CPU: word and count, by sequence and by word."""
PAIR_BYTES = 64
"""Bytes per letter of the longest sequence, for a CPU thread that chains words; 16 more per letter of a word."""
LANE_BYTES = 64
"""Bytes of 32 pairs on a diagonal, or in a column, in 16 bits each."""
GROUP_ROWS, WORD_COLUMNS, ROW_STEP = 16, 32, 32
"""Rows whose packed letters lie side by side on the CPU, columns of a word, and rows of a whole line on a GPU."""
COLUMN_BUFFERS = 16 * 16 * (4 * 16 + 8) + 4096
"""Bytes of the counts and distances of a thread, which compares 16 rows with 16 others at a time."""


BUSY_WARPS, LONE_WARPS = 24, 4
"""Warps per multiprocessor that align pairs: as many as fit, and few where pairs are long."""
MOST_WARPS = 4736
"""Warps at most: 32 for each of the 148 multiprocessors of the largest GPU."""
ALL_COUNTS = 1 << 28
"""Bytes of the counts of one launch, at most."""
ROUNDED = 1 << 14
"""Bytes of rounding for some arrays of a GPU together."""
MOST_IN_A_BYTE = 255
WORD_TABLES = 1 << 27
"""Bytes of the word tables of all blocks, where a word may occur more often than a byte can hold."""
BORDER_ROOM = 1 << 30
"""Bytes that the borders between the strips of long pairs may take on a GPU."""


def border_warps(longest: int, itemsize: int) -> int:
    """Return the warps that can keep H and E of a row of the longest sequence; a whole number of blocks."""
    room = BORDER_ROOM // (2 * itemsize * max(longest, 1))
    return min(MOST_WARPS, max(4, room // 4 * 4))


CHAIN_WARPS = 32
"""Warps per multiprocessor that chain the words of pairs."""
CHAIN_ROOM = 1 << 31
"""Bytes that their diagonals and chains may take on a GPU."""


def chain_numbers(problem: KtupleProblem, lengths: np.ndarray) -> tuple[int, int]:
    """Return the most diagonals and chains of a pair."""
    shorter, longer = np.sort(np.append(lengths, 0))[-2:].tolist()
    marked = max(problem.diagonals, 2) * (2 * problem.window + 1)
    return shorter + longer, 1 + shorter * min(longer, marked)


def chain_warps(problem: KtupleProblem, lengths: np.ndarray) -> int:
    """Return the warps that can keep their diagonals and chains; whole blocks of them."""
    diagonals, chains = chain_numbers(problem, lengths)
    return max(8, min(MOST_WARPS, CHAIN_ROOM // (12 * diagonals + 16 * chains)) // 8 * 8)


def distance_footprint(problem: Any, parameters: PairParameters, backend: str) -> Footprint:
    """Return the memory of the matrix, the counts of each pair, the letters and the threads."""
    if isinstance(problem, AlignedProblem):
        return _alignment_footprint(problem, parameters, backend)
    lengths = sequence_lengths(problem.sequences)
    taxa, letters, longest = lengths.size, LETTER_BYTES * int(lengths.sum()), int(lengths.max())
    host = {"distances": 8 * taxa**2, "letters": letters}
    if isinstance(problem, KtupleProblem):
        host["words"] = 4 * taxa * (possible_kmers(problem) + 1)
    if backend == "cpu":
        threads = parameters.threads
        if isinstance(problem, FullProblem):
            host["threads"] = threads * STATE_BYTES * longest
        if isinstance(problem, KtupleProblem):
            host.update(_chain_bytes(problem, lengths, min(threads, taxa)))
        if isinstance(problem, SixmerProblem):
            host["letters"] = WORD_BYTES * int(lengths.sum())
            host["threads"] = 4 * threads * taxa
        return Footprint(host)
    host["counts"] = 4 * taxa**2
    # Counts are of tiles on and above the diagonal.
    device = {"counts": min(ALL_COUNTS, 2 * (taxa + TILE) ** 2), "letters": letters}
    if isinstance(problem, FullProblem) and np.sort(lengths)[-2:][0] > STRIP:
        device["borders of strips"] = 16 * longest * border_warps(longest, 8)
    if isinstance(problem, KtupleProblem):
        diagonals, chains = chain_numbers(problem, lengths)
        device["words"] = 3 * host["words"]
        device["chains"] = (12 * diagonals + 16 * chains) * chain_warps(problem, lengths)
    if isinstance(problem, SixmerProblem):
        device["counts"] = min(ALL_COUNTS, 4 * taxa**2)
        device["words"] = WORD_TABLES if longest > MOST_IN_A_BYTE + 5 else 0
    return Footprint(host, device)


def _chain_bytes(problem: KtupleProblem, lengths: np.ndarray, threads: int) -> dict[str, int]:
    """Return the CPU memory of pairs whose every cell is visited, and of the others, where there are any."""
    is_short = find_short_sequences(problem, lengths)
    by_cells = (LANE_BYTES * (7 + problem.ktuple) + 32) * int(lengths.max(where=is_short, initial=0))
    by_words = (PAIR_BYTES + 16 * problem.ktuple) * int(lengths.max())
    if is_short.all():
        return {"words": 0, "threads": threads * by_cells}
    return {"letters": 2 * LETTER_BYTES * int(lengths.sum()), "threads": threads * (by_cells + by_words)}


def _alignment_footprint(problem: AlignedProblem, parameters: PairParameters, backend: str) -> Footprint:
    """Return the memory of distances between rows of an alignment."""
    rows = len(problem.alignment.names)
    host = {"distances": 8 * rows**2}
    if backend == "cpu":
        return Footprint({**host, **packed_host_bytes(problem.alignment, parameters.threads)})
    band = 8 * min(rows, column_band_rows(rows)) * rows
    return Footprint(host, {**packed_device_bytes(problem.alignment), "distances at a time": band})


def packed_host_bytes(alignment: AlignedSequences, threads: int) -> dict[str, int]:
    """Return the host memory of packed letters, and of threads that compare them."""
    rows, columns = alignment.letters.shape
    group, words = -(-rows // GROUP_ROWS) * GROUP_ROWS, -(-columns // WORD_COLUMNS)
    packed = 4 * group * words * count_planes(alignment.type)
    return {"packed letters": packed, "threads": threads * COLUMN_BUFFERS + min(rows, 1024) * columns}


def packed_device_bytes(alignment: AlignedSequences) -> dict[str, int]:
    """Return the device memory of letters and packed letters."""
    rows, columns = alignment.letters.shape
    stride, words = -(-rows // ROW_STEP) * ROW_STEP, -(-columns // WORD_COLUMNS)
    packed = 4 * stride * words * count_planes(alignment.type)
    return {"letters": rows * columns + ROUNDED, "packed letters": packed + 4 * columns + ROUNDED}


def column_band_rows(rows: int) -> int:
    """Return the rows of distances between rows of an alignment that a device has at a time."""
    return max(1, ALL_COUNTS // (8 * max(rows, 1)))


PAIR_CELLS, WORD_CELLS = 1000, 100
"""Cells that a pair of sequences without a common 6-mer costs as much as, and each that they have."""


def sixmer_work(problem: SixmerProblem, parameters: PairParameters) -> int:
    """Return the cost of 6-mer distances, in cells: a pair costs little more than its entry of the matrix."""
    pairs, possible = max(problem.pairs, 1), len(GROUPS if problem.is_protein else BASES) ** K
    mean = problem.cells / pairs
    shared = min(max(mean / possible, RELATED * mean**0.5), possible)
    return int(pairs * (PAIR_CELLS + WORD_CELLS * shared))


RELATED = 0.1
"""Share of the 6-mers that related sequences have in common."""
