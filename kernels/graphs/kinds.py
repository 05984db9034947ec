"""What sets the methods for shortest paths apart, as far as their work and their memory go."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A way to all distances: step by step where nothing is said.

    ``blocks``: step by step, in blocks. ``squares``: the matrix is squared until it changes no more. ``bipartite``: the
    four blocks of a bipartite graph, of which one is squared; ``serial``: by products as they are defined, with no
    blocks.
    """

    blocks: bool = False
    squares: bool = False
    bipartite: bool = False
    serial: bool = False


STEPS = Kind()
BLOCKED = Kind(blocks=True)
SQUARED = Kind(squares=True)
BIPARTITE = Kind(bipartite=True)
BIPARTITE_SERIAL = Kind(bipartite=True, serial=True)
