"""Every declaration keeps what the window, the command line and the sessions build on."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels import registry, serialization
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import Method, ProblemType
from antidiag.kernels.registry import data_loading

METHODS = [pytest.param(method, id=method.id) for method in registry.METHODS]
PROBLEMS = {method.problem_type.id: method.problem_type for method in registry.METHODS}
TYPES = [pytest.param(problem, id=problem.id) for problem in PROBLEMS.values()]
GENERATED = [
    pytest.param(problem, id=problem.id)
    for problem in PROBLEMS.values()
    if all(taken.kind.generate for taken in problem.inputs)
]


def test_ids_are_unique() -> None:
    for ids in ([method.id for method in registry.METHODS], [kind.id for kind in data_loading.data_kinds()]):
        assert [name for name, count in Counter(ids).items() if count > 1] == []


def test_methods_of_one_problem_id_share_the_declaration() -> None:
    assert all(method.problem_type is PROBLEMS[method.problem_type.id] for method in registry.METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_a_method_has_a_page_a_source_and_a_default_for_everything(method: Method) -> None:
    assert method.teaching.help_page.read_text().startswith("# ")
    assert method.citation.year > 1900 and method.citation.title
    assert set(method.backends) <= {"cpu", "cuda"} and method.backends
    for parameter in method.parameters.declared():
        assert parameter.help.endswith(".") and parameter.label
        parameter.validate(parameter.default)


@pytest.mark.parametrize("problem", TYPES)
def test_positional_inputs_are_of_one_kind_and_options_are_declared_once(problem: ProblemType) -> None:
    assert len({taken.kind.id for taken in problem.inputs if not taken.flag}) <= 1
    assert len({taken.kind.type for taken in problem.inputs}) == len(problem.inputs), "make() counts data by type"
    names = [option.name for option in problem.options]
    assert len(set(names)) == len(names)
    suffixes = [found.suffix for found in problem.file_formats]
    assert len(set(suffixes)) == len(suffixes)
    assert all((found.iterate_lines is None) != (found.write_file is None) for found in problem.file_formats)


@pytest.mark.parametrize("problem", GENERATED)
def test_a_problem_keeps_its_data_and_can_be_told_and_written(problem: ProblemType) -> None:
    random = np.random.default_rng(1)
    given = []
    for taken in problem.inputs:
        count = max(taken.minimum, 4) if taken.maximum is None else taken.maximum if taken.minimum else 0
        made = [taken.kind.generate(12, random) for _ in range(count)]
        types = taken.sequence_types or (None,) * count
        given += [one if of is None else dataclasses.replace(one, type=of) for one, of in zip(made, types, strict=True)]
    built = problem.build_problem(given, {})
    assert len(built.data) == len(given)
    assert all(kept is datum for kept, datum in zip(built.data, given, strict=True))
    assert isinstance(built.cells, int) and built.cells > 0
    assert built.title and built.size
    arrays: list[np.ndarray] = []

    def put(array: np.ndarray) -> int:
        arrays.append(array)
        return len(arrays) - 1

    tree = json.loads(json.dumps(serialization.encode(built, put)))
    assert serialization.digest_value(serialization.decode(tree, arrays.__getitem__)) == serialization.digest_value(
        built
    )


def test_options_of_one_name_mean_the_same() -> None:
    declared: dict[str, tuple] = {}
    choices: dict[str, set[str]] = {}
    for problem in PROBLEMS.values():
        for option in problem.options:
            meaning = option.kind, option.minimum, option.maximum
            assert declared.setdefault(option.name, meaning) == meaning, option.name
            known, own = choices.setdefault(option.name, set(option.choices)), set(option.choices)
            assert own <= known or known <= own, f"{option.name}: problems may offer a part of the choices, no others"


@pytest.mark.parametrize("kind", [pytest.param(kind, id=kind.id) for kind in data_loading.data_kinds()])
def test_data_are_frozen_and_can_be_listed(kind) -> None:
    assert dataclasses.is_dataclass(kind.type)
    assert kind.type.__dataclass_params__.frozen
    fields = {field.name for field in dataclasses.fields(kind.type)} | set(dir(kind.type))
    assert {"name", "source", "note", "summary"} <= fields
    assert all(suffix.startswith(".") for suffix in kind.suffixes)


def test_what_nobody_claims_is_read_as_sequences(tmp_path: Path) -> None:
    (tmp_path / "any").write_text(">one\nACGT\n")
    assert data_loading.find_kind_of_file(tmp_path / "any") is SEQUENCE
    assert [sequence.name for sequence in data_loading.read_data(tmp_path / "any")] == ["one"]
    assert data_loading.find_kind_of_file(tmp_path / "none") is SEQUENCE
