"""Parameters of the methods for very many sequences: their declarations, and the dataclasses that a run reads."""

from __future__ import annotations

from dataclasses import dataclass, replace

from antidiag.kernels.parameters import Parameter
from antidiag.kernels.trees import parameters as tree_parameters

THREADS = replace(
    tree_parameters.THREADS, help="Worker threads, each taking a part of the sequences of a level at a time."
)
BLOCK = Parameter(
    name="block",
    kind="choice",
    label="Threads of a block",
    help="GPU: threads of a block, each of which compares one sequence with all references; 256 in the paper.",
    default="256",
    choices=("32", "64", "128", "256", "512", "1024"),
    unit="threads",
    backends=("cuda",),
)
WARPS = replace(
    BLOCK,
    help="GPU: threads that share the word counts of some references in shared memory; a warp takes a sequence at a "
    "time.",
    default="1024",
    choices=("128", "256", "512", "1024"),
)
SECTION = Parameter(
    name="section",
    kind="int",
    label="Section size",
    help="Sequences that are padded together to the length of the longest; 32 in the paper, as many as a warp has "
    "threads. Large sections hold more padding.",
    default=32,
    minimum=1,
    maximum=1024,
    unit="sequences",
)


@dataclass(frozen=True, slots=True)
class PartTreeThreads:
    """Parameters of methods that have CPU threads only."""

    threads: int = 1


@dataclass(frozen=True, slots=True)
class SectionParameters:
    """Parameters of CUDA-Parttree: section size, threads of a GPU block, CPU threads."""

    section: int
    block: str = "256"
    threads: int = 1


@dataclass(frozen=True, slots=True)
class PartTreeWarps:
    """Parameters of PartTree on the GPU: threads of a block."""

    block: str = "1024"
