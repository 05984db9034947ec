"""One suite for all methods and backends: the right answer, whatever the parameters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernels import engine, rates
from kernels.method import Method
from kernels.model import PairAnswer, PairProblem, rescore
from kernels.parameters import Parameter
from kernels.registry import METHODS
from tests import oracle
from tests.problems import pairs

PAIRWISE = [method for method in METHODS if method.problem.id == "pair"]
MARKS = {"cuda": (pytest.mark.gpu,), "cpu": ()}
CASES = [
    pytest.param(method, backend, id=f"{method.id}-{backend}", marks=MARKS[backend])
    for method in PAIRWISE
    for backend in method.backends
]
BATCH_ON_GPU = {32: 8, 96: 24, 192: 48}
"""T beside s on a GPU, where both are constants of kernels: a third fewer of them are compiled."""
CHECKED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(autouse=True, scope="module")
def _no_rates():
    """Rates of tiny runs are not worth remembering."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rates, "remember", lambda *arguments: None)
        yield


def values(parameter: Parameter) -> st.SearchStrategy[object]:
    """Every choice; of numbers three small ones, which cut a small problem into many pieces; and what is automatic."""
    automatic = [None] if parameter.default is None else []
    match parameter.kind:
        case "choice":
            return st.sampled_from([*parameter.choices, *automatic])
        case "bool":
            return st.sampled_from([False, True, *automatic])
        case "int":
            smallest = [int(parameter.minimum + k * parameter.step) for k in (0, 2, 5)]
            return st.sampled_from([value for value in smallest if value <= parameter.maximum] + automatic)
        case _:
            return st.just(parameter.default)


def parameters(method: Method) -> st.SearchStrategy[dict[str, object]]:
    """Values of all parameters of a method."""
    return st.fixed_dictionaries({parameter.name: values(parameter) for parameter in method.parameters})


def answer(method: Method, backend: str, problem: PairProblem, given: dict[str, object]) -> PairAnswer:
    if backend == "cuda" and "T" in given:
        given = {**given, "T": BATCH_ON_GPU.get(given["s"])}
    result = engine.execute(engine.plan(method, problem, given, backend))
    result.check(problem)
    return result.answer


def assert_same_path(found: PairAnswer, expected: PairAnswer) -> None:
    assert found.alignment.start == expected.alignment.start
    assert found.alignment.end == expected.alignment.end
    np.testing.assert_array_equal(found.alignment.operations, expected.alignment.operations)


@pytest.mark.parametrize(("method", "backend"), CASES)
@CHECKED
@given(data=st.data())
def test_answer_is_the_oracles(method: Method, backend: str, data: st.DataObject) -> None:
    problem = data.draw(pairs())
    found = answer(method, backend, problem, data.draw(parameters(method)))
    expected = oracle.best(problem)
    assert (found.score, found.end) == (expected.score, expected.end)
    if "alignment" in method.returns:
        assert_same_path(found, expected)
        assert rescore(problem, found.alignment) == expected.score


@pytest.mark.parametrize(("method", "backend"), CASES)
@CHECKED
@given(data=st.data())
def test_parameters_never_change_the_answer(method: Method, backend: str, data: st.DataObject) -> None:
    problem = data.draw(pairs(longest=400))
    found = answer(method, backend, problem, data.draw(parameters(method)))
    other = answer(method, backend, problem, data.draw(parameters(method)))
    assert (found.score, found.end) == (other.score, other.end)
    if "alignment" in method.returns:
        assert_same_path(found, other)


@pytest.mark.parametrize(("method", "backend"), CASES)
@CHECKED
@given(data=st.data())
def test_exchanged_sequences_mirror_the_answer(method: Method, backend: str, data: st.DataObject) -> None:
    problem = data.draw(pairs())
    given = data.draw(parameters(method))
    found = answer(method, backend, problem, given)
    other = answer(method, backend, oracle.mirrored(problem), given)
    assert found.score == other.score
    if len(problem.first) == len(problem.second):
        return
    assert found.end == other.end[::-1]
    if "alignment" in method.returns:
        assert found.alignment.start == other.alignment.start[::-1]
        np.testing.assert_array_equal(found.alignment.operations, np.array([0, 2, 1])[other.alignment.operations])


@pytest.mark.parametrize("backend", [pytest.param(backend, marks=MARKS[backend]) for backend in ("cpu", "cuda")])
@CHECKED
@given(problem=pairs())
def test_score_methods_agree_with_alignment_methods(backend: str, problem: PairProblem) -> None:
    methods = [method for method in PAIRWISE if backend in method.backends and method.exact]
    assert len({answer(method, backend, problem, {}).score for method in methods}) == 1


@pytest.mark.gpu
@pytest.mark.parametrize("method", PAIRWISE, ids=lambda method: method.id)
@CHECKED
@given(data=st.data())
def test_backends_agree_to_the_last_gap(method: Method, data: st.DataObject) -> None:
    problem = data.draw(pairs(longest=700))
    on_cpu, on_gpu = (answer(method, backend, problem, {}) for backend in ("cpu", "cuda"))
    assert (on_cpu.score, on_cpu.end) == (on_gpu.score, on_gpu.end)
    if "alignment" in method.returns:
        assert_same_path(on_gpu, on_cpu)
