"""Parameters of the methods for trees and distances: their declarations, and the dataclasses that a run reads."""

from __future__ import annotations

from dataclasses import dataclass, replace

from antidiag.kernels.parameters import Parameter

BLOCK = Parameter(
    name="block",
    kind="choice",
    label="Threads of a block",
    help="GPU: threads that scan one cell block. With the cells of a thread they make its side: 256 threads with 16 "
    "cells each scan 64 x 64 pairs. The CPU scans blocks of the same side.",
    default="256",
    choices=("64", "256", "1024"),
    unit="threads",
)
CELLS = Parameter(
    name="cells",
    kind="choice",
    label="Cells of a thread",
    help="Pairs that a thread compares before its block compares their best. Few cells make many blocks; many cells "
    "leave less to reduce.",
    default="16",
    choices=("1", "4", "16", "64"),
    unit="pairs",
)
EPOCH = Parameter(
    name="epoch",
    kind="int",
    label="Epoch",
    help="A pass over the whole matrix renews all bounds after one in so many of the clusters was joined. Short "
    "epochs (a large number) read fewer rows between the passes.",
    default=8,
    minimum=2,
    maximum=64,
)
THREADS = Parameter(
    name="threads",
    kind="int",
    label="Threads",
    help="Threads that share the passes over the matrix. The joins between them are made by one.",
    minimum=1,
    maximum=1024,
    unit="threads",
    backends=("cpu",),
)
JOIN_THREADS = replace(THREADS, help="Threads that compare the pairs of every join together.")
PAIR_THREADS = replace(THREADS, help="Worker threads, each taking a tile of the matrix at a time.")


@dataclass(frozen=True, slots=True)
class CellBlockParameters:
    """Parameters of NJ-basic and NJ-compact: threads of a GPU block, cells of a thread (both as text), CPU threads."""

    block: str
    cells: str
    threads: int = 1

    @property
    def side(self) -> int:
        """Rows, and columns, of a cell block: the root of threads per block times cells per thread."""
        return round((int(self.block) * int(self.cells)) ** 0.5)


@dataclass(frozen=True, slots=True)
class PrunedParameters:
    """Parameters of NJ-pruned."""

    epoch: int
    threads: int = 1


@dataclass(frozen=True, slots=True)
class PairParameters:
    """Parameters of the distances of all pairs."""

    threads: int = 1
