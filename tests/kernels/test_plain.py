"""Problems as plain values and arrays, and what identifies them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from kernels import plain
from kernels.errors import InputError
from kernels.model import Mode, PairProblem, Sequence, SequenceType
from kernels.scoring import Scoring, match_mismatch
from tests.problems import pair, pairs

DNA = Scoring(match_mismatch(2, -3), 5, 2)


def through_json(value: Any) -> Any:
    arrays: list[np.ndarray] = []

    def put(array: np.ndarray) -> int:
        arrays.append(array.copy())
        return len(arrays) - 1

    return plain.decode(json.loads(json.dumps(plain.encode(value, put))), arrays.__getitem__)


@given(problem=pairs())
def test_a_problem_comes_back_as_it_was(problem: PairProblem) -> None:
    found = through_json(problem)
    assert found == problem
    assert plain.digest(found) == plain.digest(problem)


def test_other_problems_have_other_digests() -> None:
    problem = pair("ACGT", "ACGA", DNA)
    others = [
        problem,
        pair("ACGA", "ACGT", DNA),
        pair("ACG", "TACGA", DNA),
        replace(problem, mode=Mode.GLOBAL),
        replace(problem, scoring=Scoring(match_mismatch(2, -3), 5, 3)),
        replace(problem, scoring=Scoring(match_mismatch(2, -2), 5, 2)),
        replace(problem, first=Sequence("x", b"ACGT", SequenceType.RNA)),
    ]
    assert len({plain.digest(other) for other in others}) == len(others)


def test_labels_do_not_count() -> None:
    problem = pair("ACGT", "ACGA", DNA)
    named = replace(problem, first=Sequence("other", b"ACGT", SequenceType.DNA, "a title", "file.fa", "a note"))
    assert plain.digest(named) == plain.digest(problem)
    assert plain.digest(replace(problem, scoring=Scoring(match_mismatch(2.0, -3.0), 5.0, 2.0))) == plain.digest(problem)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1, "b": 2}, {"a": 1}),
        (("ab", "c"), ("a", "bc")),
        (np.zeros(4, np.int32), np.zeros(4, np.int64)),
        (np.zeros((2, 2)), np.zeros(4)),
        (b"12", "12"),
        (None, 0),
        (True, 1),
    ],
)
def test_digests_tell_values_apart(one: Any, other: Any) -> None:
    assert plain.digest(one) != plain.digest(other)


@pytest.mark.parametrize(
    "name", ["os:system", "kernels.engine:execute", "kernels.steps:Steps", "kernels.model:Nothing"]
)
def test_reading_makes_nothing_but_data_of_the_engine(name: str) -> None:
    with pytest.raises(InputError, match="the file names"):
        plain.decode({"class": name, "fields": {}}, lambda place: np.empty(0))
    with pytest.raises(InputError, match="does not know"):
        plain.decode({"something": "else"}, lambda place: np.empty(0))


def test_what_no_problem_holds_is_refused() -> None:
    with pytest.raises(InputError, match="object cannot be written"):
        plain.encode(object(), lambda array: 0)
