"""A wish to cancel is heard while something is compiled."""

from __future__ import annotations

import threading

import pytest
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from antidiag.kernels.cpu import jit
from antidiag.kernels.cpu.compiling import compiled_ms
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import Monitor


def test_a_cancelled_run_does_not_wait_for_the_compiler() -> None:
    monitor, begun, free = Monitor(), threading.Event(), threading.Event()

    def compile_it() -> None:
        begun.set()
        monitor.cancel()
        free.wait()

    with pytest.raises(Cancelled):
        compiled_ms(compile_it, monitor)
    assert begun.is_set()
    assert not free.is_set()
    free.set()


def test_what_the_compiler_raises_is_raised() -> None:
    def fail() -> None:
        raise ValueError("no code")

    with pytest.raises(ValueError, match="no code"):
        compiled_ms(fail, Monitor())


def test_what_is_compiled_is_there_afterwards() -> None:
    found: list[int] = []
    assert compiled_ms(lambda: found.append(1), Monitor()) >= 0
    assert found == [1]


def test_what_functions_need_is_loaded_by_one_thread_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    alone: list[bool] = []
    for context in (cpu_target.typing_context, cpu_target.target_context):
        monkeypatch.setattr(context, "refresh", lambda: alone.append(global_compiler_lock.is_locked()))
    jit.prepare()
    assert alone == [True, True]
