"""Problems as plain values and arrays, and what identifies them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from antidiag.kernels import registry, serialization
from antidiag.kernels.errors import InputError
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from tests.problems import pair, pairs

DNA = Scoring(match_mismatch(2, -3), 5, 2)


def through_json(value: Any) -> Any:
    arrays: list[np.ndarray] = []

    def put(array: np.ndarray) -> int:
        arrays.append(array.copy())
        return len(arrays) - 1

    return serialization.decode(json.loads(json.dumps(serialization.encode(value, put))), arrays.__getitem__)


@given(problem=pairs())
def test_a_problem_comes_back_as_it_was(problem: PairProblem) -> None:
    found = through_json(problem)
    assert found == problem
    assert serialization.digest(found) == serialization.digest(problem)


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
    assert len({serialization.digest(other) for other in others}) == len(others)


def test_labels_do_not_count() -> None:
    problem = pair("ACGT", "ACGA", DNA)
    named = replace(problem, first=Sequence("other", b"ACGT", SequenceType.DNA, "a title", "file.fa", "a note"))
    assert serialization.digest(named) == serialization.digest(problem)
    assert serialization.digest(
        replace(problem, scoring=Scoring(match_mismatch(2.0, -3.0), 5.0, 2.0))
    ) == serialization.digest(problem)


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
    assert serialization.digest(one) != serialization.digest(other)


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "antidiag.kernels.engine:execute",
        "antidiag.kernels.steps:Steps",
        "antidiag.kernels.model:Nothing",
        "antidiag.kernels.engine:Plan",
        "antidiag.kernels.errors:InputError",
        "builtins:open",
        "Sequence",
        "nothing",
        "",
    ],
)
def test_reading_makes_nothing_but_data_of_the_engine(name: str) -> None:
    with pytest.raises(InputError, match="the file names"):
        serialization.decode({"class": name, "fields": {}}, lambda place: np.empty(0))
    with pytest.raises(InputError, match="does not know"):
        serialization.decode({"something": "else"}, lambda place: np.empty(0))


def test_what_no_problem_holds_is_refused() -> None:
    with pytest.raises(InputError, match="object cannot be written"):
        serialization.encode(object(), lambda array: 0)


def test_a_dataclass_without_a_name_is_refused_and_it_is_said_what_to_do() -> None:
    @dataclass(frozen=True)
    class Unnamed:
        value: int = 1

    class Colour(Enum):
        RED = "red"

    class Derived(Scoring):
        """Not the class that the file would name."""

    for value in (Unnamed(), Colour.RED, (Unnamed(),), Derived(DNA.matrix, 5, 2)):
        with pytest.raises(InputError, match=r'write @stored\("..."\) above the class in tests'):
            serialization.encode(value, lambda array: 0)
    with pytest.raises(InputError, match="no name"):
        serialization.digest(Unnamed())


@pytest.fixture
def _own_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serialization, "_TYPES", dict(serialization._TYPES))
    monkeypatch.setattr(serialization, "_NAMES", dict(serialization._NAMES))


@pytest.mark.usefixtures("_own_types")
def test_a_named_class_comes_back_and_its_name_belongs_to_it() -> None:
    @serialization.stored("a-shape")
    @dataclass(frozen=True, slots=True)
    class Shape:
        sides: int

    assert serialization.encode(Shape(3), lambda array: 0) == {"class": "a-shape", "fields": {"sides": 3}}
    assert through_json(Shape(3)) == Shape(3)
    assert (
        serialization.digest(Shape(3)) == serialization.digest(through_json(Shape(3))) != serialization.digest(Shape(4))
    )

    @dataclass(frozen=True)
    class Other:
        sides: int

    with pytest.raises(ValueError, match="has this name already"):
        serialization.stored("a-shape")(Other)
    for name in ("Shape", "antidiag.kernels.model:Shape", "a_shape", ""):
        with pytest.raises(ValueError, match="lower-case"):
            serialization.stored(name)(Other)


@pytest.mark.usefixtures("_own_types")
def test_what_is_no_data_has_no_name() -> None:
    class Bare(Scoring):
        """Declared below @dataclass, or not by it at all."""

    for kind in (Bare, object):
        with pytest.raises(TypeError, match="no dataclass or enumeration"):
            serialization.stored("bare")(kind)


def test_former_names_are_told_once_and_every_one_is_still_known() -> None:
    pairs_of = json.loads(serialization.FORMER_NAMES.read_text(encoding="utf-8"), object_pairs_hook=list)
    formers, names = zip(*pairs_of, strict=True)
    assert len(set(formers)) == len(formers) == 36, "history neither grows nor shrinks"
    assert len(set(names)) == len(names)
    assert registry.METHODS and set(names) <= set(serialization.stored_types())
    for former, name in pairs_of:
        assert serialization.type_of(former) is serialization.type_of(name)
        assert serialization.first_name(serialization.type_of(name)) == former
