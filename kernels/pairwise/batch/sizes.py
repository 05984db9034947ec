"""Bytes that a batch of pairs needs. Imports no compiled code."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from antidiag.kernels.memory import Footprint
from antidiag.kernels.model import sequence_lengths
from antidiag.kernels.pairwise.batch.model import ALL, RECORDS, BatchProblem

PAIR_BYTES = {"cpu": {"scores": 115, "paths": 165}, "cuda": {"scores": 180, "paths": 130}}
"""Bytes of numbers, sizes and places of a pair on the host, by backend: for its score, or beside its path."""
OPERATION_BYTES = {"cpu": 1.5, "cuda": 0.75}
"""Bytes of operations on the host for each letter of both sequences: a CPU makes room for a path of gaps alone."""
SMALL_CELLS, SMALL_COLUMNS = 3 << 19, (1 << 15) - 1
"""The largest pairs that lie side by side in the lanes of vectors on a CPU, with a byte of decisions a cell; two bytes
with gap costs of two pieces. For larger ones the striped methods take less memory, and are as fast for a lone pair."""
VECTOR_BYTES, MOST_LANES = 64, 32
"""Bytes of a vector, and its lanes of 16 bits; of 32 bits it has half as many."""
BORDER_BYTES = 0.5
"""Bytes of stored borders of a cell on a GPU, for paths."""
SLICE_BYTES = 4 << 30
"""Bytes of the borders, columns and operations of a slice on a GPU."""


def count_path_letters(problem: BatchProblem) -> int:
    """Return the letters of both sequences summed over all pairs: the most operations that paths have."""
    lengths = sequence_lengths(problem.sequences)
    total, count = int(lengths.sum()), lengths.size
    if problem.pairing == RECORDS:
        return total
    if problem.pairing == ALL:
        return total * (count - 1)
    queries = int(lengths[: problem.query_count].sum())
    return queries * (count - problem.query_count) + (total - queries) * problem.query_count


def is_small(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return which pairs of these lengths are computed in lanes on a CPU."""
    return (rows * columns <= SMALL_CELLS) & (columns <= SMALL_COLUMNS)


def most_table_cells(rows: int, columns: int) -> int:
    """Return the cells of the largest table of a group of small pairs, none longer than these lengths."""
    return min(rows * columns, SMALL_CELLS)


def lane_bytes(rows: int, columns: int, pieces: int, paths: bool) -> int:
    """Return the bytes of the work space of a thread for small pairs, none longer than these lengths."""
    vectors = min(rows, math.isqrt(SMALL_CELLS)) + (3 + pieces) * (min(columns, SMALL_COLUMNS) + MOST_LANES)
    return VECTOR_BYTES * vectors + MOST_LANES * pieces * most_table_cells(rows, columns) * paths


def estimate_score_memory(problem: BatchProblem, parameters: Any, backend: str) -> Footprint:
    """Return the bytes of a batch without paths."""
    return _estimate(problem, parameters, backend, paths=False)


def estimate_path_memory(problem: BatchProblem, parameters: Any, backend: str) -> Footprint:
    """Return the bytes of a batch with paths."""
    return _estimate(problem, parameters, backend, paths=True)


def _estimate(problem: BatchProblem, parameters: Any, backend: str, paths: bool) -> Footprint:
    lengths = sequence_lengths(problem.sequences)
    letters, operations = int(lengths.sum()), count_path_letters(problem) * paths
    strands = len(problem.strand_problems)
    host = {
        "pairs": PAIR_BYTES[backend]["paths" if paths else "scores"] * problem.pair_count * strands,
        "paths": int(OPERATION_BYTES[backend] * operations) * strands,
    }
    longest = np.sort(lengths)[-2:].astype(np.int64)
    if backend == "cpu":
        pieces = len(problem.scoring.gap_pieces)
        host["lanes"] = parameters.threads * lane_bytes(int(longest[0]), int(longest[-1]), pieces, paths)
        return Footprint(host=host)
    largest = int(longest.prod())
    slice_bytes = 2 * count_path_letters(problem) + 24 * problem.pair_count
    if paths:
        slice_bytes += int(BORDER_BYTES * problem.cells) + 2 * operations
    device = {
        "codes": letters,
        "slice": min(slice_bytes, SLICE_BYTES) + int(BORDER_BYTES * largest * paths),
    }
    return Footprint(host=host, device=device)
