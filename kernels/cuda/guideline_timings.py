"""Guidelines for GPU programs that are measured on the GPU at hand (Hanif 2014, section 6.2).

They are about memory layout, constant and texture memory, built-in functions and dynamic parallelism. Each has variants
that compute the same results; the report compares their times. CuPy is imported when something is measured.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels import RESOURCES
from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda import kernel_compiler as compiling
from antidiag.kernels.errors import AntidiagError, ParameterError

HERE = Path(__file__).parent
SOURCE = HERE / "measured.cu"
DEVICE_LAUNCH = HERE / "device_launch.cu"
RECORDED_TIMES = RESOURCES / "guidelines.csv"
"""Times measured on one GPU, as ``main.py guidelines --csv`` writes them."""
THREADS = 256
TABLE = 1024
"""Entries of the table in constant memory (TABLE of measured.cu)."""
REPEATS = 5
"""Timed launches, of which the shortest counts; one launch before them is not timed."""


@dataclass(frozen=True, slots=True)
class GuidelineSizes:
    """How much is computed: rows of a table (a power of two), parts of its antidiagonals, steps of a thread, blocks,
    and successive launches."""

    rows: int = 8192
    parts: int = 64
    steps: int = 4096
    blocks: int = 1056
    launches: int = 1000


@dataclass(frozen=True, slots=True)
class VariantTime:
    """The time of a variant; None where it cannot run here, for the reason in ``remark``."""

    variant: str
    milliseconds: float | None
    remark: str = ""


@dataclass(frozen=True, slots=True)
class GuidelineTimes:
    """The times of all variants of a guideline on a device."""

    guideline: str
    device: str
    rows: tuple[VariantTime, ...]

    @property
    def fastest_ms(self) -> float:
        """The time of the fastest variant."""
        return min(row.milliseconds for row in self.rows if row.milliseconds is not None)


@dataclass(frozen=True, slots=True)
class MeasuredGuideline:
    """A guideline: the advice of the thesis, and ``rows(sizes)``, which measures its variants on the current device."""

    id: str
    title: str
    advice: str
    rows: Callable[[GuidelineSizes], Iterator[VariantTime]]


def measure_guideline(guideline_id: str, device: int = 0, sizes: GuidelineSizes | None = None) -> GuidelineTimes:
    """Measure the variants of a guideline on a GPU; raise BackendUnavailable where there is no such GPU."""
    guideline = find_guideline(guideline_id)
    name = devices.find_device(device).name
    with devices.use_device(device):
        return GuidelineTimes(guideline.id, name, tuple(guideline.rows(sizes or GuidelineSizes())))


def read_recorded_times(guideline_id: str) -> GuidelineTimes | None:
    """Return the recorded times of a guideline, for users without a GPU; None where there are none."""
    name = find_guideline(guideline_id).id
    with open(RECORDED_TIMES, encoding="utf-8", newline="") as lines:
        found = [row for row in csv.DictReader(lines) if row["guideline"] == name]
    if not found:
        return None
    rows = (VariantTime(row["variant"], float(row["ms"]) if row["ms"] else None, row["remark"]) for row in found)
    return GuidelineTimes(name, found[0]["device"], tuple(rows))


def find_guideline(guideline_id: str) -> MeasuredGuideline:
    """Return a guideline by its id; raise ParameterError, with all ids, where it does not exist."""
    known = {guideline.id: guideline for guideline in GUIDELINES}
    if guideline_id not in known:
        raise ParameterError(f"unknown guideline {guideline_id!r}; choose one of: {', '.join(known)}")
    return known[guideline_id]


def _compile_kernel(name: str) -> Any:
    return compiling.compile_kernel((SOURCE,), name, {})[0]


def _time_launch(launch: Callable[[], None]) -> float:
    """Return the time of the shortest of some launches."""
    import cupy

    launch()
    times = []
    for _ in range(REPEATS):
        first, last = cupy.cuda.Event(), cupy.cuda.Event()
        first.record()
        launch()
        last.record()
        last.synchronize()
        times.append(cupy.cuda.get_elapsed_time(first, last))
    return min(times)


def _time_variants(launches: Mapping[str, Callable[[], None]], results: Any) -> Iterator[VariantTime]:
    """Yield the time of each variant; raise AntidiagError where its results differ from those of the first."""
    first = None
    for variant, launch in launches.items():
        milliseconds = _time_launch(launch)
        found = results.get()
        first = found if first is None else first
        if not np.array_equal(found, first):
            raise AntidiagError(f"{variant} computes other results than {next(iter(launches))}")
        yield VariantTime(variant, milliseconds)


def _measure_layout(sizes: GuidelineSizes) -> Iterator[VariantTime]:
    import cupy

    size, results = np.int32(sizes.rows), cupy.empty((sizes.parts, sizes.rows), np.int32)
    grid, threads = (sizes.rows // THREADS, sizes.parts), (THREADS,)
    launches = {}
    for variant, order in (("row by row", "rows"), ("antidiagonal by antidiagonal", "diagonals")):
        table = cupy.empty((sizes.rows, sizes.rows), np.int32)
        _compile_kernel(f"fill_{order}")(grid, threads, (table, size))
        read, arguments = _compile_kernel(f"read_{order}"), (table, size, results)
        launches[variant] = partial(read, grid, threads, arguments)
    yield from _time_variants(launches, results)


def _measure_constant(sizes: GuidelineSizes) -> Iterator[VariantTime]:
    import cupy

    numbers = np.arange(TABLE, dtype=np.int32)
    table, results = cupy.asarray(numbers), cupy.empty(sizes.blocks * THREADS, np.int32)
    _fill_constant(numbers)
    arguments = table, np.int32(sizes.steps), results
    for words, lanes in (("one place for all lanes", "one"), ("a place for each lane", "each")):
        launches = {
            f"{memory} memory, {words}": _bind_launch(_compile_kernel(f"{memory}_{lanes}"), sizes, arguments)
            for memory in ("constant", "shared", "global")
        }
        yield from _time_variants(launches, results)


def _fill_constant(numbers: np.ndarray) -> None:
    import cupy

    module, _ = compiling.compile_module((SOURCE,), {})
    cupy.ndarray(numbers.shape, numbers.dtype, module.get_global("constant_table")).set(numbers)


def _measure_texture(sizes: GuidelineSizes) -> Iterator[VariantTime]:
    import cupy

    from antidiag.kernels.cuda import textures

    size = sizes.rows * sizes.rows // 4
    table = cupy.arange(size, dtype=np.int32)
    results, bound = cupy.empty(sizes.blocks * THREADS, np.int32), textures.bind_texture(table, 1)
    for words, spread in (("neighbours", 1), ("32 numbers apart", 32), ("far apart", 4097)):
        launches = {}
        for memory, source in (("texture", bound), ("global", table)):
            arguments = source, np.int32(size), np.int32(sizes.steps // 16), np.int32(spread), results
            launches[f"{memory} memory, {words}"] = _bind_launch(_compile_kernel(f"read_{memory}"), sizes, arguments)
        yield from _time_variants(launches, results)


def _measure_built_in(sizes: GuidelineSizes) -> Iterator[VariantTime]:
    import cupy

    results, steps = cupy.empty(sizes.blocks * THREADS, np.int32), np.int32(sizes.steps)
    names = {
        "least sum by if and else": "branch",
        "by a macro": "macro",
        "by min()": "function",
        "by __viaddmin_s32()": "dpx",
    }
    launches = {
        variant: _bind_launch(_compile_kernel(f"least_by_{name}"), sizes, (steps, results))
        for variant, name in names.items()
    }
    yield from _time_variants(launches, results)
    floats = cupy.empty(sizes.blocks * THREADS, np.float32)
    yield from _time_variants({"expf()": _bind_launch(_compile_kernel("power_exact"), sizes, (steps, floats))}, floats)
    exact = floats.get()
    (fast,) = _time_variants({"__expf()": _bind_launch(_compile_kernel("power_fast"), sizes, (steps, floats))}, floats)
    share = float(np.max(np.abs(floats.get() - exact) / exact))
    yield VariantTime(fast.variant, fast.milliseconds, f"differs by up to {share:.1e} of the number")


def _bind_launch(kernel: Any, sizes: GuidelineSizes, arguments: tuple[Any, ...]) -> Callable[[], None]:
    return partial(kernel, (sizes.blocks,), (THREADS,), arguments)


def _measure_dynamic(sizes: GuidelineSizes) -> Iterator[VariantTime]:
    """Launch a small kernel many times: from the host, as a graph, and from a thread of the device."""
    import cupy

    step, numbers = _compile_kernel("small_step"), cupy.zeros(THREADS, np.int32)

    def by_host() -> None:
        for _ in range(sizes.launches):
            step((1,), (THREADS,), (numbers,))

    yield VariantTime("launched by the host", _time_launch(by_host))
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        by_host()
        graph = stream.end_capture()
    yield VariantTime("a graph of all launches", _time_launch(graph.launch))
    yield _measure_device_launches(numbers, sizes.launches)


def _measure_device_launches(numbers: Any, launches: int) -> VariantTime:
    """Measure dynamic parallelism; the remark says why, where code cannot be linked with the device runtime."""
    import cupy

    variant = "launched by a thread of the device"
    try:
        options = (*compiling.compiler_options({}), "-rdc=true")
        module = cupy.RawModule(code=compiling.join_source(SOURCE, DEVICE_LAUNCH), options=options)
        kernel = module.get_function("launch_steps")
    except (RuntimeError, cupy.cuda.compiler.CompileException) as error:  # CUDA's errors are RuntimeErrors
        return VariantTime(variant, None, f"not available: {str(error).strip().splitlines()[0]}")
    numbers[...] = 0
    arguments = numbers, np.int32(launches), np.int32(1), np.int32(THREADS)
    milliseconds = _time_launch(lambda: kernel((1,), (1,), arguments))
    expected = 0
    for _ in range((REPEATS + 1) * launches):
        expected = (expected * 3 + 1) & 0xFFFFFFFF
    if int(numbers.get().view(np.uint32)[0]) != expected:
        raise AntidiagError(f"{variant}: the result is {int(numbers.get()[0])} instead of {expected}")
    return VariantTime(variant, milliseconds)


GUIDELINES = (
    MeasuredGuideline(
        "layout",
        "Memory layout",
        "A wavefront reads antidiagonals. Stored antidiagonal by antidiagonal, the cells that a warp reads at a time "
        "lie side by side; stored row by row, each lies in a segment of its own.",
        _measure_layout,
    ),
    MeasuredGuideline(
        "constant",
        "Constant memory",
        "A table in constant memory costs as little as a register where all lanes of a warp read one place. Where they "
        "do not, it is read place by place, and shared memory is the better one.",
        _measure_constant,
    ),
    MeasuredGuideline(
        "texture",
        "Texture memory",
        "Read-only memory behind a cache, for lanes that read places close together. It is bound before a launch, "
        "which must not write it. On cards since 2014 ordinary loads take the same cache.",
        _measure_texture,
    ),
    MeasuredGuideline(
        "built-in",
        "Built-in functions",
        "Take CUDA's functions for the least and the greatest number: one instruction, and no branch. Functions that "
        "begin with two underscores are faster and less exact.",
        _measure_built_in,
    ),
    MeasuredGuideline(
        "dynamic",
        "Dynamic parallelism",
        "A kernel can launch others, so that many small ones need not each come from the host. A graph of launches "
        "serves the same end where all of them are known beforehand.",
        _measure_dynamic,
    ),
)
