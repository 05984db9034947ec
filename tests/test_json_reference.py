"""The page on JSON names every field that a result has, and no other."""

from __future__ import annotations

import json
from typing import Any

import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.io.json_text import json_pieces
from antidiag.kernels.method import Method
from antidiag.kernels.registry.result_saving import result_json
from antidiag.kernels.trials import RandomChooser, load_trials
from tests.json_pages import COMMON, RESULTS, flatten, is_of_type, read_sections

SEEDS = range(12)
SECTIONS = read_sections(RESULTS)
METHODS = [one for one in registry.METHODS if "cpu" in one.backends]


def test_every_problem_has_a_section() -> None:
    assert {one.problem_type.id for one in registry.METHODS} == SECTIONS.keys() - {COMMON}


def _saved(method: Method, seed: int) -> dict[str, Any]:
    """Return the JSON of a small problem."""
    problem = load_trials(method.problem_type).draw_problem(RandomChooser(seed))
    result = engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False)
    return json.loads("".join(json_pieces(result_json(result))))


@pytest.mark.parametrize("method", METHODS, ids=lambda one: one.id)
def test_every_field_is_described(method: Method) -> None:
    known = SECTIONS[COMMON] | SECTIONS[method.problem_type.id]
    for seed in SEEDS[:3]:
        written = dict(flatten(_saved(method, seed), known))
        assert written.keys() <= known.keys()
        assert {name: value for name, value in written.items() if not is_of_type(value, known[name])} == {}
        assert SECTIONS[COMMON].keys() <= written.keys()
        choices = {one.name: one.choices for one in method.parameters.declared() if one.choices}
        for name, value in written["parameters"].items():
            assert isinstance(value, int) == all(map(str.isdigit, choices[name])) if name in choices else True
