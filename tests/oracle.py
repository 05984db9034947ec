"""Textbook answers for the tests, written from the literature; nothing here calls a method or a helper of the product.

Pairs of sequences have Gotoh's recurrence (Gotoh 1982; Li et al. 2012, section III). Every search over all answers
(alignments, state paths, structures, bracketings) uses no recurrence at all; it is meant for a handful of letters.
From the product come the types that hold problems and answers, and the codes and scores that they carry.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby, pairwise, product
from math import prod

import numpy as np

from antidiag.kernels.folding.problem import ChainProblem, FoldingProblem
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment, PairAnswer, PairProblem
from antidiag.kernels.scoring import FreeEnds, Mode

MINUS_INFINITY = -(2**40)
Cell = tuple[int, int]


# Letters

AMBIGUOUS = {True: "BJXZ", False: "RYSWKMBDHVNX"}
"""Letters that stand for several residues, of proteins (True) and of nucleotides."""


def are_identical(one: str, other: str, protein: bool) -> bool:
    """Return whether two letters are certainly the same residue; an ambiguous letter is not even the same as itself."""
    if not protein:
        one, other = one.replace("U", "T"), other.replace("U", "T")
    return one == other and one not in AMBIGUOUS[protein]


def match_score(one: str, other: str, scores: tuple[float, float], protein: bool) -> float:
    """Return the score of two letters by match and mismatch; an ambiguous letter is a mismatch of at most 0."""
    match, mismatch = scores
    if {one, other} & set(AMBIGUOUS[protein]):
        return min(mismatch, 0)
    return match if are_identical(one, other, protein) else mismatch


def count_identical(problem: PairProblem, alignment: Alignment, protein: bool) -> int:
    """Return the columns of an alignment that hold identical letters, by walking along it."""
    (i, j), found = alignment.start, 0
    first, second = (sequence.letters.decode() for sequence in problem.sequences)
    for operation in alignment.operations.tolist():
        found += operation == DIAGONAL and are_identical(first[i], second[j], protein)
        i, j = i + (operation != LEFT), j + (operation != UP)
    return found


# Two sequences


@lru_cache(maxsize=64)
def best_alignment(problem: PairProblem) -> PairAnswer:
    """Return the best alignment of two sequences with affine gaps.

    H[i][j] is the best score of an alignment that ends in cell (i, j), E the best that ends with a row letter against a
    gap, F with a column letter against a gap. Rows belong to the shorter sequence, because ties are broken by row: the
    end is the best cell in the smallest row, then the smallest column; going back, a pair of letters comes before a gap
    in the columns and that before a gap in the rows, and opening a gap comes before extending it.
    """
    first, second = (codes.tolist() for codes in problem.codes)
    scores = problem.scoring.scores.tolist()
    align = _align_with_any_gaps if problem.scoring.gap_open2 is not None else _align_rows_to_columns
    if len(first) <= len(second):
        score, start, end, steps = align(first, second, scores, problem, problem.free_ends)
    else:
        transposed = [list(column) for column in zip(*scores, strict=True)]
        ends = problem.free_ends.exchanged()
        score, start, end, steps = align(second, first, transposed, problem, ends)
        start, end = start[::-1], end[::-1]
        steps = [{DIAGONAL: DIAGONAL, UP: LEFT, LEFT: UP}[step] for step in steps]
    return PairAnswer(score, end, Alignment(start, end, np.array(steps, np.uint8)))


def _align_rows_to_columns(
    rows: list[int], columns: list[int], scores: list[list[int]], problem: PairProblem, free: FreeEnds
) -> tuple[int, Cell, Cell, list[int]]:
    """Return score, start cell, end cell, and the operations between them."""
    m, n, local = len(rows), len(columns), problem.mode is Mode.LOCAL
    skips_rows, skips_columns = local or free.first_start, local or free.second_start
    opening, extending = problem.scoring.open, problem.scoring.extend
    H, E, F = ([[MINUS_INFINITY] * (n + 1) for _ in range(m + 1)] for _ in range(3))
    H[0][0] = 0
    for i in range(1, m + 1):
        H[i][0] = 0 if skips_rows else -opening - i * extending
        E[i][0] = MINUS_INFINITY if skips_rows else H[i][0]
    for j in range(1, n + 1):
        H[0][j] = 0 if skips_columns else -opening - j * extending
        F[0][j] = MINUS_INFINITY if skips_columns else H[0][j]
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            E[i][j] = max(E[i - 1][j], H[i - 1][j] - opening) - extending
            F[i][j] = max(F[i][j - 1], H[i][j - 1] - opening) - extending
            pairing = H[i - 1][j - 1] + scores[rows[i - 1]][columns[j - 1]]
            H[i][j] = max(pairing, E[i][j], F[i][j], 0 if local else MINUS_INFINITY)

    def may_end(i: int, j: int) -> bool:
        return local or (i == m and free.second_end) or (j == n and free.first_end) or (i, j) == (m, n)

    def starts(i: int, j: int) -> bool:
        if local:
            return H[i][j] == 0
        return (i == 0 and skips_columns) or (j == 0 and skips_rows) or (i, j) == (0, 0)

    ends = [cell for cell in product(range(m + 1), range(n + 1)) if may_end(*cell)]
    end = max(ends, key=lambda cell: H[cell[0]][cell[1]])
    (i, j), state, steps = end, "H", list[int]()
    while not (state == "H" and starts(i, j)):
        if state == "H":
            if i and j and H[i][j] == H[i - 1][j - 1] + scores[rows[i - 1]][columns[j - 1]]:
                steps.append(DIAGONAL)
                i, j = i - 1, j - 1
            else:
                state = "E" if H[i][j] == E[i][j] else "F"
        elif state == "E":
            state = "H" if E[i][j] == H[i - 1][j] - opening - extending else "E"
            steps.append(UP)
            i -= 1
        else:
            state = "H" if F[i][j] == H[i][j - 1] - opening - extending else "F"
            steps.append(LEFT)
            j -= 1
    return H[end[0]][end[1]], (i, j), end, steps[::-1]


def gap_cost(problem: PairProblem, length: int) -> int:
    """Return the cost of a gap, which is that of the cheaper piece where there are two."""
    scoring, scale = problem.scoring, problem.scoring.scale
    costs = [scoring.gap_open + length * scoring.gap_extend]
    if scoring.gap_open2 is not None and scoring.gap_extend2 is not None:
        costs.append(scoring.gap_open2 + length * scoring.gap_extend2)
    return round(min(costs) * scale)


def _align_with_any_gaps(
    rows: list[int], columns: list[int], scores: list[list[int]], problem: PairProblem, free: FreeEnds
) -> tuple[int, Cell, Cell, list[int]]:
    """Return what `_align_rows_to_columns` returns, for any cost of a gap that grows more slowly the longer it is.

    H alone, with gaps of every length into each cell (Waterman, Smith and Beyer 1976). Going back, a pair of letters
    comes before a gap in the columns and that before a gap in the rows, and shorter gaps come before longer ones.
    """
    m, n, local = len(rows), len(columns), problem.mode is Mode.LOCAL
    skips_rows, skips_columns = local or free.first_start, local or free.second_start
    cost = np.array([0] + [gap_cost(problem, length) for length in range(1, max(m, n) + 1)])
    H = np.zeros((m + 1, n + 1), np.int64)
    H[1:, 0] = 0 if skips_rows else -cost[1 : m + 1]
    H[0, 1:] = 0 if skips_columns else -cost[1 : n + 1]

    def gaps_above(i: int, j: int) -> np.ndarray:
        return H[i - 1 :: -1, j][:i] - cost[1 : i + 1]

    def gaps_beside(i: int, j: int) -> np.ndarray:
        return H[i, j - 1 :: -1][:j] - cost[1 : j + 1]

    def pairing(i: int, j: int) -> int:
        return int(H[i - 1, j - 1]) + scores[rows[i - 1]][columns[j - 1]]

    for i, j in product(range(1, m + 1), range(1, n + 1)):
        best = max(pairing(i, j), gaps_above(i, j).max(), gaps_beside(i, j).max())
        H[i, j] = max(best, 0) if local else best

    def may_end(i: int, j: int) -> bool:
        return local or (i == m and free.second_end) or (j == n and free.first_end) or (i, j) == (m, n)

    def starts(i: int, j: int) -> bool:
        if local:
            return H[i, j] == 0
        return (i == 0 and skips_columns) or (j == 0 and skips_rows) or (i, j) == (0, 0)

    ends = [cell for cell in product(range(m + 1), range(n + 1)) if may_end(*cell)]
    end = max(ends, key=lambda cell: int(H[cell]))
    (i, j), steps = end, list[int]()
    while not starts(i, j):
        if i and j and H[i, j] == pairing(i, j):
            steps.append(DIAGONAL)
            i, j = i - 1, j - 1
        elif i and (above := np.flatnonzero(gaps_above(i, j) == H[i, j])).size:
            steps += [UP] * (int(above[0]) + 1)
            i -= int(above[0]) + 1
        else:
            beside = int(np.flatnonzero(gaps_beside(i, j) == H[i, j])[0]) + 1
            steps += [LEFT] * beside
            j -= beside
    return int(H[end]), (i, j), end, steps[::-1]


def exhaustive_score(problem: PairProblem) -> int:
    """Return the best score of all alignments of two sequences, by scoring every one."""
    m, n = len(problem.first), len(problem.second)
    cells, free = list(product(range(m + 1), range(n + 1))), problem.free_ends
    starts, ends = cells, cells
    if problem.mode is not Mode.LOCAL:
        starts = [(i, 0) for i in range(m + 1) if i == 0 or free.first_start]
        starts += [(0, j) for j in range(1, n + 1) if free.second_start]
        ends = [(i, n) for i in range(m + 1) if i == m or free.first_end]
        ends += [(m, j) for j in range(n) if free.second_end]
    corners = list(product(starts, ends))
    return max(
        _score_operations(problem, start, operations)
        for start, end in corners
        for operations in _all_operations(end[0] - start[0], end[1] - start[1])
    )


def _score_operations(problem: PairProblem, start: Cell, operations: tuple[int, ...]) -> int:
    """Return the score of one alignment: the pairs of letters, less the cost of every run of gaps."""
    (first, second), (i, j), score = problem.codes, start, 0
    for operation, run in groupby(operations):
        for length, _ in enumerate(run, 1):  # noqa: B007 - the length of the whole run is that of the gap
            if operation == DIAGONAL:
                score += int(problem.scoring.scores[first[i], second[j]])
            i, j = i + (operation != LEFT), j + (operation != UP)
        if operation != DIAGONAL:
            score -= gap_cost(problem, length)
    return score


def _all_operations(rows: int, columns: int) -> Iterator[tuple[int, ...]]:
    if rows == columns == 0:
        yield ()
    if rows > 0:
        yield from ((UP, *others) for others in _all_operations(rows - 1, columns))
    if columns > 0:
        yield from ((LEFT, *others) for others in _all_operations(rows, columns - 1))
    if rows > 0 and columns > 0:
        yield from ((DIAGONAL, *others) for others in _all_operations(rows - 1, columns - 1))


# Hidden Markov models


def path_probabilities(problem: HmmProblem) -> dict[tuple[int, ...], float]:
    """Return the probability of every path of states together with the sequence."""
    model, seen = problem.hmm, problem.observations.tolist()
    emissions = np.column_stack((model.emissions, np.ones(problem.states)))  # a letter that is not known costs nothing
    return {
        path: prod(
            [
                model.initial[path[0]],
                *(model.transitions[pair] for pair in pairwise(path)),
                *(emissions[state, letter] for state, letter in zip(path, seen, strict=True)),
            ]
        )
        for path in product(range(problem.states), repeat=len(seen))
    }


# Folding and matrix chains


def most_pairs(problem: FoldingProblem) -> int:
    """Return the most base pairs of all structures without crossing pairs."""
    letters = problem.sequence.letters.decode()
    allowed = {"AU", "UA", "CG", "GC"} | ({"GU", "UG"} if problem.wobble else set())

    def pair_counts(i: int, end: int) -> Iterator[int]:
        """Yield the pairs of every structure of the letters i .. end - 1."""
        if i >= end:
            yield 0
            return
        yield from pair_counts(i + 1, end)
        for partner in range(i + problem.min_loop + 1, end):
            if letters[i] + letters[partner] in allowed:
                for inner, outer in product(pair_counts(i + 1, partner), pair_counts(partner + 1, end)):
                    yield 1 + inner + outer

    return max(pair_counts(0, len(letters)))


def fewest_multiplications(problem: ChainProblem) -> int:
    """Return the fewest multiplications of all bracketings of a matrix chain."""
    sizes = problem.dimensions

    def costs(i: int, end: int) -> Iterator[int]:
        """Yield the cost of every bracketing of the matrices i .. end - 1."""
        if end - i == 1:
            yield 0
        for middle in range(i + 1, end):
            for left, right in product(costs(i, middle), costs(middle, end)):
                yield left + right + sizes[i] * sizes[middle] * sizes[end]

    return min(costs(0, len(sizes) - 1))
