"""Parameters of batches of pairs: what changes their cost and never their answer."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.parameters import MethodParameters, thread_count


@dataclass(frozen=True, kw_only=True)
class BatchParameters(MethodParameters):
    """Parameters of a batch of pairs."""

    threads: int = thread_count("CPU threads that share the pairs.")
