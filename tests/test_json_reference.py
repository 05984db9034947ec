"""The page on JSON names every field that a result has, and no other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.io.json_text import json_pieces
from antidiag.kernels.method import Method
from antidiag.kernels.registry.result_saving import result_json
from antidiag.kernels.trials import RandomChooser, load_trials
from tests.documents import ROOT

PAGE = ROOT / "docs" / "json.md"
COMMON = "All methods"
OPEN_OBJECTS = frozenset({"parameters", "times_ms", "versions", "options"})
"""Objects whose fields depend on the run."""
SEEDS = range(12)


def read_sections() -> dict[str, dict[str, str]]:
    """Return the types of the fields of every section of the page; sections are named by their problems."""
    found: dict[str, dict[str, str]] = {}
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        heading, _, text = section.partition("\n")
        rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
        fields = {name: kind for names, kind, *_ in rows for name in re.findall(r"`([^`]+)`", names)}
        sentence = text.partition("\n| ")[0]
        owners = re.findall(r"`([^`]+)`", sentence.partition(".")[0]) if heading != COMMON else [COMMON]
        found |= dict.fromkeys(owners, fields)
    return found


SECTIONS = read_sections()
METHODS = [one for one in registry.METHODS if "cpu" in one.backends]


def test_every_problem_has_a_section() -> None:
    assert {one.problem_type.id for one in registry.METHODS} == SECTIONS.keys() - {COMMON}


def _flatten(data: dict[str, Any], within: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the fields of an object by their paths, as the page names them."""
    for name, value in data.items():
        path = within + name
        if isinstance(value, dict) and name not in OPEN_OBJECTS:
            yield from _flatten(value, path + ".")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for item in value:
                yield from _flatten(item, path + "[].")
        elif value != [] or path + "[].start" not in SECTIONS["viterbi"]:
            yield path, value


def _is_of_type(value: Any, kind: str) -> bool:
    """Return whether a value is of a type in the words of the page."""
    if value is None:
        return "or null" in kind
    if isinstance(value, bool):
        return kind == "true or false"
    first = kind.partition(",")[0]
    expected = {"text": str, "number": (int, float), "object": dict}.get(first, list)
    return isinstance(value, expected)  # type: ignore[arg-type]


def _saved(method: Method, seed: int) -> dict[str, Any]:
    """Return the JSON of a small problem."""
    problem = load_trials(method.problem_type).draw_problem(RandomChooser(seed))
    result = engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False)
    return json.loads("".join(json_pieces(result_json(result))))


@pytest.mark.parametrize("method", METHODS, ids=lambda one: one.id)
def test_every_field_is_described(method: Method) -> None:
    known = SECTIONS[COMMON] | SECTIONS[method.problem_type.id]
    for seed in SEEDS[:3]:
        written = dict(_flatten(_saved(method, seed)))
        assert written.keys() <= known.keys()
        assert {name: value for name, value in written.items() if not _is_of_type(value, known[name])} == {}
        assert SECTIONS[COMMON].keys() <= written.keys()
        choices = {one.name: one.choices for one in method.parameters.declared() if one.choices}
        for name, value in written["parameters"].items():
            assert isinstance(value, int) == all(map(str.isdigit, choices[name])) if name in choices else True
