"""A GPU without memory, and one that is lost in the middle of a run: refused with a reason, and the next run is right.

Without a GPU the emulator stands for one; on a real one memory is refused by the limit of its pool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

from antidiag.kernels import engine, registry, trials
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.method import Method
from antidiag.kernels.trials import RandomChooser
from tests.emulator.emulated import emulation
from tests.emulator.emulation import order

LATEST = 12
"""A device is lost at one of the first so many calls."""
MOST_BYTES = 1 << 16
"""Device memory where there is little, in what the emulator runs in a second; and so many times that on a GPU."""
ON_GPU = 1 << 8
LOST = "cudaErrorLaunchFailure: unspecified launch failure"


def attempt(seed: int, number: int, folder: Path, backend: str = "cpu") -> str:
    """Take a device away from one run: "" where it is refused well, or not hurt, and the next run is right."""
    choose = RandomChooser(seed << 40 | number)
    real = backend == "cuda"
    method = choose.choose_one([method for method in registry.METHODS if "cuda" in method.backends])
    tried = trials.load_trials(method.problem_type)
    problem, at = tried.draw_problem(choose), choose.draw_integer(0, LATEST)
    most = choose.draw_integer(0, MOST_BYTES * (ON_GPU if real else 1))
    place: Callable[[], AbstractContextManager[Any]] = nullcontext if real else emulation
    with place():
        kind, fault = (
            ("memory", _little_memory(most)) if real or choose.choose_one((True, False)) else ("lost", _lost(at))
        )
        try:
            with fault, order(0):
                _run(method, problem)
        except AntidiagError as error:
            if "GPU" not in str(error):
                return f"{method.id}, {kind}: the error does not speak of the GPU: {error}"
        except Exception as error:
            return f"{method.id}, {kind}: {type(error).__name__}: {error}"
        if left := devices.run_memory_pool().used_bytes():
            return f"{method.id}, {kind}: {left:,} bytes of the device are left"
        try:
            tried.assert_same_answer(problem, _run(method, problem), tried.solve_by_textbook(problem), method)
        except Exception as error:
            return f"{method.id}: the run after it: {type(error).__name__}: {error}"
    return ""


def _run(method: Method, problem: Any) -> Any:
    planned = engine.plan_run(method, problem, {}, "cuda", use_tuned=False)
    return engine.execute(planned, keep_rate=False, keep_parts=False).answer


@contextmanager
def _little_memory(most: int) -> Iterator[None]:
    """The pool of all runs has so many bytes, though the device says that it has more."""
    pool = devices.run_memory_pool()
    pool.free_all_blocks()
    pool.set_limit(size=max(most, 1))
    try:
        yield
    finally:
        pool.set_limit(size=0)


@contextmanager
def _lost(at: int) -> Iterator[None]:
    """The emulated device is lost at one of its calls, launches and waits, and at every later one."""
    from tests.emulator.fake_cupy import cuda, kernels, streams

    calls = [0]

    def failing(call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **named: Any) -> Any:
            calls[0] += 1
            if calls[0] > at:
                raise cuda.CUDARuntimeError(LOST)
            return call(*arguments, **named)

        return called

    with (
        mock.patch.object(kernels.RawKernel, "__call__", failing(kernels.RawKernel.__call__)),
        mock.patch.object(streams.Stream, "synchronize", failing(streams.Stream.synchronize)),
        mock.patch.object(streams.Event, "synchronize", failing(streams.Event.synchronize)),
    ):
        yield
