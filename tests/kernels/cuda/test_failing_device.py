"""A GPU that has no memory left, or fails in the middle of a run: told in our words, and the next run is right."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine, registry, trials
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import BackendUnavailable, MemoryRefused
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.trials import RandomChooser
from tests.attack.devices import _little_memory, _lost

JOINING = registry.find_method("nj-compact")


@pytest.fixture
def problem():
    """Enough taxa that joins are recorded as a graph."""
    tried = trials.load_trials(JOINING.problem_type)
    return max((tried.draw_problem(RandomChooser(seed)) for seed in range(20)), key=lambda one: one.cells)


def test_an_estimate_that_was_too_small_is_told_with_both_numbers(emulated, problem) -> None:
    planned = engine.plan_run(JOINING, problem, {}, "cuda")
    estimate = format_bytes(planned.footprint.device_bytes)
    with _little_memory(100), pytest.raises(MemoryRefused) as refused:
        engine.execute(planned)
    text = str(refused.value)
    assert text.startswith(f"the memory estimate of this run was wrong: it was {estimate} on GPU 0, and the run needed")
    assert "needed at least 0 B" not in text
    assert "another program" not in text
    assert devices.run_memory_pool().used_bytes() == 0


def test_memory_that_another_program_took_after_planning_is_told(emulated, problem, monkeypatch) -> None:
    planned = engine.plan_run(JOINING, problem, {}, "cuda")
    free = planned.footprint.device_bytes - 1
    monkeypatch.setattr(devices, "free_memory_bytes", lambda index: free)
    with _little_memory(100), pytest.raises(MemoryRefused) as refused:
        engine.execute(planned)
    needs = f"this run needs {format_bytes(free + 1)}, and {format_bytes(free)} were free when it began"
    assert needs in str(refused.value) and "another program has taken memory since" in str(refused.value)


def test_memory_that_is_short_without_a_plan_blames_nobody(emulated) -> None:
    told = pytest.raises(MemoryRefused, match="GPU 0 has too little free memory: at least 1000 B are needed")
    with _little_memory(100), told, devices.use_device(0):
        devices.allocate_memory(1000)


@pytest.mark.parametrize("at", range(8))
def test_a_device_that_fails_is_told_and_the_next_run_is_right(emulated, problem, at: int) -> None:
    expected = emulated(JOINING, problem).answer
    with _lost(at), pytest.raises(BackendUnavailable, match="GPU 0 failed in the middle"):
        emulated(JOINING, problem)
    assert devices.run_memory_pool().used_bytes() == 0
    np.testing.assert_array_equal(emulated(JOINING, problem).answer.joins, expected.joins)


@pytest.mark.parametrize(("fault", "told"), [(_lost(5), BackendUnavailable), (_little_memory(1000), MemoryRefused)])
def test_nothing_is_left_of_a_run_that_launched_by_functions_of_its_own(emulated, fault, told) -> None:
    """Such a function keeps arrays of the run as long as a frame of it is kept."""
    perot = registry.find_method("perot-recurrence")
    pair = trials.load_trials(perot.problem_type).draw_problem(RandomChooser(42 << 40 | 10))
    with fault, pytest.raises(told):
        emulated(perot, pair)
    assert devices.run_memory_pool().used_bytes() == 0


def test_an_invalid_recording_does_not_hide_what_was_wrong(emulated, problem, monkeypatch: pytest.MonkeyPatch) -> None:
    """CUDA refuses to say whether a stream records whose recording an error made invalid."""
    import cupy

    def refused(stream: cupy.cuda.Stream) -> bool:
        raise RuntimeError("an error has invalidated the capture sequence")

    expected = emulated(JOINING, problem).answer
    with monkeypatch.context() as patched:
        patched.setattr(cupy.cuda.Stream, "is_capturing", refused)
        with _lost(5), pytest.raises(BackendUnavailable, match="GPU 0 failed in the middle"):
            emulated(JOINING, problem)
    assert devices.run_memory_pool().used_bytes() == 0
    np.testing.assert_array_equal(emulated(JOINING, problem).answer.joins, expected.joins)
