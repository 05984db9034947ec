"""Sizes of the GPU backend: tiles, shared memory, faces, slices, the bytes they need. Nothing here needs a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernels.cuda.events import EVENT
from kernels.errors import ParameterError
from kernels.memory import Footprint
from kernels.triple.chunks.cuda_sources import LETTERS, PART, PIECES
from kernels.triple.grid import Grid, Kind
from kernels.triple.model import TripleProblem

WIDTH, HEIGHT = 32, 64
"""s and h where the user does not choose: 64 threads a chunk, so that a multiprocessor has many chunks at a time."""
BATCH = {False: 8, True: 4}
"""Layers of faces that are fetched at a time, without and with affine gaps: more would not fit the registers."""
BLOCKS = {False: 8, True: 4}
"""Blocks of 64 threads that fit a multiprocessor, without and with affine gaps."""
MOST_SHARED = 232_448
"""Bytes of shared memory that a block can have on the GPUs that have most."""
STATIC_SHARED = 64
"""Bytes of it that kernels have at most beside Store: the number and the part that a block has taken (path.cu)."""
MOST_BLOCKS = 128
"""Blocks that compute parts of the path at a time; each needs room for the moves of a box."""

CELLS = {False: 60_000_000, True: 12_000_000}
"""Cells that a multiprocessor computes in a launch, without and with local starts: 20 to 60 ms on an H200, so that
slower cards stay below a quarter of a second. A quarter of it with affine gaps, and for LAYERED, in which most
threads wait."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What kernels are compiled for (cube.cuh)."""

    s: int
    tile: int
    layered: bool
    affine: bool
    keeps: bool
    starts: bool
    subchunks: bool
    local: bool

    @property
    def side(self) -> int:
        return self.s // self.tile

    @property
    def threads(self) -> int:
        return self.side**2

    @property
    def batch(self) -> int:
        return BATCH[self.affine]

    @property
    def blocks(self) -> int:
        """Blocks that should fit a multiprocessor, for which the compiler saves registers."""
        return BLOCKS[self.affine] if self.threads == 64 and not self.starts else 1

    @property
    def parts(self) -> int:
        return 4 if self.affine else 1

    @property
    def steps_a_batch(self) -> int:
        return self.batch * (2 * self.side - 1) if self.layered else self.batch

    def steps(self, layers: int) -> int:
        """Steps in which a chunk of so many layers is computed: of all threads, each a tile of one layer, or none."""
        return layers * (2 * self.side - 1) if self.layered else layers + 2 * (self.side - 1)

    def defines(self, moves: bool) -> dict[str, int]:
        """Compile-time constants; a box that is computed again for its moves needs no starts."""
        return {
            "S": self.s,
            "TILE": self.tile,
            "BATCH": self.batch,
            "BLOCKS": self.blocks,
            "LAYERED": int(self.layered),
            "AFFINE": int(self.affine),
            "KEPT": int(self.keeps),
            "STARTS": int(self.starts and not moves),
            "MOVES": int(moves),
            "SUBCHUNKS": int(self.subchunks and not moves),
            "LOCAL": int(self.local and not moves),
        }

    def shared_bytes(self, letters: int, moves: bool) -> int:
        """Dynamic shared memory of a block (Store in chunk.cuh)."""
        ring = next(size for size in (16, 32, 64) if self.side - 1 + 2 * self.batch <= size)
        values = self.parts * (2 if self.starts and not moves else 1)
        faces = ring * self.parts * (2 * self.s + 4)
        edge = values * (self.s + 4) + (4 if values > 1 else 0)
        passed = 2 * self.side * (values * (self.s + self.side) + edge)
        return 4 * (letters * (2 * self.s + 4) + LETTERS + faces + passed)


def shape(grid: Grid, kind: Kind, affine: bool) -> Shape:
    """Tiles are 4 x 4, and 2 x 2 where four values and their starts would not fit the registers of a thread."""
    small = affine and kind.starts and grid.s <= 32
    return Shape(grid.s, 2 if small else 4, kind.layered, affine, kind.keeps, kind.starts, kind.subchunks, kind.local)


def automatic(problem: TripleProblem, kind: Kind) -> Mapping[str, Any]:
    """Chunk width and height of subchunks of a GPU; ``threads`` belongs to the CPU."""
    longest = max(problem.lengths[:2])
    # Subchunks that are computed one after another are smaller than those that are computed all at once.
    height = HEIGHT if kind.starts else HEIGHT // 2
    return {"s": 16 if longest < 64 else WIDTH, "h": height, "threads": 1}


def pieces(shape: Shape, layers: int) -> np.ndarray:
    """The steps after which the events of a chunk end (Logging in sweep.cuh): with 0, PIECES + 1 numbers."""
    steps = shape.steps(layers)
    batches = -(-steps // shape.steps_a_batch)
    ends = -(-batches * np.arange(PIECES + 1) // PIECES) * shape.steps_a_batch
    return np.minimum(ends, steps)


def word_bytes(kind: Kind) -> int:
    """Bytes of a word of a face in phase 1: faces that are overwritten say who wrote each word (cube.cuh)."""
    return 4 if kind.keeps else 8


def face_numbers(grid: Grid, kind: Kind, affine: bool) -> dict[str, int]:
    """Numbers of the faces southwards, eastwards and down, at least one each."""
    parts = 4 if affine else 1
    south = max(grid.rows - 1, 0) * grid.columns if kind.keeps else grid.columns
    east = grid.chunks if kind.keeps else grid.rows
    layers = grid.cells[2] * parts
    return {
        "south": max(south * layers * grid.s, 2),
        "east": east * layers * (grid.s + 4),
        "bottom": grid.chunks * grid.boxes * parts * grid.s**2 if kind.subchunks else 2,
    }


def chunks_a_launch(grid: Grid, kind: Kind, affine: bool, multiprocessors: int) -> int:
    """Chunks of a launch that stays short, at least as many as there are multiprocessors twice."""
    cells = CELLS[kind.starts] // (4 if affine else 1) // (4 if kind.layered else 1) * multiprocessors
    return max(cells // (grid.s**2 * grid.cells[2]), 1)


def parts_bound(grid: Grid, kind: Kind) -> int:
    """Most parts that a path can have: it never goes back."""
    if not kind.starts:
        return 1
    return grid.rows + grid.columns + (grid.boxes if kind.local else 0)


def move_bytes(grid: Grid, affine: bool) -> int:
    """Bytes of the moves of a box."""
    return (4 if affine else 1) * grid.s**2 * grid.h


def blocks_of_parts(grid: Grid, kind: Kind) -> int:
    """Blocks that compute parts of the path at a time."""
    return min(parts_bound(grid, kind), MOST_BLOCKS)


def refuse_wide(shape: Shape, letters: int) -> None:
    """ParameterError where no GPU has the shared memory for chunks so wide."""
    needed = shape.shared_bytes(letters, False) + STATIC_SHARED
    if needed > MOST_SHARED:
        raise ParameterError(
            f"s={shape.s}: with these gap costs a chunk needs {needed:,} bytes of shared memory, and no GPU has more "
            f"than {MOST_SHARED:,}; choose a smaller s"
        )


def footprint(problem: TripleProblem, grid: Grid, kind: Kind) -> Footprint:
    """Bytes of a run on a GPU."""
    affine = problem.affine
    numbers = face_numbers(grid, kind, affine)
    letters = int(np.count_nonzero(sum(np.bincount(codes, minlength=256) for codes in problem.codes))) + 1
    refuse_wide(shape(grid, kind, affine), letters)
    device = {
        "sequences": sum(grid.cells) + 4 * letters**2,
        "faces of chunks": word_bytes(kind) * (numbers["south"] + numbers["east"]),
        "bottoms of subchunks": 4 * numbers["bottom"],
        "step log": EVENT.dtype.itemsize * PIECES * grid.chunks,
    }
    if kind.starts:
        device["local starts"] = device["faces of chunks"] + (device["bottoms of subchunks"] if kind.local else 8)
    path = 2 * sum(grid.cells)
    if kind.keeps:
        device["moves of boxes"] = blocks_of_parts(grid, kind) * move_bytes(grid, affine)
        device["path"] = path + parts_bound(grid, kind) * (PART.dtype.itemsize + 8 + EVENT.dtype.itemsize)
    log = EVENT.dtype.itemsize * PIECES * grid.chunks
    return Footprint({"sequences": sum(grid.cells), "step log": log, "path": path if kind.keeps else 0}, device)
