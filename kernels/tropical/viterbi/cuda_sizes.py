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

RESERVED_BYTES = 4096
"""Shared memory of a block that is not for rows of T."""

TOGETHER = (4, 2, 1)
"""Numbers of pieces that share each load of T."""

TRACED = 256
"""Letters of a piece of the path."""

RESIDENT_THREADS = 2048
"""Threads that a multiprocessor runs at a time."""

LAUNCH_US = 100_000
"""What a launch should take at most."""

JOINED = 1 << 36
"""Sums of one launch that joins products: about 0.1 s."""


def exact_in_32_bits(problem: HmmProblem) -> bool:
    """Whether rows of 32-bit integers, kept up to a constant, hold every cost exactly.

    They do where every transition is possible: then no finite number of a row is more than the dearest transition
    away from the least. They also do where the whole sequence cannot cost 2**29.
    """
    dense = bool(np.isfinite(problem.costs.transitions).all())
    return dense or (problem.n + 2) * STEP_LIMIT < INFINITE // 2


@dataclass(frozen=True)
class Shape:
    """A block has ``teams`` of ``width`` threads; a team works on ``per`` pieces.

    ``height`` rows of T are kept in shared memory, beside the rows of the pieces.
    """

    width: int
    teams: int
    per: int
    height: int
    shared_bytes: int

    @property
    def pieces(self) -> int:
        """Pieces of a block."""
        return self.teams * self.per


def shape(
    states: int, item_bytes: int, pieces: int, shared: bool, limit: int = SHARED_BYTES, multiprocessors: int = 1
) -> Shape:
    """The shape for a model: several pieces for each load of T, as long as there are blocks for the multiprocessors.

    With ``shared``, as much of T is kept in shared memory as ``limit`` bytes hold.
    """
    width = 8 if states <= 8 else 16 if states <= 16 else min(MOST_THREADS, -(-states // WARP) * WARP)
    per = next(
        per for per in TOGETHER
        if per == 1 or (2 * pieces >= per * multiprocessors and 4 * per * states * item_bytes <= SHARED_BYTES)
    )  # fmt: skip
    piece_bytes = 2 * states * item_bytes
    wanted = -(-pieces // (per * multiprocessors))
    fitting = min(BLOCK_THREADS // width, SHARED_BYTES // (per * piece_bytes))
    teams = max(WARP // min(width, WARP), min(wanted, fitting))
    row_bytes = teams * per * piece_bytes
    height = max(0, min(states, (limit - row_bytes - RESERVED_BYTES) // (states * item_bytes))) if shared else 0
    return Shape(width, teams, per, height, row_bytes + height * states * item_bytes)


def letters_a_launch(
    states: int, shaped: Shape, pieces: int = 1, multiprocessors: int = 1, limit: int = SHARED_BYTES
) -> int:
    """Letters that all pieces do in the time of a launch.

    A block does about 10 sums a nanosecond and waits 1 us a letter; a multiprocessor, with ``limit`` bytes of shared
    memory, runs few blocks at a time, and the others wait for their turn.
    """
    letter_us = 1.0 + states * states * shaped.pieces / 1e4
    resident = min(RESIDENT_THREADS // (shaped.teams * shaped.width), limit // max(shaped.shared_bytes, 1))
    turns = -(-pieces // (shaped.pieces * multiprocessors * max(1, resident)))
    return max(1, int(LAUNCH_US / (letter_us * turns)))


def automatic_piece(states: int, letters: int, multiprocessors: int) -> int:
    """Letters of a piece: enough pieces for all multiprocessors, but not so short that all is corrected afterwards."""
    blocks = 4 if states > WARP else 32
    return max(64 if states > WARP else 256, -(-letters // (blocks * multiprocessors)))
