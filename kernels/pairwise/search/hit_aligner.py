"""Alignment of the hits of a search in batches that threads share, and limits of identity and coverage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun
from antidiag.kernels.monitor import CancelOnlyMonitor
from antidiag.kernels.pairwise.batch.model import BatchProblem
from antidiag.kernels.pairwise.batch.parameters import BatchParameters
from antidiag.kernels.pairwise.model import Alignment
from antidiag.kernels.pairwise.search.database import OpenedDatabase
from antidiag.kernels.pairwise.search.problem import SearchProblem
from antidiag.kernels.sequences.sequence_set import SequenceSet, concatenate
from antidiag.kernels.steps import StepLog

ALIGNED_AT_A_TIME = 256
"""Hits of a query that are aligned before it is looked whether enough of them pass the limits."""
ALIGNED_TOGETHER = 4096
"""Hits of several queries that are aligned in one batch, about."""

AlignedHits = tuple[np.ndarray, list[Alignment]]
"""The places of the hits of a query that are within the limits, int64, ascending, and the alignment of each."""


def align_hits(
    problem: SearchProblem,
    database: OpenedDatabase,
    hits: Sequence[tuple[np.ndarray, np.ndarray]],
    run: CpuRun,
    phase: CpuPhase,
) -> list[AlignedHits]:
    """Return for each query which hits are within the limits, and their alignments, at most ``problem.most_hits``.

    ``hits`` are, for each query, sequences by their numbers in the sorted database, and strands, the best hit first.
    The threads of the run share them; ``phase`` reports those that are aligned, and hears Cancel.
    """
    kept: list[list[int]] = [[] for _ in hits]
    paths: list[list[Alignment]] = [[] for _ in hits]
    tried = [0] * len(hits)
    while wanted := _choose_next(problem, [numbers.size for numbers, _ in hits], tried, paths):
        phase.report(sum(map(len, paths)))
        chosen = [(query, hits[query][0][at], hits[query][1][at]) for query, at in wanted]
        batch = _make_batch(problem, database, chosen)
        aligned = iter(enumerate(_align_pairs(batch, run)))
        for query, places in wanted:
            for place in range(places.start, places.stop):
                number, path = next(aligned)
                if len(paths[query]) < problem.most_hits and is_within_limits(problem, batch, number, path):
                    kept[query].append(place)
                    paths[query].append(path)
            tried[query] = places.stop
    return [(np.array(places, np.int64), own) for places, own in zip(kept, paths, strict=True)]


def _choose_next(
    problem: SearchProblem, counts: Sequence[int], tried: Sequence[int], paths: Sequence[Sequence[Alignment]]
) -> list[tuple[int, slice]]:
    """Return the next hits to align, of as many queries as a batch takes: queries, and places of their hits."""
    chosen: list[tuple[int, slice]] = []
    together, most = 0, problem.most_hits
    for query, (count, first) in enumerate(zip(counts, tried, strict=True)):
        if together >= ALIGNED_TOGETHER:
            break
        if first < count and len(paths[query]) < most:
            last = min(first + ALIGNED_AT_A_TIME, count)
            chosen.append((query, slice(first, last)))
            together += last - first
    return chosen


def _make_batch(
    problem: SearchProblem, database: OpenedDatabase, hits: Sequence[tuple[int, np.ndarray, np.ndarray]]
) -> BatchProblem:
    """Return the pairs of queries, on the strand of each hit, and sequences."""
    strands = len(problem.strands)
    searched = np.concatenate([query * strands + own.astype(np.int64) for query, _, own in hits])
    queries = SequenceSet.from_sequences(problem.searched).take(searched)
    subjects = SequenceSet.from_sequences(database.take(np.concatenate([numbers for _, numbers, _ in hits])))
    return BatchProblem(concatenate([queries, subjects]), problem.scoring)


def _align_pairs(batch: BatchProblem, run: CpuRun) -> Iterator[Alignment]:
    """Yield the alignments of pairs, which threads share."""
    from antidiag.kernels.pairwise.batch.cpu import align_batch  # compiled code, of CPU backends alone

    parameters, monitor = BatchParameters(threads=run.threads), CancelOnlyMonitor(run.monitor)
    paths = align_batch(batch, parameters, monitor, StepLog(keeps=False)).answer.paths
    return (paths[number] for number in range(batch.pair_count))


def is_within_limits(problem: SearchProblem, batch: BatchProblem, number: int, path: Alignment) -> bool:
    """Return whether the alignment of a pair has the identity and coverage that are asked for."""
    if not problem.filters_alignments:
        return True
    query, subject = batch.make_pair(number).sequences
    columns, letters = path.operations.size, path.end[0] - path.start[0]
    identical = int(path.find_identical(query, subject).sum())
    return 100 * identical >= problem.min_identity * columns and 100 * letters >= problem.min_coverage * len(query)
