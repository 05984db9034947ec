"""An observer of the stages of an alignment, which does nothing by itself."""

from __future__ import annotations

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.msa.tree_growth import TreeGrowth


class StageObserver:
    """Is called when a stage ends, when a tree is chosen, and when a level of the tree is aligned."""

    def __call__(self, stage: str) -> None:
        """Note the end of a stage."""

    def start_tree(self, tree: Tree) -> TreeGrowth:
        """Start the record of a tree whose leaves are named by numbers."""
        return TreeGrowth.start_growth(tree)

    def note_level(self, nodes: int, columns: int, begun_ns: int) -> None:
        """Note a level of nodes aligned since ``begun_ns`` (time.perf_counter_ns) in up to ``columns`` columns."""
