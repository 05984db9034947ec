"""What the alignments of hits are like: identical letters, columns and gaps, of a million hits in arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP
from antidiag.kernels.pairwise.search.answer import SearchAnswer
from antidiag.kernels.pairwise.search.problem import SearchProblem
from antidiag.kernels.sequences.alphabets import identity_codes

CHUNK = 1 << 21
"""Operations that are compared at a time."""


@dataclass(frozen=True, eq=False)
class HitMeasures:
    """Counts of each aligned hit, int64 of shape (hits,).

    ``identical`` are columns with the same letter twice, ``columns`` all columns, ``gap_letters`` letters against gaps.
    """

    identical: np.ndarray
    columns: np.ndarray
    gap_letters: np.ndarray


def measure_hits(problem: SearchProblem, answer: SearchAnswer, monitor: Monitor) -> HitMeasures | None:
    """Return the counts of all hits, None where hits are not aligned; raises Cancelled.

    Ambiguous letters are identical to nothing, and U is T (`kernels.sequences.alphabets`).
    """
    if not answer.starts.shape[0]:
        return None
    offsets = answer.operation_offsets
    identical, gaps = np.zeros(len(answer), np.int64), np.zeros(len(answer), np.int64)
    first = 0
    while first < len(answer):
        end = int(np.searchsorted(offsets, offsets[first] + CHUNK, side="right")) - 1
        end = min(max(end, first + 1), len(answer))
        identical[first:end], gaps[first:end] = _compare_hits(problem, answer, first, end)
        monitor.update(end, len(answer), "comparing letters")
        first = end
    return HitMeasures(identical, np.diff(offsets), gaps)


def _compare_hits(problem: SearchProblem, answer: SearchAnswer, first: int, end: int) -> tuple[np.ndarray, np.ndarray]:
    """Return identical columns and letters against gaps of the hits first .. end - 1."""
    offsets = answer.operation_offsets[first : end + 1] - answer.operation_offsets[first]
    operations = answer.operations[answer.operation_offsets[first] : answer.operation_offsets[end]]
    hit = np.repeat(np.arange(end - first), np.diff(offsets))
    paired = operations == DIAGONAL
    gaps = np.bincount(hit[~paired], minlength=end - first)
    queries, query_starts = _join_queries(problem)
    different, own = np.unique(answer.subject[first:end], return_inverse=True)
    subjects = [answer.subjects[number].letters for number in different.tolist()]
    letters = np.frombuffer(b"".join(subjects), np.uint8)
    subject_starts = np.concatenate([[0], np.cumsum(list(map(len, subjects)))[:-1]]).astype(np.int64)[own]
    rows = query_starts[_strand_numbers(problem, answer, first, end)] + answer.starts[first:end, 0]
    columns = subject_starts + answer.starts[first:end, 1]
    top, bottom = (
        starts[hit] + _count_before(operations != other, offsets, hit)
        for starts, other in ((rows, LEFT), (columns, UP))
    )
    protein = [not problem.nucleotides, problem.database.type == SequenceType.PROTEIN]
    codes = [identity_codes(is_protein, uracil=problem.nucleotides) for is_protein in protein]
    above, below = codes[0][queries[top[paired]]], codes[1][letters[bottom[paired]]]
    same = (above == below) & (above > 0)
    return np.bincount(hit[paired][same], minlength=end - first), gaps


def _count_before(uses_letter: np.ndarray, offsets: np.ndarray, hit: np.ndarray) -> np.ndarray:
    """Return how many letters of a hit's row stand before each column, int64."""
    before = np.concatenate([[0], np.cumsum(uses_letter, dtype=np.int64)])
    return before[:-1] - before[offsets[:-1]][hit]


def _join_queries(problem: SearchProblem) -> tuple[np.ndarray, np.ndarray]:
    """Return the letters of all searched strands, one after another, and where each begins."""
    lengths = np.array([len(one) for one in problem.searched], np.int64)
    return np.concatenate([one.letter_array for one in problem.searched]), np.cumsum(lengths) - lengths


def _strand_numbers(problem: SearchProblem, answer: SearchAnswer, first: int, end: int) -> np.ndarray:
    """Return the number among the searched strands of what was found in each hit."""
    of_strand = np.array(
        [problem.strands.index(reverse) if reverse in problem.strands else 0 for reverse in (False, True)]
    )
    return answer.query[first:end] * len(problem.strands) + of_strand[answer.reverse[first:end].astype(int)]
