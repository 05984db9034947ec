"""The triple problem: its options, how it is made from three sequences, and how its answer is told."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import replace
from typing import Any

import numpy as np

from antidiag.kernels import scoring_options
from antidiag.kernels.io.alignments import AlignedRows, file_formats
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import Input, ProblemType, Rows
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.scoring_options import OPTIONS as SCORING_OPTIONS
from antidiag.kernels.triple import placement
from antidiag.kernels.triple.model import TripleProblem

SEQUENCES = Input(SEQUENCE, 3, 3)
GAP_HELP = (
    "Quasi-natural costs: in each pair of rows, a run of letters against gaps of length k costs open + k x extend, and "
    "counts anew after a column in which both rows have a gap."
)
OPTIONS = tuple(
    replace(option, help=GAP_HELP + (" 0 gives linear gaps." if option.name == "gap_open" else ""))
    if option.name in ("gap_open", "gap_extend")
    else option
    for option in SCORING_OPTIONS
    if option.name != "mode"
)
LINEAR = {"gap_open": 0, "gap_extend": 8}
"""Gap costs where the user gives none: linear ones, as in the paper, which names no number."""
LINEAR_NUCLEOTIDES = {"gap_open": 0, "gap_extend": 5}


def build(sequences: Sequences[Sequence], options: Mapping[str, Any]) -> TripleProblem:
    """The problem of three sequences; options that are not given follow the type of the sequences."""
    SEQUENCES.check(len(sequences))
    given = {name: value for name, value in options.items() if value is not None}
    values = scoring_options.values(sequences, {**_gaps(sequences), **given}, OPTIONS)
    scoring = scoring_options.scoring(values, scoring_options.nucleotides(sequences))
    first, second, third = sequences
    problem = TripleProblem(first, second, third, scoring)
    problem.codes  # noqa: B018 - a letter without a score is an error now, not in the middle of a run
    return problem


def defaults(sequences: Sequences[Sequence]) -> Mapping[str, Any]:
    """Option values that suit the sequences: +2/-3 and gaps of 5 a letter for nucleotides; BLOSUM62 and 8."""
    return {**scoring_options.defaults(sequences), **_gaps(sequences)}


def _gaps(sequences: Sequences[Sequence]) -> Mapping[str, Any]:
    return LINEAR_NUCLEOTIDES if scoring_options.nucleotides(sequences) else LINEAR


def json_fields(result: Result) -> dict[str, Any]:
    """What the JSON of a triple says; scores in the units of the matrix, start and end as cells [i, j, k].

    So many letters of each sequence lie before a cell. Methods that return the score alone give no ``aligned``.
    """
    problem, path = result.problem, result.answer.alignment
    aligned = {} if path is None else {"aligned": list(path.gapped(problem.sequences))}
    return {
        "score": result.score,
        "start": [0, 0, 0],
        **aligned,
        "end": list(result.answer.end),
        "sequences": [{"name": sequence.name, "length": len(sequence)} for sequence in problem.sequences],
        "scoring": {
            "matrix": problem.scoring.matrix.name,
            "gap_open": problem.scoring.gap_open,
            "gap_extend": problem.scoring.gap_extend,
        },
    }


def score_text(result: Result) -> str:
    """The score in the units of the matrix: '1,234' or '1,234.50'."""
    return f"{result.score:,}" if isinstance(result.score, int) else f"{result.score:,.2f}"


def rows(result: Result) -> Rows:
    """The answer for people."""
    told, path = [("Score", score_text(result))], result.answer.alignment
    if path is None:
        return [*told, ("Alignment", "none: this method returns the score only")]
    columns = path.moves.size
    same = marks(result).count("*")
    share = f", {100 * same / columns:.1f} %" if columns else ""
    complete = int(np.count_nonzero(path.moves == 7))
    return [
        *told,
        ("Columns", f"{columns:,}"),
        ("Identical", f"{same:,} of {columns:,} columns{share}"),
        ("Without a gap", f"{complete:,} of {columns:,} columns"),
    ]


def settings(problem: TripleProblem) -> Rows:
    """What defines the answer, for people."""
    kind = "quasi-natural, affine" if problem.affine else "linear"
    return [("Scoring", problem.scoring.text()), ("Sum of pairs", f"three pairs of rows, {kind} gaps")]


def aligned_rows(result: Result) -> AlignedRows:
    return tuple(zip(result.problem.sequences, result.answer.alignment.gapped(result.problem.sequences), strict=True))


def marks(result: Result) -> str:
    """A character a column: '*' where three equal letters stand, else a blank."""
    top, *others = (np.frombuffer(row.encode("ascii"), np.uint8) for _, row in aligned_rows(result))
    same = (top != ord("-")) & np.logical_and.reduce([row == top for row in others])
    return np.where(same, ord("*"), ord(" ")).astype(np.uint8).tobytes().decode("ascii")


TRIPLE = ProblemType(
    id="triple",
    label="Three sequences",
    inputs=(SEQUENCES,),
    options=OPTIONS,
    build=build,
    defaults=defaults,
    data=json_fields,
    rows=rows,
    answer=score_text,
    answer_label="score",
    notes=scoring_options.notes,
    formats=file_formats(aligned_rows, marks),
    settings=settings,
    option_values=lambda problem: scoring_options.values_of(problem.scoring),
    placement=placement.NEIGHBOURS,
    trials="antidiag.kernels.triple.trials:TRIALS",
)
