"""The parameters that most methods built on semirings share."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.parameters import MethodParameters, thread_count

SHARED_WORK = "CPU: worker threads that share the work."


@dataclass(frozen=True, kw_only=True)
class ThreadParameters(MethodParameters):
    """Threads of the CPU."""

    threads: int = thread_count(SHARED_WORK)
