"""The alignment of two profiles as one reads it (003, algorithms 2.3 and 2.4; Gotoh 1982 for gaps that cost to open).

    E[i, j] = max(H[i-1, j] - open_i,  E[i-1, j]) - extend_i          a gap opposite columns of the first profile
    F[i, j] = max(H[i, j-1] - open_j,  F[i, j-1]) - extend_j          opposite columns of the second
    H[i, j] = max(H[i-1, j-1] + s(i, j),  E[i, j],  F[i, j])          and 0 where the alignment is local

Distances are scores below 0. Of several best paths the one is taken that ends in the smallest row, then column, and
back from there prefers the diagonal, then E, then F, and gaps that are as short as possible.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from antidiag.kernels.profiles.problem import DIAGONAL, LEFT, UP, Problem, ProfileAnswer
from antidiag.kernels.profiles.scoring import GLOBAL, LOCAL, Encoded, pair_scores

NEVER = -(2**30)
Tables = tuple[list[list[int]], list[list[int]], list[list[int]], list[list[int]]]


def align(problem: Problem) -> ProfileAnswer:
    """The best score and the path of the rule; lengths of some hundred columns at most."""
    made = problem.encoded
    tables = filled(made)
    H = tables[0]
    ends = {GLOBAL: [(made.m, made.n)], LOCAL: [(0, 0), *_inner(made)]}.get(made.mode, list(_last(made)))
    end = max(ends, key=lambda cell: (H[cell[0]][cell[1]], -cell[0], -cell[1]))
    start, operations = _back(made, tables, end)
    score = H[end[0]][end[1]]
    if made.mode not in (GLOBAL, LOCAL):  # the gaps before and behind cost nothing
        operations = [UP] * start[0] + [LEFT] * start[1] + operations
        operations += [UP] * (made.m - end[0]) + [LEFT] * (made.n - end[1])
        start, end = (0, 0), (made.m, made.n)
    return ProfileAnswer(score, start, end, np.array(operations, np.uint8))


def filled(made: Encoded) -> Tables:
    """H, E and F of all cells, and the scores."""
    m, n = made.m, made.n
    grid = np.indices((m, n)).reshape(2, -1)
    scores = (pair_scores(made, *grid) + made.offset).reshape(m, n).tolist()
    H, E, F = ([[NEVER] * (n + 1) for _ in range(m + 1)] for _ in range(3))
    row_open, row_extend, column_open, column_extend = (
        one.tolist() for one in (made.row_open, made.row_extend, made.column_open, made.column_extend)
    )
    H[0][0] = 0
    for i in range(m + 1):
        for j in range(n + 1):
            if i == j == 0:
                continue
            if made.mode != GLOBAL and (i == 0 or j == 0):
                H[i][j] = 0
                continue
            if i:
                E[i][j] = max(H[i - 1][j] - row_open[i - 1], E[i - 1][j]) - row_extend[i - 1]
            if j:
                F[i][j] = max(H[i][j - 1] - column_open[j - 1], F[i][j - 1]) - column_extend[j - 1]
            diagonal = H[i - 1][j - 1] + scores[i - 1][j - 1] if i and j else NEVER
            H[i][j] = max(diagonal, E[i][j], F[i][j], 0 if made.mode == LOCAL else NEVER)
    return H, E, F, scores


def _inner(made: Encoded) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(1, made.m + 1) for j in range(1, made.n + 1))


def _last(made: Encoded) -> Iterator[tuple[int, int]]:
    """Cells after which all that is left is one gap."""
    yield from ((i, made.n) for i in range(made.m + 1))
    yield from ((made.m, j) for j in range(made.n))


def _back(made: Encoded, tables: Tables, end: tuple[int, int]) -> tuple[tuple[int, int], list[int]]:
    """Where the path to ``end`` starts, and its operations."""
    H, E, F, scores = tables
    (i, j), state, operations = end, DIAGONAL, []
    while not _begins(made, H, i, j, state):
        if state == DIAGONAL:
            if i and j and H[i][j] == H[i - 1][j - 1] + scores[i - 1][j - 1]:
                operations.append(DIAGONAL)
                i, j = i - 1, j - 1
            else:
                state = UP if i and H[i][j] == E[i][j] else LEFT
        elif state == UP:
            opens = E[i][j] == H[i - 1][j] - int(made.row_open[i - 1]) - int(made.row_extend[i - 1])
            operations.append(UP)
            i, state = i - 1, DIAGONAL if opens else UP
        else:
            opens = F[i][j] == H[i][j - 1] - int(made.column_open[j - 1]) - int(made.column_extend[j - 1])
            operations.append(LEFT)
            j, state = j - 1, DIAGONAL if opens else LEFT
    return (i, j), operations[::-1]


def _begins(made: Encoded, H: list[list[int]], i: int, j: int, state: int) -> bool:
    """Whether the path begins in a cell."""
    if made.mode == GLOBAL:
        return i == j == 0
    if state != DIAGONAL:
        return False
    return i == 0 or j == 0 or (made.mode == LOCAL and H[i][j] == 0)
