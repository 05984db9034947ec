"""Shapes of kernels, pieces and launches over hidden Markov models. Nothing here imports CuPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.hmm.model.problem import STEP_LIMIT, HmmProblem
from antidiag.kernels.semiring import INFINITE

WARP = 32
MOST_THREADS = 1024
BLOCK_THREADS = 256
SHARED_BYTES = 48 * 1024
"""Shared memory that every GPU gives a block by default."""

RESERVED_BYTES = 4096
"""Shared memory of a block that is not used for rows of T."""

SHARED_LOADS = (4, 2, 1)
"""Numbers of pieces that may share each load of T."""

TRACEBACK_LETTERS = 256
"""Letters of a piece of the path that a warp traces back."""

MOST_PIECE = 128
"""Most letters of a piece that the program chooses."""

UNSCALED, SCALED_BY_FACTOR, SCALED_BY_POWER = 0, 1, 2
"""How rows are scaled: NORMALISE of the device code."""

SCALE_EXPONENT = 800
"""Sums of probabilities are kept near 2 to this power: far below the largest number, and farther above the smallest."""

FEW_STATES = 32
"""Up to this many states, sums over all paths multiply matrices; above it, correcting guessed rows costs less."""

SLICE_TEAMS = 8192
"""Most slices of a sequence, each for a team of lanes, in sums letter by letter."""

PAIR_SLICES = 256
"""Most slices of a sequence, each for some blocks, in the count of transitions."""

BATCH_CELLS = 1 << 25
"""Letters times states of the sequences that are counted in one batch."""

PAIR_CELLS = 1 << 34
"""Products of one launch in the count of transitions: at most 0.1 s on a GPU that is slow in 64 bits."""

SLICE_BYTES = 1 << 26
"""Most bytes of the tables that slices fill."""

RESIDENT_THREADS = 2048
"""Threads that a multiprocessor runs at a time."""

LAUNCH_US = 100_000
"""Longest time of a launch."""

SLAB_ROWS = 16
"""Rows of a slab of a matrix in shared memory (DEPTH in products.cu)."""

LINE_SIZES = (8, 16, 32, 64, 128, 256)
"""Numbers of threads that may share a row of a matrix."""

FEW_PRODUCT_STATES = 128
"""Up to this many states a thread has one row of the product, so that rows are spread over more blocks."""

JOIN_SUMS = 1 << 36
"""Sums of one launch that joins products: about 0.1 s."""

SCALED_JOIN_SUMS = 1 << 30
"""The same where every number is scaled, in 64 bits on a GPU that is slow at them."""


def exact_in_32_bits(problem: HmmProblem) -> bool:
    """Return whether rows of 32-bit integers, kept up to a constant, hold every cost exactly.

    They do where every transition is possible: then no finite number of a row is more than the dearest transition above
    the least. They also do where the whole sequence cannot cost 2**29.
    """
    dense = bool(np.isfinite(problem.step_costs.transitions).all())
    return dense or (problem.n + 2) * STEP_LIMIT < INFINITE // 2


@dataclass(frozen=True)
class TeamShape:
    """A block has ``teams`` of ``width`` threads; a team works on ``per`` pieces.

    ``height`` rows of T are kept in shared memory, beside the rows of the pieces.
    """

    width: int
    teams: int
    pieces_per_team: int
    shared_rows: int
    shared_bytes: int

    @property
    def block_pieces(self) -> int:
        """Pieces of a block."""
        return self.teams * self.pieces_per_team


def choose_team_shape(
    states: int, item_bytes: int, pieces: int, shared: bool, shared_limit: int = SHARED_BYTES, multiprocessors: int = 1
) -> TeamShape:
    """Choose the shape for a model: several pieces share each load of T, while there are blocks for the
    multiprocessors.

    With ``shared``, as many rows of T are kept in shared memory as ``limit`` bytes hold.
    """
    width = 8 if states <= 8 else 16 if states <= 16 else min(MOST_THREADS, -(-states // WARP) * WARP)
    piece_bytes = 2 * states * item_bytes
    enough = (
        per for per in SHARED_LOADS if 2 * pieces >= per * multiprocessors and 2 * per * piece_bytes <= SHARED_BYTES
    )
    per = next(enough, 1)
    wanted = -(-pieces // (per * multiprocessors))
    fitting = min(BLOCK_THREADS // width, SHARED_BYTES // (per * piece_bytes))
    teams = max(WARP // min(width, WARP), min(wanted, fitting))
    row_bytes = teams * per * piece_bytes
    height = max(0, min(states, (shared_limit - row_bytes - RESERVED_BYTES) // (states * item_bytes))) if shared else 0
    return TeamShape(width, teams, per, height, row_bytes + height * states * item_bytes)


@dataclass(frozen=True)
class ProductsShape:
    """A group of ``line`` threads has ``per`` rows of the product of matrices (products.cu)."""

    states: int
    line_threads: int
    rows_per_group: int
    item_bytes: int
    threads: int = BLOCK_THREADS

    @property
    def block_rows(self) -> int:
        """Rows of a block."""
        return self.threads // self.line_threads * self.rows_per_group

    @property
    def shared_bytes(self) -> int:
        """Dynamic shared memory: two slabs, and all rows, twice."""
        return (
            2
            * self.item_bytes
            * (SLAB_ROWS * self.line_threads + self.block_rows * -(-self.states // SLAB_ROWS) * SLAB_ROWS)
        )

    def estimate_letter_us(self, blocks: int, multiprocessors: int) -> float:
        """Estimate the time of a letter: a slab takes a block about 0.2 us, and few blocks run at a time."""
        slabs = -(-self.states // SLAB_ROWS) * -(-self.states // self.line_threads)
        return 0.2 * slabs * (self.item_bytes // 4) * -(-blocks // multiprocessors)


def choose_product_shape(states: int, item_bytes: int, shared_limit: int) -> ProductsShape:
    """Choose the shape for a model: each load of a matrix serves several rows where matrices are large.

    MemoryRefused where ``limit`` bytes of shared memory do not hold the rows of a block.
    """
    line = next(size for size in LINE_SIZES if states <= size or size == LINE_SIZES[-1])
    for per in (4, 1) if states > FEW_PRODUCT_STATES else (1,):
        shaped = ProductsShape(states, line, per, item_bytes)
        if shaped.shared_bytes + RESERVED_BYTES <= shared_limit:
            return shaped
    raise MemoryRefused(
        f"{states:,} states need {shaped.shared_bytes + RESERVED_BYTES:,} bytes of shared memory, and this GPU has "
        f"{shared_limit:,}; choose TropMatVecProd in pieces"
    )


def count_launch_letters(
    states: int,
    shape: TeamShape,
    pieces: int = 1,
    multiprocessors: int = 1,
    shared_limit: int = SHARED_BYTES,
    slower: int = 1,
) -> int:
    """Return how many letters all pieces do in the time of a launch.

    A block does about 10 sums a nanosecond, ``slower`` times fewer in 64 bits, and waits 1 us per letter. A
    multiprocessor with ``limit`` bytes of shared memory runs few blocks at a time; the others wait.
    """
    letter_us = 1.0 + states * states * shape.block_pieces * slower / 1e4
    resident = min(RESIDENT_THREADS // (shape.teams * shape.width), shared_limit // max(shape.shared_bytes, 1))
    turns = -(-pieces // (shape.block_pieces * multiprocessors * max(1, resident)))
    return max(1, int(LAUNCH_US / (letter_us * turns)))


def choose_piece(states: int, letters: int, multiprocessors: int) -> int:
    """Choose the letters of a piece: enough pieces for all multiprocessors, but long enough to need few corrections.

    On an H200 the best are between 32 and 128, whatever the model and the length of the sequence.
    """
    blocks, least = (16, 32) if states > WARP else (64, 64)
    return min(MOST_PIECE, max(least, -(-letters // (blocks * multiprocessors))))


def count_team_lanes(states: int) -> int:
    """Return how many lanes share a letter in sums over all paths."""
    return 8 if states <= 8 else 16 if states <= 16 else WARP


def count_slice_letters(letters: int, table_bytes: int = 0) -> int:
    """Return the letters of a slice; each slice fills a table of ``table_bytes``."""
    slices = max(1, min(SLICE_TEAMS, SLICE_BYTES // table_bytes if table_bytes else SLICE_TEAMS))
    return max(16, -(-letters // slices))


def count_thread_pairs(states: int) -> int:
    """Return the rows and columns of a thread's sums of transitions."""
    return 1 if states <= 16 else 2 if states <= 32 else 4


def count_pair_slices(states: int, letters: int) -> int:
    """Return the slices of the letters in the count of transitions."""
    return max(1, min(PAIR_SLICES, SLICE_BYTES // (8 * states**2), letters // 64))


def group_sequences(lengths: Sequence[int], states: int) -> list[list[int]]:
    """Group the numbers of sequences into batches that are counted together, in order, without empty sequences."""
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
