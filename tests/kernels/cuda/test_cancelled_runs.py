"""A run on a GPU that is cancelled: it compiles nothing any more, and keeps nothing of the device."""

from __future__ import annotations

import pytest

from antidiag.kernels import engine, registry, trials
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.trials import RandomChooser
from tests.kernels.conformance.cancelling import LATEST, Cancelling

ON_DEVICE = [method for method in registry.METHODS if "cuda" in method.backends]
LONGER_MS = 1e6


def execute(method: Method, monitor: Monitor | None = None) -> Result:
    problem = trials.load_trials(method.problem_type).draw_problem(RandomChooser(5))
    return engine.execute(engine.plan_run(method, problem, {}, "cuda"), monitor, keep_parts=False)


@pytest.mark.parametrize("method", ON_DEVICE, ids=lambda method: method.id)
def test_a_run_that_was_cancelled_before_has_nothing_compiled(emulated, method: Method, monkeypatch) -> None:
    from antidiag.kernels.cuda import run

    compiled, monitor = [], Monitor()
    monkeypatch.setattr(run, "compile_kernel", lambda *arguments: compiled.append(arguments) or (None, 0.0))
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
            execute(registry.find_method(name), Cancelling(at))
        except Cancelled as error:
            errors.append(error)
            assert devices.run_memory_pool().used_bytes() == 0
    assert errors


@pytest.mark.parametrize(
    ("name", "phase"),
    [
        ("lcs-single-linkage", "linkage"),
        ("parttree", "words"),
        ("msa-parttree", "tree"),
        ("msa-parttree", "alignment"),
    ],
)
def test_what_is_compiled_late_is_in_no_phase(emulated, name: str, phase: str, monkeypatch) -> None:
    _compile_long(monkeypatch)
    result = execute(registry.find_method(name))
    assert result.times_ms["compilation"] >= LONGER_MS
    assert result.times_ms[phase] < LONGER_MS / 1000


def _compile_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are told to take long to compile."""
    from antidiag.kernels.cuda import run

    real = run.compile_kernel
    monkeypatch.setattr(run, "compile_kernel", lambda *arguments: (real(*arguments)[0], LONGER_MS))
