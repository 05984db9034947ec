"""Problems as plain values and arrays, and what identifies them."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from antidiag.kernels import registry, serialization
from antidiag.kernels.alignments import stored_changes
from antidiag.kernels.errors import InputError
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from tests.problems import pair, pairs

FIXTURES = Path(__file__).parents[1] / "fixtures"
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
    assert serialization.digest_value(found) == serialization.digest_value(problem)


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
    assert len({serialization.digest_value(other) for other in others}) == len(others)


def test_labels_do_not_count() -> None:
    problem = pair("ACGT", "ACGA", DNA)
    named = replace(problem, first=Sequence("other", b"ACGT", SequenceType.DNA, "a title", "file.fa", "a note"))
    assert serialization.digest_value(named) == serialization.digest_value(problem)
    assert serialization.digest_value(
        replace(problem, scoring=Scoring(match_mismatch(2.0, -3.0), 5.0, 2.0))
    ) == serialization.digest_value(problem)


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
    assert serialization.digest_value(one) != serialization.digest_value(other)


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "antidiag.kernels.engine:execute",
        "antidiag.kernels.steps:StepLog",
        "antidiag.kernels.model:Nothing",
        "antidiag.kernels.engine:RunPlan",
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


@pytest.mark.parametrize(
    "tree", [{"something": "else"}, {"class": "Sequence", "fields": "x"}, {"tuple": "x"}, {"enum": 1}]
)
def test_a_damaged_tree_is_refused(tree: Any) -> None:
    with pytest.raises(InputError, match="does not know"):
        serialization.decode(tree, lambda place: np.empty(0))


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
    with pytest.raises(InputError, match="no stored name"):
        serialization.digest_value(Unnamed())


@pytest.fixture
def _own_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serialization, "_TYPES", dict(serialization._TYPES))
    monkeypatch.setattr(serialization, "_NAMES", dict(serialization._NAMES))
    monkeypatch.setattr(serialization, "_UPGRADES", dict(serialization._UPGRADES))


@pytest.mark.usefixtures("_own_types")
def test_a_named_class_comes_back_and_its_name_belongs_to_it() -> None:
    @serialization.stored("a-shape")
    @dataclass(frozen=True, slots=True)
    class Shape:
        sides: int

    assert serialization.encode(Shape(3), lambda array: 0) == {"class": "a-shape", "fields": {"sides": 3}}
    assert through_json(Shape(3)) == Shape(3)
    assert (
        serialization.digest_value(Shape(3))
        == serialization.digest_value(through_json(Shape(3)))
        != serialization.digest_value(Shape(4))
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
        assert serialization.stored_type(former) is serialization.stored_type(name)
        assert serialization.original_name(serialization.stored_type(name)) == former


@pytest.mark.usefixtures("_own_types")
def test_a_stored_type_upgrades_an_older_form_of_its_fields() -> None:
    def upgrade(fields: Mapping[str, Any]) -> Mapping[str, Any]:
        if "degrees" not in fields:
            return fields
        return {name: value for name, value in fields.items() if name != "degrees"} | {"turns": fields["degrees"] / 360}

    @serialization.stored("an-angle", upgrade=upgrade)
    @dataclass(frozen=True)
    class Angle:
        name: str
        turns: float

    old = {"class": "an-angle", "fields": {"name": "right", "degrees": 90}}
    assert serialization.decode(old, lambda place: np.empty(0)) == Angle("right", 0.25)
    assert through_json((Angle("right", 0.25),)) == (Angle("right", 0.25),)


def names_in_files(folder: Path) -> set[str]:
    """Return the stored names in all files of a folder, packed ones included."""
    found: set[bytes] = set()
    for path in folder.rglob("*"):
        if path.is_file():
            contents = [path.read_bytes()]
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as packed:
                    contents = [packed.read(name) for name in packed.namelist()]
            found.update(*(re.findall(rb'"(?:class|enum)":\s*"([^"]+)"', content) for content in contents))
    return {name.decode() for name in found}


def test_files_of_earlier_versions_hold_every_stored_type() -> None:
    assert registry.METHODS and stored_changes.__name__  # their types are registered when they are imported
    saved = {serialization.stored_name(serialization.stored_type(name)) for name in names_in_files(FIXTURES)}
    program = {name for name, kind in serialization.stored_types().items() if kind.__module__.startswith("antidiag.")}
    assert program - saved == set(), "python -m tests.fixtures.make_saved makes a folder with the new types"
