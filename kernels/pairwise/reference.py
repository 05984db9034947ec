"""The textbook recurrence of affine-gap alignment (Gotoh; Li et al. 2012, section III): short, slow, easy to trust.

With two-piece gap costs each piece has an E and an F of its own (Gotoh 1990; minimap2).

Whole matrices, one row after another, in the orientation of the strips, since the tie rule is stated there:
the best end cell is the one with the greatest score, then the smallest row, then the smallest column; going back,
diagonal before E before F, and opening a gap before extending it. With two pieces, E and F of the first go before those
of the second: where both give H, the gap of the first piece is the shorter one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from antidiag.kernels.pairwise.encoding import NEGATIVE, EncodedPair, encode_pair
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, PairAnswer, PairProblem


@dataclass(frozen=True, eq=False)
class AffineMatrices:
    """H, E and F of all cells (m + 1, n + 1), int64; E ends with a letter of the first sequence against a gap.

    ``each_e`` and ``each_f`` are those of each piece of the gap costs.
    """

    H: np.ndarray
    each_e: tuple[np.ndarray, ...]
    each_f: tuple[np.ndarray, ...]

    @property
    def E(self) -> np.ndarray:
        """E by the piece of the gap costs that gives more."""
        return np.maximum.reduce(self.each_e)

    @property
    def F(self) -> np.ndarray:
        """F by the piece of the gap costs that gives more."""
        return np.maximum.reduce(self.each_f)

    def transposed(self) -> AffineMatrices:
        """Return the matrices of the exchanged sequences."""
        each_e, each_f = (tuple(values.T for values in each) for each in (self.each_f, self.each_e))
        return AffineMatrices(self.H.T, each_e, each_f)


def compute_matrices(problem: PairProblem) -> AffineMatrices:
    """Return all three matrices in the orientation of the problem: rows belong to the first sequence."""
    found = _fill_matrices(encode_pair(problem))
    return found.transposed() if problem.swapped else found


def align_pair(problem: PairProblem) -> PairAnswer:
    """Return the best alignment by the tie rule; of both strands the better one, the forward strand where they tie."""
    return max(map(_align_variant, problem.variants), key=lambda answer: answer.score)


def _align_variant(problem: PairProblem) -> PairAnswer:
    pair = encode_pair(problem)
    filled = _fill_matrices(pair)
    end = _find_end(pair, filled.H)
    start, operations = _trace_back(pair, filled, end)
    return pair.make_answer(int(filled.H[end]), end, pair.make_alignment(start, end, operations))


def border_matrices(pair: EncodedPair) -> AffineMatrices:
    """Return the matrices of a pair with the values of row 0 and column 0, and minus infinity elsewhere."""
    m, n, pieces = pair.rows.size, pair.columns.size, pair.gap_pieces
    H, *gaps = (np.full((m + 1, n + 1), NEGATIVE, np.int64) for _ in range(1 + 2 * len(pieces)))
    each_e, each_f = gaps[: len(pieces)], gaps[len(pieces) :]
    H[:, 0], H[0, :] = pair.left_scores(0, m + 1), pair.top_scores(0, n + 1)
    for (opening, extend), E, F in zip(pieces, each_e, each_f, strict=True):
        if not pair.free.left:
            E[1:, 0] = -opening - extend * np.arange(1, m + 1)
        if not pair.free.top:
            F[0, 1:] = -opening - extend * np.arange(1, n + 1)
    return AffineMatrices(H, tuple(each_e), tuple(each_f))


def _fill_matrices(pair: EncodedPair) -> AffineMatrices:
    m, n, pieces = pair.rows.size, pair.columns.size, pair.gap_pieces
    found = border_matrices(pair)
    H, each_e, each_f = found.H, found.each_e, found.each_f
    for i in range(1, m + 1):  # what depends on the row above as arrays, the rest as lists: much faster
        above = np.maximum(H[i - 1, :-1] + pair.table[pair.rows[i - 1], pair.columns], pair.score_floor)
        for (opening, extend), E in zip(pieces, each_e, strict=True):
            E[i, 1:] = np.maximum(E[i - 1, 1:], H[i - 1, 1:] - opening) - extend
            above = np.maximum(above, E[i, 1:])
        h, without_gap, rows_of_F = H[i].tolist(), above.tolist(), [F[i].tolist() for F in each_f]
        for j in range(1, n + 1):
            h[j] = without_gap[j - 1]
            for (opening, extend), f in zip(pieces, rows_of_F, strict=True):
                f[j] = max(f[j - 1], h[j - 1] - opening) - extend
                h[j] = max(h[j], f[j])
        H[i] = h
        for F, f in zip(each_f, rows_of_F, strict=True):
            F[i] = f
    return found


def _find_end(pair: EncodedPair, H: np.ndarray) -> tuple[int, int]:
    reached = np.where(mark_ends(pair), H, 2 * NEGATIVE)
    i, j = np.unravel_index(np.argmax(reached), H.shape)  # the first maximum, row by row
    return int(i), int(j)


def mark_ends(pair: EncodedPair) -> np.ndarray:
    """Return in which cells a path may end, bool, shape (m + 1, n + 1)."""
    m, n = pair.rows.size, pair.columns.size
    may_end = np.full((m + 1, n + 1), pair.is_local)
    may_end[m, 0 if pair.free.bottom else n :] = may_end[0 if pair.free.right else m :, n] = True
    return may_end


def _may_start(pair: EncodedPair, H: np.ndarray, i: int, j: int) -> bool:
    """Return whether the best path to a cell may start there."""
    if pair.is_local:
        return bool(H[i, j] == 0)
    return (i, j) == (0, 0) or (i == 0 and pair.free.top) or (j == 0 and pair.free.left)


def _trace_back(pair: EncodedPair, filled: AffineMatrices, end: tuple[int, int]) -> tuple[tuple[int, int], np.ndarray]:
    """Return the start cell, and the operations from there to ``end``."""
    H, (i, j), operations = filled.H, end, list[int]()
    gap: GapState | None = None
    while not (gap is None and _may_start(pair, H, i, j)):
        if gap is None:
            if i and j and H[i, j] == H[i - 1, j - 1] + pair.table[pair.rows[i - 1], pair.columns[j - 1]]:
                operations.append(DIAGONAL)
                i, j = i - 1, j - 1
            else:
                gap = next(state for state in _gap_states(pair, filled) if state.values[i, j] == H[i, j])
        else:
            before = (i - 1, j) if gap.operation == UP else (i, j - 1)
            opens = gap.values[i, j] == H[before] - gap.first_letter_cost
            operations.append(gap.operation)
            (i, j), gap = before, None if opens else gap
    return (i, j), np.array(operations[::-1], np.uint8)


class GapState(NamedTuple):
    """A state of a traceback inside a gap: its values, the operation, and what the first letter of the gap costs."""

    values: np.ndarray
    operation: int
    first_letter_cost: int


def _gap_states(pair: EncodedPair, filled: AffineMatrices) -> list[GapState]:
    """Return the states of gaps in the order of the tie rule: E before F, and the first piece before the second."""
    return [
        GapState(values, operation, opening + extend)
        for operation, each in ((UP, filled.each_e), (LEFT, filled.each_f))
        for values, (opening, extend) in zip(each, pair.gap_pieces, strict=True)
    ]
