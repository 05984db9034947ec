"""Textbook distances, a pair at a time: short, slow, and easy to trust."""

from __future__ import annotations

from collections import Counter

import numpy as np

from antidiag.kernels.scoring import Mode, encode_sequence
from antidiag.kernels.trees.distances.alignment_columns.column_distances import SATURATED
from antidiag.kernels.trees.distances.problem import AlignedProblem, FullProblem, SixmerProblem
from antidiag.kernels.trees.distances.shared_words.kmers import BASES, FARTHEST, GROUPS, LENGTH_FACTOR, K

BELOW = -(10**12)


def full_distance(problem: FullProblem, i: int, j: int) -> float:
    """Return 1 - identities / the shorter length; rows are those of the shorter sequence, or of the earlier one."""
    i, j = sorted((i, j), key=lambda number: (len(problem.sequences[number]), number))
    first, second = (encode_sequence(problem.sequences[number], problem.scoring).tolist() for number in (i, j))
    return 1 - _identities(first, second, problem) / len(first)


AMBIGUOUS = {True: "BJXZ", False: "RYSWKMBDHVNX"}
"""Letters that stand for several residues, of proteins (True) and of nucleotides."""


def _identities(rows: list[int], columns: list[int], problem: FullProblem) -> int:
    """Count identities of the best alignment (Gotoh 1982), from the best cell with the smallest row, then column.

    Ambiguous letters are identical to none.
    Going back diagonal before E before F, and opening a gap before extending it.
    """
    H, E, F = _fill_tables(rows, columns, problem)
    cells = [(i, j) for i in range(len(rows) + 1) for j in range(len(columns) + 1)]
    local, open_cost = problem.mode == Mode.LOCAL, problem.scoring.open
    i, j = max(cells, key=H.__getitem__) if local else cells[-1]
    table, at, found = problem.scoring.scores, "H", 0
    ambiguous = AMBIGUOUS[problem.is_protein]
    known = {code for code, letter in enumerate(problem.scoring.matrix.letters) if letter not in ambiguous}
    while i and j and not (local and at == "H" and H[i, j] == 0):
        if at == "H" and H[i, j] == H[i - 1, j - 1] + table[rows[i - 1], columns[j - 1]]:
            i, j, found = i - 1, j - 1, found + (rows[i - 1] == columns[j - 1] and rows[i - 1] in known)
        elif at == "H":
            at = "E" if H[i, j] == E[i, j] else "F"
        elif at == "E":
            i, at = i - 1, "H" if H[i - 1, j] - open_cost >= E[i - 1, j] else "E"
        else:
            j, at = j - 1, "H" if H[i, j - 1] - open_cost >= F[i, j - 1] else "F"
    return found


Table = dict[tuple[int, int], int]


def _fill_tables(rows: list[int], columns: list[int], problem: FullProblem) -> tuple[Table, Table, Table]:
    """Return the tables H, E and F."""
    H: Table = {(0, 0): 0}
    E, F = {(0, 0): BELOW}, {(0, 0): BELOW}
    open_cost, extend, table = problem.scoring.open, problem.scoring.extend, problem.scoring.scores.tolist()
    local = problem.mode == Mode.LOCAL
    for border in [(i, 0) for i in range(1, len(rows) + 1)] + [(0, j) for j in range(1, len(columns) + 1)]:
        H[border] = 0 if local else -(open_cost + extend * sum(border))
        E[border] = F[border] = BELOW
    for i, row in enumerate(rows, 1):
        for j, column in enumerate(columns, 1):
            E[i, j] = max(E[i - 1, j], H[i - 1, j] - open_cost) - extend
            F[i, j] = max(F[i, j - 1], H[i, j - 1] - open_cost) - extend
            best = max(H[i - 1, j - 1] + table[row][column], E[i, j], F[i, j])
            H[i, j] = max(best, 0) if local else best
    return H, E, F


def sixmer_distance(problem: SixmerProblem, i: int, j: int) -> float:
    """Return MAFFT's distance of the 6-mers that two sequences share, by plain counters."""
    groups = GROUPS if problem.is_protein else BASES
    code = {letter: str(number) for number, letters in enumerate(groups) for letter in letters}
    texts = ["".join(code.get(letter, "") for letter in problem.sequences[at].letters.decode()) for at in (i, j)]
    kmers = [Counter(text[at : at + K] for at in range(len(text) - K + 1)) for text in texts]
    totals, (short, long) = [sum(own.values()) for own in kmers], sorted(map(len, texts))
    b = LENGTH_FACTOR[problem.is_protein]
    factor = 1 / (0.1 * short / max(long, 1) + b / (long + b) + 0.01)
    unlike = 1 - sum((kmers[0] & kmers[1]).values()) / min(totals) if min(totals) else 1.0
    return min(unlike * factor, FARTHEST)


def column_distance(problem: AlignedProblem, i: int, j: int) -> float:
    """Return the share of columns that differ, or its correction by a model."""
    rows = [problem.alignment.letters[at].tobytes().decode().replace("U", "T") for at in (i, j)]
    protein = problem.alignment.type == "protein"
    missing = "-" + AMBIGUOUS[protein]
    both = [(a, b) for a, b in zip(*rows, strict=True) if a not in missing and b not in missing]
    differ = [(a, b) for a, b in both if a != b]
    p = len(differ) / len(both) if both else 1.0
    if problem.model == "p":
        return p
    if not both:
        return SATURATED
    with np.errstate(divide="ignore", invalid="ignore"):
        if problem.model == "jukes-cantor":
            b = 19 / 20 if protein else 3 / 4
            found = -b * np.log(np.float64(1 - p / b))
        elif protein:
            found = -np.log(np.float64(1 - p - p * p / 5))
        elif problem.model == "logdet":
            found = _logdet(both)
        else:
            shares = [sum({*pair} == {*one} for pair in differ) / len(both) for one in ("AG", "CT")]
            q = p - sum(shares)
            if problem.model == "kimura":
                found = -np.log(np.float64(1 - 2 * sum(shares) - q)) / 2 - np.log(np.float64(1 - 2 * q)) / 4
            else:
                found = _tamura_nei(shares[0], shares[1], q, problem)
    return max(float(found), 0.0) if found <= SATURATED else SATURATED


def _tamura_nei(purine: float, pyrimidine: float, q: float, problem: AlignedProblem) -> float:
    """Return the distance of Tamura and Nei (1993, equation 7), with the composition of the whole alignment."""
    text = problem.alignment.letters.tobytes().decode().replace("U", "T")
    a, g, c, t = (np.float64(text.count(base)) / max(sum(map(text.count, "AGCT")), 1) for base in "AGCT")
    r, y = a + g, c + t
    found = np.float64(0)
    if a * g:
        found -= 2 * a * g / r * np.log(1 - r * purine / (2 * a * g) - q / (2 * r))
    if c * t:
        found -= 2 * c * t / y * np.log(1 - y * pyrimidine / (2 * c * t) - q / (2 * y))
    if r * y:
        found -= 2 * (r * y - a * g * y / r - c * t * r / y) * np.log(1 - q / (2 * r * y))
    return found


def _logdet(both: list[tuple[str, str]]) -> float:
    """Return the LogDet distance (Lockhart and others 1994), over the bases that one of the two rows has."""
    F = np.array([[float(both.count((a, b))) for b in "AGCT"] for a in "AGCT"])
    kept = F.sum(0) + F.sum(1) > 0
    F = F[np.ix_(kept, kept)]
    return -np.log(np.linalg.det(F) / np.sqrt(F.sum(0).prod() * F.sum(1).prod())) / 4
