"""Bytes that a search needs. Imports no compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antidiag.kernels.memory import Footprint
from antidiag.kernels.pairwise.search import cuda_shapes

if TYPE_CHECKING:
    from antidiag.kernels.pairwise.search.problem import SearchProblem

LANE_TYPES = (np.int8, np.int16, np.int32)
"""Element types of the lanes, the narrowest first."""
SEGMENT = 1536
"""Letters of a query that the lanes compute at a time: H and E of 64 lanes take 192 KiB of the second cache."""
MOST_SCORES = 2**24
"""Scores of a block that are kept at a time: its sequences times the queries."""
REGISTER_BYTES = 64
"""Bytes of a vector register."""
ALIGNMENT_BYTES = 24
"""Bytes of the alignment of a hit for each letter of query and sequence, at most."""
RECORD_BYTES = 200
"""Bytes of a hit beside its alignment."""


def count_block_sequences(problem: SearchProblem, block: int) -> int:
    """Return the sequences of a block, at most: those of average length, and no more than `MOST_SCORES` scores."""
    database = problem.database
    average = max(database.letter_count / max(database.count, 1), 1)
    return int(min(block / average + 1, database.count, max(MOST_SCORES // max(problem.strand_count, 1), 1)))


def estimate_memory(problem: SearchProblem, parameters: Any, backend: str) -> Footprint:
    """Return the bytes that a search needs."""
    database = problem.database
    longest_query = max(map(len, problem.queries), default=0)
    lanes = REGISTER_BYTES * parameters.threads
    hits = problem.most_hits * len(problem.queries)
    paths = longest_query + min(database.longest, 2 * longest_query) if problem.aligns_hits else 0
    host = {
        "scores": 4 * problem.strand_count * count_block_sequences(problem, parameters.block),
        "hits": hits * (RECORD_BYTES + paths),
    }
    if not database.is_prepared:
        host["sorted database"] = 2 * database.letter_count + 48 * database.count
    if backend == "cpu":
        host["lanes"] = 3 * lanes * min(database.longest, parameters.block) + 2 * lanes * min(longest_query, SEGMENT)
    return Footprint(host=host, device=_device_bytes(problem, parameters.block) if backend == "cuda" else {})


def _device_bytes(problem: SearchProblem, block: int) -> dict[str, int]:
    """Return the bytes of a GPU: two blocks, one of which is copied while the other is computed."""
    database, queries = problem.database, [len(query) for query in problem.searched]
    sequences = count_block_sequences(problem, block)
    letters = min(block + database.longest, database.letter_count)
    blocks = 2 if database.letter_count > block else 1
    columns = letters // 2 + 3 * sequences
    longest = max(queries, default=0)
    paired = cuda_shapes.choose_shape(max(longest, 1), True)
    tables = sum(cuda_shapes.choose_shape(size, True).bytes_of_tables(size) for size in queries)
    return {
        "letters": blocks * (letters + 16 * sequences),
        "columns": blocks * 4 * columns,
        "borders": 8 * columns * (paired.count_strips(longest) > 1),
        "scores": blocks * 4 * len(queries) * sequences,
        "tables": min(tables, cuda_shapes.PROFILE_BYTES),
    }


def saved_bytes(problem: SearchProblem, parameters: Any, backend: str) -> int:
    """Return the bytes on disk of the parts of an interrupted search."""
    return 24 * problem.most_hits * len(problem.queries) + 8 * 512 * len(problem.queries)
