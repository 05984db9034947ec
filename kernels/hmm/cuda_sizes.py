"""Shapes of the kernels of Viterbi, without importing CuPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.hmm.problem import STEP_LIMIT, HmmProblem
from antidiag.kernels.semiring import INFINITE

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

MOST_PIECE = 128
"""Letters of a piece of rows, at most, where the user leaves it to the program."""

AS_THEY_ARE, UP_TO_A_FACTOR, UP_TO_A_POWER = 0, 1, 2
"""How rows are kept: NORMALISE of the device code."""

RAISED = 800
"""Sums of probabilities are kept near 2 to this power: far below the largest number, and further above the smallest."""

FEW = 32
"""Up to so many states, sums over all paths multiply matrices; with more, guessed rows that are corrected cost less."""

SLICE_TEAMS = 8192
"""Slices of a sequence, each for some lanes, in what is summed letter by letter."""

PAIR_SLICES = 256
"""Slices of a sequence, each for some blocks, in the count of transitions."""

BATCH_CELLS = 1 << 25
"""Rows times states of sequences that are counted together."""

PAIR_CELLS = 1 << 34
"""Products of one launch in the count of transitions: at most 0.1 s on a card that is slow in 64 bits."""

SLICE_BYTES = 1 << 26
"""Most bytes of the tables that such slices fill."""

RESIDENT_THREADS = 2048
"""Threads that a multiprocessor runs at a time."""

LAUNCH_US = 100_000
"""What a launch should take at most."""

SLAB = 16
"""Rows of a slab of a matrix in shared memory (DEPTH of products.cu)."""

LINES = (8, 16, 32, 64, 128, 256)
"""Threads that go along a row of a matrix."""

FEW_ROWS = 128
"""Up to so many states a thread has one row of the product, so that the rows are spread over more blocks."""

JOINED = 1 << 36
"""Sums of one launch that joins products: about 0.1 s."""

SCALED_AND_JOINED = 1 << 30
"""The same where every number is scaled, in 64 bits on a card that is slow at them."""


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


@dataclass(frozen=True)
class ProductsShape:
    """A group of ``line`` threads has ``per`` rows of the product of matrices (products.cu)."""

    states: int
    line: int
    per: int
    item_bytes: int
    threads: int = BLOCK_THREADS

    @property
    def rows(self) -> int:
        """Rows of a block."""
        return self.threads // self.line * self.per

    @property
    def shared_bytes(self) -> int:
        """Dynamic shared memory: two slabs, and all rows, twice."""
        return 2 * self.item_bytes * (SLAB * self.line + self.rows * -(-self.states // SLAB) * SLAB)

    def letter_us(self, blocks: int, multiprocessors: int) -> float:
        """What a letter takes, about: a slab is some 0.2 us of a block, and few blocks run at a time."""
        slabs = -(-self.states // SLAB) * -(-self.states // self.line)
        return 0.2 * slabs * (self.item_bytes // 4) * -(-blocks // multiprocessors)


def products_shape(states: int, item_bytes: int, limit: int) -> ProductsShape:
    """The shape for a model: each load of a matrix serves several rows where matrices are large.

    MemoryRefused where ``limit`` bytes of shared memory do not hold the rows of a block.
    """
    line = next(size for size in LINES if states <= size or size == LINES[-1])
    for per in (4, 1) if states > FEW_ROWS else (1,):
        shaped = ProductsShape(states, line, per, item_bytes)
        if shaped.shared_bytes + RESERVED_BYTES <= limit:
            return shaped
    raise MemoryRefused(
        f"{states:,} states need {shaped.shared_bytes + RESERVED_BYTES:,} bytes of shared memory, and this GPU has "
        f"{limit:,}; choose TropMatVecProd in pieces"
    )


def letters_a_launch(
    states: int, shaped: Shape, pieces: int = 1, multiprocessors: int = 1, limit: int = SHARED_BYTES, slower: int = 1
) -> int:
    """Letters that all pieces do in the time of a launch.

    A block does about 10 sums a nanosecond, ``slower`` times fewer in 64 bits, and waits 1 us a letter. A
    multiprocessor, with ``limit`` bytes of shared memory, runs few blocks at a time; the others wait for their turn.
    """
    letter_us = 1.0 + states * states * shaped.pieces * slower / 1e4
    resident = min(RESIDENT_THREADS // (shaped.teams * shaped.width), limit // max(shaped.shared_bytes, 1))
    turns = -(-pieces // (shaped.pieces * multiprocessors * max(1, resident)))
    return max(1, int(LAUNCH_US / (letter_us * turns)))


def automatic_piece(states: int, letters: int, multiprocessors: int) -> int:
    """Letters of a piece: enough pieces for all multiprocessors, but not so short that all is corrected afterwards.

    On an H200 the best are between 32 and 128, whatever the model and however long the sequence is.
    """
    blocks, least = (16, 32) if states > WARP else (64, 64)
    return min(MOST_PIECE, max(least, -(-letters // (blocks * multiprocessors))))


def team(states: int) -> int:
    """Lanes that share a letter in sums over all paths."""
    return 8 if states <= 8 else 16 if states <= 16 else WARP


def slice_letters(letters: int, table_bytes: int = 0) -> int:
    """Letters of a slice, of which each fills a table of so many bytes."""
    slices = max(1, min(SLICE_TEAMS, SLICE_BYTES // table_bytes if table_bytes else SLICE_TEAMS))
    return max(16, -(-letters // slices))


def pairs_per_thread(states: int) -> int:
    """Rows and columns of a thread's sums of transitions."""
    return 1 if states <= 16 else 2 if states <= 32 else 4


def pair_slices(states: int, letters: int) -> int:
    """Slices of the letters in the count of transitions."""
    return max(1, min(PAIR_SLICES, SLICE_BYTES // (8 * states**2), letters // 64))


def batches(lengths: Sequence[int], states: int) -> list[list[int]]:
    """Numbers of the sequences that are counted together, in order; sequences without letters are left out."""
    found: list[list[int]] = []
    room = 0
    for number, length in enumerate(lengths):
        if not length:
            continue
        if not found or length > room:
            found.append([])
            room = BATCH_CELLS // states
        found[-1].append(number)
        room -= length
    return found
