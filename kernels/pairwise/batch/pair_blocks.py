"""A batch in blocks of consecutive pairs, each computed by itself, whose answers are joined in their order."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from antidiag.kernels.model import sequence_lengths
from antidiag.kernels.pairwise.batch.model import BatchAnswer, BatchPaths, BatchProblem
from antidiag.kernels.run_splitting import RunPiece

MOST_LETTERS, MOST_PAIRS = 1 << 25, 20_000
"""Letters and pairs of a block: enough to fill a GPU, and little memory."""


def list_blocks(problem: BatchProblem, least: int) -> list[RunPiece]:
    """Return blocks of pairs in their order; ``least`` of them if there are so many pairs."""
    lengths = sequence_lengths(problem.sequences).astype(np.int64)
    step = min(MOST_PAIRS, -(-problem.pair_count // least))
    return [
        block
        for first in range(0, problem.pair_count, step)
        for block in _cut_letters(problem, lengths, first, min(first + step, problem.pair_count))
    ]


def _cut_letters(problem: BatchProblem, lengths: np.ndarray, first: int, last: int) -> Iterator[RunPiece]:
    """Yield the blocks of a range of pairs, which end where they have MOST_LETTERS."""
    pairs = problem.index_pairs(first, last)
    rows, columns = lengths[pairs.firsts], lengths[pairs.seconds]
    parts = np.cumsum(rows + columns) // MOST_LETTERS
    borders = [first, *(first + 1 + np.flatnonzero(np.diff(parts))).tolist(), last]
    for begin, end in itertools.pairwise(borders):
        cells = rows[begin - first : end - first] @ columns[begin - first : end - first]
        yield RunPiece(f"pairs {begin:,} to {end:,}", {"first": begin, "last": end}, float(cells))


def block_problem(problem: BatchProblem, numbers: Mapping[str, Any]) -> BatchProblem:
    """Return the problem of a block."""
    return problem.select_pairs(int(numbers["first"]), int(numbers["last"]))


def join_blocks(problem: BatchProblem, blocks: Iterable[tuple[RunPiece, BatchAnswer]]) -> BatchAnswer:
    """Return the answer of all blocks, which come in any order."""
    ordered = [answer for _, answer in sorted(blocks, key=lambda block: block[0].numbers["first"])]
    strands = [answer.is_reversed for answer in ordered if answer.is_reversed is not None]
    return BatchAnswer(
        np.concatenate([answer.scores for answer in ordered]),
        _join_paths([answer.paths for answer in ordered if answer.paths is not None]),
        np.concatenate(strands) if strands else None,
    )


def _join_paths(parts: list[BatchPaths]) -> BatchPaths | None:
    """Return the paths of consecutive blocks as one."""
    if not parts:
        return None
    before = list(itertools.accumulate((len(part.pieces) for part in parts), initial=0))
    numbers = [part.piece_numbers + count for part, count in zip(parts, before, strict=False)]
    return BatchPaths(
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.ends for part in parts]),
        tuple(piece for part in parts for piece in part.pieces),
        np.concatenate(numbers).astype(np.int32),
        np.concatenate([part.begins for part in parts]),
        np.concatenate([part.lengths for part in parts]),
    )
