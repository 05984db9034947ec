"""Parameters of the methods for very many sequences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from antidiag.kernels.parameters import GPU_ONLY, MethodParameters, parameter, thread_count

SHARED_LEVEL = "Worker threads, each taking a part of the sequences of a level at a time."


@dataclass(frozen=True, kw_only=True)
class PartTreeThreads(MethodParameters):
    """Parameters of the methods without a choice on the GPU."""

    threads: int = thread_count(SHARED_LEVEL)


@dataclass(frozen=True, kw_only=True)
class PartTreeWarps(PartTreeThreads):
    """Parameters of PartTree."""

    block: Literal["128", "256", "512", "1024"] = parameter(
        "Threads per block",
        "GPU: threads that share the word counts of some references in shared memory; a warp takes a sequence at a "
        "time.",
        default="1024",
        unit="threads",
        backends=GPU_ONLY,
    )


@dataclass(frozen=True, kw_only=True)
class SectionParameters(MethodParameters):
    """Parameters of CUDA-Parttree."""

    block: Literal["32", "64", "128", "256", "512", "1024"] = parameter(
        "Threads per block",
        "GPU: threads of a block, each of which compares one sequence with all references; 256 in the paper.",
        default="256",
        unit="threads",
        backends=GPU_ONLY,
    )
    section: int = parameter(
        "Section size",
        "Sequences of a section; all are padded to its longest (32 in the paper, the threads of a warp). Large "
        "sections hold more padding.",
        default=32,
        minimum=1,
        maximum=1024,
        unit="sequences",
    )
    threads: int = thread_count(SHARED_LEVEL)
