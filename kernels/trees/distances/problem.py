"""Problems whose answer is a distance matrix: sequences, or an alignment, and the rule of the distances."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from antidiag.kernels import scoring_options
from antidiag.kernels.courtesy import in_turns
from antidiag.kernels.dynamic_class import Placement
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import distances
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.aligned_kind import ALIGNMENT
from antidiag.kernels.io.distance_matrix import DistanceMatrix, sound
from antidiag.kernels.io.names import distinct, renaming
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import FileFormat, Input, ProblemType, Rows
from antidiag.kernels.model import Result, Sequence, SequenceType, lengths_of
from antidiag.kernels.parameters import Parameter, resolve
from antidiag.kernels.scoring import Mode, Scoring, refuse_overflow
from antidiag.kernels.serialization import stored
from antidiag.kernels.trees import placement
from antidiag.kernels.trees.distances.columns import MODELS
from antidiag.kernels.trees.distances.kmers import BASES, GROUPS, K

SEQUENCES = Input(SEQUENCE, 1, None)

KTUPLE_OPTIONS = (
    Parameter("ktuple", "int", "k-tuple", "Letters of a word: 1 or 2 for proteins (1), 1 to 4 for DNA (2).",
              default=None, minimum=1, maximum=4, unit="letters"),
    Parameter("diagonals", "int", "Top diagonals", "Diagonals with the most words that are looked at (5; DNA 4).",
              default=None, minimum=1, maximum=100),
    Parameter("window", "int", "Window", "Diagonals on each side of a top diagonal that count too (5; DNA 4).",
              default=None, minimum=0, maximum=100),
    Parameter("word_gap", "int", "Word gap", "Cost of a step from one diagonal to another (3; DNA 5).",
              default=None, minimum=0, maximum=500),
)  # fmt: skip
KTUPLE_DEFAULTS = {
    False: {"ktuple": 2, "diagonals": 4, "window": 4, "word_gap": 5},
    True: {"ktuple": 1, "diagonals": 5, "window": 5, "word_gap": 3},
}
"""ClustalW's values for nucleotides, and for proteins."""

MODEL = Parameter(
    "distance_model", "choice", "Model",
    "Of the columns where both rows have a letter: the share that differs (p), or that share corrected for repeated "
    "changes, by Jukes and Cantor's rule or by Kimura's (for proteins his formula of 1983, for nucleotides the one of "
    "two parameters).",
    default="p", choices=MODELS,
)  # fmt: skip


@dataclass(frozen=True)
class _Sequences:
    """Sequences, between all pairs of which a distance is computed."""

    sequences: tuple[Sequence, ...]

    @property
    def data(self) -> tuple[Sequence, ...]:
        return self.sequences

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the taxa: those of the sequences, made different."""
        return distinct(_names(self.sequences))

    @property
    def pairs(self) -> int:
        return len(self.sequences) * (len(self.sequences) - 1) // 2

    @property
    def cells(self) -> int:
        """Products of lengths, summed over all pairs."""
        return cells_of(lengths_of(self.sequences))

    @property
    def title(self) -> str:
        more = len(self.sequences) - 1
        return self.sequences[0].name + (f" and {more:,} more" if more else "")

    @property
    def size(self) -> str:
        return f"{len(self.sequences):,} sequence{'s' * (len(self.sequences) != 1)}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the sequences, and of distances that the rule gives to some of them."""
        renamed = renaming(_names(self.sequences), self.names)
        return (*((f"Sequences with {renamed}.",) if renamed else ()), *self._without_words())

    def _without_words(self) -> tuple[str, ...]:
        return ()

    @property
    def protein(self) -> bool:
        return not scoring_options.nucleotides(self.sequences)


@stored("full-distance-problem")
@dataclass(frozen=True)
class FullProblem(_Sequences):
    """Distances from the best alignment of each pair."""

    scoring: Scoring
    mode: Mode = Mode.LOCAL


@stored("ktuple-distance-problem")
@dataclass(frozen=True)
class KtupleProblem(_Sequences):
    """ClustalW's fast distances; see KTUPLE_OPTIONS."""

    ktuple: int
    diagonals: int
    window: int
    word_gap: int

    def _without_words(self) -> tuple[str, ...]:
        return _short(int((lengths_of(self.sequences) < self.ktuple).sum()), self.ktuple, "1")


@stored("6mer-distance-problem")
@dataclass(frozen=True)
class SixmerProblem(_Sequences):
    """MAFFT's distances of shared words of six letters."""

    def _without_words(self) -> tuple[str, ...]:
        other = bytes(set(range(256)) - set("".join(GROUPS if self.protein else BASES).encode()))
        short = sum(len(sequence.letters.translate(None, other)) < K for sequence in in_turns(self.sequences))
        return _short(short, K, "that of sequences that share no word")


@stored("alignment-distance-problem")
@dataclass(frozen=True)
class AlignedProblem:
    """Distances between the rows of an alignment."""

    alignment: AlignedSequences
    model: str = "p"

    @property
    def notes(self) -> tuple[str, ...]:
        """What is otherwise here than in the file: names of rows, letters, and what was left out."""
        parts = self.alignment.note.split("; ") if self.alignment.note else []
        return tuple(f"Rows with {part}." if part.startswith("equal") else f"In the file: {part}." for part in parts)

    @property
    def data(self) -> tuple[AlignedSequences]:
        return (self.alignment,)

    @property
    def cells(self) -> int:
        rows, columns = self.alignment.letters.shape
        return rows * (rows - 1) // 2 * columns

    @property
    def title(self) -> str:
        return self.alignment.name

    @property
    def size(self) -> str:
        return self.alignment.summary


@stored("distance-answer")
@dataclass(frozen=True, eq=False)
class DistanceAnswer:
    """The matrix; ``pairs_without`` are pairs that the rule gives no distance, and a stated one took its place."""

    distances: DistanceMatrix
    pairs_without: int = 0

    def check(self, problem: Any) -> None:
        """AssertionError unless the matrix is one of distances between these sequences."""
        rows = problem.alignment.names if isinstance(problem, AlignedProblem) else problem.names
        assert self.distances.names == rows, "the names are not those of the sequences"
        values = self.distances.values
        assert values.shape == (len(rows), len(rows)), f"distances of shape {values.shape}"
        assert sound(values), "a distance is missing, negative, asymmetric, or not 0 from a sequence to itself"


def cells_of(lengths: np.ndarray) -> int:
    """Products of lengths, summed over all pairs of sequences of these; without an overflow."""
    counted = zip(*(found.tolist() for found in np.unique(lengths, return_counts=True)), strict=True)
    return (int(lengths.sum()) ** 2 - sum(count * length**2 for length, count in counted)) // 2


def matrix_of(problem: _Sequences, values: np.ndarray, name: str) -> DistanceMatrix:
    """The distance matrix of these sequences, as `symmetric` makes it."""
    return symmetric(problem.names, values, name)


def symmetric(names: tuple[str, ...], values: np.ndarray, name: str) -> DistanceMatrix:
    """A distance matrix of different names and numbers that a method wrote to both sides of the diagonal.

    Nothing is looked for in them: to read a large matrix once more takes seconds. ``values`` are read-only then.
    """
    values.setflags(write=False)
    return DistanceMatrix(names, values, name)


def _names(sequences: Sequences[Sequence]) -> tuple[str, ...]:
    return tuple(sequence.name for sequence in in_turns(sequences))


def _short(count: int, k: int, distance: str) -> tuple[str, ...]:
    """That sequences without a word share none, not even with one of the same letters."""
    if not count:
        return ()
    have = "sequence has" if count == 1 else "sequences have"
    told = f"{count:,} {have} no word of {k} letters: the distance to every other is {distance}, even to an equal one."
    return (told,)


def _full(data: Sequences[Sequence], options: Mapping[str, Any]) -> FullProblem:
    _refuse_empty(data)
    values = scoring_options.values(data, options, scoring_options.OPTIONS)
    scoring = scoring_options.scoring(values, scoring_options.nucleotides(data))
    if not np.array_equal(scoring.scores, scoring.scores.T):
        raise InputError(f"{scoring.matrix.name}: not symmetric; a distance needs the same score both ways")
    longest = heapq.nlargest(2, in_turns(data), key=len)
    refuse_overflow(len(longest[-1]), len(longest[0]), scoring)
    return FullProblem(tuple(data), scoring, Mode(values["mode"]))


def _ktuple(data: Sequences[Sequence], options: Mapping[str, Any]) -> KtupleProblem:
    _refuse_empty(data)
    given = {name: value for name, value in options.items() if value is not None}
    values = dict(resolve(KTUPLE_OPTIONS, {**_ktuple_defaults(data), **given}))
    if values["ktuple"] > 2 and not scoring_options.nucleotides(data):
        raise InputError(f"ktuple={values['ktuple']} is for nucleotides; for proteins give 1 or 2")
    return KtupleProblem(tuple(data), **values)


def _ktuple_defaults(data: Sequences[Sequence]) -> Mapping[str, Any]:
    return KTUPLE_DEFAULTS[any(sequence.type == SequenceType.PROTEIN for sequence in in_turns(data))]


def _sixmer(data: Sequences[Sequence], options: Mapping[str, Any]) -> SixmerProblem:
    _refuse_empty(data)
    resolve((), options)
    return SixmerProblem(tuple(data))


def _aligned(data: Sequences[AlignedSequences], options: Mapping[str, Any]) -> AlignedProblem:
    Input(ALIGNMENT).check(len(data))
    return AlignedProblem(data[0], resolve((MODEL,), options)["distance_model"])


def _refuse_empty(data: Sequences[Sequence]) -> None:
    SEQUENCES.check(len(data))
    for sequence in in_turns(data):
        if not len(sequence):
            raise InputError(f"{sequence.name}: the sequence is empty; remove it")


def _json(result: Result) -> dict[str, Any]:
    found = result.answer.distances
    return {"names": list(found.names), "distances": found.values}


def _rows(result: Result) -> Rows:
    found, without = result.answer.distances, result.answer.pairs_without
    told = [("Taxa", f"{len(found):,}")]
    if len(found) > 1:
        told.append(("Distances", "{:.4g} to {:.4g}, mean {:.4g}".format(*_extent(found.values))))
    return [*told, ("Pairs without a distance", f"{without:,}")] if without else told


def _extent(values: np.ndarray) -> tuple[float, float, float]:
    """The least, the greatest and the mean distance of two or more taxa, without a copy of the matrix."""
    rows = [values[row, :row] for row in range(1, len(values))]
    total = math.fsum(float(row.sum()) for row in rows)
    pairs = len(values) * (len(values) - 1) // 2
    return min(float(row.min()) for row in rows), max(float(row.max()) for row in rows), total / pairs


def _type(
    id: str,
    label: str,
    inputs: Input,
    options: tuple[Parameter, ...],
    build: Any,
    defaults: Any,
    values: Callable[[Any], Mapping[str, Any]],
    trials: str,
    place: Placement,
    settings: Callable[[Any], Rows] | None = None,
) -> ProblemType:
    """A problem whose answer is a distance matrix; ``settings`` are the option values where not given.

    ``trials`` is the name of its trials in the module of these.
    """
    labels = {option.name: option.label for option in options}
    return ProblemType(
        id=id,
        label=label,
        inputs=(inputs,),
        options=options,
        build=build,
        defaults=defaults,
        data=_json,
        rows=_rows,
        answer=lambda result: result.answer.distances.summary,
        formats=FORMATS,
        products=lambda result: [result.answer.distances],
        option_values=values,
        settings=settings or (lambda problem: [(labels[name], str(value)) for name, value in values(problem).items()]),
        placement=place,
        trials=f"antidiag.kernels.trees.distances.trials:{trials}",
    )


FORMATS = (
    FileFormat(
        ".phy",
        "PHYLIP distance matrix",
        "distances",
        lines=lambda result: distances.phylip(_found(result)),
        count=lambda result: len(_found(result)) + 1,
    ),
    FileFormat(".npy", "NumPy array", "distances", write=lambda path, result: distances.write(path, _found(result))),
)


def _found(result: Result) -> DistanceMatrix:
    return result.answer.distances


FULL = _type(
    "full-distances", "Distances of aligned pairs", SEQUENCES, scoring_options.OPTIONS, _full,
    scoring_options.defaults,
    lambda problem: {"mode": str(problem.mode), **scoring_options.values_of(problem.scoring)},
    "FULL",
    placement.PAIRS,
    lambda problem: [("Mode", str(problem.mode)), ("Scoring", problem.scoring.text())],
)  # fmt: skip
KTUPLE = _type(
    "ktuple-distances", "Distances of shared k-tuples", SEQUENCES, KTUPLE_OPTIONS, _ktuple, _ktuple_defaults,
    lambda problem: {option.name: getattr(problem, option.name) for option in KTUPLE_OPTIONS},
    "KTUPLE",
    placement.CHAINS,
)  # fmt: skip
SIXMER = _type(
    "6mer-distances",
    "Distances of shared 6-mers",
    SEQUENCES,
    (),
    _sixmer,
    lambda data: {},
    lambda problem: {},
    "SIXMER",
    placement.COUNTS,
)
ALIGNED = _type(
    "alignment-distances", "Distances of an alignment", Input(ALIGNMENT), (MODEL,), _aligned, lambda data: {},
    lambda problem: {"distance_model": problem.model}, "ALIGNED", placement.COLUMNS,
)  # fmt: skip
