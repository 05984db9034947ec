"""Parameters of multiple alignment methods: their declarations, and the records that runs read."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.parameters import Parameter

THREADS = Parameter(
    name="threads",
    kind="int",
    label="Threads",
    help="Worker threads; each takes pairs of sequences, and later nodes of the guide tree.",
    minimum=1,
    maximum=1024,
    unit="threads",
    backends=("cpu",),
)


WARPS = Parameter(
    name="warps",
    kind="int",
    label="Warps",
    help="Pairs of sequences whose posteriors the GPU computes at the same time, one warp each.",
    minimum=1,
    maximum=1 << 16,
    unit="warps",
    backends=("cuda",),
)


@dataclass(frozen=True, slots=True)
class PipelineParameters:
    """Parameters of the progressive pipelines."""

    threads: int = 1


@dataclass(frozen=True, slots=True)
class PosteriorParameters:
    """Parameters of consistency-based alignment: CPU threads, GPU warps."""

    threads: int = 1
    warps: int = 1
