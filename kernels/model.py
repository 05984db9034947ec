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

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from kernels.errors import InputError, ScoreOverflow
from kernels.scoring import SCORE_LIMIT, UNKNOWN, Scoring
from kernels.steps import Steps
from kernels.words import counted

DIAGONAL, UP, LEFT = 0, 1, 2
"""Operations of a path: both letters; a letter of the first against a gap (E); of the second (F)."""

CHUNK = 1 << 20
"""Operations handled at a time where temporary arrays are wider than the path itself."""


class SequenceType(StrEnum):
    DNA = "DNA"
    RNA = "RNA"
    PROTEIN = "protein"


class Mode(StrEnum):
    LOCAL = "local"
    GLOBAL = "global"


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
class PairProblem:
    """Two sequences, scoring and mode: everything that defines the best pairwise alignment."""

    first: Sequence
    second: Sequence
    scoring: Scoring
    mode: Mode = Mode.LOCAL

    def __post_init__(self) -> None:
        self._refuse_overflow()

    @property
    def sequences(self) -> tuple[Sequence, Sequence]:
        return self.first, self.second

    @property
    def data(self) -> tuple[Sequence, Sequence]:
        return self.sequences

    @property
    def cells(self) -> int:
        return len(self.first) * len(self.second)

    @property
    def swapped(self) -> bool:
        """Whether strips run along the first sequence, because it is the longer one (001, IV)."""
        return len(self.first) > len(self.second)

    @property
    def rows(self) -> int:
        """Length of the shorter sequence: rows of the matrix as the methods compute it."""
        return min(len(self.first), len(self.second))

    @property
    def columns(self) -> int:
        """Length of the longer sequence: columns of the matrix as the methods compute it."""
        return max(len(self.first), len(self.second))

    @property
    def title(self) -> str:
        return f"{self.first.name} x {self.second.name}"

    @property
    def size(self) -> str:
        return f"{len(self.first):,} x {len(self.second):,}, {self.mode}"

    @cached_property
    def codes(self) -> tuple[np.ndarray, np.ndarray]:
        """Matrix codes of both sequences, uint8; InputError names a letter that has no score."""
        return encode(self.first, self.scoring), encode(self.second, self.scoring)

    def _refuse_overflow(self) -> None:
        step = max(int(np.abs(self.scoring.scores).max(initial=0)), self.scoring.extend)
        bound = (self.rows + self.columns + 2) * step + self.scoring.open
        if bound >= SCORE_LIMIT:
            raise ScoreOverflow(
                f"scores of {len(self.first):,} x {len(self.second):,} letters could reach {bound:,} in size, beyond "
                f"the 32-bit limit of {SCORE_LIMIT:,}; use smaller scores and gap costs, or shorter sequences"
            )


def encode(sequence: Sequence, scoring: Scoring) -> np.ndarray:
    """Matrix codes of a sequence, uint8; InputError names the record and position of a strange letter."""
    codes = bytearray(sequence.letters).translate(scoring.matrix.translation)
    position = codes.find(UNKNOWN)
    if position >= 0:
        letter = chr(sequence.letters[position])
        raise InputError(
            f"{sequence.name}: letter {letter!r} at position {position + 1:,} has no score in {scoring.matrix.name}; "
            f"it knows {scoring.matrix.letters}. Choose another matrix, or make {letter} a wildcard"
        )
    return np.frombuffer(codes, np.uint8)


@dataclass(frozen=True, eq=False)
class Alignment:
    """A path through the matrix of a pair.

    ``start`` and ``end`` are cells (i, j); letters start[0]..end[0] of the first and
    start[1]..end[1] of the second sequence are aligned. ``operations`` is uint8, from start to end.
    """

    start: tuple[int, int]
    end: tuple[int, int]
    operations: np.ndarray

    def cells(self) -> np.ndarray:
        """Every cell of the path from start to end, shape (operations + 1, 2), int64."""
        steps = np.empty((len(self.operations) + 1, 2), np.int64)
        steps[0] = self.start
        steps[1:, 0] = self.operations != LEFT
        steps[1:, 1] = self.operations != UP
        return np.cumsum(steps, axis=0, out=steps)

    def gapped(self, first: Sequence, second: Sequence) -> tuple[str, str]:
        """Both rows of the alignment with '-' for gaps."""
        return (
            _gapped(first.array[self.start[0] : self.end[0]], self.operations != LEFT),
            _gapped(second.array[self.start[1] : self.end[1]], self.operations != UP),
        )

    def cigar(self, first: Sequence, second: Sequence) -> str:
        """CIGAR with = X I D; the first sequence is the query, the second the reference."""
        kinds = self.operations.copy()
        kinds[(kinds == DIAGONAL) & ~self.identical(first, second)] = 3
        borders = np.flatnonzero(kinds[1:] != kinds[:-1]) + 1
        pieces = []
        for at in range(0, borders.size + 1 if kinds.size else 0, CHUNK):
            ends = np.append(borders, kinds.size)[at : at + CHUNK]
            lengths = np.diff(ends, prepend=borders[at - 1] if at else 0)
            runs = zip(lengths.tolist(), kinds[ends - 1].tolist(), strict=True)
            pieces.append("".join(f"{length}{'=IDX'[kind]}" for length, kind in runs))
        return "".join(pieces)

    def identical(self, first: Sequence, second: Sequence) -> np.ndarray:
        """Whether each column holds the same letter twice, bool; U equals T where DNA meets RNA."""
        letters = (
            sequence.array[start:end][self.operations[self.operations != without] == DIAGONAL]
            for sequence, start, end, without in zip((first, second), self.start, self.end, (LEFT, UP), strict=True)
        )
        top, bottom = letters
        if {first.type, second.type} == {SequenceType.DNA, SequenceType.RNA}:
            top, bottom = (np.where(row == ord("U"), np.uint8(ord("T")), row) for row in (top, bottom))
        same = np.zeros(self.operations.size, bool)
        same[self.operations == DIAGONAL] = top == bottom
        return same


def rescore(problem: PairProblem, alignment: Alignment) -> int:
    """Score of a path, summed letter by letter and gap by gap, in engine units (see Scoring.scale).

    ValueError when the operations do not lead from the start to the end of the alignment.
    """
    operations, scoring = alignment.operations, problem.scoring
    taken = [operations[operations != other] == DIAGONAL for other in (LEFT, UP)]
    for side, (start, end) in enumerate(zip(alignment.start, alignment.end, strict=True)):
        if taken[side].size != end - start or not 0 <= start <= end <= len(problem.sequences[side]):
            raise ValueError(
                f"path of {operations.size} operations does not lead from {alignment.start} to {alignment.end}"
            )
    first, second = (
        codes[start:end][paired]
        for codes, start, end, paired in zip(problem.codes, alignment.start, alignment.end, taken, strict=True)
    )
    pairs = sum(
        int(scoring.scores[first[at : at + CHUNK], second[at : at + CHUNK]].sum(dtype=np.int64))
        for at in range(0, first.size, CHUNK)
    )
    gaps = operations != DIAGONAL
    opened = gaps & np.append(True, operations[1:] != operations[:-1])[: gaps.size]
    return pairs - int(opened.sum()) * scoring.open - int(gaps.sum()) * scoring.extend


@dataclass(frozen=True)
class PairAnswer:
    """The best score of a pair (engine units), the cell where it ends, and the path where there is one."""

    score: int
    end: tuple[int, int]
    alignment: Alignment | None = None

    def check(self, problem: PairProblem) -> None:
        """Rescore the path independently; AssertionError when it does not fit the score, the end or the mode."""
        path = self.alignment
        if path is None:
            return
        found = rescore(problem, path)
        assert found == self.score, f"path scores {found}, result says {self.score}"
        assert path.end == self.end, f"path ends at {path.end}, result says {self.end}"
        if problem.mode == Mode.GLOBAL:
            corner = (len(problem.first), len(problem.second))
            assert path.start == (0, 0) and path.end == corner, f"global path runs from {path.start} to {path.end}"


@dataclass(frozen=True)
class Outcome:
    """What a backend returns: the answer, and where its time went.

    ``times_ms`` has a key for every phase, and "compilation" and "transfer" apart from them.
    """

    answer: Any
    times_ms: Mapping[str, float]
    host_bytes: int = 0
    device_bytes: int = 0


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


def _gapped(letters: np.ndarray, taken: np.ndarray) -> str:
    row = np.full(taken.size, ord("-"), np.uint8)
    row[taken] = letters
    return row.tobytes().decode("ascii")
