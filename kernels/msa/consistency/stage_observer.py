"""An observer of the stages of an alignment, which does nothing by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.msa.tree_growth import TreeGrowth


class StageObserver:
    """Observes the stages, the choice of a tree, and the levels of the tree that are aligned."""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Observe the stage that runs in the block."""
        yield

    def start_tree(self, tree: Tree) -> TreeGrowth:
        """Start the record of a tree whose leaves are named by numbers."""
        return TreeGrowth.start_growth(tree)

    def note_level(self, nodes: int, columns: int, begun_ns: int) -> None:
        """Note a level of nodes aligned since ``begun_ns`` (time.perf_counter_ns) in up to ``columns`` columns."""
