"""Sizes of tables, matrices and strips, for those who plan without computing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.memory import Footprint, bytes_text
from antidiag.kernels.parameters import typed
from antidiag.kernels.profiles.parameters import BlockParameters, LimitParameters, StripParameters
from antidiag.kernels.profiles.problem import Problem
from antidiag.kernels.profiles.scoring import FREQUENCY_UNITS, ROOT, Encoded

Host = Callable[[int, int, int, Mapping[str, Any]], dict[str, int]]
"""Bytes by purpose, of m, n, symbols and parameters."""
Device = Callable[[Host, Encoded, Mapping[str, Any]], Footprint]
"""Bytes of a run on a GPU, of the same on the CPU, the problem and parameters."""

BLOCK, STRIP_WIDTH, BATCH = 64, 512, 256
NARROW, NARROW_STRIP = 4096, 256
"""Columns of a table up to which its strips are so narrow: there are enough for all threads."""
SLAB = 64
"""Rows of a matrix that are made at a time where the thesis makes all of it at once, so that it can be cancelled."""
GPU_STRIP, GPU_BATCH = 128, 128
"""Columns of a strip on a GPU, four for each lane of a warp; rows of a batch: directions fit into shared memory."""
GPU_SLAB = 256
"""Rows whose products are on a GPU at a time."""
SHORT = 256 * 256
"""Cells below which threads are not worth their start."""
SAVED = 16
"""The path's tiles: H, E, F and scores, 4 bytes each."""


def footprint(
    host: Host, device: Device | None, problem: Problem, parameters: Mapping[str, Any], backend: str
) -> Footprint:
    """Bytes of a run."""
    first, second = problem.profiles
    m, n, symbols = len(first), len(second), len(first.alphabet)
    if backend == "cuda":
        assert device is not None, "a method without a backend for GPUs is not asked"
        return device(host, problem.encoded, parameters)
    return Footprint(host={"encoded profiles": 2 * symbols * (m + n), **host(m, n, symbols, parameters)})


def on_gpu(device: Host, there: Host | None = None) -> Device:
    """Methods whose table, or what it is made of, comes from the device to the host; ``there`` are the bytes of the
    host, where they are not those of a run on the CPU."""

    def bytes_of(host: Host, made: Encoded, parameters: Mapping[str, Any]) -> Footprint:
        symbols = len(made.rows)
        given = (made.m, made.n, symbols, {**parameters, "threads": 0})
        columns = (2 * symbols + 12) * (made.m + made.n)
        return Footprint(
            host={"encoded profiles": columns, **(there or host)(*given)}, device={"columns": columns, **device(*given)}
        )

    return bytes_of


def gpu_matrices(count: int, factors: int = 0, rooms: int = 0) -> Host:
    """So many matrices of m x n whole numbers, copies of the factors as float32, and slabs of their products."""
    return lambda m, n, symbols, parameters: {
        "D" if count == 1 else "H, V and D": 4 * count * m * n,
        "factors": 4 * factors * symbols * (m + n),
        "products": 4 * rooms * min(GPU_SLAB, m) * n,
    }


def gpu_cublas(m: int, n: int, symbols: int, parameters: Mapping[str, Any]) -> dict[str, int]:
    """CUBLAS: the products of all columns beside D, and the columns as float64."""
    return {"D and products": 8 * m * n, "factors": 8 * symbols * (m + n)}


def gpu_identity(m: int, n: int, symbols: int, parameters: Mapping[str, Any]) -> dict[str, int]:
    """MatProd V1: an identity matrix beside D, and a row and its differences."""
    return {"identity": 4 * n * n, "D": 4 * m * n, "differences": 4 * symbols * (m + 3 * n)}


def gpu_waves(m: int, n: int, symbols: int, parameters: Mapping[str, Any]) -> dict[str, int]:
    """SMwavefront: directions, and the borders of all blocks."""
    k = typed(BlockParameters, parameters).k
    down, across = -(-m // k), -(-n // k)
    borders = 8 * ((down + 1) * (n + 1) + (across + 1) * (m + 1)) + 16 * down * across
    return {"directions": m * n, "borders of blocks": borders}


def gpu_factors(made: Encoded) -> int:
    """Factors of a product on tensor cores: with squares for distances, and in two parts where 16 bits are too few."""
    if made.kind == ROOT:
        return len(made.rows) + 4
    return len(made.rows) * (2 if beyond_halves(made.rows) or beyond_halves(made.columns) else 1)


def beyond_halves(factors: np.ndarray) -> bool:
    """Whether 16-bit floating-point numbers do not hold all factors, so that they become sums of two."""
    return bool(max(int(factors.max(initial=0)), -int(factors.min(initial=0))) > FREQUENCY_UNITS)


def gpu_strips(host: Host, made: Encoded, parameters: Mapping[str, Any]) -> Footprint:
    """profile-wavefront on a GPU: borders of strips and batches; the host makes the factors and takes the path."""
    m, n, strips = made.m, made.n, -(-made.n // GPU_STRIP)
    factors = 2 * -(-gpu_factors(made) // 32) * 32 * (m + strips * GPU_STRIP)
    costs = 8 * (m + n)
    return Footprint(
        host={
            "factors": 2 * len(made.rows) * (m + n),
            "columns": 2 * costs,
        },
        device={
            "factors": factors + 2 * len(made.rows) * (m + n),
            "columns": costs,
            "borders of strips": 8 * (strips - 1) * m,
            "last rows of batches": 8 * GPU_STRIP * strips * ((m - 1) // GPU_BATCH),
            "path": m + n,
        },
    )


def serial(m: int, n: int, symbols: int, parameters: Mapping[str, Any]) -> dict[str, int]:
    """Algorithms 2.3 and 2.4: where each cell comes from."""
    return {"directions": m * n, "columns": 2 * symbols * (m + n), "rows": 8 * n}


def matrices(count: int) -> Host:
    """Methods that make so many matrices of m x n whole numbers before the maximisation."""
    return lambda m, n, symbols, parameters: {
        "D" if count == 1 else "H, V and D": 4 * count * m * n, **serial(m, n, symbols, parameters)
    }  # fmt: skip


def identity(m: int, n: int, symbols: int, parameters: Mapping[str, Any]) -> dict[str, int]:
    """MatProd V1: an identity matrix beside D, and a row of differences in three copies."""
    return {"identity": 4 * n * n, **matrices(1)(m, n, symbols, parameters), "differences": 24 * symbols * n}


def products(m: int, n: int, symbols: int, parameters: Mapping[str, Any]) -> dict[str, int]:
    """MatProd V2: k rows of products beside D."""
    return {**matrices(1)(m, n, symbols, parameters), "products": 4 * parameters.get("k", 1) * n,
            "factors": 4 * symbols * (m + n)}  # fmt: skip


def product(m: int, n: int, symbols: int, parameters: Mapping[str, Any]) -> dict[str, int]:
    """MatProd V2 of a sequence: the product is made by slabs."""
    return products(m, n, symbols, {"k": SLAB})


def limited(host: Host) -> Host:
    """Methods that are refused where the thesis' card was full: ParameterError says so."""

    def bytes_of(m: int, n: int, symbols: int, parameters: Mapping[str, Any]) -> dict[str, int]:
        needed, limit = 12 * m * n, typed(LimitParameters, parameters).limit
        if needed > limit * 2**20:
            raise ParameterError(
                f"limit={limit:,} MiB: H, V and D of {m:,} x {n:,} columns take {bytes_text(needed)}; "
                "raise limit (the thesis had a card of 1,024 MiB), or take a V2, which keeps H and V as vectors"
            )
        return {**host(m, n, symbols, parameters), "factors": 4 * symbols * (m + 2 * n)}

    return bytes_of


def waves(m: int, n: int, symbols: int, parameters: Mapping[str, Any]) -> dict[str, int]:
    """SMwavefront: the borders of all blocks, and each thread's block."""
    chosen = typed(BlockParameters, parameters)
    down, across = -(-m // chosen.k), -(-n // chosen.k)
    borders = 8 * ((down + 1) * (n + 1) + (across + 1) * (m + 1))
    blocks = 12 * (chosen.k + 1) ** 2 * chosen.threads
    return {"borders of blocks": borders, "blocks": blocks, **serial(m, n, symbols, parameters)}


def strips(m: int, n: int, symbols: int, parameters: Mapping[str, Any]) -> dict[str, int]:
    """profile-wavefront: borders of strips and of batches, and one tile for the path."""
    chosen = typed(StripParameters, parameters)
    s, batch = min(chosen.s, n), min(chosen.T, m)
    count, batches = -(-n // chosen.s), -(-m // chosen.T)
    width = -(-s // 32) * 32
    tile = SAVED * (batch + 1) * (width + 16)
    each = 4 * (symbols + 8) * width + SAVED * 4 * (width + 16)
    return {
        "borders of strips": 8 * (count + 1) * (m + 1),
        "last rows of batches": 8 * count * (batches - 1) * width,
        "rows in fours": 4 * symbols * m,
        "tile of the path": tile,
        "strips at work": each * min(chosen.threads, count),
    }


def automatic(problem: Problem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """All cores where the table is large; strips and batches whose borders take 1/21 of a byte for a cell on the CPU
    (of narrow tables 1/16, as the path computes tiles of them again), and 1/8 on a GPU."""
    threads = workers.cores() if problem.cells > SHORT else 1
    width = NARROW_STRIP if len(problem.profiles[1]) <= NARROW else STRIP_WIDTH
    cuts = {"s": GPU_STRIP, "T": GPU_BATCH} if backend == "cuda" else {"s": width, "T": BATCH}
    return {"k": BLOCK, **cuts, "threads": threads}
