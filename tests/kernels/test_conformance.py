"""One suite for all methods and backends: whatever a family declares is tried by it (tests/kernels/conformance)."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernels.method import Method
from kernels.registry import METHODS
from tests.kernels.conformance import cancelling, checks, memory

MARKS = {"cuda": (pytest.mark.gpu,), "cpu": ()}
CASES = [
    pytest.param(method, backend, id=f"{method.id}-{backend}", marks=MARKS[backend])
    for method in METHODS
    for backend in method.backends
]
ON_DEVICE = [case for case in CASES if case.values[1] == "cuda"]
each = pytest.mark.parametrize(("method", "backend"), CASES)

HOST_OPEN = {
    **dict.fromkeys({"nj-pruned", "nj-basic", "nj-compact"}, "65 MiB told, 127 taken; right at 16 and 32"),
    "hmm-forward": "16 MiB told, 7 taken; 64 told, 95 taken",
    "hmm-baum-welch": "64 MiB told, 31 taken",
}
DEVICE_OPEN = {
    "distance-full": "15 MiB told, 3.4 taken",
    "distance-ktuple": "20 MiB told, 10.5 taken",
}
"""Estimates beside and on a GPU (H200) that are not within the factor yet, with what was measured."""


def _expect_open(request: pytest.FixtureRequest, method: Method, backend: str, known: dict[str, str]) -> None:
    """An estimate that is known to be wrong on a GPU is tried all the same, and told as such."""
    if backend == "cuda" and method.id in known:
        request.applymarker(pytest.mark.xfail(reason=known[method.id], strict=False))


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
def test_progress_rises_to_its_end(method: Method, backend: str) -> None:
    checks.progress_rises_to_its_end(method, backend)


@each
def test_steps_cover_the_phases(method: Method, backend: str) -> None:
    checks.steps_cover_the_phases(method, backend)


@each
def test_what_is_saved_reads_back(method: Method, backend: str, tmp_path: Path) -> None:
    checks.what_is_saved_reads_back(method, backend, tmp_path)


@each
def test_cancelling_leaves_nothing(method: Method, backend: str, tmp_path: Path) -> None:
    cancelling.cancelling_leaves_nothing(method, backend, tmp_path)


@each
def test_host_estimate_is_right(request: pytest.FixtureRequest, method: Method, backend: str) -> None:
    _expect_open(request, method, backend, HOST_OPEN)
    memory.apart(memory.host_estimate_is_right, method, backend)


@pytest.mark.parametrize(("method", "backend"), ON_DEVICE)
def test_device_estimate_is_right(request: pytest.FixtureRequest, method: Method, backend: str) -> None:
    _expect_open(request, method, backend, DEVICE_OPEN)
    memory.apart(memory.device_estimate_is_right, method, backend)
