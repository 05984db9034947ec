"""The triple problem: its options, how it is built from three sequences, and how its answer is shown."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import replace
from typing import Any

import numpy as np

from antidiag.kernels import scoring_options
from antidiag.kernels.io.result_alignments import AlignedRows, file_formats
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import LabelledRows, ProblemInput, ProblemType
from antidiag.kernels.model import Result, Sequence, format_score
from antidiag.kernels.scoring_options import SCORING_OPTIONS as SCORING_OPTIONS
from antidiag.kernels.sequences.alphabets import find_identical_letters
from antidiag.kernels.triple import dp_class
from antidiag.kernels.triple.model import TripleProblem

SEQUENCES = ProblemInput(SEQUENCE, 3, 3)
GAP_HELP = (
    "Quasi-natural costs: in each pair of rows, a gap of length k costs open + k x extend. A column in which both rows "
    "have a gap ends it."
)
OPTIONS = tuple(
    replace(option, help=GAP_HELP + (" 0 gives linear gaps." if option.name == "gap_open" else ""))
    if option.name in ("gap_open", "gap_extend")
    else option
    for option in SCORING_OPTIONS
    if option.name != "mode"
)
LINEAR_GAPS = {"gap_open": 0, "gap_extend": 8}
"""Default gap costs: linear ones, as in the paper, which names no number."""
LINEAR_NUCLEOTIDE_GAPS = {"gap_open": 0, "gap_extend": 5}


def build_problem(sequences: Sequences[Sequence], options: Mapping[str, Any]) -> TripleProblem:
    """Build the problem of three sequences; options that are not given follow the type of the sequences."""
    SEQUENCES.check(len(sequences))
    given = {name: value for name, value in options.items() if value is not None}
    values = scoring_options.resolve_options(sequences, {**_default_gaps(sequences), **given}, OPTIONS)
    scoring = scoring_options.make_scoring(values, scoring_options.are_nucleotides(sequences), sequences)
    first, second, third = sequences
    problem = TripleProblem(first, second, third, scoring)
    problem.codes  # noqa: B018 - a letter without a score is an error now, not in the middle of a run
    return problem


def default_options(sequences: Sequences[Sequence]) -> Mapping[str, Any]:
    """Return option values that suit the sequences: +2/-3 and gaps of 5 per nucleotide; BLOSUM62 and 8."""
    return {**scoring_options.default_scores(sequences), **_default_gaps(sequences)}


def _default_gaps(sequences: Sequences[Sequence]) -> Mapping[str, Any]:
    """Return default gap costs for these sequences."""
    return LINEAR_NUCLEOTIDE_GAPS if scoring_options.are_nucleotides(sequences) else LINEAR_GAPS


def collect_json_fields(result: Result) -> dict[str, Any]:
    """Return the JSON fields of a triple; scores in the units of the matrix, start and end as cells [i, j, k].

    That many letters of each sequence lie before a cell. Methods that return the score alone give no ``aligned``.
    """
    problem, path = result.problem, result.answer.alignment
    aligned = {} if path is None else {"aligned": list(path.gapped_rows(problem.sequences))}
    return {
        "score": result.score,
        "start": [0, 0, 0],
        **aligned,
        "end": list(result.answer.end),
        "sequences": [{"name": sequence.name, "length": len(sequence)} for sequence in problem.sequences],
        "scoring": scoring_options.scoring_json(problem.scoring),
    }


def list_answer_rows(result: Result) -> LabelledRows:
    """List the answer for people, as pairs of label and text."""
    score, path = ("Score", format_score(result)), result.answer.alignment
    if path is None:
        return [score, ("Alignment", "none: this method returns the score only")]
    columns = path.moves.size
    same = mark_columns(result).count("*")
    share = f", {100 * same / columns:.1f} %" if columns else ""
    complete = int(np.count_nonzero(path.moves == 7))
    return [
        score,
        ("Columns", f"{columns:,}"),
        ("Identical", f"{same:,} of {columns:,} columns{share}"),
        ("Without a gap", f"{complete:,} of {columns:,} columns"),
    ]


def list_settings(problem: TripleProblem) -> LabelledRows:
    """List what defines the answer, for people."""
    kind = "quasi-natural, affine" if problem.has_affine_gaps else "linear"
    return [("Scoring", problem.scoring.describe_costs()), ("Sum of pairs", f"three pairs of rows, {kind} gaps")]


def list_aligned_rows(result: Result) -> AlignedRows:
    """Return each sequence with its row of the alignment."""
    return tuple(
        zip(result.problem.sequences, result.answer.alignment.gapped_rows(result.problem.sequences), strict=True)
    )


def mark_columns(result: Result) -> str:
    """Return a character per column: '*' where three identical letters stand, otherwise a blank."""
    (first, top), *others = (
        (sequence, np.frombuffer(row.encode("ascii"), np.uint8)) for sequence, row in list_aligned_rows(result)
    )
    same = np.logical_and.reduce(
        [find_identical_letters(top, row, first.type, sequence.type) for sequence, row in others]
    )
    return np.where(same, ord("*"), ord(" ")).astype(np.uint8).tobytes().decode("ascii")


TRIPLE = ProblemType(
    id="triple",
    label="Three sequences",
    inputs=(SEQUENCES,),
    options=OPTIONS,
    build_problem=build_problem,
    default_options=default_options,
    answer_json=collect_json_fields,
    answer_rows=list_answer_rows,
    format_answer=format_score,
    answer_label="score",
    problem_notes=lambda problem: scoring_options.sequence_notes(problem.sequences, problem.scoring.matrix),
    file_formats=file_formats(list_aligned_rows, mark_columns),
    setting_rows=list_settings,
    option_values=lambda problem: scoring_options.scoring_option_values(problem.scoring),
    dp_classification=dp_class.TRIPLE_CLASS,
    trials_name="antidiag.kernels.triple.trials:TRIALS",
)
