"""Parameters of the methods for multiple alignment."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.parameters import GPU_ONLY, MethodParameters, parameter, thread_count


@dataclass(frozen=True, kw_only=True)
class PipelineParameters(MethodParameters):
    """Parameters of the progressive pipelines."""

    threads: int = thread_count("Worker threads; each takes pairs of sequences, and later nodes of the guide tree.")


@dataclass(frozen=True, kw_only=True)
class PosteriorParameters(PipelineParameters):
    """Parameters of alignment by consistency."""

    warps: int = parameter(
        "Warps",
        "Pairs of sequences whose posteriors the GPU computes at the same time, one warp each.",
        minimum=1,
        maximum=1 << 16,
        unit="warps",
        backends=GPU_ONLY,
    )
