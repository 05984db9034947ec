"""Where distances and trees belong among the classes of dynamic programming (003, section 6.1; not placed there)."""

from __future__ import annotations

from antidiag.kernels.dynamic_class import NMDP, SMDP, SPDP, Picture, Placement, picture


def _joins() -> Picture:
    before = {(0, row): label for row, label in enumerate(("D[i, k]", "D[j, k]", "D[i, l]", "D[j, l]"))}
    after = {(3, 0): "D'[u, k]", (3, 2): "D'[u, l]"}
    return picture((3, 0), [[(0, 0), (0, 1)]], before | after,
                   "left the matrix before i and j are joined to u, right after")  # fmt: skip


def _grid() -> Picture:
    cells = {(j, i): f"H[{i}, {j}]" for i in range(3) for j in range(3)}
    return picture((2, 2), [[(1, 1)], [(2, 1)], [(1, 2)]], cells, "a table of its own for each pair of sequences")


def _chain() -> Picture:
    words = {(0, 2): "C[1]", (1, 1): "C[2]", (1, 3): "C[3]", (3, 0): "C[4]", (4, 1): "C[5]"}
    return picture((4, 1), [[(3, 0)], [(1, 1)], [(0, 2)]], words,
                   "words that both sequences have, by their places; a word goes on from any before it")  # fmt: skip


def _running_sum(letter: str, what: str) -> Picture:
    cells = {(place, 0): f"{letter}[{place}]" for place in range(4)}
    return picture((3, 0), [[(2, 0)]], cells, f"levels are {what}, with one cell each")


JOINS = Placement(
    SPDP, "D'[u, k] = (D[i, k] + D[j, k] - D[i, j]) / 2,  or of UPGMA (n_i D[i, k] + n_j D[j, k]) / (n_i + n_j)",
    "Every join needs the matrix before it alone, and joins several of its numbers. Which pair is joined is the best "
    "of that matrix alone: a greedy choice, not a least one over all trees.", _joins(), borderline=True,
)  # fmt: skip
PAIRS = Placement(
    NMDP, "H[i, j] = max(H[i-1, j-1] + s(i, j), E[i, j], F[i, j]), for each pair of sequences",
    "The alignment of two sequences, whose identities are counted on the way; pairs need nothing of each other.",
    _grid(),
)  # fmt: skip
CHAINS = Placement(
    NMDP, "C[w] = length of w + max over words v before w of  C[v] - the word gap between their diagonals",
    "A word goes on from any word before it, not from those of one level alone, and from one at a time.", _chain(),
)  # fmt: skip
COUNTS = Placement(
    SMDP, "C[w] = C[w-1] + min(count of 6-mer w in one sequence, count in the other)",
    "A sum is the simplest member of the class: a level is one number, and needs the one before alone. Sums associate, "
    "so that parts of it are added in any order.", _running_sum("C", "6-mers"), borderline=True,
)  # fmt: skip
COLUMNS = Placement(
    SMDP, "I[c] = I[c-1] + (1 where both rows have the same letter in column c, else 0)",
    "A sum is the simplest member of the class: a level is one number, and needs the one before alone. Sums associate, "
    "so that columns are counted in any order.", _running_sum("I", "columns"), borderline=True,
)  # fmt: skip
