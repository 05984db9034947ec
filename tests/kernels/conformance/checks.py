"""What every method promises, as functions of a method and a backend; test_conformance.py calls them for all methods.

The problems, the right answers and what is the same come from the trials of the problem type (kernels.trials).
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels import engine, registry, serialization, trials
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import data_loading, result_saving
from antidiag.kernels.steps import StepLog
from antidiag.kernels.trials import TrialChooser
from tests.choosing import for_all

PART = 3
"""Checks on what `larger` draws take one example in so many."""
APART = ("compilation", "transfer")
"""Times that are of no phase."""
LOGGED_MIB, SAVED_MIB, LONG_MS = 2.0, 0.5, 200.0
"""What a run takes, or how long it lasts, whose steps are looked at; and whose result is saved in every format."""


def run(
    method: Method,
    backend: str,
    problem: Any,
    given: Mapping[str, Any],
    monitor: Monitor | None = None,
    steps: StepLog | None = None,
) -> Result:
    """The result of a run, which has checked itself."""
    planned = engine.plan_run(method, problem, given, backend, use_tuned=False)
    result = engine.execute(planned, monitor, steps, keep_rate=False, keep_parts=False)
    result.check(problem)
    return result


def every_automatic_parameter_is_chosen(method: Method, backend: str) -> None:
    """The program chooses a valid value for each parameter without a default."""
    problem, _ = trials.load_trials(method.problem_type).make_large_problem(method, backend, 1)
    chosen = method.choose_parameters(problem, backend, 132 if backend == "cuda" else None)
    for parameter in method.parameters.declared():
        if parameter.default is None:
            assert chosen.get(parameter.name) is not None, f"nothing is chosen for {parameter.name}"
            parameter.validate(chosen[parameter.name])


def equals_the_textbook(method: Method, backend: str) -> None:
    """Small problems around every border: the answer is the textbook's, whatever the parameters."""
    for_all(lambda choose: try_textbook(method, backend, choose), trials.load_trials(method.problem_type).example_count)


def try_textbook(method: Method, backend: str, choose: TrialChooser) -> None:
    """The same for one problem."""
    tried = trials.load_trials(method.problem_type)
    problem = tried.draw_problem(choose)
    found = run(method, backend, problem, tried.draw_parameters(method, backend, choose)).answer
    tried.assert_same_answer(problem, found, tried.solve_by_textbook(problem), method)


def parameters_change_nothing(method: Method, backend: str) -> None:
    """Two settings of the parameters, threads among them, give one answer."""
    if method.parameters.names():
        for_all(
            lambda choose: try_parameters(method, backend, choose),
            trials.load_trials(method.problem_type).example_count // PART,
        )


def try_parameters(method: Method, backend: str, choose: TrialChooser) -> None:
    """The same for one problem."""
    tried = trials.load_trials(method.problem_type)
    problem = (tried.draw_larger_problem or tried.draw_problem)(choose)
    one, other = (
        run(method, backend, problem, tried.draw_parameters(method, backend, choose)).answer for _ in range(2)
    )
    tried.assert_same_answer(problem, one, other, method)


def siblings_agree(method: Method, backend: str) -> None:
    """The methods of a problem type and one criterion, on any backend, give one answer."""
    if siblings(method, backend):
        for_all(
            lambda choose: try_siblings(method, backend, choose),
            trials.load_trials(method.problem_type).example_count // PART,
        )


def try_siblings(method: Method, backend: str, choose: TrialChooser) -> None:
    """The same for one problem."""
    tried = trials.load_trials(method.problem_type)
    problem = (tried.draw_larger_problem or tried.draw_problem)(choose)
    found = run(method, backend, problem, {}).answer
    for other, place in siblings(method, backend):
        tried.assert_same_answer(problem, found, run(other, place, problem, {}).answer, method)


def siblings(method: Method, backend: str) -> list[tuple[Method, str]]:
    """Methods to compare with: the same one on the CPU, and an exact one that returns all that this one does."""
    found = [(method, "cpu")] if backend != "cpu" else []
    able = [
        other
        for other in registry.METHODS
        if other.problem_type is method.problem_type and other.criterion == method.criterion
        and other.is_exact and other.returns >= method.returns and other is not method
    ]  # fmt: skip
    return found + [(other, "cpu") for other in able[:1]]


def symmetries_hold(method: Method, backend: str) -> None:
    """A changed problem has the changed answer."""
    tried = trials.load_trials(method.problem_type)
    if tried.symmetries:
        for_all(lambda choose: try_symmetry(method, backend, choose), tried.example_count // 2)


def try_symmetry(method: Method, backend: str, choose: TrialChooser) -> None:
    """The same for one problem and one of the changes."""
    tried = trials.load_trials(method.problem_type)
    problem, symmetry = tried.draw_problem(choose), choose.choose_one(tried.symmetries)
    changed = symmetry.transform(problem)
    if changed is None:
        return
    given = tried.draw_parameters(method, backend, choose)
    found, other = (run(method, backend, one, given).answer for one in (problem, changed))
    symmetry.assert_same_answer(problem, found, other, method)


def progress_and_steps_are_complete(method: Method, backend: str) -> None:
    """Of one run of several chunks, progress rises to its end and the step log covers the phases."""
    progress: list[tuple[int, int, str]] = []
    steps = StepLog()
    problem, given = medium(method, backend)
    begun_ns = time.perf_counter_ns()
    result = run(method, backend, problem, given, Monitor(lambda *update: progress.append(update)), steps)
    lasted_ns = time.perf_counter_ns() - begun_ns
    _assert_progress_rises(progress)
    phases = [phase for phase in result.times_ms if phase not in APART]
    silent = trials.load_trials(method.problem_type).phases_without_steps(method, backend)
    _assert_steps_cover(steps.ordered_events(), phases, silent, lasted_ns)


def _assert_progress_rises(told: Sequence[tuple[int, int, str]]) -> None:
    """Within a phase what is done never falls, and reaches the total; no phase comes twice."""
    assert told, "progress is never told"
    order = [phase for at, (_, _, phase) in enumerate(told) if at == 0 or told[at - 1][2] != phase]
    assert len(order) == len(set(order)), f"phases come back: {order}"
    for name in order:
        parts = [(done, total) for done, total, phase in told if phase == name]
        shares = [done / total if total else 1.0 for done, total in parts]
        assert all(0 <= share <= 1 for share in shares), f"{name}: beyond its total: {max(shares)}"
        assert shares == sorted(shares), f"{name}: progress falls: {parts}"
        assert shares[-1] == 1, f"{name}: progress ends at {parts[-1]}"


def _assert_steps_cover(events: np.ndarray, phases: Sequence[str], silent: frozenset[str], lasted_ns: int) -> None:
    """Every phase that computes chunks is in the step log; no event ends before it starts, or lies outside the run."""
    expected = {_number(phase, at) for at, phase in enumerate(phases, 1) if phase not in silent}
    assert set(events["phase"].tolist()) == expected, f"the log has phases {set(events['phase'])}, not {expected}"
    assert (events["start_ns"] >= 0).all(), "an event starts before the run"
    assert (events["end_ns"] >= events["start_ns"]).all(), "an event ends before it starts"
    assert events["end_ns"].max(initial=0) <= lasted_ns, "an event ends after the run"
    for first, last in (("row_start", "row_end"), ("column_start", "column_end"), ("layer_start", "layer_end")):
        assert (events[first] >= 0).all() and (events[first] <= events[last]).all(), f"{first} is beyond {last}"


def _number(phase: str, at: int) -> int:
    """The number of a phase in the log: the one in its name, or its place among the phases."""
    digits = phase.removeprefix("phase ")
    return int(digits) if digits.isdigit() else at


def what_is_saved_reads_back(method: Method, backend: str, folder: Path) -> None:
    """Every format that the method can be saved as is written; what a kind of data reads is as it was; JSON parses."""
    tried = trials.load_trials(method.problem_type)
    problem, given = medium(method, backend, SAVED_MIB)
    result = run(method, backend, problem, given)
    for suffix in result_saving.result_suffixes(method):
        path = folder / f"saved{suffix}"
        result_saving.write_result(path, result)
        assert path.stat().st_size > 0, f"{path.name} is empty"
        if suffix == result_saving.JSON:
            assert json.loads(path.read_text(encoding="utf-8"))["method"] == method.id
        elif suffix not in tried.unread_suffixes and any(suffix in kind.suffixes for kind in data_loading.data_kinds()):
            (tried.assert_read_back or _products_are_read_back)(result, data_loading.read_data(path))
    survives(result)


def _products_are_read_back(result: Result, data: Sequence[Any]) -> None:
    """Products of a result that a file can hold are found in it as they were."""
    made = registry.find_method(result.method).problem_type.extract_data
    products = made(result) if made else []
    for datum in data:
        mine = [product for product in products if type(product) is type(datum)]
        assert not mine or datum in mine, f"the file gives another {type(datum).__name__} than the result"


def survives(result: Result) -> None:
    """Problem and answer are written as a session writes them, and read again."""
    for value in (result.problem, result.answer):
        arrays: list[np.ndarray] = []

        def put(array: np.ndarray, arrays: list[np.ndarray] = arrays) -> int:
            arrays.append(array.copy())
            return len(arrays) - 1

        again = serialization.decode(json.loads(json.dumps(serialization.encode(value, put))), arrays.__getitem__)
        assert serialization.digest_value(again) == serialization.digest_value(value), (
            f"a {type(value).__name__} reads back as another"
        )


def medium(method: Method, backend: str, mib: float = LOGGED_MIB) -> tuple[Any, Mapping[str, Any]]:
    """A run of several chunks: of those of much memory the first that takes so many MiB, or some time."""
    tried = trials.load_trials(method.problem_type)
    size, best = 1, tried.make_large_problem(method, backend, 1)
    while size < 2**12:
        planned = engine.plan_run(method, *best, backend, use_tuned=False)
        footprint = planned.footprint
        if footprint.host_bytes + footprint.device_bytes > mib * 2**20 or planned.time_ms > LONG_MS:
            break
        size *= 2
        best = tried.make_large_problem(method, backend, size)
    return best
