"""The parameter that the families built on semirings share: its declaration, and its value in a run."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.parameters import Parameter

THREADS = Parameter(
    name="threads",
    kind="int",
    label="Threads",
    help="CPU: worker threads that share the work.",
    minimum=1,
    maximum=1024,
    unit="threads",
    backends=("cpu",),
)


@dataclass(frozen=True, slots=True)
class ThreadParameters:
    """Threads of the CPU; 1 for serial methods."""

    threads: int = 1
