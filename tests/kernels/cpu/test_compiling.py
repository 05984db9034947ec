"""A wish to cancel is heard while something is compiled."""

from __future__ import annotations

import threading

import pytest

from antidiag.kernels.cpu.compilation import compile_cancellably
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import Monitor


def test_a_cancelled_run_does_not_wait_for_the_compiler() -> None:
    monitor, begun, free = Monitor(), threading.Event(), threading.Event()

    def compile_it() -> None:
        begun.set()
        monitor.cancel()
        free.wait()

    with pytest.raises(Cancelled):
        compile_cancellably(compile_it, monitor)
    assert begun.is_set()
    assert not free.is_set()
    free.set()


def test_what_the_compiler_raises_is_raised() -> None:
    def fail() -> None:
        raise ValueError("no code")

    with pytest.raises(ValueError, match="no code"):
        compile_cancellably(fail, Monitor())


def test_what_is_compiled_is_there_afterwards() -> None:
    found: list[int] = []
    assert compile_cancellably(lambda: found.append(1), Monitor()) >= 0
    assert found == [1]


def test_a_run_that_was_cancelled_before_compiles_nothing() -> None:
    monitor = Monitor()
    monitor.cancel()
    with pytest.raises(Cancelled):
        compile_cancellably(lambda: pytest.fail("it compiles"), monitor)
