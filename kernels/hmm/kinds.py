"""What sets the methods over hidden Markov models apart in their work and their memory."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ViterbiKind:
    """How a method finds the most probable path.

    ``adds``: sums of transition and emission are tabulated beforehand; ``binds``: on a GPU, for a texture.
    ``multiplies``: every row comes from a product of matrices. ``pieces``: pieces of the sequence run in parallel.
    ``joins``: they are products, joined in a tree.
    """

    tabulates_sums: bool = False
    binds_texture: bool = False
    multiplies_matrices: bool = False
    works_in_pieces: bool = False
    joins_products: bool = False


ROWS = ViterbiKind()
"""One row after the other."""
SCALAR_PRODUCTS = ViterbiKind(tabulates_sums=True)
MATRIX_PRODUCTS = ViterbiKind(multiplies_matrices=True)
TEXTURES = ViterbiKind(multiplies_matrices=True, binds_texture=True)
PIECES = ViterbiKind(works_in_pieces=True)
TREE = ViterbiKind(works_in_pieces=True, joins_products=True)


@dataclass(frozen=True, slots=True)
class SumKind:
    """How a method sums over all paths.

    ``passes`` of l^2 steps per letter: forward; backward; counting transitions, which takes as many. ``posterior``: the
    result is a number for every state and letter. ``counts``: letters and transitions are counted, round by round.
    """

    passes: int
    posterior: bool = False
    counts_transitions: bool = False


FORWARD = SumKind(passes=1)
POSTERIOR = SumKind(passes=2, posterior=True)
LEARNING = SumKind(passes=3, counts_transitions=True)
