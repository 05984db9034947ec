"""Parameters of the methods for profiles."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.parameters import CPU_ONLY, MethodParameters, parameter, thread_count
from antidiag.kernels.semiring.thread_parameters import SHARED_WORK


@dataclass(frozen=True, kw_only=True)
class ProfileBlockSize(MethodParameters):
    """Parameters of MatProd V2."""

    k: int = parameter("Block size k", "Rows and columns of a block.", minimum=16, maximum=256, step=8, unit="columns")


@dataclass(frozen=True, kw_only=True)
class ProfileBlockParameters(ProfileBlockSize):
    """Parameters of the methods whose threads share blocks."""

    threads: int = thread_count(SHARED_WORK)


@dataclass(frozen=True, kw_only=True)
class ProfileStripParameters(MethodParameters):
    """Parameters of ProfileWavefront."""

    s: int = parameter(
        "Strip width s",
        "Columns of a strip; 128 on a GPU. Narrow strips fit into the cache; wide strips exchange less data.",
        minimum=64,
        maximum=4096,
        step=16,
        unit="columns",
        backends=CPU_ONLY,
    )
    T: int = parameter(
        "Batch T",
        "Rows that a strip computes before the next strip may start; 128 on a GPU. The path recomputes tiles of s x "
        "T cells.",
        minimum=16,
        maximum=65536,
        step=4,
        unit="rows",
        backends=CPU_ONLY,
    )
    threads: int = thread_count(SHARED_WORK)


@dataclass(frozen=True, kw_only=True)
class ProfileLimitParameters(MethodParameters):
    """Parameters of the methods that keep H, V and D as matrices."""

    limit: int = parameter(
        "Memory limit",
        "Largest memory of the matrices H, V and D. The card of the thesis had 1,024 MiB, enough for lengths of 6,000.",
        default=1024,
        minimum=1,
        maximum=2**20,
        unit="MiB",
    )
