"""Memory and automatic parameters of profile methods, estimated without running them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.memory import Footprint, format_bytes
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.profiles.column_scores.scoring import FREQUENCY_UNITS, ROOT, EncodedProfiles
from antidiag.kernels.profiles.parameters import (
    ProfileBlockParameters,
    ProfileBlockSize,
    ProfileLimitParameters,
    ProfileStripParameters,
)
from antidiag.kernels.profiles.problem import Problem

Host = Callable[[int, int, int, Any], dict[str, int]]
"""Bytes by purpose, for m, n, symbols and parameters."""
Device = Callable[[Host, EncodedProfiles, Any], Footprint]
"""Bytes of a GPU run, for the CPU estimate, the problem and parameters."""

BLOCK, STRIP_WIDTH, BATCH = 64, 512, 256
NARROW, NARROW_STRIP = 4096, 256
"""Columns up to which a table has narrow strips, so that all threads have work."""
SLAB = 64
"""Rows that are made at a time where the thesis makes a whole matrix, so that Cancel is heard."""
GPU_STRIP, GPU_BATCH = 128, 128
"""Columns of a strip on a GPU, four per lane of a warp; rows of a batch, whose directions fit into shared memory."""
FACTOR_LOAD = 32
"""The factors of a column on a GPU are a multiple of these: what a thread and its three neighbours load at a time."""
GPU_SLAB = 256
"""Rows of products that are on a GPU at a time."""
SHORT = 256 * 256
"""Cells from which on threads are worth their start."""
SAVED = 16
"""Bytes per cell of the path's tiles: H, E, F and scores."""


def estimate_memory(
    host: Host, device: Device | None, problem: Problem, parameters: MethodParameters, backend: str
) -> Footprint:
    """Estimate the bytes of a run."""
    first, second = problem.profiles
    m, n, symbols = len(first), len(second), len(first.alphabet)
    if backend == "cuda":
        assert device is not None, "a method without a backend for GPUs is not asked"
        return device(host, problem.encoded, parameters)
    return Footprint(host={"encoded profiles": 2 * symbols * (m + n), **host(m, n, symbols, parameters)})


def make_gpu_estimate(device: Host, host_estimate: Host | None = None) -> Device:
    """Return the estimate of a method whose table, or its input, comes from the device to the host.

    ``host_estimate`` replaces the host bytes of a CPU run.
    """

    def bytes_of(host: Host, made: EncodedProfiles, parameters: MethodParameters) -> Footprint:
        symbols = len(made.rows)
        given = (made.m, made.n, symbols, parameters)
        columns = (2 * symbols + 12) * (made.m + made.n)
        return Footprint(
            host={"encoded profiles": columns, **(host_estimate or host)(*given)},
            device={"columns": columns, **device(*given)},
        )

    return bytes_of


def estimate_gpu_matrices(count: int, factors: int = 0, rooms: int = 0) -> Host:
    """Estimate matrices of m x n whole numbers, copies of factors as float32, and slabs of products."""
    return lambda m, n, symbols, parameters: {
        "D" if count == 1 else "H, V and D": 4 * count * m * n,
        "factors": 4 * factors * symbols * (m + n),
        "products": 4 * rooms * min(GPU_SLAB, m) * n,
    }


def estimate_gpu_cublas(m: int, n: int, symbols: int, parameters: MethodParameters) -> dict[str, int]:
    """Estimate CUBLAS: products of all columns beside D, and columns as float64."""
    return {"D and products": 8 * m * n, "factors": 8 * symbols * (m + n)}


def estimate_gpu_identity(m: int, n: int, symbols: int, parameters: MethodParameters) -> dict[str, int]:
    """Estimate MatProd V1: an identity matrix beside D, and a row and its differences."""
    return {"identity": 4 * n * n, "D": 4 * m * n, "differences": 4 * symbols * (m + 3 * n)}


def estimate_gpu_waves(m: int, n: int, symbols: int, parameters: ProfileBlockParameters) -> dict[str, int]:
    """Estimate SMwavefront: directions, and the borders of all blocks."""
    k = parameters.k
    down, across = -(-m // k), -(-n // k)
    borders = 8 * ((down + 1) * (n + 1) + (across + 1) * (m + 1)) + 16 * down * across
    return {"directions": m * n, "borders of blocks": borders}


def count_gpu_factors(encoded: EncodedProfiles) -> int:
    """Count factors of a product on tensor cores, with squares for distances, twice if 16 bits are too few."""
    if encoded.kind == ROOT:
        return len(encoded.rows) + 4
    return len(encoded.rows) * (
        2 if exceeds_half_precision(encoded.rows) or exceeds_half_precision(encoded.columns) else 1
    )


def exceeds_half_precision(factors: np.ndarray) -> bool:
    """Return whether 16-bit floating-point numbers cannot hold all factors, which then become sums of two."""
    return bool(max(int(factors.max(initial=0)), -int(factors.min(initial=0))) > FREQUENCY_UNITS)


def estimate_gpu_strips(host: Host, encoded: EncodedProfiles, parameters: MethodParameters) -> Footprint:
    """Estimate ProfileWavefront on a GPU: borders of strips and batches; the host makes factors and takes the path."""
    m, n, strips = encoded.m, encoded.n, -(-encoded.n // GPU_STRIP)
    factors = 2 * -(-count_gpu_factors(encoded) // FACTOR_LOAD) * FACTOR_LOAD * (m + strips * GPU_STRIP)
    costs = 8 * (m + n)
    return Footprint(
        host={"factors": 2 * len(encoded.rows) * (m + n), "columns": 2 * costs},
        device={
            "factors": factors + 2 * len(encoded.rows) * (m + n),
            "columns": costs,
            "borders of strips": 8 * (strips - 1) * m,
            "last rows of batches": 8 * GPU_STRIP * strips * ((m - 1) // GPU_BATCH),
            "path": m + n,
        },
    )


def estimate_one_of_many(symbols: int, m: int, n: int) -> int:
    """Estimate the device bytes of one of many alignments: borders, counts, and factors, at most two for a count.

    Factors are most for narrow profiles, whose columns fill up a strip.
    """
    strips, factors = -(-n // GPU_STRIP), -(-2 * symbols // FACTOR_LOAD) * FACTOR_LOAD
    return 16 * strips * m + 2 * symbols * (m + n) + 2 * factors * (m + strips * GPU_STRIP)


def estimate_serial(m: int, n: int, symbols: int, parameters: MethodParameters) -> dict[str, int]:
    """Estimate algorithms 2.3 and 2.4: a direction for each cell."""
    return {"directions": m * n, "columns": 2 * symbols * (m + n), "rows": 8 * n}


def estimate_matrices(count: int) -> Host:
    """Estimate methods that make ``count`` matrices of m x n whole numbers before the recurrence."""
    return lambda m, n, symbols, parameters: {
        "D" if count == 1 else "H, V and D": 4 * count * m * n,
        **estimate_serial(m, n, symbols, parameters),
    }


def estimate_identity(m: int, n: int, symbols: int, parameters: MethodParameters) -> dict[str, int]:
    """Estimate MatProd V1: an identity matrix beside D, and a row of differences in three copies."""
    return {"identity": 4 * n * n, **estimate_matrices(1)(m, n, symbols, parameters), "differences": 24 * symbols * n}


def estimate_products(m: int, n: int, symbols: int, parameters: ProfileBlockSize) -> dict[str, int]:
    """Estimate MatProd V2: k rows of products beside D."""
    return estimate_product_rows(parameters.k)(m, n, symbols, parameters)


def estimate_product_rows(count: int) -> Host:
    """Estimate methods that make ``count`` rows of products at a time beside D."""
    return lambda m, n, symbols, parameters: {
        **estimate_matrices(1)(m, n, symbols, parameters),
        "products": 4 * count * n,
        "factors": 4 * symbols * (m + n),
    }


def limit_matrices(host: Host) -> Host:
    """Return the estimate of a method with a memory limit; ParameterError if its matrices exceed it."""

    def bytes_of(m: int, n: int, symbols: int, parameters: ProfileLimitParameters) -> dict[str, int]:
        needed, limit = 12 * m * n, parameters.limit
        if needed > limit * 2**20:
            raise ParameterError(
                f"limit={limit:,} MiB: H, V and D of {m:,} x {n:,} columns take {format_bytes(needed)}; "
                "raise limit, or use a V2 method, which keeps H and V as vectors"
            )
        return {**host(m, n, symbols, parameters), "factors": 4 * symbols * (m + 2 * n)}

    return bytes_of


def estimate_waves(m: int, n: int, symbols: int, parameters: ProfileBlockParameters) -> dict[str, int]:
    """Estimate SMwavefront: borders of all blocks, and each thread's block."""
    down, across = -(-m // parameters.k), -(-n // parameters.k)
    borders = 8 * ((down + 1) * (n + 1) + (across + 1) * (m + 1))
    blocks = 12 * (parameters.k + 1) ** 2 * parameters.threads
    return {"borders of blocks": borders, "blocks": blocks, **estimate_serial(m, n, symbols, parameters)}


def estimate_strips(m: int, n: int, symbols: int, parameters: ProfileStripParameters) -> dict[str, int]:
    """Estimate ProfileWavefront: borders of strips and batches, and one tile for the path."""
    s, batch = min(parameters.s, n), min(parameters.T, m)
    count, batches = -(-n // parameters.s), -(-m // parameters.T)
    width = -(-s // 32) * 32
    tile = SAVED * (batch + 1) * (width + 16)
    each = 4 * (symbols + 8) * width + SAVED * 4 * (width + 16)
    return {
        "borders of strips": 8 * (count + 1) * (m + 1),
        "last rows of batches": 8 * count * (batches - 1) * width,
        "rows in fours": 4 * symbols * m,
        "tile of the path": tile,
        "strips at work": each * min(parameters.threads, count),
    }


def choose_parameters(problem: Problem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Choose all cores for large tables, and strips and batches by the backend.

    Borders take 1/21 byte per cell on the CPU (1/16 for narrow tables), and 1/8 on a GPU.
    """
    threads = workers.count_processors() if problem.cells > SHORT else 1
    width = NARROW_STRIP if len(problem.profiles[1]) <= NARROW else STRIP_WIDTH
    cuts = {"s": GPU_STRIP, "T": GPU_BATCH} if backend == "cuda" else {"s": width, "T": BATCH}
    return {"k": BLOCK, **cuts, "threads": threads}
