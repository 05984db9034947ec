"""Checks that parameters, backends and peers do not change the answer of a point."""

from __future__ import annotations

from dataclasses import replace

from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, format_value
from antidiag.kernels.experiments.sweeps.sweep import find_contender

TOLERANCE = 1e-6
"""Relative difference of two scores that rounding explains."""


class AnswerAgreement:
    """Compares every point with the first point of the same problem.

    Points of one method on one backend must have identical answers; all exact contenders of a problem must have the
    same score.
    """

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str, str], MeasuredPoint] = {}
        self._scores: dict[str, MeasuredPoint] = {}

    def check_point(self, point: MeasuredPoint) -> MeasuredPoint:
        """Return the point; if its answer differs from an earlier one, marked as wrong with the reason."""
        if point.status is not PointStatus.MEASURED:
            return point
        same = self._answers.setdefault((point.problem, point.contender, point.backend), point)
        if same.answer_digest != point.answer_digest:
            return _mark_wrong(point, same)
        if point.score is None or not _is_exact(point.contender):
            return point
        first = self._scores.setdefault(point.problem, point)
        return point if _scores_agree(first.score, point.score) else _mark_wrong(point, first)


def _scores_agree(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return True
    return abs(one - other) <= TOLERANCE * max(abs(one), abs(other))


def _is_exact(contender_id: str) -> bool:
    return find_contender(contender_id).is_exact


def _mark_wrong(point: MeasuredPoint, first: MeasuredPoint) -> MeasuredPoint:
    settings = ", ".join(f"{name} = {format_value(value)}" for name, value in first.parameters.items())
    other = f"{first.name} on the {first.backend}" + (f" with {settings}" if settings else "")
    mine, theirs = point.answer, first.answer
    found = f"the answer is {mine}, and {other} found {theirs}"
    if mine == theirs:
        found = f"the answer ({mine}) differs in its details from that of {other}"
    return replace(point, status=PointStatus.WRONG, reason=f"WRONG: {found}; please report it")
