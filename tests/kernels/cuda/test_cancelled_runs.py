"""A run on a GPU that is cancelled: it compiles nothing any more, and keeps nothing of the device."""

from __future__ import annotations

import importlib

import pytest

from antidiag.kernels import engine, registry, trials
from antidiag.kernels.cpu.phases import PhaseClock
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.trials import Chance
from tests.kernels.conformance.cancelling import LATEST, Cancelling

ON_DEVICE = [method for method in registry.METHODS if "cuda" in method.backends]
LONGER_MS = 1e6


def execute(method: Method, monitor: Monitor | None = None) -> Result:
    problem = trials.of(method.problem).draw(Chance(5))
    return engine.execute(engine.plan(method, problem, {}, "cuda"), monitor, keep=False)


@pytest.mark.parametrize("method", ON_DEVICE, ids=lambda method: method.id)
def test_a_run_that_was_cancelled_before_has_nothing_compiled(emulated, method: Method, monkeypatch) -> None:
    compiled, monitor = [], Monitor()
    module = importlib.import_module("antidiag.kernels.cuda.run")
    monkeypatch.setattr(module, "function", lambda *arguments: compiled.append(arguments) or (None, 0.0))
    monitor.cancel()
    with pytest.raises(Cancelled):
        execute(method, monitor)
    assert not compiled


@pytest.mark.parametrize(
    "name", ["lcs-single-linkage", "msa-parttree", "nj-compact", "checkpointed-alignment", "hmm-baum-welch"]
)
def test_who_keeps_the_error_of_a_run_keeps_nothing_of_its_device(emulated, name: str) -> None:
    errors = []
    for at in range(1, LATEST + 1):
        try:
            execute(registry.method(name), Cancelling(at))
        except Cancelled as error:
            errors.append(error)
            assert devices.kept_memory().used_bytes() == 0
    assert errors


@pytest.mark.parametrize(("name", "phase"), [("lcs-single-linkage", "linkage"), ("parttree", "words")])
def test_what_is_compiled_late_is_in_no_phase(emulated, name: str, phase: str, monkeypatch) -> None:
    _compile_long(monkeypatch)
    result = execute(registry.method(name))
    assert result.times_ms["compilation"] >= LONGER_MS
    assert result.times_ms[phase] == 0


def test_an_alignment_leaves_what_is_compiled_late_out_of_its_phases(emulated, monkeypatch) -> None:
    _compile_long(monkeypatch)
    left: list[float] = []
    monkeypatch.setattr(PhaseClock, "leave_out", lambda clock, milliseconds: left.append(milliseconds))
    result = execute(registry.method("msa-parttree"))
    assert sum(left) >= LONGER_MS
    assert result.times_ms["compilation"] + result.times_ms["transfer"] >= sum(left)


def _compile_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are told to take long to compile."""
    module = importlib.import_module("antidiag.kernels.cuda.run")
    real = module.function
    monkeypatch.setattr(module, "function", lambda *arguments: (real(*arguments)[0], LONGER_MS))
