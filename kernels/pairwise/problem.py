"""The pair problem: its options, how it is made from two sequences, and how its answer is told."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from typing import Any

from antidiag.kernels import scoring_options
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import Input, ProblemType, Rows
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.pairwise import formats, placement
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.scoring import Mode
from antidiag.kernels.scoring_options import OPTIONS

SEQUENCES = Input(SEQUENCE, 2, 2)


def build(sequences: Sequences[Sequence], options: Mapping[str, Any]) -> PairProblem:
    """The pair problem of two sequences; options that are not given follow the type of the sequences."""
    SEQUENCES.check(len(sequences))
    for sequence in sequences:
        if not len(sequence):
            raise InputError(f"{sequence.name}: the sequence is empty; choose one with letters")
    values = scoring_options.values(sequences, options, OPTIONS)
    scoring = scoring_options.scoring(values, scoring_options.nucleotides(sequences))
    problem = PairProblem(sequences[0], sequences[1], scoring, Mode(values["mode"]))
    problem.codes  # noqa: B018 - a letter without a score is an error now, not in the middle of a run
    return problem


def rows(result: Result) -> Rows:
    """The answer for people."""
    answer, path = result.answer, result.answer.alignment
    told = [("Score", score_text(result)), ("Ends at cell", _cell(answer.end))]
    if path is None:
        return [*told, ("Alignment", "none: this method returns the score only")]
    columns = path.operations.size
    same = int(path.identical(*result.problem.sequences).sum())
    share = f", {100 * same / columns:.1f} %" if columns else ""
    told.insert(1, ("Starts at cell", _cell(path.start)))
    return [*told, ("Columns", f"{columns:,}"), ("Identical", f"{same:,} of {columns:,} columns{share}")]


def score_text(result: Result) -> str:
    """The score in the units of the matrix: '1,234' or '1,234.50'."""
    return f"{result.score:,}" if isinstance(result.score, int) else f"{result.score:,.2f}"


def settings(problem: PairProblem) -> Rows:
    """What defines the answer, for people."""
    strips = "first" if problem.swapped else "second"
    return [
        ("Mode", str(problem.mode)),
        ("Scoring", problem.scoring.text()),
        ("Strips run along", f"the {strips} sequence, the longer one"),
    ]


def option_values(problem: PairProblem) -> Mapping[str, Any]:
    return {"mode": str(problem.mode), **scoring_options.values_of(problem.scoring)}


def _cell(cell: tuple[int, int]) -> str:
    """A cell of the matrix: so many letters of each sequence lie before it."""
    return f"({cell[0]:,}, {cell[1]:,})"


PAIR = ProblemType(
    id="pair",
    label="Two sequences",
    inputs=(SEQUENCES,),
    options=OPTIONS,
    build=build,
    defaults=scoring_options.defaults,
    data=formats.json_fields,
    rows=rows,
    answer=score_text,
    answer_label="score",
    formats=formats.FORMATS,
    settings=settings,
    option_values=option_values,
    notes=scoring_options.notes,
    trials="antidiag.kernels.pairwise.trials:TRIALS",
    placement=placement.GAPS,
)
