"""The parameters of the methods: as they are declared, and as a run reads them."""

from __future__ import annotations

from dataclasses import dataclass

from kernels.parameters import Parameter

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


@dataclass(frozen=True, slots=True)
class PipelineParameters:
    """Distances, tree, progressive alignment."""

    threads: int = 1
