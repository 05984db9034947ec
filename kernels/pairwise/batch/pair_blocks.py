"""A batch in blocks of consecutive pairs, each computed by itself, whose answers are joined in their order."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from antidiag.kernels.model import Outcome, sequence_lengths
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.batch.model import BatchAnswer, BatchPaths, BatchProblem
from antidiag.kernels.run_splitting import RunPiece

MOST_LETTERS, MOST_PAIRS = 1 << 25, 20_000
"""Letters and pairs of a block: enough to fill a GPU, and little memory."""


def list_blocks(problem: BatchProblem, least: int) -> list[RunPiece]:
    """Return blocks of pairs in their order; ``least`` of them if there are so many pairs."""
    step = min(MOST_PAIRS, -(-problem.pair_count // least))
    borders = np.append(np.arange(0, problem.pair_count, step), problem.pair_count)
    borders = _cut_letters(problem, borders)
    _, cells = _sum_pairs_before(problem, borders)
    return [
        RunPiece(f"pairs {first:,} to {last:,}", {"first": first, "last": last}, float(cost))
        for (first, last), cost in zip(itertools.pairwise(borders.tolist()), np.diff(cells).tolist(), strict=True)
    ]


def _cut_letters(problem: BatchProblem, borders: np.ndarray) -> np.ndarray:
    """Return the borders of blocks, int64, with more of them in blocks of more than MOST_LETTERS."""
    letters, _ = _sum_pairs_before(problem, borders)
    parts = np.maximum(-(-np.diff(letters) // MOST_LETTERS), 1)
    own = np.repeat(np.arange(parts.size), parts - 1)
    number = np.arange(1, own.size + 1) - np.repeat(np.cumsum(parts - 1) - (parts - 1), parts - 1)
    wanted = letters[own] + np.diff(letters)[own] * number // parts[own]
    return np.unique(np.concatenate([borders, _find_pairs(problem, wanted)]))


def _find_pairs(problem: BatchProblem, letters: np.ndarray) -> np.ndarray:
    """Return the first pair before which all pairs together have so many letters, for each of ``letters``; int64."""
    low, high = np.zeros_like(letters), np.full_like(letters, problem.pair_count)
    while (low < high).any():
        middle = (low + high) // 2
        is_before = _sum_pairs_before(problem, middle)[0] < letters
        low, high = np.where(is_before, middle + 1, low), np.where(is_before, high, middle)
    return low


def _sum_pairs_before(problem: BatchProblem, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the letters and the cells of all pairs before each of ``numbers``, int64, without a list of the pairs."""
    lengths = sequence_lengths(problem.sequences).astype(np.int64)
    sums = np.concatenate([[0], np.cumsum(lengths)])
    begins, ends = problem.second_ranges
    own, seconds = lengths[: begins.size], sums[ends] - sums[begins]
    letters, cells = ((row.cumsum() - row) for row in (own * (ends - begins) + seconds, own * seconds))
    row = np.searchsorted(problem.pair_begins, numbers, side="right") - 1
    count = numbers - problem.pair_begins[row]
    before = sums[begins[row] + count] - sums[begins[row]]
    return letters[row] + own[row] * count + before, cells[row] + own[row] * before


def block_problem(problem: BatchProblem, numbers: Mapping[str, Any]) -> BatchProblem:
    """Return the problem of a block."""
    return problem.select_pairs(int(numbers["first"]), int(numbers["last"]))


def join_blocks(problem: BatchProblem, blocks: Iterable[tuple[RunPiece, BatchAnswer]], monitor: Monitor) -> Outcome:
    """Return the answer of all blocks, which come in any order."""
    ordered = [answer for _, answer in sorted(blocks, key=lambda block: block[0].numbers["first"])]
    strands = [answer.is_reversed for answer in ordered if answer.is_reversed is not None]
    answer = BatchAnswer(
        np.concatenate([answer.scores for answer in ordered]),
        _join_paths([answer.paths for answer in ordered if answer.paths is not None]),
        np.concatenate(strands) if strands else None,
    )
    return Outcome(answer, {})


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
