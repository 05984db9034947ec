"""Phases and events of a step log have the words of their method."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.app.views.run.words import Words
from antidiag.kernels import engine, registry
from antidiag.kernels.model import Result
from antidiag.kernels.profiles.problem import ProfileProblem
from antidiag.kernels.profiles.profile import random_profile
from antidiag.kernels.profiles.scoring import ColumnScore, ColumnScoring, Gaps


def result_of(method: str, **values: int) -> Result:
    random = np.random.default_rng(1)
    scoring = ColumnScoring(ColumnScore.EUCLIDEAN, Gaps.COLUMN)
    problem = ProfileProblem(random_profile(40, random), random_profile(30, random), scoring)
    return engine.execute(engine.plan(registry.method(method), problem, values, "cpu"), keep_rate=False)


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
    words = Words.of(result, layers=False)
    phases = np.unique(result.steps.array()["phase"]).tolist()
    assert [(words.phase(number), words.piece(number)) for number in phases] == expected
    assert all(words.phase(number) in result.times_ms for number in phases)
    assert words.any_piece(phases) == (expected[0][1] if len(expected) == 1 else "piece")


def test_where_a_method_says_nothing() -> None:
    assert (Words().phase(2), Words().piece(2), Words().any_piece([1, 3])) == ("phase 2", "strip", "strip")
    assert Words.of(None, layers=True).piece(1) == "chunk"
