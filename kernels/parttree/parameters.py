"""The parameters of the methods: as they are declared, and as a run reads them."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.parameters import Parameter

THREADS = Parameter(
    name="threads",
    kind="int",
    label="Threads",
    help="Worker threads, each taking a part of the sequences of a level at a time.",
    minimum=1,
    maximum=1024,
    unit="threads",
    backends=("cpu",),
)
BLOCK = Parameter(
    name="block",
    kind="choice",
    label="Threads of a block",
    help="GPU: threads of a block, each of which holds one sequence against all references; 256 in the paper.",
    default="256",
    choices=("32", "64", "128", "256", "512", "1024"),
    unit="threads",
    backends=("cuda",),
)
WARPS = Parameter(
    name="block",
    kind="choice",
    label="Threads of a block",
    help="GPU: threads that share the maps of some references in shared memory; a warp takes a sequence at a time.",
    default="1024",
    choices=("128", "256", "512", "1024"),
    unit="threads",
    backends=("cuda",),
)
SECTION = Parameter(
    name="section",
    kind="int",
    label="Section size",
    help="Sequences that are padded to one length together, the longest of them; 32 in the paper, as many as a warp "
    "has threads. Large sections hold more padding.",
    default=32,
    minimum=1,
    maximum=1024,
    unit="sequences",
)


@dataclass(frozen=True, slots=True)
class Threads:
    """Those of the CPU."""

    threads: int = 1


@dataclass(frozen=True, slots=True)
class SectionParameters:
    """CUDA-Parttree."""

    section: int
    block: str = "256"
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Warps:
    """PartTree on the GPU."""

    block: str = "1024"
