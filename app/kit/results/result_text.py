"""Scores and titles as views print them."""

from __future__ import annotations

from typing import Any

from antidiag.app import texts as app_texts
from antidiag.app.texts import ELLIPSIS as ELLIPSIS
from antidiag.app.texts import shorten_name
from antidiag.kernels.model import Result
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.triple.model import TripleProblem

MINUS, TIMES, DOT, INFINITY = "\u2212", "\u00d7", "\u00b7", "\u221e"
MINUS_INFINITY = -(2**29)  # engine scores at or below this mean minus infinity


def format_number(value: float) -> str:
    """Format a score or count with thousands separators and a true minus."""
    text = f"{int(value):,}" if float(value).is_integer() else f"{value:,.3f}".rstrip("0").rstrip(".")
    if text in ("0", "-0") and value:
        text = f"{value:.2g}"
    return text.replace("-", MINUS)


def format_score(problem: Any, value: int, separator: str = ",") -> str:
    """Format an engine score in the units of the matrix."""
    if value <= MINUS_INFINITY:
        return f"{MINUS}{INFINITY}"
    return format_number(problem.scoring.unscale_score(int(value))).replace(",", separator)


def format_scoring(problem: PairProblem | TripleProblem) -> str:
    """Format matrix and gap costs."""
    costs = problem.scoring
    opening = f"{costs.gap_open:g} + " if costs.gap_open else ""
    gap = f"{opening}{costs.gap_extend:g}k"
    if costs.has_two_pieces:
        gap = f"min({gap}, {costs.gap_open2:g} + {costs.gap_extend2:g}k)"
    return f"{costs.matrix.name}, gap {gap}".replace("-", MINUS)


def axis_names(problem: Any) -> tuple[str, str]:
    """Return what the axes of a matrix show, shortened; a reverse complement is marked."""
    strand = ", reverse complement" if isinstance(problem, PairProblem) and problem.is_reversed else ""
    return shorten_name(problem.first.name) + strand, shorten_name(problem.second.name)


def is_pair(result: Result) -> bool:
    """Return whether a result is about two sequences."""
    return isinstance(result.problem, PairProblem)


def is_pair_or_triple(result: Result) -> bool:
    """Whether two or three sequences were aligned along a path."""
    return isinstance(result.problem, PairProblem | TripleProblem)


def format_title(result: Result | None) -> str:
    """Return one line: input, method, parameters and answer; empty without a result."""
    if result is None:
        return ""
    problem: Any = result.problem
    method = app_texts.result_method(result)
    aligns = is_pair_or_triple(result)
    names = app_texts.problem_title(result)
    if aligns:
        pair = isinstance(problem, PairProblem)
        shown = axis_names(problem) if pair else [shorten_name(sequence.name) for sequence in problem.sequences]
        names = f" {TIMES} ".join(shown)
    parts = [names, app_texts.method_name(result)]
    parts += [f"{name} = {result.parameters[name]}" for name in ("s", "h") if name in result.parameters]
    if aligns:
        mode = f"{problem.mode}, " if isinstance(problem, PairProblem) else ""
        parts += [f"{mode}{format_scoring(problem)}", f"score {format_number(result.score)}"]
    elif method:
        parts.append(f"{method.problem_type.answer_label} {method.problem_type.format_answer(result)}".strip())
    return f" {DOT} ".join(part for part in (*parts, result.device) if part)
