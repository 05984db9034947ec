"""The processors of this machine."""

from __future__ import annotations

import os

from antidiag.kernels import user_limits


def count_processors() -> int:
    """Return the number of processors that this program may use: those of the machine, within the user's limit."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(there, user_limits.thread_limit() or there)
