"""A run that is cancelled ends within the promised time, and nothing of it is left."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from unittest import mock

from antidiag.kernels import engine, memory, trials
from antidiag.kernels.cpu.compilation import COMPILER
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.method import Method
from antidiag.kernels.monitor import Monitor
from tests.choosing import for_all

LONG_MS = 2000.0
"""A run that is cancelled would take about so long: twice what a core may still do, and often more, since the next size
that is tried is twice as large."""
ROOM = 2**28
"""Bytes that it may take. Methods that need more for so long a run end as soon with twice the room."""
PROMISED_S, SLACK_S = 0.5, 4.5
"""A cancelled run ends within half a second; on a machine that does other things it may take longer, and no test fails
for that. Processor time is not spent by others, so it is bounded by the promise for every core."""
ATTEMPTS = 3
"""What a process does for the first time, and what a machine does beside it, come and go: a deaf run is always late."""
EXAMPLES, LATEST = 2, 4
"""Runs that are cancelled, one of the first so many times that they look."""


class Cancelling(Monitor):
    """Cancels at the k-th update, and remembers what comes after it."""

    def __init__(self, at: int) -> None:
        super().__init__(self._listen)
        self.at, self.updates, self.heard, self.later = at, 0, 0, 0
        self.cancelled_s = self.cancelled_cpu_s = 0.0

    def _listen(self, done: int, total: int, phase: str) -> None:
        self.updates += 1
        if self.updates == self.at:
            self.cancel()

    def cancel(self) -> None:
        self.cancelled_s, self.cancelled_cpu_s = time.perf_counter(), time.process_time()
        super().cancel()

    def check(self) -> None:
        try:
            super().check()
        except Cancelled:
            self.later += self.heard > 0
            self.heard += 1
            raise


def cancelling_leaves_nothing(method: Method, backend: str, folder: Path) -> None:
    """Cancelled before it begins, or at one of the first updates, a long run ends soon, and nothing of it is left."""
    planned = long(method, backend)
    smallest = engine.plan_run(
        method, *trials.load_trials(method.problem_type).make_long_problem(method, backend, 1), backend, use_tuned=False
    )
    engine.execute(smallest, keep_rate=False, keep_parts=False)  # compiles, which no wish to cancel interrupts
    _cancel(planned, backend, 0, folder)
    for_all(lambda choose: _cancel(planned, backend, choose.draw_integer(1, LATEST), folder), EXAMPLES)


def _cancel(planned: engine.RunPlan, backend: str, at: int, folder: Path) -> None:
    """Run, and cancel at an update; 0 is before the run."""
    late = ""
    for _ in range(ATTEMPTS):
        late = _lateness(planned, backend, at, folder)
        if not late:
            return
    raise AssertionError(late)


def _lateness(planned: engine.RunPlan, backend: str, at: int, folder: Path) -> str:
    """How late a run ended that was cancelled, or nothing where it kept the promise; all else must be right at once."""
    monitor, threads, taken = Cancelling(at), set(threading.enumerate()), _device_bytes(backend)
    if at == 0:
        monitor.cancel()
    with (
        mock.patch.object(tempfile, "tempdir", str(folder)),
        mock.patch.object(memory, "disk_folder", return_value=folder),
    ):
        ended = _cancelled(planned, monitor)
    if not monitor.is_cancelled:
        return ""  # over before so many updates
    spent, spent_cpu = time.perf_counter() - monitor.cancelled_s, time.process_time() - monitor.cancelled_cpu_s
    assert ended or at > 0, "a run that was cancelled before it began went through"
    assert ended or monitor.heard == 0, "the run was told that it is cancelled, and went on"
    assert monitor.later == 0, "the run asked again after it had been told"
    if ended:  # a run that was over by then has kept its threads for the next one
        _nothing_is_left(threads, folder)
    assert _device_bytes(backend) <= taken, "device memory is left"
    if spent_cpu >= PROMISED_S * (os.cpu_count() or 1) + 0.5:
        return f"{spent_cpu:.1f} s of work after it was cancelled"
    return "" if spent < PROMISED_S + SLACK_S else f"it ended {spent:.1f} s after it was cancelled"


def long(method: Method, backend: str) -> engine.RunPlan:
    """The plan of a run of some seconds, or of as long a one as there is room for."""
    tried, size = trials.load_trials(method.problem_type), 1
    found = engine.plan_run(method, *tried.make_long_problem(method, backend, size), backend, use_tuned=False)
    while found.time_ms < LONG_MS:
        size *= 2
        planned = engine.plan_run(method, *tried.make_long_problem(method, backend, size), backend, use_tuned=False)
        if planned.footprint.host_bytes + planned.footprint.device_bytes > ROOM:
            break
        found = planned
    return found


def _cancelled(planned: engine.RunPlan, monitor: Monitor) -> bool:
    """Whether a run ended by being cancelled; another error is raised."""
    try:
        engine.execute(planned, monitor, keep_rate=False, keep_parts=False)
    except Cancelled:
        return True
    return False


def _nothing_is_left(threads: set[threading.Thread], folder: Path) -> None:
    new = [thread for thread in threading.enumerate() if thread not in threads and thread.is_alive()]
    left = [thread.name for thread in new if thread.name != COMPILER]  # a compiler cannot be stopped
    assert not left, f"threads are left: {left}"
    files = [path.name for path in folder.rglob("*") if path.is_file()]
    assert not files, f"files are left: {files}"
    held = [name for name in _open_files() if name.startswith(str(folder))]
    assert not held, f"files without a name are left: {held}"


def _open_files() -> list[str]:
    """What this process has open, also what has no name any more."""
    places: list[str] = []
    for handle in Path("/proc/self/fd").glob("*"):
        try:
            places.append(os.readlink(handle))
        except OSError:
            continue
    maps = Path("/proc/self/maps")
    lines = maps.read_text(encoding="utf-8").splitlines() if maps.exists() else []
    return places + [line.split(None, 5)[5] for line in lines if len(line.split(None, 5)) > 5]


def _device_bytes(backend: str) -> int:
    """Bytes of a device that arrays of this process hold."""
    if backend != "cuda":
        return 0
    import cupy

    pools: tuple[Any, ...] = (cupy.get_default_memory_pool(), devices.run_memory_pool())
    return sum(pool.used_bytes() for pool in pools)
