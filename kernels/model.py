"""Problems and results: the nouns of the field, frozen.

Every problem, of whatever family, has ``data`` (what it was made from, in order), ``cells`` (of the matrix it stands
for), ``title`` ("A x B") and ``size`` ("300 x 400, local"); every answer has ``check(problem)``, which raises
AssertionError where the answer does not fit. Both are frozen dataclasses of numbers, texts, arrays and each other, so
that a session can keep them.

``i`` is the row and belongs to the first sequence, ``j`` the column and the second. A cell (i, j) is
reached after i letters of the first and j letters of the second sequence, so a half-open range of
letters and the cells at its two ends are the same two numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

import numpy as np

from antidiag.kernels.courtesy import give_way, in_turns
from antidiag.kernels.serialization import stored
from antidiag.kernels.steps import Steps
from antidiag.kernels.text import counted

JOINED = 20_000
"""Sequences whose letters are joined at once."""


@stored("sequence-type")
class SequenceType(StrEnum):
    """What the letters of a sequence stand for."""

    DNA = "DNA"
    RNA = "RNA"
    PROTEIN = "protein"


@stored("sequence")
@dataclass(frozen=True, slots=True)
class Sequence:
    """A named sequence; ``letters`` are upper-case ASCII without gaps or white space.

    ``description`` is the whole title line, name included; ``source`` the file; ``note`` tells the
    user what reading changed, such as gaps that were removed.
    """

    name: str
    letters: bytes = field(repr=False)
    type: SequenceType
    description: str = ""
    source: str = ""
    note: str = field(default="", compare=False)

    def __len__(self) -> int:
        return len(self.letters)

    @property
    def summary(self) -> str:
        """Length and type: '16,569 letters, DNA'."""
        return f"{counted(len(self), 'letter')}, {self.type}"

    @property
    def array(self) -> np.ndarray:
        """The letters as a read-only uint8 array, without a copy."""
        return np.frombuffer(self.letters, np.uint8)


@dataclass(frozen=True)
class Outcome:
    """What a backend returns: the answer, and where its time went.

    ``times_ms`` has a key for every phase, and "compilation" and "transfer" apart from them. ``notes`` are sentences
    that the user must read beside this answer.
    """

    answer: Any
    times_ms: Mapping[str, float]
    host_bytes: int = 0
    device_bytes: int = 0
    notes: tuple[str, ...] = ()


def lengths_of(sequences: Iterable[Sequence]) -> np.ndarray:
    """Letters of each sequence, int64; a loop of Python's own, which of a million lets other threads go on."""
    return np.fromiter((len(sequence) for sequence in in_turns(sequences)), np.int64)


def joined(sequences: Sequences[Sequence]) -> np.ndarray:
    """The letters of sequences, one after another, uint8; joined a part at a time, so that of a million other threads
    go on."""
    found = np.empty(int(lengths_of(sequences).sum()), np.uint8)
    filled = 0
    for first in range(0, len(sequences), JOINED):
        part = b"".join([sequence.letters for sequence in sequences[first : first + JOINED]])
        found[filled : filled + len(part)] = np.frombuffer(part, np.uint8)
        filled += len(part)
        give_way()
    return found


def contents_of(sequences: Sequences[Sequence]) -> tuple[np.ndarray, np.ndarray]:
    """The first of the sequences of each content, int64 ascending; and of every sequence the place there.

    Equal letters have equal hashes, which are sorted; a dictionary of a million would stop other threads as it grows.
    """
    hashes = np.fromiter((hash(sequence.letters) for sequence in in_turns(sequences)), np.int64, len(sequences))
    _, first, own = np.unique(hashes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)
    first, own = first[order].astype(np.int64), rank[own]
    if all(sequences[number].letters == sequences[one].letters for number, one in _pairs(first[own])):
        return first, own
    known: dict[bytes, int] = {}  # two contents have one hash
    own = np.fromiter((known.setdefault(one.letters, number) for number, one in enumerate(sequences)), np.int64)
    first = np.fromiter(known.values(), np.int64, len(known))
    return first, np.searchsorted(first, own)


def different(values: np.ndarray) -> np.ndarray:
    """The different values of an array, ascending. By sorting: of integers `np.unique` alone fills a table of its own,
    and a million of them would stop other threads meanwhile."""
    return np.asarray(np.unique(values, return_index=True)[0])


def same_names(first: Sequences[str], second: Sequences[str]) -> bool:
    """Whether these are the same names, each as many times, in any order.

    They are compared in the order of their hashes; to count a million in a dictionary would stop other threads.
    """
    if len(first) != len(second):
        return False
    hashes = (np.fromiter((hash(name) for name in in_turns(names)), np.int64, len(names)) for names in (first, second))
    one, other = (np.argsort(found, kind="stable") for found in hashes)
    other_of = np.empty_like(other)
    other_of[one] = other
    if all(first[number] == second[at] for number, at in _pairs(other_of)):
        return True
    return Counter(first) == Counter(second)  # others, or two names have one hash


def _pairs(numbers: np.ndarray) -> Iterator[tuple[int, int]]:
    """The places of an array, each with the number there."""
    for at in range(0, numbers.size, JOINED):
        yield from in_turns(enumerate(numbers[at : at + JOINED].tolist(), at))


@stored("result")
@dataclass(frozen=True)
class Result:
    """The answer, where it came from, and the times of each phase."""

    method: str
    problem: Any
    parameters: Mapping[str, Any]
    backend: str
    device: str
    answer: Any
    times_ms: Mapping[str, float]
    host_bytes: int
    device_bytes: int
    started: datetime
    versions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    steps: Steps = field(default_factory=Steps)
    work: int | None = None
    """Cells that the run computed, where its method counts others than those of the problem (``Method.done``)."""

    @property
    def cells(self) -> int:
        """Cells that the run computed; what a method computes more than once to save memory counts once."""
        return self.problem.cells if self.work is None else self.work

    @property
    def compute_ms(self) -> float:
        """Time of all phases, without compilation and transfers."""
        return sum(time for phase, time in self.times_ms.items() if phase not in ("compilation", "transfer"))

    @property
    def gcups(self) -> float:
        """Billions of cells for each second of the phases."""
        return self.cells / self.compute_ms / 1e6 if self.compute_ms else 0.0

    @property
    def score(self) -> int | float:
        """The score in the units of the matrix."""
        return self.problem.scoring.unscaled(self.answer.score)

    def check(self, problem: Any) -> None:
        """Have the answer check itself independently; AssertionError when it does not fit the problem."""
        self.answer.check(problem)
