"""The progressive stage (003, section 4.4): the nodes of a guide tree, all whose children are aligned at once.

A node keeps what it counts in its columns, in whole numbers, and which columns each child fills: rows with gaps are
made once, at the end. Counts are whole, so that they do not depend on the order in which they are summed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from kernels.io.aligned import GAP
from kernels.io.tree import Tree
from kernels.model import Sequence, SequenceType
from kernels.monitor import Monitor
from kernels.profiles.problem import ProfileAnswer
from kernels.profiles.profile import MEANS, Profile
from kernels.profiles.scoring import ColumnScoring, Span
from kernels.steps import Steps
from kernels.trees import order

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


class Pair(NamedTuple):
    """Two profiles, and how they are to be aligned."""

    first: Profile
    second: Profile
    scoring: ColumnScoring
    span: Span


class Joined(NamedTuple):
    """Which columns of a node each of its two children fills; bool."""

    first: np.ndarray
    second: np.ndarray


PairOf = Callable[[Node, Node], Pair]
MarksOf = Callable[[Sequence], np.ndarray]
"""What a rule marks in the letters of a sequence, int32 (kinds, letters)."""
Align = Callable[[Sequences[tuple[Profile, Profile]], ColumnScoring, Span, Monitor], list[ProfileAnswer]]
"""All of these pairs at once."""


def leaf(sequence: Sequence, alphabet: str, weight: int, place: int, marks_of: MarksOf) -> Node:
    """The node of a sequence; letters that the alphabet does not know count as all letters alike."""
    return Node(weight * _units(alphabet)[:, sequence.array], marks_of(sequence), weight * PARTS, place, 1)


def no_marks(sequence: Sequence) -> np.ndarray:
    """Of rules that mark nothing."""
    return np.zeros((0, len(sequence)), np.int32)


def profile(
    node: Node, alphabet: str, type: SequenceType, opens: np.ndarray | None = None, extends: np.ndarray | None = None
) -> Profile:
    """The profile of a node; ``opens`` and ``extends`` scale its gap costs, as they do in `Profile`."""
    nothing: np.ndarray = np.zeros((0, len(node)), np.uint8)
    return Profile(alphabet, node.frequencies, type, nothing, open_factors=opens, extend_factors=extends)


def align(
    tree: Tree,
    sequences: Sequences[Sequence],
    weights: Sequences[int],
    alphabet: str,
    pair_of: PairOf,
    align_pairs: Align,
    monitor: Monitor,
    log: Log | None = None,
    marks_of: MarksOf = no_marks,
) -> np.ndarray:
    """The rows of the whole alignment, uint8 (leaves, columns), in the order of the leaves.

    ``sequences`` and ``weights`` (whole, 1 or more) are those of the leaves, in their order. ``pair_of(first, second)``
    says how the children of a node are aligned; the leaves of the first stand before those of the second. Every inner
    node has two children.
    """
    made: dict[int, Node] = {
        node: leaf(sequence, alphabet, weight, place, marks_of)
        for place, (node, sequence, weight) in enumerate(zip(tree.leaves.tolist(), sequences, weights, strict=True))
    }
    joined: dict[int, Joined] = {}
    phases = order.by_phase(order.alignment_order(tree))
    total, done = sum(map(len, phases)), 0
    for number, phase in enumerate(phases):
        begun_ns = time.perf_counter_ns()
        nodes = phase.tolist()
        children = [(made.pop(node + 1), made.pop(int(tree.children(node)[1]))) for node in nodes]
        answers = _aligned(
            [pair_of(*both) for both in children], align_pairs, _Within(monitor, done, len(nodes), total)
        )
        for node, both, answer in zip(nodes, children, answers, strict=True):
            joined[node] = Joined(answer.taken(0), answer.taken(1))
            made[node] = united(*both, joined[node])
        done += len(nodes)
        if log is not None:
            log.add(number, nodes, children, begun_ns)
    monitor.update(total, total, ALIGNMENT)
    return _rows(tree, sequences, joined)


def united(first: Node, second: Node, joined: Joined) -> Node:
    """The node above two that are aligned."""
    counts: np.ndarray = np.zeros((first.counts.shape[0], joined.first.size), np.int64)
    for node, taken in ((first, joined.first), (second, joined.second)):
        counts[:, taken] += node.counts
        counts[-1, ~taken] += node.total
    marks: np.ndarray = np.zeros((first.marks.shape[0], joined.first.size), np.int32)
    if marks.size:
        marks[:, joined.first] += first.marks
        marks[:, joined.second] += second.marks
    return Node(counts, marks, first.total + second.total, first.first, first.rows + second.rows)


def _aligned(pairs: Sequences[Pair], align_pairs: Align, monitor: Monitor) -> list[ProfileAnswer]:
    """The answers of all pairs: those that are scored alike by one call."""
    groups: dict[Hashable, list[int]] = {}
    for number, pair in enumerate(pairs):
        groups.setdefault((pair.scoring, pair.span), []).append(number)
    found: dict[int, ProfileAnswer] = {}
    for numbers in groups.values():
        scoring, span = pairs[numbers[0]][2:]
        answers = align_pairs([pairs[number][:2] for number in numbers], scoring, span, monitor)
        found.update(zip(numbers, answers, strict=True))
    return [found[number] for number in range(len(pairs))]


def _rows(tree: Tree, sequences: Sequences[Sequence], joined: dict[int, Joined]) -> np.ndarray:
    """The letters of all sequences in the columns of the root."""
    width = joined[0].first.size if joined else len(sequences[0])
    places: dict[int, np.ndarray] = {0: np.arange(width)}
    rows = np.full((len(sequences), width), GAP, np.uint8)
    row = 0
    for node in range(len(tree)):
        own = places.pop(node)
        if node in joined:
            places[node + 1] = own[joined[node].first]
            places[int(tree.children(node)[1])] = own[joined[node].second]
        else:
            rows[row, own] = sequences[row].array
            row += 1
    return rows


class _Within(Monitor):
    """The progress of one phase within all of them."""

    def __init__(self, whole: Monitor, done: int, nodes: int, total: int) -> None:
        super().__init__()
        self._whole, self._done, self._nodes, self._total, self._most = whole, done, nodes, total, 0
        self.update(0, 1)

    def check(self) -> None:
        self._whole.check()

    def update(self, done: int, total: int, phase: str = "") -> None:
        self._most = max(self._most, 1000 * self._nodes * done // max(total, 1))
        self._whole.update(1000 * self._done + self._most, 1000 * self._total, ALIGNMENT)


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


def _units(alphabet: str) -> np.ndarray:
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
