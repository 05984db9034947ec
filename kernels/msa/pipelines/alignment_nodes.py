"""Nodes of a guide tree as counts of symbols, and the rules by which two nodes are aligned (Hanif 2014, section 4.4).

A node has whole counts of its columns and the columns that each child fills; rows with gaps are made once, at the end.
Whole counts do not depend on the order of sums.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple, Protocol

import numpy as np

from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.profiles.column_scores.encoding import choose_scale
from antidiag.kernels.profiles.column_scores.scoring import ColumnScoring, ProfileSpan, letter_scores
from antidiag.kernels.profiles.problem import ProfileProblem
from antidiag.kernels.profiles.profile import MEANS, Profile
from antidiag.kernels.scoring import SubstitutionMatrix

PARTS = 60
"""Units of one letter; letters that stand for 2, 3, 4 or 20 symbols share them without a remainder."""
ALIGNMENT = "alignment"


@dataclass(frozen=True, eq=False)
class AlignmentNode:
    """The alignment of the sequences below a node, as counts of its columns.

    ``counts`` int64 (symbols, columns), blanks last; each column sums to ``total``, PARTS for each unit of weight.
    ``first`` and ``rows`` are its leaves, in the order of the tree. ``marks`` int32 (kinds, columns) are sums of a
    rule's marks of letters.
    """

    counts: np.ndarray = field(repr=False)
    marks: np.ndarray = field(repr=False)
    total: int
    first: int
    rows: int

    def __len__(self) -> int:
        return self.counts.shape[1]

    @property
    def leaves(self) -> slice:
        """Return its leaves as a slice."""
        return slice(self.first, self.first + self.rows)

    @property
    def frequencies(self) -> np.ndarray:
        """Return the shares of the symbols in each column, float64."""
        return self.counts / self.total


class NodePlan(NamedTuple):
    """How two nodes are aligned; ``opening`` multiplies the factors of opening gaps."""

    scoring: ColumnScoring
    span: ProfileSpan
    opening: float = 1.0


Factors = tuple[np.ndarray, np.ndarray]
"""Factors of opening and of extending a gap opposite each column of a node, float64."""


class ScoringRule(Protocol):
    """The scoring rules of a method at each node."""

    def plan_pair(self, first: AlignmentNode, second: AlignmentNode) -> NodePlan:
        """Return how two nodes are aligned."""

    def gap_factors(self, node: AlignmentNode) -> Factors | None:
        """Return what gaps cost opposite each column, or None if that does not depend on the column."""

    def compiled_gap_factors(self, node: AlignmentNode) -> Factors | None:
        """Return the factors, computed by compiled code."""

    def letter_marks(self, sequence: Sequence) -> np.ndarray:
        """Return marks of the letters of a sequence, int32 (kinds, letters)."""

    def compiled_letter_marks(self, sequence: Sequence) -> np.ndarray:
        """Return the marks, computed by compiled code."""


def make_pair_problem(
    rule: ScoringRule, first: AlignmentNode, second: AlignmentNode, alphabet: str, type: SequenceType
) -> ProfileProblem:
    """Return two nodes as the problem of two profiles."""
    scoring, span, opening = rule.plan_pair(first, second)
    nothing: np.ndarray = np.zeros((0, 0), np.uint8)

    def profile(node: AlignmentNode) -> Profile:
        opens, extends = rule.gap_factors(node) or (None, None)
        return Profile(
            alphabet,
            node.frequencies,
            type,
            nothing,
            open_factors=None if opens is None else opening * opens,
            extend_factors=extends,
        )

    return ProfileProblem(profile(first), profile(second), scoring, span)


def round_matrix(matrix: SubstitutionMatrix, alphabet: str, blank: float) -> SubstitutionMatrix:
    """Return the matrix over an alphabet, with scores rounded so that sums of products are exact in any order."""
    values = letter_scores(alphabet, matrix, blank)
    scale = choose_scale(float(np.abs(values).max(initial=0)))
    found = np.rint(values[:-1, :-1] * scale) / scale
    found.setflags(write=False)
    return SubstitutionMatrix(matrix.name, alphabet[:-1], found)


@cache
def letter_units(alphabet: str) -> np.ndarray:
    """Return what one letter adds to each symbol, int64 (symbols, 256), in PARTS."""
    units: np.ndarray = np.zeros((len(alphabet), 256), np.int64)
    means = MEANS.get(alphabet, {})
    for byte in range(256):
        letter = chr(byte).upper()
        stands_for = letter if letter in alphabet else means.get(letter, alphabet[:-1])
        for symbol in stands_for:
            units[alphabet.index(symbol), byte] = PARTS // len(stands_for)
    units.setflags(write=False)
    return units
