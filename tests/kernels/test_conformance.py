"""One suite for all methods and backends: whatever a family declares is tried by it (tests/kernels/conformance)."""

from __future__ import annotations

from pathlib import Path

import pytest

from antidiag.kernels.method import Method
from antidiag.kernels.registry import METHODS
from tests.kernels.conformance import cancelling, checks, memory
from tests.untested import LeaveOut

MARKS = {"cuda": (pytest.mark.gpu,), "cpu": ()}
CASES = [
    pytest.param(method, backend, id=f"{method.id}-{backend}", marks=MARKS[backend])
    for method in METHODS
    for backend in method.backends
]
ON_DEVICE = [case for case in CASES if case.values[1] == "cuda"]
each = pytest.mark.parametrize(("method", "backend"), CASES)


@pytest.mark.parametrize(("method", "backend"), [case.values for case in CASES])
def test_every_automatic_parameter_is_chosen(method: Method, backend: str) -> None:
    """Nothing runs, so that GPUs are not needed."""
    checks.every_automatic_parameter_is_chosen(method, backend)


@each
def test_equals_the_textbook(method: Method, backend: str) -> None:
    checks.equals_the_textbook(method, backend)


@each
def test_parameters_change_nothing(method: Method, backend: str) -> None:
    checks.parameters_change_nothing(method, backend)


@each
def test_siblings_agree(method: Method, backend: str) -> None:
    checks.siblings_agree(method, backend)


@each
def test_symmetries_hold(method: Method, backend: str) -> None:
    checks.symmetries_hold(method, backend)


@each
def test_progress_and_steps_are_complete(method: Method, backend: str) -> None:
    checks.progress_and_steps_are_complete(method, backend)


@each
def test_what_is_saved_reads_back(method: Method, backend: str, tmp_path: Path) -> None:
    checks.what_is_saved_reads_back(method, backend, tmp_path)


@each
def test_cancelling_leaves_nothing(method: Method, backend: str, tmp_path: Path) -> None:
    cancelling.cancelling_leaves_nothing(method, backend, tmp_path)


@each
def test_host_estimate_is_right(method: Method, backend: str, leave_out: LeaveOut) -> None:
    leave_out(memory.apart(memory.host_estimate_is_right, method, backend))


@pytest.mark.parametrize(("method", "backend"), ON_DEVICE)
def test_device_estimate_is_right(method: Method, backend: str, leave_out: LeaveOut) -> None:
    leave_out(memory.apart(memory.device_estimate_is_right, method, backend))
