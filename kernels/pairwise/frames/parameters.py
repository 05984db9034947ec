"""Parameters of frame alignment."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.parameters import BOTH_BACKENDS, MethodParameters, thread_count


@dataclass(frozen=True, kw_only=True)
class FrameParameters(MethodParameters):
    """Parameters of FrameAlignment."""

    threads: int = thread_count(
        "CPU: worker threads, each computing a segment of the bases at a time. GPU: threads of a block, rounded up to "
        "whole warps, each of which computes a segment.",
        BOTH_BACKENDS,
    )
