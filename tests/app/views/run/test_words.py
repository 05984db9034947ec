"""Phases and events of a step log have the words of their method."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.app.views.run.timeline_bars import PieceNames
from antidiag.kernels import engine, registry
from antidiag.kernels.model import Result
from antidiag.kernels.profiles.column_scores.scoring import ColumnScore, ColumnScoring, ProfileGaps
from antidiag.kernels.profiles.problem import ProfileProblem
from antidiag.kernels.profiles.profile import generate_profile


def result_of(method: str, **values: int) -> Result:
    random = np.random.default_rng(1)
    scoring = ColumnScoring(ColumnScore.EUCLIDEAN, ProfileGaps.COLUMN)
    problem = ProfileProblem(generate_profile(40, random), generate_profile(30, random), scoring)
    return engine.execute(engine.plan_run(registry.find_method(method), problem, values, "cpu"), keep_rate=False)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("profile-simple", [("scores", "block row"), ("maximisation", "slice")]),
        ("profile-matprod-v2", [("scores", "product"), ("maximisation", "slice")]),
        ("profile-smwavefront", [("antidiagonals", "antidiagonal")]),
        ("profile-serial", [("table", "slice")]),
        ("profile-wavefront", [("strips", "strip")]),
    ],
)
def test_phases_of_the_log_are_those_of_the_times(method: str, expected: list[tuple[str, str]]) -> None:
    result = result_of(method)
    words = PieceNames.for_result(result, layers=False)
    phases = np.unique(result.steps.ordered_events()["phase"]).tolist()
    assert [(words.phase_name(number), words.piece_name(number)) for number in phases] == expected
    assert all(words.phase_name(number) in result.times_ms for number in phases)
    assert words.common_piece_name(phases) == (expected[0][1] if len(expected) == 1 else "piece")


def test_where_a_method_says_nothing() -> None:
    assert (PieceNames().phase_name(2), PieceNames().piece_name(2), PieceNames().common_piece_name([1, 3])) == (
        "phase 2",
        "strip",
        "strip",
    )
    assert PieceNames.for_result(None, layers=True).piece_name(1) == "chunk"
