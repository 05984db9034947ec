"""Sizes of tables, matrices and strips, for those who plan without computing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kernels.cpu import workers
from kernels.errors import ParameterError
from kernels.memory import Footprint, bytes_text
from kernels.profiles.problem import Problem

Host = Callable[[int, int, int, Mapping[str, Any]], dict[str, int]]
"""Bytes by purpose, of m, n, symbols and parameters."""

BLOCK, STRIP_WIDTH, BATCH = 64, 512, 256
SLAB = 64
"""Rows of a matrix that are made at a time where the thesis makes all of it at once, so that it can be cancelled."""
GPU_STRIP, GPU_BATCH = 128, 128
"""Columns of a strip on a GPU, four for each lane of a warp; rows of a batch, whose directions fit into shared memory."""
SHORT = 256 * 256
"""Cells below which threads are not worth their start."""
SAVED = 16
"""The path's tiles: H, E, F and scores, 4 bytes each."""


def footprint(host: Host, problem: Problem, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """Bytes of a run."""
    first, second = problem.profiles
    m, n, symbols = len(first), len(second), len(first.alphabet)
    if backend == "cuda":
        return _on_gpu(m, n, symbols, parameters)
    return Footprint(host={"encoded profiles": 2 * symbols * (m + n), **host(m, n, symbols, parameters)})


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
        needed, limit = 12 * m * n, parameters["limit"] * 2**20
        if needed > limit:
            raise ParameterError(
                f"limit={parameters['limit']:,} MiB: H, V and D of {m:,} x {n:,} columns take {bytes_text(needed)}; "
                "raise limit (the thesis had a card of 1,024 MiB), or take a V2, which keeps H and V as vectors"
            )
        return {**host(m, n, symbols, parameters), "factors": 4 * symbols * (m + 2 * n)}

    return bytes_of


def waves(m: int, n: int, symbols: int, parameters: Mapping[str, Any]) -> dict[str, int]:
    """SMwavefront: the borders of all blocks, and each thread's block."""
    down, across = -(-m // parameters["k"]), -(-n // parameters["k"])
    borders = 8 * ((down + 1) * (n + 1) + (across + 1) * (m + 1))
    blocks = 12 * (parameters["k"] + 1) ** 2 * parameters["threads"]
    return {"borders of blocks": borders, "blocks": blocks, **serial(m, n, symbols, parameters)}


def strips(m: int, n: int, symbols: int, parameters: Mapping[str, Any]) -> dict[str, int]:
    """profile-wavefront: borders of strips and of batches, and one tile for the path."""
    s, batch = min(parameters["s"], n), min(parameters["T"], m)
    count, batches = -(-n // parameters["s"]), -(-m // parameters["T"])
    width = -(-s // 32) * 32
    tile = SAVED * (batch + 1) * (width + 16)
    each = 4 * (symbols + 8) * width + SAVED * 4 * (width + 16)
    return {
        "borders of strips": 8 * (count + 1) * (m + 1),
        "last rows of batches": 8 * count * (batches - 1) * width,
        "rows in fours": 4 * symbols * m,
        "tile of the path": tile,
        "strips at work": each * min(parameters["threads"], count),
    }


def _on_gpu(m: int, n: int, symbols: int, parameters: Mapping[str, Any]) -> Footprint:
    """profile-wavefront on a GPU: the borders are kept on both sides, for the path is found on the host."""
    kept = strips(m, n, symbols, {**parameters, "s": GPU_STRIP, "threads": 1})
    names = ("borders of strips", "last rows of batches")
    padded = 4 * (-(-symbols // 4) * 4 * m + symbols * n)
    return Footprint(
        host={**kept, **{f"{name}, copied": kept[name] for name in names}},
        device={"factors": padded, "columns": 4 * (3 * m + 4 * n), **{name: kept[name] for name in names}},
    )


def automatic(problem: Problem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """All cores where the table is large; strips and batches whose borders take 1/21 of a byte for a cell on the CPU,
    and 1/11 on a GPU."""
    threads = workers.cores() if problem.cells > SHORT else 1
    return {"k": BLOCK, "s": GPU_STRIP if backend == "cuda" else STRIP_WIDTH, "T": BATCH, "threads": threads}
