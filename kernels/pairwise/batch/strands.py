"""Both strands of a batch: it is computed once for each strand, and every pair takes its better one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import PART_STEPS, Monitor, PartMonitor
from antidiag.kernels.pairwise.batch.model import BatchAnswer, BatchPaths, BatchProblem
from antidiag.kernels.scoring import Strand

ComputeBatch = Callable[[BatchProblem, Monitor], Outcome]
"""Computes a batch of one strand."""


def compute_strands(problem: BatchProblem, monitor: Monitor, compute: ComputeBatch) -> Outcome:
    """Return the outcome of a batch, of whatever strand; the forward strand wins a tie."""
    if problem.strand is not Strand.BOTH:
        found = compute(problem, monitor)
        return replace(found, answer=_name_strand(problem, found.answer))
    outcomes = []
    for number, one in enumerate(problem.strand_problems):
        outcomes.append(compute(one, PartMonitor(monitor, number, 2, f"{one.strand} strand")))
    monitor.update(2 * PART_STEPS, 2 * PART_STEPS)
    times = {name: sum(one.times_ms.get(name, 0.0) for one in outcomes) for name in outcomes[0].times_ms}
    answer = choose_strands(*(one.answer for one in outcomes))
    return Outcome(answer, times, sum(one.host_bytes for one in outcomes), max(one.device_bytes for one in outcomes))


def _name_strand(problem: BatchProblem, answer: BatchAnswer) -> BatchAnswer:
    """Return the answer of a batch of one strand, which says so where that is the reverse one."""
    if problem.strand is Strand.FORWARD:
        return answer
    return BatchAnswer(answer.scores, answer.paths, np.ones(problem.pair_count, bool))


def choose_strands(forward: BatchAnswer, reverse: BatchAnswer) -> BatchAnswer:
    """Return the better answer of each pair, the forward one where both score the same."""
    is_reversed = reverse.scores > forward.scores
    scores = np.where(is_reversed, reverse.scores, forward.scores)
    if forward.paths is None or reverse.paths is None:
        return BatchAnswer(scores, None, is_reversed)
    one, other = forward.paths, reverse.paths
    paths = BatchPaths(
        np.where(is_reversed[:, None], other.starts, one.starts),
        np.where(is_reversed[:, None], other.ends, one.ends),
        (*one.pieces, *other.pieces),
        np.where(is_reversed, other.piece_numbers + len(one.pieces), one.piece_numbers).astype(np.int32),
        np.where(is_reversed, other.begins, one.begins),
        np.where(is_reversed, other.lengths, one.lengths),
    )
    return BatchAnswer(scores, paths, is_reversed)
