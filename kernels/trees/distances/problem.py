"""Problems whose answer is a distance matrix: sequences, or an alignment, and the rule of the distances."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels import scoring_options
from antidiag.kernels.alignments.alignment_kind import ALIGNMENT
from antidiag.kernels.dp_taxonomy import DpClassification
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import distance_files
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.distance_matrix import DistanceMatrix, are_distances
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import FileFormat, LabelledRows, ProblemInput, ProblemType
from antidiag.kernels.model import Result, Sequence, SequenceType, concatenate_letters, sequence_lengths
from antidiag.kernels.parameters import Parameter, resolve_values
from antidiag.kernels.scoring import Mode, Scoring, refuse_overflow
from antidiag.kernels.sequences.sequence_set import pack_sequences
from antidiag.kernels.serialization import stored
from antidiag.kernels.trees import dp_classes
from antidiag.kernels.trees.distances.alignment_columns.column_distances import MODELS, PROTEIN_MODELS
from antidiag.kernels.trees.distances.shared_words.kmers import BASES, GROUPS, K, letter_codes
from antidiag.kernels.trees.named_sequences import AlignedRows, NamedSequences

SEQUENCES = ProblemInput(SEQUENCE, 1, None)

KTUPLE_OPTIONS = (
    Parameter("ktuple", "int", "k-tuple", "Word length: 1 or 2 for proteins (default 1), 1 to 4 for DNA (default 2).",
              default=None, minimum=1, maximum=4, unit="letters"),
    Parameter("diagonals", "int", "Top diagonals", "Number of diagonals that are used: those with the most common "
              "words (default 5; DNA 4).",
              default=None, minimum=1, maximum=100),
    Parameter("window", "int", "Window", "Neighbours on each side of these diagonals that are used too (default 5; "
              "DNA 4).",
              default=None, minimum=0, maximum=100),
    Parameter("word_gap", "int", "Word gap", "Gap cost: of each step from one diagonal to another (default 3; DNA "
              "5).", default=None,
              minimum=0, maximum=500),
)  # fmt: skip
KTUPLE_DEFAULTS = {
    False: {"ktuple": 2, "diagonals": 4, "window": 4, "word_gap": 5},
    True: {"ktuple": 1, "diagonals": 5, "window": 5, "word_gap": 3},
}
"""ClustalW's values for nucleotides (False), and for proteins (True)."""

MODEL = Parameter(
    "distance_model",
    "choice",
    "Model",
    "p: share of different letters. jukes-cantor, kimura: this share, corrected for repeated changes at a position "
    "(Kimura 1983 for proteins, Kimura's two parameters for nucleotides). tn93, logdet: for nucleotides whose "
    "composition is uneven, or differs from row to row.",
    default="p",
    choices=MODELS,
)


@dataclass(frozen=True)
class _Sequences(NamedSequences):
    """Sequences, between all pairs of which a distance is computed."""

    sequences: Sequences[Sequence]

    @property
    def data(self) -> Sequences[Sequence]:
        """The input data of the problem."""
        return self.sequences

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return len(self.sequences) * (len(self.sequences) - 1) // 2

    @property
    def cells(self) -> int:
        """Products of lengths, summed over all pairs."""
        return count_cells(sequence_lengths(self.sequences))

    @property
    def size(self) -> str:
        """The number of sequences, as text."""
        return f"{len(self.sequences):,} sequence{'s' * (len(self.sequences) != 1)}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user: names that were made distinct, and distances that the rule does not define."""
        return (*self.renaming_notes, *self._letter_notes(), *self._without_words())

    def _letter_notes(self) -> tuple[str, ...]:
        """Return notes about the types of the sequences."""
        return scoring_options.sequence_notes(self.sequences)

    def _without_words(self) -> tuple[str, ...]:
        """Return notes about sequences without words."""
        return ()

    @property
    def is_protein(self) -> bool:
        """Whether any sequence is a protein."""
        return not scoring_options.are_nucleotides(self.sequences)


@stored("full-distance-problem")
@dataclass(frozen=True)
class FullProblem(_Sequences):
    """Distances from the best alignment of each pair."""

    scoring: Scoring
    mode: Mode = Mode.LOCAL

    def _letter_notes(self) -> tuple[str, ...]:
        return scoring_options.sequence_notes(self.sequences, self.scoring.matrix)


@stored("ktuple-distance-problem")
@dataclass(frozen=True)
class KtupleProblem(_Sequences):
    """ClustalW's fast distances; see KTUPLE_OPTIONS."""

    ktuple: int
    diagonals: int
    window: int
    word_gap: int

    def _without_words(self) -> tuple[str, ...]:
        return _short_note(int((sequence_lengths(self.sequences) < self.ktuple).sum()), self.ktuple, "1")


@stored("6mer-distance-problem")
@dataclass(frozen=True)
class SixmerProblem(_Sequences):
    """MAFFT's distances of shared 6-mers."""

    def _without_words(self) -> tuple[str, ...]:
        grouped = letter_codes(GROUPS if self.is_protein else BASES) >= 0
        lengths = sequence_lengths(self.sequences)
        counts = np.add.reduceat(
            grouped[concatenate_letters(self.sequences)], np.cumsum(lengths) - lengths, dtype=np.int64
        )
        short = int((counts < K).sum())
        return _short_note(short, K, "that of sequences that share no word")


@stored("alignment-distance-problem")
@dataclass(frozen=True)
class AlignedProblem(AlignedRows):
    """Distances between the rows of an alignment."""

    alignment: AlignedSequences
    model: str = "p"

    @property
    def cells(self) -> int:
        """Columns, summed over all pairs of rows."""
        rows, columns = self.alignment.letters.shape
        return rows * (rows - 1) // 2 * columns


@stored("distance-answer")
@dataclass(frozen=True, eq=False)
class DistanceAnswer:
    """A distance matrix; for ``pairs_without`` pairs the rule has no distance, and a stated one takes its place."""

    distances: DistanceMatrix
    pairs_without: int = 0

    def check(self, problem: Any) -> None:
        """Raise AssertionError unless the matrix is one of distances between these sequences."""
        rows = problem.names
        assert self.distances.names == rows, "the names are not those of the sequences"
        values = self.distances.values
        assert values.shape == (len(rows), len(rows)), f"distances of shape {values.shape}"
        assert are_distances(values), "a distance is missing, negative, asymmetric, or not 0 from a sequence to itself"


def count_cells(lengths: np.ndarray) -> int:
    """Return products of lengths, summed over all pairs of these sequences, without overflow."""
    counted = zip(*(found.tolist() for found in np.unique(lengths, return_counts=True)), strict=True)
    return (int(lengths.sum()) ** 2 - sum(count * length**2 for length, count in counted)) // 2


def problem_matrix(problem: _Sequences, values: np.ndarray, name: str) -> DistanceMatrix:
    """Return the distance matrix of a problem's sequences; see `symmetric_matrix`."""
    return symmetric_matrix(problem.names, values, name)


def symmetric_matrix(names: tuple[str, ...], values: np.ndarray, name: str) -> DistanceMatrix:
    """Return a distance matrix of distinct names and values that a method wrote on both sides of the diagonal.

    The values are not checked: to read a large matrix once more takes seconds. They become read-only.
    """
    values.setflags(write=False)
    return DistanceMatrix(names, values, name)


def _short_note(count: int, k: int, distance: str) -> tuple[str, ...]:
    """Return a note that sequences without a word share none, not even with an equal sequence."""
    if not count:
        return ()
    have = "sequence has" if count == 1 else "sequences have"
    return (
        f"{count:,} {have} no word of {k} letters: the distance to every other is {distance}, even to an equal one.",
    )


def _build_full(data: Sequences[Sequence], options: Mapping[str, Any]) -> FullProblem:
    """Build a problem of aligned pairs."""
    refuse_empty(data)
    values = scoring_options.resolve_options(data, options, scoring_options.SCORING_OPTIONS)
    scoring = scoring_options.make_scoring(values, scoring_options.are_nucleotides(data), data)
    if not np.array_equal(scoring.scores, scoring.scores.T):
        raise InputError(f"{scoring.matrix.name}: not symmetric; a distance needs the same score both ways")
    lengths = np.sort(sequence_lengths(data))
    refuse_overflow(int(lengths[-2:][0]), int(lengths[-1]), scoring)
    return FullProblem(pack_sequences(data), scoring, Mode(values["mode"]))


def _build_ktuple(data: Sequences[Sequence], options: Mapping[str, Any]) -> KtupleProblem:
    """Build a problem of k-tuple distances."""
    refuse_empty(data)
    given = {name: value for name, value in options.items() if value is not None}
    values = dict(resolve_values(KTUPLE_OPTIONS, {**_ktuple_defaults(data), **given}))
    if values["ktuple"] > 2 and not scoring_options.are_nucleotides(data):
        raise InputError(f"ktuple={values['ktuple']} is for nucleotides; for proteins give 1 or 2")
    return KtupleProblem(pack_sequences(data), **values)


def _ktuple_defaults(data: Sequences[Sequence]) -> Mapping[str, Any]:
    """Return ClustalW's values for these sequences."""
    return KTUPLE_DEFAULTS[not scoring_options.are_nucleotides(data)]


def _build_sixmer(data: Sequences[Sequence], options: Mapping[str, Any]) -> SixmerProblem:
    """Build a problem of 6-mer distances."""
    refuse_empty(data)
    resolve_values((), options)
    return SixmerProblem(pack_sequences(data))


def _build_aligned(data: Sequences[AlignedSequences], options: Mapping[str, Any]) -> AlignedProblem:
    """Build a problem of the rows of an alignment."""
    ProblemInput(ALIGNMENT).check(len(data))
    model = resolve_values((MODEL,), options)["distance_model"]
    refuse_model(data[0], model)
    return AlignedProblem(data[0], model)


def refuse_model(alignment: AlignedSequences, model: str) -> None:
    """Raise ParameterError where a model of nucleotides is chosen for proteins."""
    if alignment.type == SequenceType.PROTEIN and model not in PROTEIN_MODELS:
        raise ParameterError(
            f"distance_model={model} is for nucleotides, and {alignment.name} holds proteins; choose "
            f"{', '.join(PROTEIN_MODELS)}"
        )


def refuse_empty(data: Sequences[Sequence]) -> None:
    """Raise InputError for an empty sequence."""
    SEQUENCES.check(len(data))
    empty = np.flatnonzero(sequence_lengths(data) == 0)
    if empty.size:
        raise InputError(f"{data[int(empty[0])].name}: the sequence is empty; remove it")


def _json_fields(result: Result) -> dict[str, Any]:
    """Return the names and the matrix, and how pairs were scored if they were aligned."""
    found, problem = result.answer.distances, result.problem
    aligned = {}
    if isinstance(problem, FullProblem):
        aligned = {"scoring": scoring_options.scoring_json(problem.scoring), "mode": str(problem.mode)}
    return {**aligned, "names": list(found.names), "distances": found.values}


def _answer_rows(result: Result) -> LabelledRows:
    """Return the rows of the report of an answer."""
    found, without = result.answer.distances, result.answer.pairs_without
    rows = [("Taxa", f"{len(found):,}")]
    if len(found) > 1:
        rows.append(("Distances", "{:.4g} to {:.4g}, mean {:.4g}".format(*_distance_range(found.values))))
    return [*rows, ("Pairs without a distance", f"{without:,}")] if without else rows


def _distance_range(values: np.ndarray) -> tuple[float, float, float]:
    """Return the smallest, largest and mean distance of two or more taxa, without a copy of the matrix."""
    rows = [values[row, :row] for row in range(1, len(values))]
    total = math.fsum(float(row.sum()) for row in rows)
    pairs = len(values) * (len(values) - 1) // 2
    return min(float(row.min()) for row in rows), max(float(row.max()) for row in rows), total / pairs


def _distance_problem_type(
    id: str,
    label: str,
    inputs: ProblemInput,
    options: tuple[Parameter, ...],
    build: Any,
    defaults: Any,
    values: Callable[[Any], Mapping[str, Any]],
    trials: str,
    dp_class: DpClassification,
    settings: Callable[[Any], LabelledRows] | None = None,
) -> ProblemType:
    """Return a problem type whose answer is a distance matrix.

    ``values`` gives the option values of a problem, which are also the settings unless ``settings`` is given;
    ``trials`` is the name of its trials in the module `trials`.
    """
    labels = {option.name: option.label for option in options}
    return ProblemType(
        id=id,
        label=label,
        inputs=(inputs,),
        options=options,
        build_problem=build,
        default_options=defaults,
        answer_json=_json_fields,
        answer_rows=_answer_rows,
        format_answer=lambda result: result.answer.distances.summary,
        file_formats=FORMATS,
        extract_data=lambda result: [result.answer.distances],
        option_values=values,
        setting_rows=settings
        or (lambda problem: [(labels[name], str(value)) for name, value in values(problem).items()]),
        dp_classification=dp_class,
        trials_name=f"antidiag.kernels.trees.distances.trials:{trials}",
    )


FORMATS = (
    FileFormat(
        ".phy",
        "PHYLIP distance matrix",
        "distances",
        iterate_lines=lambda result: distance_files.phylip_lines(_distances_of(result)),
        count_pieces=lambda result: len(_distances_of(result)) + 1,
    ),
    FileFormat(
        ".csv",
        "Table",
        "distances",
        iterate_lines=lambda result: distance_files.csv_lines(_distances_of(result)),
        count_pieces=lambda result: len(_distances_of(result)),
    ),
    FileFormat(
        ".npy",
        "NumPy array",
        "distances",
        write_file=lambda path, result: distance_files.write_distances(path, _distances_of(result)),
    ),
)


def _distances_of(result: Result) -> DistanceMatrix:
    """Return the matrix of a result."""
    return result.answer.distances


FULL_DISTANCES = _distance_problem_type(
    "full-distances",
    "Distances of aligned pairs",
    SEQUENCES,
    scoring_options.SCORING_OPTIONS,
    _build_full,
    scoring_options.default_scores,
    lambda problem: {"mode": str(problem.mode), **scoring_options.scoring_option_values(problem.scoring)},
    "FULL",
    dp_classes.PAIRS,
    lambda problem: [("Mode", str(problem.mode)), ("Scoring", problem.scoring.describe_costs())],
)
KTUPLE_DISTANCES = _distance_problem_type(
    "ktuple-distances",
    "Distances of shared k-tuples",
    SEQUENCES,
    KTUPLE_OPTIONS,
    _build_ktuple,
    _ktuple_defaults,
    lambda problem: {option.name: getattr(problem, option.name) for option in KTUPLE_OPTIONS},
    "KTUPLE",
    dp_classes.CHAINS,
)
SIXMER_DISTANCES = _distance_problem_type(
    "6mer-distances",
    "Distances of shared 6-mers",
    SEQUENCES,
    (),
    _build_sixmer,
    lambda data: {},
    lambda problem: {},
    "SIXMER",
    dp_classes.COUNTS,
)
ALIGNMENT_DISTANCES = _distance_problem_type(
    "alignment-distances",
    "Distances of an alignment",
    ProblemInput(ALIGNMENT),
    (MODEL,),
    _build_aligned,
    lambda data: {},
    lambda problem: {"distance_model": problem.model},
    "ALIGNED",
    dp_classes.COLUMNS,
)
