"""Options of profile problems, how problems are built from them, and how answers are described."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from typing import Any

import numpy as np

from antidiag.kernels import scoring_options
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.result_alignments import AlignedRows, file_formats
from antidiag.kernels.io.unique_names import make_names_unique
from antidiag.kernels.method import LabelledRows
from antidiag.kernels.model import Result
from antidiag.kernels.parameters import Parameter, resolve_values
from antidiag.kernels.profiles.column_scores.scoring import (
    GLOBAL,
    LOCAL,
    QUERY_IN_TARGET,
    SEMI_GLOBAL,
    SPAN_ENDS,
    ColumnScore,
    ColumnScoring,
    ProfileGaps,
    ProfileSpan,
    is_nucleotide_profile,
)
from antidiag.kernels.profiles.problem import DIAGONAL, Problem, ProfileProblem, ProfileSequenceProblem
from antidiag.kernels.profiles.profile import Profile
from antidiag.kernels.scoring import FreeEnds
from antidiag.kernels.scoring_options import FREE_END_OPTIONS, choose_free_ends

LETTER_OPTIONS = tuple(
    option for option in scoring_options.SCORING_OPTIONS if option.name in ("matrix", "match", "mismatch")
)
OPTIONS = (
    Parameter(
        "span",
        "choice",
        "Mode",
        "global: all columns of both profiles. local: the best matching parts. semi-global: all columns, with free "
        "gaps at the ends. query-in-target: the whole first profile with a part of the second. custom: all columns, "
        "with the free ends that are switched on.",
        default="global",
        choices=tuple(ProfileSpan),
    ),
    *FREE_END_OPTIONS,
    Parameter(
        "column_score",
        "choice",
        "Column score",
        "Score of two columns. euclidean: their distance, which is minimised. sum-of-pairs: mean score of their "
        "letters. log-average: logarithm of their mean odds. pssm: position-specific scores of the first profile.",
        default=None,
        choices=tuple(ColumnScore),
    ),
    Parameter(
        "gaps",
        "choice",
        "Gap costs",
        "column: a gap scores as its column against a column of blanks. affine: the same costs everywhere. position: "
        "these costs times the share of letters in the column, or times factors of the profile.",
        default="column",
        choices=tuple(ProfileGaps),
    ),
    *LETTER_OPTIONS,
    Parameter(
        "gap_open",
        "float",
        "Gap open",
        scoring_options.GAP_HELP + " Not used if gaps cost the score of their columns. automatic: 1 for Euclidean "
        "distances, else 10, for nucleotides 5.",
        default=None,
        minimum=0,
    ),
    Parameter(
        "gap_extend",
        "float",
        "Gap extend",
        scoring_options.GAP_HELP + " automatic: 0.5 for Euclidean distances, else 1, for nucleotides 2.",
        default=None,
        minimum=0,
    ),
    Parameter(
        "blank",
        "float",
        "Blank",
        "Score of a letter with a blank. automatic: -4 if blanks define gap costs, else 0.",
        default=None,
        maximum=0,
    ),
    Parameter(
        "offset",
        "float",
        "Offset",
        "Added to the score of two columns. A positive offset allows local alignment by distances.",
        default=0.0,
    ),
    Parameter(
        "pseudocounts",
        "float",
        "Pseudocounts",
        "Background letters added to each column that has letters; for position-specific scores in the first "
        "profile alone. automatic: 1 for position-specific scores, else none.",
        default=None,
        minimum=0,
        maximum=1000,
    ),
    Parameter(
        "nats",
        "float",
        "Log odds of 1",
        "Log odds of a score of 1: 0.3466 (ln 2 / 2) for BLOSUM62. Used for mean odds and position-specific scores.",
        default=float(np.log(2) / 2),
        minimum=0.05,
        maximum=5,
    ),
)

DISTANCE_GAPS = {"gap_open": 1.0, "gap_extend": 0.5}
"""Default gap costs for distances, which are at most 1.41."""
BLANK = -4.0


def build_profiles(data: Sequences[Any], options: Mapping[str, Any]) -> ProfileProblem:
    """Build the problem of two profiles; missing options get values that suit them."""
    first, second = data
    for profile in data:
        _require_letters(profile)
    problem = ProfileProblem(first, second, *_build_scoring(data, options, ColumnScore.EUCLIDEAN))
    problem.encoded  # noqa: B018 - raises errors of scoring now, not during a run
    return problem


def build_sequence(data: Sequences[Any], options: Mapping[str, Any]) -> ProfileSequenceProblem:
    """Build the problem of a profile and a sequence."""
    first, sequence = data
    _require_letters(first)
    if not len(sequence):
        raise InputError(f"{sequence.name}: the sequence is empty; choose one with letters")
    problem = ProfileSequenceProblem(first, sequence, *_build_scoring(data, options, ColumnScore.SUM_OF_PAIRS))
    problem.encoded  # noqa: B018 - as above
    return problem


def refuse_backend(problem: Problem, backend: str) -> str:
    """Return why a backend does not compute a problem; "" where it does."""
    known = (GLOBAL, LOCAL, SEMI_GLOBAL, QUERY_IN_TARGET)
    if backend == "cuda" and problem.encoded.mode not in known:
        return f"profiles with free ends of one's own choice ({problem.chosen_ends}) are aligned on the CPU only"
    return ""


def _require_letters(profile: Profile) -> None:
    """Raise InputError for a profile of blanks alone, which has no sequence type and no score."""
    if not profile.frequencies[:-1].any():
        raise InputError(f"{profile.name}: no column has a letter; choose an alignment with letters")


def _build_scoring(
    data: Sequences[Any], options: Mapping[str, Any], usual: ColumnScore
) -> tuple[ColumnScoring, ProfileSpan, FreeEnds]:
    """Return the scoring, the span and the chosen free ends of option values."""
    values = dict(resolve_values(OPTIONS, options))
    kind = ColumnScore(values["column_score"] or usual)
    gaps = ProfileGaps(values["gaps"])
    span = ProfileSpan(values["span"])
    ends = choose_free_ends(values, span)
    if kind is ColumnScore.EUCLIDEAN and values["offset"] <= 0 and _may_align_nothing(span, ends):
        raise ParameterError(
            f"span={span}: no distance scores above 0; set offset (for example 0.7), or choose another column_score"
        )
    letters = {name: values[name] for name in ("matrix", "match", "mismatch") if name in options}
    of_letters = scoring_options.resolve_options(data, letters, scoring_options.SCORING_OPTIONS)
    matrix = None
    if kind is not ColumnScore.EUCLIDEAN:
        matrix = scoring_options.make_scoring(of_letters, all(map(is_nucleotide_profile, data))).matrix
    suitable = DISTANCE_GAPS if kind is ColumnScore.EUCLIDEAN else of_letters
    costs = {
        name: float(suitable[name] if values[name] is None else values[name]) for name in ("gap_open", "gap_extend")
    }
    blank = (BLANK if gaps is ProfileGaps.COLUMN else 0.0) if values["blank"] is None else values["blank"]
    pseudocounts = float(kind is ColumnScore.PSSM) if values["pseudocounts"] is None else values["pseudocounts"]
    if gaps is ProfileGaps.COLUMN:
        costs = dict.fromkeys(costs, 0.0)
    scoring = ColumnScoring(
        kind,
        gaps,
        matrix,
        costs["gap_open"],
        costs["gap_extend"],
        0.0 if kind is ColumnScore.EUCLIDEAN else float(blank),
        float(values["offset"]),
        float(pseudocounts),
        float(values["nats"]),
    )
    return scoring, span, ends


def _may_align_nothing(span: ProfileSpan, chosen: FreeEnds) -> bool:
    """Return whether no column need be aligned with another at no cost, which scores 0."""
    ends = SPAN_ENDS.get(span, chosen)
    crossed = (ends.first_start and ends.second_end) or (ends.second_start and ends.first_end)
    return span is ProfileSpan.LOCAL or crossed


def default_options(data: Sequences[Any]) -> Mapping[str, Any]:
    """Return letter scores that suit the data."""
    names = {option.name for option in LETTER_OPTIONS}
    return {name: value for name, value in scoring_options.default_scores(data).items() if name in names}


def option_values(problem: Problem) -> Mapping[str, Any]:
    """Return the options that build the problem again."""
    scoring = problem.scoring
    letters: dict[str, Any] = {}
    if scoring.matrix is not None:
        made = scoring_options.Scoring(scoring.matrix, 0, 0)
        named = scoring_options.scoring_option_values(made)
        letters = {name: named[name] for name in ("matrix", "match", "mismatch") if name in named}
    costs = (
        {} if scoring.gaps is ProfileGaps.COLUMN else {"gap_open": scoring.gap_open, "gap_extend": scoring.gap_extend}
    )
    return {
        "span": str(problem.span),
        **{f"free_{name}": is_free for name, is_free in vars(problem.chosen_ends).items()},
        "column_score": str(scoring.kind),
        "gaps": str(scoring.gaps),
        **letters,
        **costs,
        "blank": scoring.blank,
        "offset": scoring.offset,
        "pseudocounts": scoring.pseudocounts,
        "nats": scoring.nats,
    }


def describe_settings(problem: Problem) -> LabelledRows:
    """Describe what defines the answer."""
    return [("Mode", problem.span_text), ("Scoring", problem.scoring.describe_costs())]


def score_text(result: Result) -> str:
    """Format the score in units of the matrix, or the distance."""
    return f"{result.score:,}" if isinstance(result.score, int) else f"{result.score:,.3f}"


def describe_answer(result: Result) -> LabelledRows:
    """Describe the answer for people."""
    answer, problem = result.answer, result.problem
    counts = np.bincount(answer.operations, minlength=3)
    first, second = (profile.name for profile in problem.profiles)
    return [
        ("Distance" if problem.scoring.is_minimised else "Score", score_text(result)),
        ("Path", f"{_format_cell(answer.start)} to {_format_cell(answer.end)}"),
        ("Columns", f"{answer.operations.size:,}, {counts[DIAGONAL]:,} shared by both"),
        ("Blank columns", f"{counts[2]:,} added to {first}, {counts[1]:,} to {second}"),
    ]


def json_fields(result: Result) -> dict[str, Any]:
    """Return JSON fields; ``aligned`` are the merged rows, start and end are cells [i, j]."""
    problem, answer = result.problem, result.answer
    merged = answer.merge_rows(problem)
    scoring = problem.scoring
    return {
        "score": result.score,
        "distance": scoring.is_minimised,
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
        "free_ends": vars(problem.free_ends),
    }


def aligned_rows(result: Result) -> AlignedRows:
    """Return the merged rows for alignment formats."""
    return result.answer.merge_rows(result.problem)


def mark_conserved_columns(result: Result) -> str:
    """Mark columns with a star if most rows of both profiles hold the same letter."""
    found = np.full(result.answer.operations.size, ord(" "), np.uint8)
    best = [
        np.where(profile.has_majority, np.frombuffer(profile.consensus.encode("ascii"), np.uint8), 0)[start:end]
        for profile, start, end in zip(result.problem.profiles, result.answer.start, result.answer.end, strict=True)
    ]
    both = result.answer.operations == DIAGONAL
    first, second = (one[both[result.answer.holds_column(side)]] for side, one in enumerate(best))
    found[np.flatnonzero(both)[(first == second) & (first != 0)]] = ord("*")
    return found.tobytes().decode("ascii")


def result_alignments(result: Result) -> list[Any]:
    """Return the multiple alignment as data, or nothing if nothing is aligned."""
    return [merge_rows(result)] if result.answer.operations.size else []


def merge_rows(result: Result) -> AlignedSequences:
    """Return the rows of both profiles with the new gaps."""
    found = result.answer.merge_rows(result.problem)
    letters = np.array([np.frombuffer(row.encode("ascii"), np.uint8) for _, row in found])
    letters.setflags(write=False)
    names = tuple(sequence.name for sequence, _ in found)
    return AlignedSequences(make_names_unique(names), letters, found[0][0].type, result.problem.title)


def _format_cell(cell: tuple[int, int]) -> str:
    return f"({cell[0]:,}, {cell[1]:,})"


FORMATS = file_formats(aligned_rows, mark_conserved_columns)
