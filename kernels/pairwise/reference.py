"""The textbook recurrence of affine-gap alignment (Gotoh; Li et al. 2012, section III): short, slow, easy to trust.

Whole matrices, one row after another, in the orientation of the strips, since the tie rule is stated there:
the best end cell is the one with the greatest score, then the smallest row, then the smallest column; going back,
diagonal before E before F, and opening a gap before extending it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.pairwise.encoding import NEGATIVE, EncodedPair, encode_pair
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, PairAnswer, PairProblem


@dataclass(frozen=True, eq=False)
class AffineMatrices:
    """H, E and F of all cells (m + 1, n + 1), int64; E ends with a letter of the first sequence against a gap."""

    H: np.ndarray
    E: np.ndarray
    F: np.ndarray


def compute_matrices(problem: PairProblem) -> AffineMatrices:
    """Return all three matrices in the orientation of the problem: rows belong to the first sequence."""
    found = _fill_matrices(encode_pair(problem))
    return AffineMatrices(found.H.T, found.F.T, found.E.T) if problem.swapped else found


def align_pair(problem: PairProblem) -> PairAnswer:
    """Return the best alignment by the tie rule; of both strands the better one, the forward strand where they tie."""
    return max(map(_align_variant, problem.variants), key=lambda answer: answer.score)


def _align_variant(problem: PairProblem) -> PairAnswer:
    pair = encode_pair(problem)
    filled = _fill_matrices(pair)
    end = _find_end(pair, filled.H)
    start, operations = _trace_back(pair, filled, end)
    return pair.make_answer(int(filled.H[end]), end, pair.make_alignment(start, end, operations))


def _fill_matrices(pair: EncodedPair) -> AffineMatrices:
    m, n = pair.rows.size, pair.columns.size
    H, E, F = (np.full((m + 1, n + 1), NEGATIVE, np.int64) for _ in range(3))
    H[:, 0], H[0, :] = pair.left_scores(0, m + 1), pair.top_scores(0, n + 1)
    if not pair.free.left:
        E[1:, 0] = H[1:, 0]
    if not pair.free.top:
        F[0, 1:] = H[0, 1:]
    for i in range(1, m + 1):  # what depends on the row above as arrays, the rest as lists: much faster
        E[i, 1:] = np.maximum(E[i - 1, 1:], H[i - 1, 1:] - pair.open) - pair.extend
        diagonal = H[i - 1, :-1] + pair.table[pair.rows[i - 1], pair.columns]
        above = np.maximum(np.maximum(diagonal, E[i, 1:]), pair.score_floor).tolist()
        h, f = H[i].tolist(), F[i].tolist()
        for j in range(1, n + 1):
            f[j] = max(f[j - 1], h[j - 1] - pair.open) - pair.extend
            h[j] = max(above[j - 1], f[j])
        H[i], F[i] = h, f
    return AffineMatrices(H, E, F)


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
    H, E, F = filled.H, filled.E, filled.F
    (i, j), state, operations = end, H, []
    while not (state is H and _may_start(pair, H, i, j)):
        if state is H:
            if i and j and H[i, j] == H[i - 1, j - 1] + pair.table[pair.rows[i - 1], pair.columns[j - 1]]:
                operations.append(DIAGONAL)
                i, j = i - 1, j - 1
            else:
                state = E if H[i, j] == E[i, j] else F
        elif state is E:
            opens = E[i, j] == H[i - 1, j] - pair.open - pair.extend
            operations.append(UP)
            i, state = i - 1, H if opens else E
        else:
            opens = F[i, j] == H[i, j - 1] - pair.open - pair.extend
            operations.append(LEFT)
            j, state = j - 1, H if opens else F
    return (i, j), np.array(operations[::-1], np.uint8)
