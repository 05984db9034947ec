"""The options of profiles, how problems are made from what the user gives, and how their answer is told."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from typing import Any

import numpy as np

from antidiag.kernels import scoring_options
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.alignments import AlignedRows, file_formats
from antidiag.kernels.io.names import distinct
from antidiag.kernels.method import Rows
from antidiag.kernels.model import Result
from antidiag.kernels.parameters import Parameter, resolve
from antidiag.kernels.profiles.problem import DIAGONAL, Problem, ProfileProblem, ProfileSequenceProblem
from antidiag.kernels.profiles.profile import Profile
from antidiag.kernels.profiles.scoring import ColumnScore, ColumnScoring, Gaps, Span, nucleotides

LETTER_OPTIONS = tuple(option for option in scoring_options.OPTIONS if option.name in ("matrix", "match", "mismatch"))
OPTIONS = (
    Parameter("span", "choice", "Mode", "All columns of both; the best parts; or all columns, with free gaps at the "
              "ends.", default="global", choices=tuple(Span)),
    Parameter("column_score", "choice", "Column score", "What two columns score: their Euclidean distance, of which "
              "the least sum is sought; the mean score of their letters in a matrix; the logarithm of their mean odds; "
              "or a position-specific matrix made of the first.", default=None, choices=tuple(ColumnScore)),
    Parameter("gaps", "choice", "Gap costs", "Of a column: its score with a blank one. Affine: the same everywhere. "
              "Position: times the share of letters in each column, or the profile's own factors.",
              default="column", choices=tuple(Gaps)),
    *LETTER_OPTIONS,
    Parameter("gap_open", "float", "Gap open", scoring_options.GAP_HELP + " Not used where a gap costs the score of "
              "its columns.", default=None, minimum=0),
    Parameter("gap_extend", "float", "Gap extend", scoring_options.GAP_HELP, default=None, minimum=0),
    Parameter("blank", "float", "Blank", "Score of a letter with a blank in a column; automatic: -4 where it makes the "
              "cost of gaps, else 0.", default=None, maximum=0),
    Parameter("offset", "float", "Offset", "Added to the score of two columns: with one, distances can be aligned "
              "locally.", default=0.0),
    Parameter("pseudocounts", "float", "Pseudo-counts", "Letters of the background that are added to every column "
              "that has letters; for position-specific scores those of the first profile alone, of which the matrix is "
              "made. Automatic: 1 for position-specific scores, else none.", default=None, minimum=0, maximum=1000),
    Parameter("nats", "float", "Unit of the matrix", "The logarithm of odds that a score of 1 stands for: 0.3466 "
              "(ln 2 / 2) in BLOSUM62. For mean odds and position-specific scores.",
              default=float(np.log(2) / 2), minimum=0.05, maximum=5),
)  # fmt: skip

DISTANCE_GAPS = {"gap_open": 1.0, "gap_extend": 0.5}
"""Where columns score distances, which are at most 1.41."""
BLANK = -4.0


def build(data: Sequences[Any], options: Mapping[str, Any]) -> ProfileProblem:
    """The problem of two profiles; options that are not given suit them."""
    first, second = data
    for profile in data:
        _need_letters(profile)
    scoring, span = _scoring(data, options, ColumnScore.EUCLIDEAN)
    problem = ProfileProblem(first, second, scoring, span)
    problem.encoded  # noqa: B018 - what cannot be scored is an error now, not in the middle of a run
    return problem


def build_sequence(data: Sequences[Any], options: Mapping[str, Any]) -> ProfileSequenceProblem:
    """The problem of a profile and a sequence."""
    first, sequence = data
    _need_letters(first)
    if not len(sequence):
        raise InputError(f"{sequence.name}: the sequence is empty; choose one with letters")
    scoring, span = _scoring(data, options, ColumnScore.SUM_OF_PAIRS)
    problem = ProfileSequenceProblem(first, sequence, scoring, span)
    problem.encoded  # noqa: B018 - as above
    return problem


def _need_letters(profile: Profile) -> None:
    """InputError for columns of blanks alone, of which no kind of sequence and no score follows."""
    if not profile.frequencies[:-1].any():
        raise InputError(f"{profile.name}: no column has a letter; choose an alignment that is not gaps alone")


def _scoring(data: Sequences[Any], options: Mapping[str, Any], usual: ColumnScore) -> tuple[ColumnScoring, Span]:
    values = dict(resolve(OPTIONS, options))
    kind, gaps, span = ColumnScore(values["column_score"] or usual), Gaps(values["gaps"]), Span(values["span"])
    if kind is ColumnScore.EUCLIDEAN and values["offset"] <= 0 and span is not Span.GLOBAL:
        raise ParameterError(
            f"span={span}: distances are never better than no alignment at all; set offset (such as 0.7), or choose "
            "another column_score"
        )
    letters = {name: values[name] for name in ("matrix", "match", "mismatch") if name in options}
    of_letters = scoring_options.values(data, letters, scoring_options.OPTIONS)
    matrix = None
    if kind is not ColumnScore.EUCLIDEAN:
        matrix = scoring_options.scoring(of_letters, all(map(nucleotides, data))).matrix
    suitable = DISTANCE_GAPS if kind is ColumnScore.EUCLIDEAN else of_letters
    costs = {
        name: float(suitable[name] if values[name] is None else values[name]) for name in ("gap_open", "gap_extend")
    }
    blank = (BLANK if gaps is Gaps.COLUMN else 0.0) if values["blank"] is None else values["blank"]
    pseudocounts = float(kind is ColumnScore.PSSM) if values["pseudocounts"] is None else values["pseudocounts"]
    if gaps is Gaps.COLUMN:
        costs = dict.fromkeys(costs, 0.0)
    scoring = ColumnScoring(
        kind, gaps, matrix, costs["gap_open"], costs["gap_extend"],
        0.0 if kind is ColumnScore.EUCLIDEAN else float(blank), float(values["offset"]), float(pseudocounts),
        float(values["nats"]),
    )  # fmt: skip
    return scoring, span


def defaults(data: Sequences[Any]) -> Mapping[str, Any]:
    """Scores of letters that suit the data; what gaps cost depends on the column score."""
    names = {option.name for option in LETTER_OPTIONS}
    return {name: value for name, value in scoring_options.defaults(data).items() if name in names}


def option_values(problem: Problem) -> Mapping[str, Any]:
    """The options that build the problem again."""
    scoring = problem.scoring
    letters: dict[str, Any] = {}
    if scoring.matrix is not None:
        made = scoring_options.Scoring(scoring.matrix, 0, 0)
        named = scoring_options.values_of(made)
        letters = {name: named[name] for name in ("matrix", "match", "mismatch") if name in named}
    costs = {} if scoring.gaps is Gaps.COLUMN else {"gap_open": scoring.gap_open, "gap_extend": scoring.gap_extend}
    return {
        "span": str(problem.span), "column_score": str(scoring.kind), "gaps": str(scoring.gaps), **letters, **costs,
        "blank": scoring.blank, "offset": scoring.offset, "pseudocounts": scoring.pseudocounts, "nats": scoring.nats,
    }  # fmt: skip


def settings(problem: Problem) -> Rows:
    """What defines the answer, for people."""
    return [("Mode", str(problem.span)), ("Scoring", problem.scoring.text())]


def score_text(result: Result) -> str:
    """The score in the units of the matrix, or the distance."""
    return f"{result.score:,}" if isinstance(result.score, int) else f"{result.score:,.3f}"


def rows(result: Result) -> Rows:
    """The answer for people."""
    answer, problem = result.answer, result.problem
    counts = np.bincount(answer.operations, minlength=3)
    first, second = (profile.name for profile in problem.profiles)
    return [
        ("Distance" if problem.scoring.minimised else "Score", score_text(result)),
        ("From cell to cell", f"{_cell(answer.start)} to {_cell(answer.end)}"),
        ("Columns", f"{answer.operations.size:,}, {counts[DIAGONAL]:,} of them of both"),
        ("Blank columns", f"{counts[2]:,} put into {first}, {counts[1]:,} into {second}"),
    ]


def json_fields(result: Result) -> dict[str, Any]:
    """What the JSON says; ``aligned`` has the merged rows, start and end are cells [i, j]."""
    problem, answer = result.problem, result.answer
    merged = answer.merged(problem)
    scoring = problem.scoring
    return {
        "score": result.score,
        "distance": scoring.minimised,
        "start": [int(cell) for cell in answer.start],
        "end": [int(cell) for cell in answer.end],
        "names": [sequence.name for sequence, _ in merged],
        "aligned": [row for _, row in merged],
        "operations": "".join("MID"[kind] for kind in answer.operations.tolist()),
        "profiles": [
            {"name": profile.name, "columns": len(profile), "rows": len(profile.names)} for profile in problem.profiles
        ],
        "options": dict(option_values(problem)),
        "mode": str(problem.span),
    }


def aligned_rows(result: Result) -> AlignedRows:
    """The merged rows, for the formats of alignments."""
    return result.answer.merged(result.problem)


def marks(result: Result) -> str:
    """A star where both profiles have a column and most rows of each hold the same letter."""
    found = np.full(result.answer.operations.size, ord(" "), np.uint8)
    best = [
        np.where(profile.majority, np.frombuffer(profile.consensus.encode("ascii"), np.uint8), 0)[start:end]
        for profile, start, end in zip(result.problem.profiles, result.answer.start, result.answer.end, strict=True)
    ]
    both = result.answer.operations == DIAGONAL
    first, second = (one[both[result.answer.taken(side)]] for side, one in enumerate(best))
    found[np.flatnonzero(both)[(first == second) & (first != 0)]] = ord("*")
    return found.tobytes().decode("ascii")


def products(result: Result) -> list[Any]:
    """The multiple alignment, as data; none where nothing is aligned."""
    return [merged(result)] if result.answer.operations.size else []


def merged(result: Result) -> AlignedSequences:
    """The rows of both profiles with the new gaps, of a result that has columns."""
    found = result.answer.merged(result.problem)
    letters = np.array([np.frombuffer(row.encode("ascii"), np.uint8) for _, row in found])
    letters.setflags(write=False)
    names = tuple(sequence.name for sequence, _ in found)
    return AlignedSequences(distinct(names), letters, found[0][0].type, result.problem.title)


def _cell(cell: tuple[int, int]) -> str:
    return f"({cell[0]:,}, {cell[1]:,})"


FORMATS = file_formats(aligned_rows, marks)
