"""Agreement: parameters, backends and peers change the time of a point and never its answer."""

from __future__ import annotations

from dataclasses import replace

from antidiag.kernels.experiments.points import Point, Status, text
from antidiag.kernels.experiments.sweep import contender

TOLERANCE = 1e-6
"""Relative difference of two scores that rounding explains."""


class Agreement:
    """Compares every point with the first one of the same problem.

    Points of one method on one backend must have the same answer to the last bit; all exact contenders of a
    problem must have the same score.
    """

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str, str], Point] = {}
        self._scores: dict[str, Point] = {}

    def judge(self, point: Point) -> Point:
        """The point, or the point marked as wrong, with the reason."""
        if point.status is not Status.MEASURED:
            return point
        same = self._answers.setdefault((point.problem, point.contender, point.backend), point)
        if same.answer_digest != point.answer_digest:
            return _wrong(point, same)
        if point.score is None or not _is_exact(point.contender):
            return point
        first = self._scores.setdefault(point.problem, point)
        return point if _agree(first.score, point.score) else _wrong(point, first)


def _agree(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return True
    return abs(one - other) <= TOLERANCE * max(abs(one), abs(other))


def _is_exact(contender_id: str) -> bool:
    return contender(contender_id).exact


def _wrong(point: Point, first: Point) -> Point:
    settings = ", ".join(f"{name} = {text(value)}" for name, value in first.parameters.items())
    other = f"{first.name} on the {first.backend}" + (f" with {settings}" if settings else "")
    mine, theirs = point.answer, first.answer
    found = f"the answer is {mine}, and {other} found {theirs}"
    if mine == theirs:
        found = f"the answer ({mine}) differs in its details from that of {other}"
    return replace(point, status=Status.WRONG, reason=f"WRONG: {found}; please report it")
