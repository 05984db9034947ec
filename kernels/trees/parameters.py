"""Parameters of the methods for trees and distances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from antidiag.kernels.parameters import GPU_ONLY, MethodParameters, parameter, thread_count


@dataclass(frozen=True, kw_only=True)
class CellBlockParameters(MethodParameters):
    """Parameters of NJ-basic and NJ-compact."""

    block: Literal["64", "256", "1024"] = parameter(
        "Threads per block",
        "GPU: threads that scan one cell block. With the cells of a thread they make its side: 256 threads with 16 "
        "cells each scan 64 x 64 pairs. The CPU scans blocks of the same side.",
        default="256",
        unit="threads",
    )
    cells: Literal["1", "4", "16", "64"] = parameter(
        "Cells per thread",
        "Pairs that each thread compares before the block reduces to the best. Few cells give many blocks; many "
        "cells leave less to reduce.",
        default="16",
        unit="pairs",
    )
    threads: int = thread_count("Worker threads that share the pairs of each join.")
    mapping: Literal["dense", "published"] = parameter(
        "Mapping",
        "GPU: where clusters are joined. dense: on the GPU, where clusters stay side by side (Antidiag's own). "
        "published: on the host, which copies a row and a column of the matrix to the GPU at each join; a block of "
        "threads has one cell block, and reads the matrix through texture memory.",
        default="dense",
        backends=GPU_ONLY,
    )

    @property
    def is_published(self) -> bool:
        """Whether the host joins the clusters, as published."""
        return self.mapping == "published"

    @property
    def threads_across(self) -> int:
        """Threads along a side of a cell block, with the published mapping."""
        return round(int(self.block) ** 0.5)

    @property
    def cells_across(self) -> int:
        """Rows, and columns, of the cells of a thread, with the published mapping."""
        return round(int(self.cells) ** 0.5)

    @property
    def side(self) -> int:
        """Rows, and columns, of a cell block: the root of threads per block times cells per thread."""
        return round((int(self.block) * int(self.cells)) ** 0.5)


@dataclass(frozen=True, kw_only=True)
class PrunedParameters(MethodParameters):
    """Parameters of NJ-pruned."""

    epoch: int = parameter(
        "Epoch",
        "All bounds are renewed after this fraction (1 / epoch) of the clusters was joined. A large value renews "
        "them more often and reads fewer rows between.",
        default=8,
        minimum=2,
        maximum=64,
    )
    threads: int = thread_count(
        "Worker threads that scan the whole matrix. The joins between two scans are made by one thread."
    )


@dataclass(frozen=True, kw_only=True)
class PairParameters(MethodParameters):
    """Parameters of the distances of all pairs."""

    threads: int = thread_count("Worker threads, each taking a tile of the matrix at a time.")


@dataclass(frozen=True, kw_only=True)
class PlacementParameters(MethodParameters):
    """Parameters of placed trees."""

    threads: int = thread_count("Worker threads that compare sequences, and judge which branches change places.")
