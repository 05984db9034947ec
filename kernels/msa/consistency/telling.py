"""Who is told how an alignment comes about, and does nothing with it; `running.Clock` does."""

from __future__ import annotations

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.msa.growth import Growth


class Told:
    """Stages as they end, the tree before it is followed, and its levels as they are aligned."""

    def __call__(self, stage: str) -> None:
        """A stage has ended."""

    def grows(self, tree: Tree) -> Growth:
        """A tree whose nodes are to be aligned, its leaves called by their numbers."""
        return Growth.of(tree)

    def level(self, nodes: int, columns: int, begun_ns: int) -> None:
        """So many nodes were aligned since then (time.perf_counter_ns), all that waited for none; the widest has so
        many columns."""
