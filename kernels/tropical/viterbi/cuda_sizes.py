"""Shapes of the kernels of Viterbi, without importing CuPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernels.tropical.algebra import INFINITE
from kernels.tropical.viterbi.problem import STEP_LIMIT, HmmProblem

WARP = 32
MOST_THREADS = 1024
BLOCK_THREADS = 256
SHARED_BYTES = 48 * 1024
"""Shared memory that every card gives a block without being asked."""

TRACED = 1024
"""Letters of a piece of the path."""

LAUNCH_US = 100_000
"""What a launch should take at most."""


def exact_in_32_bits(problem: HmmProblem) -> bool:
    """Whether rows of 32-bit integers, kept up to a constant, hold every cost exactly.

    They do where every transition is possible: then no finite number of a row is more than the dearest transition
    away from the least. They also do where the whole sequence cannot cost 2**29.
    """
    dense = bool(np.isfinite(problem.costs.transitions).all())
    return dense or (problem.n + 2) * STEP_LIMIT < INFINITE // 2


@dataclass(frozen=True)
class Shape:
    """A block has ``teams`` of ``width`` threads; a team works on ``per`` pieces. Bytes are of shared memory."""

    width: int
    teams: int
    per: int
    row_bytes: int
    height: int

    @property
    def pieces(self) -> int:
        """Pieces of a block."""
        return self.teams * self.per


def shape(states: int, item_bytes: int, pieces: int, shared: bool, limit: int = SHARED_BYTES) -> Shape:
    """The shape for a model, and how many rows of T fit the shared memory beside the rows of the pieces."""
    width = 8 if states <= 8 else 16 if states <= 16 else min(MOST_THREADS, -(-states // WARP) * WARP)
    per = 4 if pieces >= 4 and 16 * states * item_bytes <= SHARED_BYTES else 1
    teams = max(1, min(BLOCK_THREADS // width, pieces // per, SHARED_BYTES // (2 * per * states * item_bytes)))
    row_bytes = 2 * teams * per * states * item_bytes
    height = states
    if shared:
        height = max(1, min(states, (limit - row_bytes - 2048) // (states * item_bytes)))
    return Shape(width, teams, per, row_bytes, height)


def letters_a_launch(states: int, shaped: Shape) -> int:
    """Letters that a block does in the time of a launch: about 10 sums a nanosecond and 0.3 us of waiting a letter."""
    letter_us = 0.3 + states * states * shaped.pieces / 1e5
    return max(16, int(LAUNCH_US / letter_us))


def automatic_piece(states: int, letters: int, multiprocessors: int) -> int:
    """Letters of a piece: short for many states, which forget their start soon and fill a multiprocessor each."""
    if states > WARP:
        return max(64, -(-letters // (4 * multiprocessors)))
    return max(256, -(-letters // (8 * multiprocessors)))
