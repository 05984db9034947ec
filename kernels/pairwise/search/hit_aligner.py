"""Alignment of the hits of a search in batches that threads share, and limits of identity and coverage."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.monitor import CancelOnlyMonitor
from antidiag.kernels.pairwise.batch.model import BatchProblem
from antidiag.kernels.pairwise.batch.parameters import BatchParameters
from antidiag.kernels.pairwise.model import Alignment, PairProblem
from antidiag.kernels.pairwise.search.database import OpenedDatabase
from antidiag.kernels.pairwise.search.problem import SearchProblem
from antidiag.kernels.steps import StepLog

ALIGNED_AT_A_TIME = 256
"""Hits that are aligned before it is looked whether enough of them pass the limits."""


class HitAligner:
    """Aligns the hits of a search on the threads of a run."""

    def __init__(self, problem: SearchProblem, database: OpenedDatabase, run: CpuRun) -> None:
        self._problem, self._database, self._run = problem, database, run
        self._monitor = CancelOnlyMonitor(run.monitor)

    def align(
        self, query: int, numbers: np.ndarray, strands: np.ndarray, report: Callable[[int], None]
    ) -> tuple[np.ndarray, list[Alignment]]:
        """Return which hits of a query are within the limits, and their alignments, at most ``problem.most_hits``.

        Parameters
        ----------
        query : int
            Number of the query.
        numbers, strands : ndarray of int64 and int8, shape (hits,)
            Sequences by their numbers in the sorted database, and strands, the best hit first.
        report : callable
            ``report(aligned)`` tells the hits of this query that are aligned; it raises Cancelled.

        Returns
        -------
        places : ndarray of int64
            The hits within the limits, ascending.
        alignments : list of Alignment
            One for each of these.
        """
        kept: list[int] = []
        paths: list[Alignment] = []
        for first in range(0, numbers.size, ALIGNED_AT_A_TIME):
            part = slice(first, min(first + ALIGNED_AT_A_TIME, numbers.size))
            pairs = self._make_pairs(query, numbers[part], strands[part])
            report(len(paths))
            aligned = self._align_pairs(pairs)
            for place, (pair, path) in enumerate(zip(pairs, aligned, strict=True), first):
                if len(paths) < self._problem.most_hits and is_within_limits(self._problem, pair, path):
                    kept.append(place)
                    paths.append(path)
            if len(paths) >= self._problem.most_hits:
                break
        return np.array(kept, np.int64), paths

    def _make_pairs(self, query: int, numbers: np.ndarray, strands: np.ndarray) -> list[PairProblem]:
        """Return the pairs of the query, on the strand of each hit, and the sequences."""
        problem = self._problem
        first = query * len(problem.strands)
        searched = (problem.searched[first + int(strand)] for strand in strands)
        subjects = self._database.take(numbers)
        return [PairProblem(one, other, problem.scoring) for one, other in zip(searched, subjects, strict=True)]

    def _align_pairs(self, pairs: list[PairProblem]) -> list[Alignment]:
        """Return the alignments of pairs, which threads share."""
        from antidiag.kernels.pairwise.batch.cpu import align_batch  # compiled code, of CPU backends alone

        sequences = [*(pair.first for pair in pairs), *(pair.second for pair in pairs)]
        batch = BatchProblem(sequences, self._problem.scoring)
        outcome = align_batch(batch, BatchParameters(threads=self._run.threads), self._monitor, StepLog(keeps=False))
        return [outcome.answer.paths[number] for number in range(len(pairs))]


def is_within_limits(problem: SearchProblem, pair: PairProblem, path: Alignment) -> bool:
    """Return whether an alignment has the identity and coverage that are asked for."""
    if not problem.filters_alignments:
        return True
    columns, letters = path.operations.size, path.end[0] - path.start[0]
    identical = int(path.find_identical(*pair.sequences).sum())
    return 100 * identical >= problem.min_identity * columns and 100 * letters >= problem.min_coverage * len(pair.first)
