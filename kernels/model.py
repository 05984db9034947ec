"""Sequences, outcomes of backends, and results.

Every problem, of whatever family, has ``data`` (its input data, in order), ``cells`` (number of cells of its matrix),
``title`` ("A x B") and ``size`` ("300 x 400, local"). Every answer has ``check(problem)``, which raises AssertionError
if the answer does not fit the problem. Both are frozen dataclasses of numbers, texts, arrays and such dataclasses, so
that sessions can store them. A problem whose answer is the best of several problems' answers has ``variants``, these
problems, and ``settle_variant(number)``, itself with the best variant named; the engine runs a method on each.

``i`` is the row and belongs to the first sequence, ``j`` the column and belongs to the second sequence. Cell (i, j) is
reached after i letters of the first and j letters of the second sequence, so a half-open range of
letters and the cells at its two ends are the same two numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.serialization import stored
from antidiag.kernels.steps import StepLog
from antidiag.kernels.text import format_count


@stored("sequence-type")
class SequenceType(StrEnum):
    """Type of the letters of a sequence."""

    DNA = "DNA"
    RNA = "RNA"
    PROTEIN = "protein"


@stored("sequence")
@dataclass(frozen=True, slots=True)
class Sequence:
    """A named sequence; ``letters`` are upper-case ASCII without gaps or white space.

    ``description`` is the whole title line with the name, ``source`` the file, and ``note`` a message for the user
    about what was changed during reading, such as removed gaps.
    """

    name: str
    letters: bytes = field(repr=False)
    type: SequenceType
    description: str = ""
    source: str = ""
    note: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if type(self.letters) is not bytes:  # as text: refused or encoded now, not in the middle of a run
            object.__setattr__(self, "letters", _encode_letters(self.name, self.letters))

    def __len__(self) -> int:
        return len(self.letters)

    @property
    def summary(self) -> str:
        """Length and type in words: '16,569 letters, DNA'."""
        return f"{format_count(len(self), 'letter')}, {self.type}"

    @property
    def details(self) -> str:
        """The description without the name, mostly species and molecule; may be empty."""
        title = self.description.strip()
        return title[len(self.name) :].strip() if f"{title} ".startswith(f"{self.name} ") else title

    @property
    def letter_array(self) -> np.ndarray:
        """The letters as a read-only uint8 array, without a copy."""
        return np.frombuffer(self.letters, np.uint8)


def _encode_letters(name: str, letters: Any) -> bytes:
    """Return letters that are text or bytes-like as bytes. Raise InputError for others and for non-ASCII text."""
    if isinstance(letters, str) and letters.isascii():
        return letters.encode("ascii")
    if isinstance(letters, (bytes, bytearray, memoryview)):
        return bytes(letters)
    raise InputError(f"{name}: letters must be bytes or a str of ASCII letters; got {letters!r:.40}")


@dataclass(frozen=True)
class Outcome:
    """What a backend returns: the answer, its times and its memory.

    ``times_ms`` has a key for every phase, and the separate keys "compilation" and "transfer". ``notes`` are sentences
    for the user about this answer. ``work`` is the number of computed cells, if the backend counted them.
    """

    answer: Any
    times_ms: Mapping[str, float]
    host_bytes: int = 0
    device_bytes: int = 0
    notes: tuple[str, ...] = ()
    work: int | None = None


def sequence_lengths(sequences: Iterable[Sequence]) -> np.ndarray:
    """Return the length of each sequence, int64."""
    if (lengths := getattr(sequences, "lengths", None)) is not None:  # a `SequenceSet` has arrays
        return lengths
    return np.fromiter((len(sequence.letters) for sequence in sequences), np.int64)


def concatenate_letters(sequences: Sequences[Sequence]) -> np.ndarray:
    """Return the letters of all sequences, one sequence after another, uint8."""
    if (letters := getattr(sequences, "letters", None)) is not None:
        return letters.copy()  # which may be written to, as compiled code expects
    return np.frombuffer(bytearray().join([sequence.letters for sequence in sequences]), np.uint8)


def sequence_names(sequences: Iterable[Sequence]) -> tuple[str, ...]:
    """Return the names of sequences."""
    names = getattr(sequences, "names", None)
    return tuple(sequence.name for sequence in sequences) if names is None else tuple(names)


def sequence_types(sequences: Iterable[Sequence]) -> set[SequenceType]:
    """Return the types that sequences have."""
    types = getattr(sequences, "different_types", None)
    return {sequence.type for sequence in sequences} if types is None else types


def common_type(types: Iterable[SequenceType]) -> SequenceType:
    """Return the type under which sequences of these types are written together.

    Protein if any is one; of nucleotides RNA if all are.
    """
    kinds = set(types)
    return SequenceType.PROTEIN if SequenceType.PROTEIN in kinds else min(kinds)


def group_equal_sequences(sequences: Sequences[Sequence]) -> tuple[np.ndarray, np.ndarray]:
    """Group sequences with equal letters.

    Returns
    -------
    first
        Number of the first sequence of each group, int64, ascending.
    own
        Group of every sequence, int64.
    """
    known: dict[bytes, int] = {}
    each_letters = getattr(sequences, "each_letters", None)
    letters = each_letters() if each_letters else (one.letters for one in sequences)
    own = np.fromiter((known.setdefault(one, len(known)) for one in letters), np.int64, len(sequences))
    return np.unique(own, return_index=True)[1].astype(np.int64), own


def unique_values(values: np.ndarray) -> np.ndarray:
    """Return the distinct values of an array, ascending.

    Sorts: for integers, `np.unique` without ``return_index`` builds a hash table, which holds the GIL.
    """
    return np.asarray(np.unique(values, return_index=True)[0])


def have_same_names(first: Sequences[str], second: Sequences[str]) -> bool:
    """Return whether two lists hold the same names equally often, in any order."""
    if len(first) != len(second):
        return False
    excess: dict[str, int] = {}  # counted in Python: `collections.Counter` holds the GIL for a million names
    for name in first:
        excess[name] = excess.get(name, 0) + 1
    for name in second:
        excess[name] = excess.get(name, 0) - 1
    return not any(excess.values())


@stored("result")
@dataclass(frozen=True)
class Result:
    """The answer of a run with its origin (method, problem, parameters, device) and the time of each phase."""

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
    steps: StepLog = field(default_factory=StepLog)
    work: int | None = None
    """Number of computed cells (``CostEstimate.finished_cells``); None in results of earlier versions, or if it is the
    number of the problem's cells."""

    @property
    def cells(self) -> int:
        """Number of computed cells; a cell that is recomputed to save memory counts once."""
        return self.problem.cells if self.work is None else self.work

    @property
    def compute_ms(self) -> float:
        """Time of all phases in ms, without compilation and transfers."""
        return sum(time for phase, time in self.times_ms.items() if phase not in ("compilation", "transfer"))

    @property
    def gcups(self) -> float:
        """Billions of cells per second of the phases."""
        return self.cells / self.compute_ms / 1e6 if self.compute_ms else 0.0

    @property
    def score(self) -> int | float:
        """Score in the units of the matrix."""
        return self.problem.scoring.unscale_score(self.answer.score)

    def check(self, problem: Any) -> None:
        """Check the answer independently of the method; raise AssertionError if it does not fit the problem."""
        self.answer.check(self.problem if self.problem == problem else problem)  # its own names the best variant


def format_score(result: Result) -> str:
    """Return the score of a result in the units of the matrix: '1,234' or '1,234.50'."""
    return f"{result.score:,}" if isinstance(result.score, int) else f"{result.score:,.2f}"
