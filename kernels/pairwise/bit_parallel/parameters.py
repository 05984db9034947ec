"""Parameters of the bit-parallel methods."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.pairwise.bit_parallel.word_sizes import CPU_STRIP
from antidiag.kernels.parameters import BOTH_BACKENDS, GPU_ONLY, MethodParameters, parameter, thread_count


@dataclass(frozen=True, kw_only=True)
class BitScoreParameters(MethodParameters):
    """Parameters of BitParallelScore."""

    threads: int = thread_count(
        "CPU: worker threads, each computing one strip at a time. GPU: threads of a block (a warp of 32 computes one "
        "strip), rounded up to whole warps.",
        BOTH_BACKENDS,
    )
    words: int = parameter(
        "Words of a lane",
        "GPU: 32-bit words of a lane, each with 32 columns. Many words take fewer shuffles; few let more strips work "
        "at once.",
        minimum=1,
        maximum=8,
        unit="words",
        backends=GPU_ONLY,
    )


@dataclass(frozen=True, kw_only=True)
class BitAlignmentParameters(BitScoreParameters):
    """Parameters of BitParallel."""

    tile: int = parameter(
        "Tile",
        "Distance of the rows and columns that are kept for the path; a GPU keeps the boundary columns of its strips. "
        "A large tile needs less memory; a small one recomputes fewer cells.",
        minimum=CPU_STRIP,
        maximum=2**16,
        step=CPU_STRIP,
        unit="cells",
    )
