"""The progressive stage (003, section 4.4): the nodes of a guide tree, all whose children are aligned at once.

A node keeps what it counts in its columns, in whole numbers, and which columns each child fills: rows with gaps are
made once, at the end. Counts are whole, so that they do not depend on the order in which they are summed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.profiles.encoding import scale_of
from antidiag.kernels.profiles.problem import ProfileProblem
from antidiag.kernels.profiles.profile import MEANS, Profile
from antidiag.kernels.profiles.scoring import ColumnScoring, Span, letter_scores
from antidiag.kernels.scoring import SubstitutionMatrix
from antidiag.kernels.steps import Steps

PARTS = 60
"""A letter counts so many, which those that stand for 2, 3, 4 or 20 letters share without a rest."""
ALIGNMENT = "alignment"


@dataclass(frozen=True, eq=False)
class Node:
    """An alignment of the sequences below a node, as what its columns count.

    ``counts`` is int64 (symbols, columns), the blank last; each column sums to ``total``, PARTS for each unit of
    weight. ``first`` and ``rows`` say which leaves it has, in the order of the tree. ``marks`` is int32 (kinds,
    columns): sums of what a rule marks in the letters of each row.
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
        return slice(self.first, self.first + self.rows)

    @property
    def frequencies(self) -> np.ndarray:
        """Shares of the symbols in each column, float64."""
        return self.counts / self.total


class Plan(NamedTuple):
    """How two nodes are aligned; ``opening`` is multiplied with the factors of opening gaps."""

    scoring: ColumnScoring
    span: Span
    opening: float = 1.0


Factors = tuple[np.ndarray, np.ndarray]
"""Of opening and of extending a gap opposite each column of a node, float64."""


class Rule(Protocol):
    """What a method goes by at each node.

    ``plan(first, second)`` says how two nodes are aligned, and ``factors(node)`` what gaps cost opposite its columns,
    None where that does not depend on the column. ``marks(sequence)`` is what the rule marks in the letters of a
    sequence, int32 (kinds, letters). The fast ones are the same, compiled.
    """

    def plan(self, first: Node, second: Node) -> Plan: ...

    def factors(self, node: Node) -> Factors | None: ...

    def fast_factors(self, node: Node) -> Factors | None: ...

    def marks(self, sequence: Sequence) -> np.ndarray: ...

    def fast_marks(self, sequence: Sequence) -> np.ndarray: ...


def pair_of(rule: Rule, first: Node, second: Node, alphabet: str, type: SequenceType) -> ProfileProblem:
    """Two nodes as the problem of two profiles."""
    scoring, span, opening = rule.plan(first, second)
    nothing: np.ndarray = np.zeros((0, 0), np.uint8)

    def profile(node: Node) -> Profile:
        opens, extends = rule.factors(node) or (None, None)
        return Profile(
            alphabet, node.frequencies, type, nothing, open_factors=None if opens is None else opening * opens,
            extend_factors=extends,
        )  # fmt: skip

    return ProfileProblem(profile(first), profile(second), scoring, span)


def rounded(matrix: SubstitutionMatrix, alphabet: str, blank: float) -> SubstitutionMatrix:
    """The matrix over the letters of an alphabet, its scores rounded to what whole factors hold: sums of products of
    whole numbers do not depend on their order."""
    values = letter_scores(alphabet, matrix, blank)
    scale = scale_of(float(np.abs(values).max(initial=0)))
    found = np.rint(values[:-1, :-1] * scale) / scale
    found.setflags(write=False)
    return SubstitutionMatrix(matrix.name, alphabet[:-1], found)


@dataclass(frozen=True)
class Log:
    """The step log: an event a phase, whose rows are nodes, and columns those of the longest profile."""

    steps: Steps
    phase: int
    started_ns: int

    def add(self, number: int, nodes: Sequences[int], children: Sequences[tuple[Node, Node]], begun_ns: int) -> None:
        """Nodes that were aligned since ``begun_ns``."""
        longest = max(max(map(len, both)) for both in children)
        ended_ns = time.perf_counter_ns()
        self.steps.add(
            self.phase, number, (0, len(nodes)), (0, longest), 0, begun_ns - self.started_ns, ended_ns - self.started_ns
        )


def units_of(alphabet: str) -> np.ndarray:
    """What one letter adds to each symbol, int64 (symbols, 256), in PARTS."""
    found = _KNOWN.get(alphabet)
    if found is None:
        found = _KNOWN[alphabet] = _made_units(alphabet)
    return found


_KNOWN: dict[str, Any] = {}


def _made_units(alphabet: str) -> np.ndarray:
    units: np.ndarray = np.zeros((len(alphabet), 256), np.int64)
    means = MEANS.get(alphabet, {})
    for byte in range(256):
        letter = chr(byte).upper()
        stands_for = letter if letter in alphabet else means.get(letter, alphabet[:-1])
        for symbol in stands_for:
            units[alphabet.index(symbol), byte] = PARTS // len(stands_for)
    units.setflags(write=False)
    return units
