"""What sets the methods over a hidden Markov model apart, as far as their work and their memory go."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A way to the most probable path.

    ``adds``: sums of transition and emission are made beforehand; ``binds``: on a GPU, for a texture. ``multiplies``:
    every row comes from a product of matrices. ``pieces``: pieces of the sequence run in parallel. ``joins``: as
    products, which are joined in a tree.
    """

    adds: bool = False
    binds: bool = False
    multiplies: bool = False
    pieces: bool = False
    joins: bool = False


ROWS = Kind()
"""A row after the other."""
SCALAR_PRODUCTS = Kind(adds=True)
MATRIX_PRODUCTS = Kind(multiplies=True)
TEXTURES = Kind(multiplies=True, binds=True)
PIECES = Kind(pieces=True)
TREE = Kind(pieces=True, joins=True)


@dataclass(frozen=True, slots=True)
class SumKind:
    """A way through the sums over all paths.

    ``passes`` of l^2 steps a letter: forward; backward; counting transitions, which takes as many. ``posterior``: what
    comes out is a number for every state and letter. ``counts``: letters and transitions are counted, round by round.
    """

    passes: int
    posterior: bool = False
    counts: bool = False


FORWARD = SumKind(passes=1)
POSTERIOR = SumKind(passes=2, posterior=True)
LEARNING = SumKind(passes=3, counts=True)
