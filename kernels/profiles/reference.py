"""Textbook alignment of two profiles (Hanif 2014, algorithms 2.3 and 2.4; Gotoh 1982 for gap opening costs).

    E[i, j] = max(H[i-1, j] - open_i,  E[i-1, j]) - extend_i          a gap opposite columns of the first profile
    F[i, j] = max(H[i, j-1] - open_j,  F[i, j-1]) - extend_j          opposite columns of the second
    H[i, j] = max(H[i-1, j-1] + s(i, j),  E[i, j],  F[i, j])          and 0 if the alignment is local

Distances are negative scores. Of several best paths the one is taken that ends in the smallest row, then column, and
back from there prefers the diagonal, then E, then F, and the shortest gaps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from antidiag.kernels.profiles.column_scores.scoring import (
    FIRST_END,
    FIRST_START,
    LOCAL,
    SECOND_END,
    SECOND_START,
    EncodedProfiles,
    score_pairs,
)
from antidiag.kernels.profiles.problem import DIAGONAL, LEFT, UP, Problem, ProfileAnswer

NEVER = -(2**30)
Tables = tuple[list[list[int]], list[list[int]], list[list[int]], list[list[int]]]


def align_profiles(problem: Problem) -> ProfileAnswer:
    """Return the best score and the path of the tie rule; for up to some hundred columns."""
    made = problem.encoded
    tables = fill_tables(made)
    H = tables[0]
    end = max(_end_cells(made), key=lambda cell: (H[cell[0]][cell[1]], -cell[0], -cell[1]))
    start, operations = _trace_back(made, tables, end)
    score = H[end[0]][end[1]]
    if made.mode != LOCAL:  # with the gaps of free ends
        operations = [UP] * start[0] + [LEFT] * start[1] + operations
        operations += [UP] * (made.m - end[0]) + [LEFT] * (made.n - end[1])
        start, end = (0, 0), (made.m, made.n)
    return ProfileAnswer(score, start, end, np.array(operations, np.uint8))


def fill_tables(encoded: EncodedProfiles) -> Tables:
    """Return H, E and F of all cells, and the scores."""
    m, n = encoded.m, encoded.n
    grid = np.indices((m, n)).reshape(2, -1)
    scores = (score_pairs(encoded, *grid) + encoded.offset).reshape(m, n).tolist()
    H, E, F = ([[NEVER] * (n + 1) for _ in range(m + 1)] for _ in range(3))
    row_open, row_extend, column_open, column_extend = (
        one.tolist() for one in (encoded.row_open, encoded.row_extend, encoded.column_open, encoded.column_extend)
    )
    H[0][0] = 0
    for i in range(m + 1):
        for j in range(n + 1):
            if i == j == 0:
                continue
            if (i == 0 and encoded.mode & SECOND_START) or (j == 0 and encoded.mode & FIRST_START):
                H[i][j] = 0
                continue
            if i:
                E[i][j] = max(H[i - 1][j] - row_open[i - 1], E[i - 1][j]) - row_extend[i - 1]
            if j:
                F[i][j] = max(H[i][j - 1] - column_open[j - 1], F[i][j - 1]) - column_extend[j - 1]
            diagonal = H[i - 1][j - 1] + scores[i - 1][j - 1] if i and j else NEVER
            H[i][j] = max(diagonal, E[i][j], F[i][j], 0 if encoded.mode == LOCAL else NEVER)
    return H, E, F, scores


def _end_cells(encoded: EncodedProfiles) -> Iterator[tuple[int, int]]:
    """Yield the cells in which a path may end: all of a local one, else the last one and those before free ends."""
    m, n = encoded.m, encoded.n
    if encoded.mode == LOCAL:
        yield (0, 0)
        yield from ((i, j) for i in range(1, m + 1) for j in range(1, n + 1))
        return
    yield (m, n)
    if encoded.mode & FIRST_END:
        yield from ((i, n) for i in range(m))
    if encoded.mode & SECOND_END:
        yield from ((m, j) for j in range(n))


def _trace_back(encoded: EncodedProfiles, tables: Tables, end: tuple[int, int]) -> tuple[tuple[int, int], list[int]]:
    """Return where the path to ``end`` starts, and its operations."""
    H, E, F, scores = tables
    (i, j), state, operations = end, DIAGONAL, []
    while not _path_begins(encoded, H, i, j, state):
        if state == DIAGONAL:
            if i and j and H[i][j] == H[i - 1][j - 1] + scores[i - 1][j - 1]:
                operations.append(DIAGONAL)
                i, j = i - 1, j - 1
            else:
                state = UP if i and H[i][j] == E[i][j] else LEFT
        elif state == UP:
            opens = E[i][j] == H[i - 1][j] - int(encoded.row_open[i - 1]) - int(encoded.row_extend[i - 1])
            operations.append(UP)
            i, state = i - 1, DIAGONAL if opens else UP
        else:
            opens = F[i][j] == H[i][j - 1] - int(encoded.column_open[j - 1]) - int(encoded.column_extend[j - 1])
            operations.append(LEFT)
            j, state = j - 1, DIAGONAL if opens else LEFT
    return (i, j), operations[::-1]


def _path_begins(encoded: EncodedProfiles, H: list[list[int]], i: int, j: int, state: int) -> bool:
    """Return whether the path begins in a cell."""
    if i == j == 0:
        return True
    if state != DIAGONAL:
        return False
    is_free = (i == 0 and encoded.mode & SECOND_START) or (j == 0 and encoded.mode & FIRST_START)
    return bool(is_free) or (encoded.mode == LOCAL and H[i][j] == 0)
