"""Scores and titles as the views print them."""

from __future__ import annotations

from app.texts import method_name
from kernels.model import PairProblem, Result

MINUS, TIMES, DOT, INFINITY, ELLIPSIS = "\u2212", "\u00d7", "\u00b7", "\u221e", "\u2026"
MINUS_INFINITY = -(2**29)
"""Engine scores at or below this stand for minus infinity."""
MOST_NAME = 40


def shortened(name: str, most: int = MOST_NAME) -> str:
    """A name, which may be of any length, for a place that has room for a line."""
    return name if len(name) <= most else f"{name[: most - 1]}{ELLIPSIS}"


def number(value: float) -> str:
    """A score or count with thousands separated and a true minus."""
    text = f"{int(value):,}" if float(value).is_integer() else f"{value:,.3f}".rstrip("0")
    return text.replace("-", MINUS)


def score(problem: PairProblem, value: int, separator: str = ",") -> str:
    """An engine score in the units of the matrix."""
    if value <= MINUS_INFINITY:
        return f"{MINUS}{INFINITY}"
    return number(problem.scoring.unscaled(int(value))).replace(",", separator)


def scoring(problem: PairProblem) -> str:
    """Matrix and gap costs in few words."""
    costs = problem.scoring
    return f"{costs.matrix.name}, gap {costs.gap_open:g} + {costs.gap_extend:g}k".replace("-", MINUS)


def is_pair(result: Result) -> bool:
    return isinstance(result.problem, PairProblem)


def title(result: Result | None) -> str:
    """One line: what was run, how, and what came out; empty without a result."""
    if result is None:
        return ""
    problem = result.problem
    parts = [f"{problem.first.name} {TIMES} {problem.second.name}", method_name(result)]
    parts += [f"{name} = {result.parameters[name]}" for name in ("s", "h") if name in result.parameters]
    parts += [f"{problem.mode}, {scoring(problem)}", f"score {number(result.score)}", result.device]
    return f" {DOT} ".join(parts)
