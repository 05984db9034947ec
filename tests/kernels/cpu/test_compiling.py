"""A wish to cancel is heard while something is compiled."""

from __future__ import annotations

import threading

import pytest

from antidiag.kernels.cpu.compilation import compile_cancellably
from antidiag.kernels.cpu.cpu_run import CpuRun
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


def test_compilation_that_has_ended_is_not_begun_again() -> None:
    calls: list[str] = []

    def compile_kernel(name: str) -> None:
        calls.append(name)

    def fail(name: str) -> None:
        calls.append(name)
        raise ValueError("no code")

    run = CpuRun()
    for name in ("a", "b", "a"):
        run.compile_once(compile_kernel, name)
    for _ in range(2):
        with pytest.raises(ValueError, match="no code"):
            run.compile_once(fail, "c")
    assert calls == ["a", "b", "c", "c"]


@pytest.mark.parametrize("is_attended", [True, False])
def test_work_of_a_run_that_nobody_attends_stays_on_its_thread(is_attended: bool) -> None:
    run = CpuRun(Monitor(is_attended=is_attended))
    found: list[tuple[int, threading.Thread]] = []
    with run.phase("rows", 2) as phase:
        phase.share_tasks([3, 4], lambda worker, task: found.append((task, threading.current_thread())))
    assert [task for task, _ in found] == [3, 4]
    assert {thread is threading.current_thread() for _, thread in found} == {not is_attended}
