"""The edit distance problem: a pair whose score is minus the number of edits, shown as a distance.

Its problem is a `PairProblem` with fixed scores (match 0, mismatch -1, each gap letter -1), so that all that shows and
saves pairs takes it, and its answer has a score that is not positive. What differs is declared here: the options,
without scores, and the words of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import replace
from typing import Any

from antidiag.kernels import scoring_options
from antidiag.kernels.method import LabelledRows
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.pairwise import formats, problem
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.scoring import Mode

UNIT_COSTS: Mapping[str, Any] = {"matrix": "", "match": 0, "mismatch": -1, "gap_open": 0, "gap_extend": 1}
"""The options of a pair that make its score minus the edit distance."""
MODE = Parameter(
    "mode",
    "choice",
    "Mode",
    "What is aligned: both sequences end to end (global); the whole first sequence with a part of the second "
    "(query-in-target); or with the free ends that are chosen (custom; a free end of the second makes the first a "
    "prefix).",
    default=str(Mode.GLOBAL),
    choices=(str(Mode.GLOBAL), str(Mode.QUERY_IN_TARGET), str(Mode.CUSTOM)),
)
WILDCARD = Parameter("wildcard", "text", "Wildcard", "Letters that equal every letter, such as N or NX.", default="")
EDIT_OPTIONS = (MODE, *scoring_options.FREE_END_OPTIONS, problem.STRAND, WILDCARD)


def build_edit_problem(sequences: Sequences[Sequence], options: Mapping[str, Any]) -> PairProblem:
    """Return the pair problem with unit costs; raise InputError and ParameterError as `problem.build_pair` does."""
    values = scoring_options.resolve_options(sequences, options, EDIT_OPTIONS)
    return problem.build_pair(sequences, {**UNIT_COSTS, **values})


def format_distance(result: Result) -> str:
    """Return the edit distance as text."""
    return f"{-result.score:,}"


def answer_rows(result: Result) -> LabelledRows:
    """Return the answer as rows of label and text."""
    _, *others = problem.answer_rows(result)
    return [("Edit distance", format_distance(result)), *others]


def answer_json(result: Result) -> dict[str, Any]:
    """Return the JSON fields of a pair's answer, and the distance."""
    return {"distance": -int(result.score), **formats.answer_json(result)}


def setting_rows(made: PairProblem) -> LabelledRows:
    """Return what defines the answer as rows of label and text."""
    wildcard = option_values(made)["wildcard"]
    costs = ("Costs", "1 for a mismatch and for each letter against a gap")
    shown = [costs, ("Wildcard", wildcard)] if wildcard else [costs]
    return [row if row[0] != "Scoring" else shown[0] for row in problem.setting_rows(made)] + shown[1:]


def option_values(made: PairProblem) -> Mapping[str, Any]:
    """Return the option values of a problem."""
    values = {"wildcard": "", **problem.option_values(made)}
    return {option.name: values[option.name] for option in EDIT_OPTIONS}


def no_scores(sequences: Sequences[Sequence]) -> Mapping[str, Any]:
    """Return no default scores: the costs are fixed."""
    return {}


EDIT_DISTANCE = replace(
    problem.PAIR,
    id="edit-distance",
    label="Edit distance of two sequences",
    options=EDIT_OPTIONS,
    build_problem=build_edit_problem,
    default_options=no_scores,
    answer_json=answer_json,
    answer_rows=answer_rows,
    format_answer=format_distance,
    answer_label="distance",
    setting_rows=setting_rows,
    option_values=option_values,
    trials_name="antidiag.kernels.pairwise.bit_parallel.trials:TRIALS",
)
