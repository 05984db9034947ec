"""Bytes that a batch of pairs needs. Imports no compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from antidiag.kernels.memory import Footprint
from antidiag.kernels.model import sequence_lengths
from antidiag.kernels.pairwise.batch.model import ALL, RECORDS, BatchProblem

PAIR_BYTES = {"cpu": {"scores": 70, "paths": 120}, "cuda": {"scores": 180, "paths": 130}}
"""Bytes of numbers, sizes and places of a pair on the host, by backend: for its score, or beside its path."""
OPERATION_BYTES = {"cpu": 1.5, "cuda": 0.75}
"""Bytes of operations on the host for each letter of both sequences: a CPU makes room for a path of gaps alone."""
SMALL_CELLS = 1 << 19
"""Pairs up to so many cells are computed by one compiled call on a CPU, with a byte of decisions a cell; two bytes with
gap costs of two pieces. Above about 400,000 cells the striped methods are faster (one thread of an AMD EPYC)."""
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
        host["rows"] = parameters.threads * (4 * (1 + pieces) * int(longest[-1]) + pieces * SMALL_CELLS * paths)
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
