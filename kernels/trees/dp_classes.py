"""The classes of dynamic programming of distances and trees (classes of Hanif, section 6.1; not placed there)."""

from __future__ import annotations

from antidiag.kernels.dp_taxonomy import (
    NMDP,
    SMDP,
    SPDP,
    DependencyPicture,
    DpClassification,
    draw_alignment_table,
    make_dependency_picture,
)


def draw_joins(caption: str) -> DependencyPicture:
    """Return the picture of a join of clusters i and j to u."""
    before = {(0, row): label for row, label in enumerate(("D[i, k]", "D[j, k]", "D[i, l]", "D[j, l]"))}
    return make_dependency_picture(
        (3, 0), [[(0, 0), (0, 1)]], before | {(3, 0): "D'[u, k]", (3, 2): "D'[u, l]"}, caption
    )


def _draw_chain() -> DependencyPicture:
    """Return the picture of a chain of words."""
    words = {(0, 2): "C[1]", (1, 1): "C[2]", (1, 3): "C[3]", (3, 0): "C[4]", (4, 1): "C[5]"}
    return make_dependency_picture(
        (4, 1),
        [[(3, 0)], [(1, 1)], [(0, 2)]],
        words,
        "words that both sequences have, by their places; a word goes on from any before it",
    )


def _draw_running_sum(letter: str, meaning: str) -> DependencyPicture:
    """Return the picture of a running sum."""
    cells = {(place, 0): f"{letter}[{place}]" for place in range(4)}
    return make_dependency_picture((3, 0), [[(2, 0)]], cells, f"levels are {meaning}, with one cell each")


JOINS = DpClassification(
    SPDP,
    "D'[u, k] = (D[i, k] + D[j, k] - D[i, j]) / 2,  or of UPGMA (n_i D[i, k] + n_j D[j, k]) / (n_i + n_j)",
    "Every join needs only the matrix before it, and combines several of its numbers. The pair that is joined is the "
    "best of that matrix: a greedy choice, not a minimum over all trees.",
    draw_joins("left: the matrix before i and j are joined to u; right: after"),
    is_borderline=True,
)
PAIRS = DpClassification(
    NMDP,
    "H[i, j] = max(H[i-1, j-1] + s(i, j), E[i, j], F[i, j]), for each pair of sequences",
    "The alignment of two sequences, whose identities are counted on the way; pairs are independent.",
    draw_alignment_table("H", "a table of its own for each pair of sequences"),
)
CHAINS = DpClassification(
    NMDP,
    "C[w] = length of w + max over words v before w of  C[v] - the word gap between their diagonals",
    "A word continues any one of the words before it, not only those of one level.",
    _draw_chain(),
)
COUNTS = DpClassification(
    SMDP,
    "C[w] = C[w-1] + min(count of 6-mer w in one sequence, count in the other)",
    "A sum is the simplest member of the class: a level is one number, and needs only the one before. Addition is "
    "associative, so that parts of it can be added in any order.",
    _draw_running_sum("C", "6-mers"),
    is_borderline=True,
)
COLUMNS = DpClassification(
    SMDP,
    "I[c] = I[c-1] + (1 where both rows have the same letter in column c, else 0)",
    "A sum is the simplest member of the class: a level is one number, and needs only the one before. Addition is "
    "associative, so that columns can be counted in any order.",
    _draw_running_sum("I", "columns"),
    is_borderline=True,
)
