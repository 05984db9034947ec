"""The answer of a search: hits in arrays, with their alignments, and the distribution of all scores."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Sequences
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.model import Sequence
from antidiag.kernels.pairwise.model import Alignment, PairProblem, rescore_path
from antidiag.kernels.pairwise.search.problem import SearchProblem
from antidiag.kernels.pairwise.search.score_statistics import ScoreParameters
from antidiag.kernels.serialization import stored

SCORE_BINS = 512
"""Bins of the distribution of scores; the last one holds all greater scores."""


@stored("search-answer")
@dataclass(frozen=True, eq=False)
class SearchAnswer:
    """Hits, query after query, the best of each first.

    Parameters
    ----------
    query : ndarray of int32, shape (hits,)
        Number of the query of each hit, ascending.
    subject : ndarray of int32, shape (hits,)
        Number of its sequence among ``subjects``.
    reverse : ndarray of bool, shape (hits,)
        Whether the reverse complement of the query was found.
    scores : ndarray of int32, shape (hits,)
        Scores in engine units.
    bits, evalues : ndarray of float64, shape (hits,)
    subjects : sequences
        Every sequence that is hit, once; and ``numbers`` int64, their numbers in the database, from 0.
    starts, ends : ndarray of int32, shape (hits, 2)
        First letter and end of each alignment in the searched strand of the query and in the sequence, from 0 and
        half-open; of shape (0, 2) without alignments.
    operations, operation_offsets : ndarray of uint8, ndarray of int64
        Operations of all alignments, and where those of each begin.
    histogram : ndarray of int64, shape (queries, SCORE_BINS)
        How many sequences of the database reach each score, in units of the matrix.
    statistics : ScoreParameters
        Parameters of E-values and bit scores.
    """

    query: np.ndarray
    subject: np.ndarray
    reverse: np.ndarray
    scores: np.ndarray
    bits: np.ndarray
    evalues: np.ndarray
    subjects: Sequences[Sequence]
    numbers: np.ndarray
    histogram: np.ndarray
    statistics: ScoreParameters
    starts: np.ndarray
    ends: np.ndarray
    operations: np.ndarray
    operation_offsets: np.ndarray

    def __len__(self) -> int:
        return self.scores.size

    @property
    def has_alignments(self) -> bool:
        """Whether the hits are aligned."""
        return bool(self.starts.shape[0]) or not len(self)

    def hits_of_query(self, number: int) -> range:
        """Return the numbers of the hits of a query."""
        first, end = np.searchsorted(self.query, [number, number + 1]).tolist()
        return range(first, end)

    def alignment(self, hit: int) -> Alignment | None:
        """Return the alignment of a hit in the searched strand of its query; None where hits are not aligned."""
        if not self.starts.shape[0]:
            return None
        part = slice(int(self.operation_offsets[hit]), int(self.operation_offsets[hit + 1]))
        start, end = (tuple(map(int, place[hit])) for place in (self.starts, self.ends))
        return Alignment(start, end, self.operations[part])  # type: ignore[arg-type]

    def searched_query(self, problem: SearchProblem, hit: int) -> Sequence:
        """Return the query of a hit on the strand that was found."""
        strands = problem.strands
        return problem.searched[int(self.query[hit]) * len(strands) + strands.index(bool(self.reverse[hit]))]

    def pair(self, problem: SearchProblem, hit: int) -> PairProblem:
        """Return the pair problem of a hit: the searched strand of its query, and its sequence."""
        subject = self.subjects[int(self.subject[hit])]
        return PairProblem(self.searched_query(problem, hit), subject, problem.scoring)

    def check(self, problem: SearchProblem) -> None:
        """Rescore every path independently; raise AssertionError where hits, order or scores do not fit."""
        assert (np.diff(self.query) >= 0).all(), "hits are not sorted by query"
        same = np.diff(self.query) == 0
        assert (np.diff(self.scores)[same] <= 0).all(), "hits of a query are not sorted by score"
        counts = np.bincount(self.query, minlength=len(problem.queries))
        assert (counts <= problem.most_hits).all(), "a query has more hits than wanted"
        assert (self.evalues <= problem.max_evalue).all(), "a hit has a greater E-value than allowed"
        assert self.histogram.sum() == len(problem.queries) * problem.database.count, "the histogram misses sequences"
        for hit in range(len(self)) if self.starts.shape[0] else ():
            path = self.alignment(hit)
            assert path is not None
            found = rescore_path(self.pair(problem, hit), path)
            assert found == self.scores[hit], f"hit {hit} scores {found}, the answer says {self.scores[hit]}"


def iterate_queries(problem: SearchProblem, answer: SearchAnswer) -> Iterator[tuple[Sequence, range]]:
    """Yield every query with the numbers of its hits."""
    for number, query in enumerate(problem.queries):
        yield query, answer.hits_of_query(number)


def expected_counts(problem: SearchProblem, answer: SearchAnswer, query: int) -> np.ndarray:
    """Return how many sequences are expected by chance in each bin of a query's histogram, float64 (SCORE_BINS,).

    A sequence scores S or more with the probability 1 - exp(-E(S) / count), where E is that of a sequence of average
    length. It is the curve beside ``SearchAnswer.histogram``.
    """
    database, length = problem.database, len(problem.queries[query])
    scores = np.arange(SCORE_BINS, dtype=float) * problem.scoring.scale
    average = np.full(SCORE_BINS, database.letter_count / database.count)
    evalues = answer.statistics.evalues(scores, length, average, database.letter_count, database.count)
    reached = database.count * -np.expm1(-evalues / database.count)
    reached[0] = database.count  # every sequence scores 0 or more
    return reached - np.append(reached[1:], 0.0)


def join_alignments(paths: Sequences[Alignment]) -> dict[str, np.ndarray]:
    """Return the arrays of alignments as `SearchAnswer` has them."""
    offsets = np.zeros(len(paths) + 1, np.int64)
    np.cumsum([path.operations.size for path in paths], out=offsets[1:])
    return {
        "starts": np.array([path.start for path in paths], np.int32).reshape(-1, 2),
        "ends": np.array([path.end for path in paths], np.int32).reshape(-1, 2),
        "operations": np.concatenate([np.zeros(0, np.uint8), *(path.operations for path in paths)]).astype(np.uint8),
        "operation_offsets": offsets,
    }
