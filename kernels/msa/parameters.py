"""The parameters of the methods: as they are declared, and as a run reads them."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.parameters import Parameter

THREADS = Parameter(
    name="threads",
    kind="int",
    label="Threads",
    help="Worker threads: each takes pairs of sequences, and later nodes of the guide tree, in turns.",
    minimum=1,
    maximum=1024,
    unit="threads",
    backends=("cpu",),
)


WARPS = Parameter(
    name="warps",
    kind="int",
    label="Warps",
    help="Pairs of sequences whose posteriors the GPU computes side by side, a warp each.",
    minimum=1,
    maximum=1 << 16,
    unit="warps",
    backends=("cuda",),
)


@dataclass(frozen=True, slots=True)
class PipelineParameters:
    """Distances, tree, progressive alignment."""

    threads: int = 1


@dataclass(frozen=True, slots=True)
class PosteriorParameters:
    """Posteriors of all pairs: threads on a CPU, warps on a GPU."""

    threads: int = 1
    warps: int = 1
