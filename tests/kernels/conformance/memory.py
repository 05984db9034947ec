"""What a run takes, and whether its estimate says so: resident bytes on the host, bytes of the pools on a device.

What a process did before decides what it has to take anew: each method is measured in a process of its own (`apart`).
Sizes on a device whose runs take long are left out, which is told in the end (`tests.untested`).
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import event

from antidiag.kernels import engine, registry, trials
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import InputError, MemoryRefused, ScoreOverflow
from antidiag.kernels.method import Method
from antidiag.kernels.run_plan import RunPlan
from tests.kernels.conformance.pace import LONGEST_S, Pace

LeftOut = tuple[str, ...]
"""For every size that was left out, why."""
Measure = Callable[[Callable[[], Any]], int]
"""Bytes that a call adds at its peak."""

FACTOR = 1.5
"""An estimate may be so many times too large or too small."""
SIZES = tuple(2**20 * size for size in (5, 12))
"""Estimates of the runs that are measured; what else a process does in the meantime is small beside them. From the
first to the last an estimate that grows with the wrong power of the size strays by a factor of 2.4: further than from
1 / FACTOR to FACTOR. Larger ones find no more, and many runs take the square of their memory."""
DEVICE_SIZES = tuple(2**20 * size for size in (4, 8, 16))
"""The same on a device, where bytes are counted one by one."""
LEAST_DEVICE_SIZE = 2**18
"""The smallest that is measured there, where runs that take more take long."""
SIZES_BESIDE_A_DEVICE = tuple(2**20 * size for size in (32, 64, 128))
"""The same on the host of a GPU, whose driver takes memory and gives it back as it likes."""
MOST_CELLS, MOST_DEVICE_BYTES = 10**9, 2**32
"""Cells, and bytes of a device that others may use, of the largest run where no estimate can be measured."""
LONG = f"memory estimates at sizes whose runs take more than {LONGEST_S:g} s"
"""What is said of such a size."""
CERTAIN_S = 0.1
"""What a run may take with all that is done once, where it is timed once."""
FIRST_SIZE = 16
"""The large problem that is tried first."""
MOST_GROWTH = 64
"""How many times larger the next problem that is tried may be."""
NEAR, TURNS = (0.8, 1.3), 12
"""How near to the size that is wanted a run must be, and how often a better one is looked for."""
ABOUT = (0.4, 2.0)
"""The same where a smaller size is wanted only since larger runs take long: families grow by whole sequences."""
MMAP_THRESHOLD, TRIM_THRESHOLD = -3, -1
STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


SERVER = multiprocessing.get_context("forkserver")
"""Makes processes that have imported what they need and done nothing else."""
SERVER.set_forkserver_preload(["antidiag.kernels.registry", f"{__package__}.numba_ready", __name__])


def apart(check: Callable[[Method, str], LeftOut], method: Method, backend: str) -> LeftOut:
    """A check of this module on a method of the registry, in a process that has run nothing yet, and has compiled
    nothing: what compiling leaves is some MiB that a run takes otherwise."""
    for _ in range(2):
        with ProcessPoolExecutor(1, SERVER) as process:
            error, left_out, compiled = process.submit(_called, check, method.id, backend).result()
        if not compiled:
            break
    if error:
        raise AssertionError(error)
    return left_out


def _called(check: Callable[[Method, str], LeftOut], method_id: str, backend: str) -> tuple[str, LeftOut, bool]:
    """What is wrong, what was left out, and whether something was compiled."""
    gc.freeze()  # what was imported is not looked through again before every run
    _maps_large_arrays()
    error, left_out = "", ()
    with event.install_recorder("numba:compile") as compiled:
        try:
            left_out = check(registry.find_method(method_id), backend)
        except AssertionError as wrong:
            error = str(wrong)
    return error, left_out, bool(compiled.buffer)


def host_estimate_is_right(method: Method, backend: str) -> LeftOut:
    """At three sizes, the resident bytes that a run adds at its peak are the estimate, within the factor."""
    return _estimates_are_right(method, backend, "host_bytes", peak_of)


def device_estimate_is_right(method: Method, backend: str) -> LeftOut:
    """The same of the device, by what the memory pools hold at most."""
    return _estimates_are_right(method, backend, "device_bytes", device_peak_of)


def _estimates_are_right(method: Method, backend: str, kind: str, measure: Measure) -> LeftOut:
    pace = _pace(method, backend) if backend == "cuda" else None
    plans, left_out = _chosen(method, backend, kind, pace)
    if not plans:
        _small_runs_stay_small(method, backend, kind, measure, pace)
        return left_out
    # Pinned memory, of which a large run needs more, is kept; each size may have kernels of its own, to be compiled.
    for planned in plans[::-1] if backend == "cuda" else plans[:1]:
        engine.execute(planned, keep_rate=False, keep_parts=False)
    told = [_told_and_taken(planned, kind, measure) for planned in plans]
    wrong = [one for one in told if not _is_right(*one)]
    shown = ", ".join(f"{estimated / 2**20:.1f} MiB told, {taken / 2**20:.1f} taken" for estimated, taken in told)
    assert not wrong, f"{method.id} on {backend}, {kind}: {shown}"
    return left_out


def _chosen(method: Method, backend: str, kind: str, pace: Pace | None) -> tuple[list[RunPlan], LeftOut]:
    """Plans of the sizes that are measured, smallest first. Where all on a device are long, one that is quick is."""
    known: list[tuple[int, int]] = []
    sizes = DEVICE_SIZES if kind == "device_bytes" else SIZES_BESIDE_A_DEVICE if backend == "cuda" else SIZES
    plans = _quick(method, backend, kind, sizes, known, pace)
    left_out = (LONG,) * plans.count(None)
    smaller = DEVICE_SIZES[0] // 2 if kind == "device_bytes" and left_out else 0
    while not any(plans) and smaller >= LEAST_DEVICE_SIZE:
        plans, smaller = _quick(method, backend, kind, (smaller,), known, pace, ABOUT), smaller // 2
    return [planned for planned in plans if planned is not None], left_out


def _quick(
    method: Method, backend: str, kind: str, sizes: tuple[int, ...], known: list[tuple[int, int]], pace: Pace | None,
    near: tuple[float, float] = NEAR,
) -> list[RunPlan | None]:  # fmt: skip
    """The plans of those sizes that there are, as `sized` finds them; None for one whose run is not quick."""
    plans: list[RunPlan | None] = []
    for wanted in sizes:
        planned = sized(method, backend, kind, wanted, known, near)
        if planned is None:
            continue
        size, _ = known[-1]
        plans.append(planned if pace is None or pace.allows(size) else None)
    return plans


def _pace(method: Method, backend: str) -> Pace:
    """Which sizes of the method's large problems are quick."""

    def work(size: int) -> float | None:
        planned = planned_at(method, backend, size)
        return None if planned is None else max(1.0, method.cost.count_work(planned.problem, planned.parameters))

    def seconds(size: int) -> float:
        planned = planned_at(method, backend, size)
        assert planned is not None
        taken = _seconds(planned)
        return taken if taken < CERTAIN_S else min(taken, _seconds(planned))

    return Pace(work, seconds)


def _seconds(planned: RunPlan) -> float:
    began = time.perf_counter()
    result = engine.execute(planned, keep_rate=False, keep_parts=False)
    return time.perf_counter() - began - result.times_ms.get("compilation", 0.0) / 1e3


def _is_right(estimated: int, taken: int) -> bool:
    return estimated / FACTOR <= taken <= estimated * FACTOR


def _small_runs_stay_small(method: Method, backend: str, kind: str, measure: Measure, pace: Pace | None) -> None:
    """No run of the method needs so much that it can be measured: then the largest one takes no more than that."""
    tried, size = planned_at(method, backend, 1), 1
    assert tried is not None, f"{method.id}: the smallest of the large problems is refused"
    while (larger := planned_at(method, backend, 2 * size)) is not None and _is_modest(larger):
        if pace is not None and not pace.allows(2 * size):
            break
        tried, size = larger, 2 * size
    engine.execute(tried, keep_rate=False, keep_parts=False)
    estimated, taken = _told_and_taken(tried, kind, measure)
    assert taken <= estimated * FACTOR + SIZES[0], f"{method.id} on {backend}, {kind}: {estimated} told, {taken} taken"


def _is_modest(planned: RunPlan) -> bool:
    return planned.problem.cells <= MOST_CELLS and planned.footprint.device_bytes <= MOST_DEVICE_BYTES


def _told_and_taken(planned: RunPlan, kind: str, measure: Measure) -> tuple[int, int]:
    return getattr(planned.footprint, kind), measure(lambda: engine.execute(planned, keep_rate=False, keep_parts=False))


def planned_at(method: Method, backend: str, size: int) -> RunPlan | None:
    """The plan of a large run of the trials; None where the method refuses the problem, or the machine the run."""
    try:
        problem, given = trials.load_trials(method.problem_type).make_large_problem(method, backend, size)
        planned = engine.plan_run(method, problem, given, backend, use_tuned=False)
    except (InputError, MemoryRefused, ScoreOverflow):
        return None
    return None if planned.refusal else planned


def sized(
    method: Method, backend: str, kind: str, wanted: int, known: list[tuple[int, int]] | None = None,
    near: tuple[float, float] = NEAR,
) -> RunPlan | None:  # fmt: skip
    """The plan of one of the trials' large runs whose estimate is about ``wanted`` bytes; None where all that are so
    large are refused. Where the smallest one takes more, it is that one.

    ``known`` are sizes of large runs and their estimates, from which it goes on, and to which it adds."""
    known = [] if known is None else known
    for _ in range(TURNS):
        size = _next_size(known, wanted, near)
        found = planned_at(method, backend, size)
        if found is None:
            return None
        told = getattr(found.footprint, kind)
        known.append((size, told))
        if near[0] * wanted <= told <= near[1] * wanted or (size == 1 and told > wanted):
            return found
    raise AssertionError(f"{method.id}: large problems do not come near {wanted} bytes; the last took {told}")


def _next_size(known: list[tuple[int, int]], wanted: int, near: tuple[float, float] = NEAR) -> int:
    """The size that is likely to take so many bytes, by the last two that are known; where that is none between the
    sizes that are known to take too little and too much, the middle of those."""
    if not known:
        return FIRST_SIZE
    (before, told_before), (size, told) = known[-2:] if len(known) > 1 else (known[-1], known[-1])
    slope = 1.0
    if told != told_before and size != before:
        slope = max(np.log(told / told_before) / np.log(size / before), 0.25)
    likely = max(1, round(size * min(float(wanted / told) ** (1 / slope), MOST_GROWTH)))
    low = max((size for size, told in known if told < near[0] * wanted), default=0)
    high = min((size for size, told in known if told > near[1] * wanted), default=None)
    if low < likely and (high is None or likely < high):
        return likely
    return max(1, 2 * low if high is None else (low + high) // 2)


def peak_of(call: Callable[[], Any]) -> int:
    """Resident bytes that a call adds at its peak, in a process whose large arrays go back to the system."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    CLEAR.write_text("5")  # the peak is now what is there
    before = _status("VmRSS")
    result = call()
    peak = _status("VmHWM")
    del result
    return peak - before


def device_peak_of(call: Callable[[], Any]) -> int:
    """Bytes that the memory pools of a device hold at most, beyond what they held before."""
    import cupy

    pools = (cupy.get_default_memory_pool(), devices.run_memory_pool())
    for pool in pools:
        pool.free_all_blocks()
    before, most = sum(pool.used_bytes() for pool in pools), 0

    class Watch(cupy.cuda.MemoryHook):
        name = "watch"

        def malloc_postprocess(self, **told: Any) -> None:
            nonlocal most
            most = max(most, sum(pool.used_bytes() for pool in pools))

    with Watch():
        call()
    return most - before


def _maps_large_arrays() -> None:
    """Let the C library map every array of 128 KiB or more, so that what is freed is not resident any longer."""
    library = ctypes.CDLL(None)
    library.mallopt(MMAP_THRESHOLD, 2**17)
    library.mallopt(TRIM_THRESHOLD, 2**17)


def _status(name: str) -> int:
    lines = STATUS.read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name + ":"))
