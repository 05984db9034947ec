"""A run on a GPU that is cancelled: it compiles nothing any more, and keeps nothing of the device."""

from __future__ import annotations

import threading

import pytest

from antidiag.kernels import engine, registry, trials
from antidiag.kernels.cpu.compilation import COMPILING
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.trials import RandomChooser
from tests.kernels.conformance.cancelling import LATEST, Cancelling
from tests.patience import PATIENCE_S

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


@pytest.mark.parametrize("name", ["lcs-single-linkage", "nj-compact", "checkpointed-alignment", "hmm-baum-welch"])
def test_who_keeps_the_error_of_a_run_keeps_nothing_of_its_device(emulated, name: str) -> None:
    errors = []
    for at in range(1, LATEST + 1):
        try:
            execute(registry.find_method(name), Cancelling(at))
        except Cancelled as error:
            errors.append(error)
            assert devices.run_memory_pool().used_bytes() == 0
    assert errors


@pytest.mark.slow
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


def test_compiling_is_told_and_ends_at_once_on_cancel(emulated, monkeypatch) -> None:
    """A compiler that takes long is shown as compiling, once; Cancel does not wait for it."""
    from antidiag.kernels.cuda import kernel_compiler

    released, told = threading.Event(), []
    load = kernel_compiler._load_module
    monkeypatch.setattr(kernel_compiler, "_modules", {})
    monkeypatch.setattr(kernel_compiler, "_load_module", lambda *given: released.wait(PATIENCE_S) and load(*given))

    def hear(done: int, total: int, phase: str) -> None:
        told.append(phase)
        if phase == COMPILING:
            monitor.cancel()

    monitor = Monitor(hear)
    with pytest.raises(Cancelled):
        execute(registry.find_method("striped-score"), monitor)
    assert told[-1] == COMPILING and not released.is_set()
    released.set()
    again = execute(registry.find_method("striped-score"))
    assert again.answer is not None and kernel_compiler._modules


def _compile_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are told to take long to compile."""
    from antidiag.kernels.cuda import run

    real = run.compile_kernel
    monkeypatch.setattr(run, "compile_kernel", lambda *arguments: (real(*arguments)[0], LONGER_MS))
