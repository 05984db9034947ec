"""The pair problem: its options, how it is built from two sequences, and how its answer is shown."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from typing import Any

from antidiag.kernels import scoring_options
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import LabelledRows, ProblemInput, ProblemType
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.pairwise import classification, formats
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.scoring import NO_FREE_ENDS, FreeEnds, Mode
from antidiag.kernels.scoring_options import GAP_MODEL_OPTIONS, SCORING_OPTIONS

SEQUENCES = ProblemInput(SEQUENCE, 2, 2)

MODE = Parameter(
    "mode",
    "choice",
    "Mode",
    "What is aligned: the best matching parts (local); both sequences end to end (global); both, but letters at any "
    "end may stay unaligned at no cost (overlap); the whole first sequence with a part of the second "
    "(query-in-target); or with the free ends that are chosen (custom).",
    default=str(Mode.LOCAL),
    choices=tuple(map(str, Mode)),
)
FREE_END_OPTIONS = tuple(
    Parameter(
        f"free_{side}_{end}",
        "bool",
        f"Free {end} of {side}",
        f"Letters at the {end} of the {side} sequence may stay unaligned at no cost, with mode custom.",
        default=False,
    )
    for side in ("first", "second")
    for end in ("start", "end")
)
"""The switches of the mode CUSTOM; their names without "free" are those of `FreeEnds`."""
PAIR_OPTIONS = (
    MODE,
    *FREE_END_OPTIONS,
    *(option for option in SCORING_OPTIONS if option.name != MODE.name),
    *GAP_MODEL_OPTIONS,
)


def build_pair(sequences: Sequences[Sequence], options: Mapping[str, Any]) -> PairProblem:
    """Return the pair problem of two sequences; options that are not set follow the type of the sequences.

    Raises InputError for an empty sequence and for a letter without a score.
    """
    SEQUENCES.check(len(sequences))
    for sequence in sequences:
        if not len(sequence):
            raise InputError(f"{sequence.name}: the sequence is empty; choose another sequence")
    values = scoring_options.resolve_options(sequences, options, PAIR_OPTIONS)
    scoring = scoring_options.make_scoring(values, scoring_options.are_nucleotides(sequences), sequences)
    problem = PairProblem(sequences[0], sequences[1], scoring, Mode(values["mode"]), _chosen_ends(values))
    problem.codes  # noqa: B018 - a letter without a score is an error now, not in the middle of a run
    return problem


def default_scores(sequences: Sequences[Sequence]) -> Mapping[str, Any]:
    """Return the default scores and gap costs, the second piece of these included."""
    return {**scoring_options.default_scores(sequences), **scoring_options.default_second_piece(sequences)}


def _chosen_ends(values: Mapping[str, Any]) -> FreeEnds:
    """Return the free ends that are switched on; ParameterError where the mode has its own."""
    ends = FreeEnds(*(values[option.name] for option in FREE_END_OPTIONS))
    if ends != NO_FREE_ENDS and values["mode"] != Mode.CUSTOM:
        raise ParameterError(
            f"free ends are chosen ({ends}), which the mode {values['mode']} does not use; choose the mode custom, or "
            "switch them off"
        )
    return ends


def answer_rows(result: Result) -> LabelledRows:
    """Return the answer as rows of label and text."""
    answer, path = result.answer, result.answer.alignment
    found = [("Score", format_score(result)), ("Ends at cell", _format_cell(answer.end))]
    if path is None:
        return [*found, ("Alignment", "none; this method returns only the score")]
    columns = path.operations.size
    same = int(path.find_identical(*result.problem.sequences).sum())
    share = f", {100 * same / columns:.1f} %" if columns else ""
    found.insert(1, ("Starts at cell", _format_cell(path.start)))
    return [*found, ("Columns", f"{columns:,}"), ("Identical", f"{same:,} of {columns:,} columns{share}")]


def format_score(result: Result) -> str:
    """Return the score in the units of the matrix: '1,234' or '1,234.50'."""
    return f"{result.score:,}" if isinstance(result.score, int) else f"{result.score:,.2f}"


def setting_rows(problem: PairProblem) -> LabelledRows:
    """Return what defines the answer as rows of label and text."""
    along = f"the {'first' if problem.swapped else 'second'} sequence"
    longer = ", the longer one" if problem.rows < problem.columns else ""
    return [
        ("Mode", problem.mode_text),
        ("Scoring", problem.scoring.describe_costs()),
        ("Strips run along", along + longer),
    ]


def option_values(problem: PairProblem) -> Mapping[str, Any]:
    """Return the option values of a problem."""
    switches = {f"free_{name}": is_free for name, is_free in vars(problem.chosen_ends).items()}
    return {"mode": str(problem.mode), **switches, **scoring_options.scoring_option_values(problem.scoring)}


def _format_cell(cell: tuple[int, int]) -> str:
    """Return a cell of the matrix as text."""
    return f"({cell[0]:,}, {cell[1]:,})"


PAIR = ProblemType(
    id="pair",
    label="Two sequences",
    inputs=(SEQUENCES,),
    options=PAIR_OPTIONS,
    build_problem=build_pair,
    default_options=default_scores,
    answer_json=formats.answer_json,
    answer_rows=answer_rows,
    format_answer=format_score,
    answer_label="score",
    file_formats=formats.FORMATS,
    setting_rows=setting_rows,
    option_values=option_values,
    problem_notes=lambda problem: scoring_options.sequence_notes(problem.sequences, problem.scoring.matrix),
    trials_name="antidiag.kernels.pairwise.trials:TRIALS",
    dp_classification=classification.GAPS,
)
