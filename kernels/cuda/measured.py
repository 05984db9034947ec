"""Guidelines that are measured on a GPU at hand (003, section 6.2): memory layout, constant and texture memory,
built-in functions, dynamic parallelism. Each has variants that compute the same; what is told is how long each takes.

Imports CuPy when something is measured.
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
from antidiag.kernels.cuda import compile as compiling
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import AntidiagError, ParameterError

HERE = Path(__file__).parent
SOURCE = HERE / "measured.cu"
DEVICE_LAUNCH = HERE / "device_launch.cu"
RECORDED = RESOURCES / "guidelines.csv"
"""Times of one GPU, as ``main.py guidelines --csv`` writes them."""
THREADS = 256
TABLE = 1024
"""Numbers of a table in constant memory (TABLE of measured.cu)."""
REPEATS = 5
"""Launches of which the shortest counts, after one that does not."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is computed: rows of a table, a power of two, and parts of its antidiagonals; steps of a thread; blocks;
    launches one after another."""

    rows: int = 8192
    parts: int = 64
    steps: int = 4096
    blocks: int = 1056
    launches: int = 1000


@dataclass(frozen=True, slots=True)
class Row:
    """How long a variant takes; None where it cannot be run here, and ``remark`` says why."""

    variant: str
    milliseconds: float | None
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A guideline on a device: its variants, slowest and fastest as they come."""

    guideline: str
    device: str
    rows: tuple[Row, ...]

    @property
    def fastest_ms(self) -> float:
        return min(row.milliseconds for row in self.rows if row.milliseconds is not None)


@dataclass(frozen=True, slots=True)
class Measured:
    """A guideline: what the thesis advises, and how it is tried; ``rows(sizes)`` measures on the current device."""

    id: str
    title: str
    advice: str
    rows: Callable[[Sizes], Iterator[Row]]


def measure(guideline_id: str, device: int = 0, sizes: Sizes | None = None) -> Measurement:
    """The variants of a guideline, measured on a GPU; BackendUnavailable where there is none of this number."""
    guideline = find(guideline_id)
    name = devices.device(device).name
    with devices.use(device):
        return Measurement(guideline.id, name, tuple(guideline.rows(sizes or Sizes())))


def recorded(guideline_id: str) -> Measurement | None:
    """The same as it was measured on one GPU beforehand, for those who have none at hand; None where it was not."""
    name = find(guideline_id).id
    with open(RECORDED, encoding="utf-8", newline="") as lines:
        found = [row for row in csv.DictReader(lines) if row["guideline"] == name]
    if not found:
        return None
    rows = (Row(row["variant"], float(row["ms"]) if row["ms"] else None, row["remark"]) for row in found)
    return Measurement(name, found[0]["device"], tuple(rows))


def find(guideline_id: str) -> Measured:
    """A guideline; ParameterError with those there are."""
    known = {guideline.id: guideline for guideline in GUIDELINES}
    if guideline_id not in known:
        raise ParameterError(f"unknown guideline {guideline_id!r}; measured are: {', '.join(known)}")
    return known[guideline_id]


def _kernel(name: str) -> Any:
    return compiling.function((SOURCE,), name, {})[0]


def _time_ms(launch: Callable[[], None]) -> float:
    """The shortest of some launches."""
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


def _rows(launches: Mapping[str, Callable[[], None]], results: Any) -> Iterator[Row]:
    """The time of each variant; AntidiagError where one computes something else than the first."""
    first = None
    for variant, launch in launches.items():
        milliseconds = _time_ms(launch)
        found = results.get()
        first = found if first is None else first
        if not np.array_equal(found, first):
            raise AntidiagError(f"{variant} computes something else than {next(iter(launches))}")
        yield Row(variant, milliseconds)


def _layout(sizes: Sizes) -> Iterator[Row]:
    import cupy

    size, results = np.int32(sizes.rows), cupy.empty((sizes.parts, sizes.rows), np.int32)
    grid, threads = (sizes.rows // THREADS, sizes.parts), (THREADS,)
    launches = {}
    for variant, order in (("row by row", "rows"), ("antidiagonal by antidiagonal", "diagonals")):
        table = cupy.empty((sizes.rows, sizes.rows), np.int32)
        _kernel(f"fill_{order}")(grid, threads, (table, size))
        read, arguments = _kernel(f"read_{order}"), (table, size, results)
        launches[variant] = partial(read, grid, threads, arguments)
    yield from _rows(launches, results)


def _constant(sizes: Sizes) -> Iterator[Row]:
    import cupy

    numbers = np.arange(TABLE, dtype=np.int32)
    table, results = cupy.asarray(numbers), cupy.empty(sizes.blocks * THREADS, np.int32)
    _fill_constant(numbers)
    arguments = table, np.int32(sizes.steps), results
    for words, lanes in (("one place for all lanes", "one"), ("a place for each lane", "each")):
        launches = {
            f"{memory} memory, {words}": _launch(_kernel(f"{memory}_{lanes}"), sizes, arguments)
            for memory in ("constant", "shared", "global")
        }
        yield from _rows(launches, results)


def _fill_constant(numbers: np.ndarray) -> None:
    import cupy

    module, _ = compiling.module((SOURCE,), {})
    cupy.ndarray(numbers.shape, numbers.dtype, module.get_global("constant_table")).set(numbers)


def _texture(sizes: Sizes) -> Iterator[Row]:
    import cupy

    from antidiag.kernels.cuda import textures

    size = sizes.rows * sizes.rows // 4
    table = cupy.arange(size, dtype=np.int32)
    results, bound = cupy.empty(sizes.blocks * THREADS, np.int32), textures.bind(table, 1)
    for words, spread in (("neighbours", 1), ("32 numbers apart", 32), ("far apart", 4097)):
        launches = {}
        for memory, source in (("texture", bound), ("global", table)):
            arguments = source, np.int32(size), np.int32(sizes.steps // 16), np.int32(spread), results
            launches[f"{memory} memory, {words}"] = _launch(_kernel(f"read_{memory}"), sizes, arguments)
        yield from _rows(launches, results)


def _built_in(sizes: Sizes) -> Iterator[Row]:
    import cupy

    results, steps = cupy.empty(sizes.blocks * THREADS, np.int32), np.int32(sizes.steps)
    names = {"least sum by if and else": "branch", "by a macro": "macro", "by min()": "function",
             "by __viaddmin_s32()": "dpx"}  # fmt: skip
    yield from _rows({
        variant: _launch(_kernel(f"least_by_{name}"), sizes, (steps, results)) for variant, name in names.items()
    }, results)  # fmt: skip
    floats = cupy.empty(sizes.blocks * THREADS, np.float32)
    yield from _rows({"expf()": _launch(_kernel("power_exact"), sizes, (steps, floats))}, floats)
    exact = floats.get()
    (fast,) = _rows({"__expf()": _launch(_kernel("power_fast"), sizes, (steps, floats))}, floats)
    share = float(np.max(np.abs(floats.get() - exact) / exact))
    yield Row(fast.variant, fast.milliseconds, f"differs by up to {share:.1e} of the number")


def _launch(kernel: Any, sizes: Sizes, arguments: tuple[Any, ...]) -> Callable[[], None]:
    return partial(kernel, (sizes.blocks,), (THREADS,), arguments)


def _dynamic(sizes: Sizes) -> Iterator[Row]:
    """The same small kernel many times: from the host, from a graph, from a thread of the device."""
    import cupy

    step, numbers = _kernel("small_step"), cupy.zeros(THREADS, np.int32)

    def by_host() -> None:
        for _ in range(sizes.launches):
            step((1,), (THREADS,), (numbers,))

    yield Row("launched by the host", _time_ms(by_host))
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        by_host()
        graph = stream.end_capture()
    yield Row("a graph of all launches", _time_ms(graph.launch))
    yield _by_device(numbers, sizes.launches)


def _by_device(numbers: Any, launches: int) -> Row:
    """Dynamic parallelism; where code cannot be linked with the device runtime, why."""
    import cupy

    variant = "launched by a thread of the device"
    try:
        options = (*compiling.options({}), "-rdc=true")
        module = cupy.RawModule(code=compiling.source(SOURCE, DEVICE_LAUNCH), options=options)
        kernel = module.get_function("launch_steps")
    except Exception as error:
        return Row(variant, None, f"not available: {str(error).strip().splitlines()[0]}")
    numbers[...] = 0
    arguments = numbers, np.int32(launches), np.int32(1), np.int32(THREADS)
    milliseconds = _time_ms(lambda: kernel((1,), (1,), arguments))
    expected = 0
    for _ in range((REPEATS + 1) * launches):
        expected = (expected * 3 + 1) & 0xFFFFFFFF
    if int(numbers.get().view(np.uint32)[0]) != expected:
        raise AntidiagError(f"{variant}: {int(numbers.get()[0])}, not {expected}")
    return Row(variant, milliseconds)


GUIDELINES = (
    Measured(
        "layout",
        "Memory layout",
        "A wavefront reads antidiagonals. Stored antidiagonal by antidiagonal, the cells that a warp reads at a time "
        "lie side by side; stored row by row, each lies in a segment of its own.",
        _layout,
    ),
    Measured(
        "constant",
        "Constant memory",
        "A table in constant memory costs as little as a register where all lanes of a warp read one place. Where they "
        "do not, it is read place by place, and shared memory is the better one.",
        _constant,
    ),
    Measured(
        "texture",
        "Texture memory",
        "Read-only memory behind a cache, for lanes that read places close together. It is bound before a launch, "
        "which must not write it. On cards since 2014 ordinary loads take the same cache.",
        _texture,
    ),
    Measured(
        "built-in",
        "Built-in functions",
        "Take CUDA's functions for the least and the greatest number: one instruction, and no branch. Functions that "
        "begin with two underscores are faster and less exact.",
        _built_in,
    ),
    Measured(
        "dynamic",
        "Dynamic parallelism",
        "A kernel can launch others, so that many small ones need not each come from the host. A graph of launches "
        "serves the same end where all of them are known beforehand.",
        _dynamic,
    ),
)
