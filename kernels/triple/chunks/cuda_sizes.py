"""Sizes of the GPU backend: tiles, shared memory, faces, slices, the bytes they need. Nothing here needs a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels.cuda.events import EVENT
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.memory import Footprint
from antidiag.kernels.triple.chunks.cuda_sources import PART, PIECES
from antidiag.kernels.triple.grid import Grid, Kind
from antidiag.kernels.triple.model import TripleProblem

WIDTH, HEIGHT = 32, 64
"""s and h where the user does not choose: 64 threads a chunk, so that a multiprocessor has many chunks at a time."""
BATCH = {False: 8, True: 4}
"""Layers of faces that are fetched at a time, without and with affine gaps: more would not fit the registers."""
BLOCKS = {False: 8, True: 4}
"""Blocks of 64 threads that fit a multiprocessor, without and with affine gaps."""
MOST_SHARED = 232_448
"""Bytes of shared memory that a block can have on the GPUs that have most."""
WARP = 32
STATIC_SHARED = 64
"""Bytes of it that kernels have at most beside Store: the number and the part that a block has taken (path.cu)."""
MOST_BLOCKS = 128
"""Blocks that compute parts of the path at a time; each needs room for the moves of a box."""

CELLS = {False: 60_000_000, True: 12_000_000}
"""Cells that a multiprocessor computes in a launch, without and with local starts: 20 to 60 ms on an H200, so that
slower cards stay below a quarter of a second. A quarter of it with affine gaps, and for LAYERED, in which most
threads wait; and a quarter where a thread computes one cell a step."""
LETTERS = {"tiles": 128, "cells": 256}
"""Letters of the third sequence in shared memory: of all layers that are computed at a time, and two batches."""
RINGS = 16, 32, 64, 128
"""Layers of faces in shared memory (RING in cube.cuh)."""
MOST_THREADS = 1024


@dataclass(frozen=True, slots=True)
class Shape:
    """What kernels are compiled for (cube.cuh)."""

    s: int
    tile: int
    mapping: str
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
    def cells(self) -> bool:
        """Whether a thread computes one cell a step (cells.cuh), as published."""
        return self.mapping == "cells"

    @property
    def threads(self) -> int:
        if self.cells and self.layered:
            return -(-self.s // WARP) * WARP
        return min(self.side**2, MOST_THREADS)

    @property
    def batch(self) -> int:
        return BATCH[self.affine]

    @property
    def blocks(self) -> int:
        """Blocks that should fit a multiprocessor, for which the compiler saves registers."""
        return BLOCKS[self.affine] if self.threads == 64 and not self.starts and not self.cells else 1

    @property
    def parts(self) -> int:
        return 4 if self.affine else 1

    @property
    def steps_a_batch(self) -> int:
        return self.batch * (2 * self.side - 1) if self.layered else self.batch

    def steps(self, layers: int) -> int:
        """Steps in which a chunk of so many layers is computed: in each, a thread has a tile of a layer, or none."""
        return layers * (2 * self.side - 1) if self.layered else layers + 2 * (self.side - 1)

    def defines(self, moves: bool) -> dict[str, int]:
        """Compile-time constants; a box that is computed again for its moves needs no starts."""
        return {
            "S": self.s,
            "TILE": self.tile,
            "BATCH": self.batch,
            "LETTERS": LETTERS[self.mapping],
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
        """Dynamic shared memory of a block (Store in batches.cuh)."""
        starts = 2 if self.starts and not moves else 1
        faces = self.ring * self.parts * (2 * self.s + 4)
        passed = self._passed_by_cells(starts) if self.cells else self._passed_by_tiles(starts)
        return 4 * (letters * (2 * self.s + 4) + LETTERS[self.mapping] + faces + passed)

    @property
    def ring(self) -> int:
        """Layers of faces in shared memory: those at the edges that are computed at a time, and two batches."""
        spread = 1 if self.cells and self.layered else self.side if self.cells else self.side - 1
        return next(size for size in RINGS if spread + 2 * self.batch <= size)

    def _passed_by_tiles(self, starts: int) -> int:
        """Numbers that threads leave for each other: last rows, last columns and corners, twice."""
        values = self.parts * starts
        edge = values * (self.s + 4) + (4 if values > 1 else 0)
        return 2 * self.side * (values * (self.s + self.side) + edge)

    def _passed_by_cells(self, starts: int) -> int:
        """The values of two layers or four planes, a value for each move that leaves a cell; the columns' letters."""
        ages, values = 2 if self.layered else 4, (7 if self.affine else 1) * starts
        return ages * values * self.s * (self.s + 2) + self.s


def shape(grid: Grid, kind: Kind, affine: bool, mapping: str = "tiles") -> Shape:
    """Tiles are 4 x 4, and 2 x 2 where four values and their starts would not fit the registers of a thread."""
    small = affine and kind.starts and grid.s <= 32
    tile = 1 if mapping == "cells" else 2 if small else 4
    flags = kind.layered, affine, kind.keeps, kind.starts, kind.subchunks, kind.local
    return Shape(grid.s, tile, mapping, *flags)


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


def chunks_a_launch(grid: Grid, shape: Shape, multiprocessors: int) -> int:
    """Chunks of a launch that stays short, at least as many as there are multiprocessors twice."""
    slower = (4 if shape.affine else 1) * (4 if shape.layered else 1) * (4 if shape.cells else 1)
    cells = CELLS[shape.starts] // slower * multiprocessors
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
            f"s={shape.s}: with these gap costs and mapping={shape.mapping} a chunk needs {needed:,} bytes of shared "
            f"memory, and no GPU has more than {MOST_SHARED:,}; choose a smaller s"
        )


def footprint(problem: TripleProblem, grid: Grid, kind: Kind, mapping: str) -> Footprint:
    """Bytes of a run on a GPU."""
    affine = problem.affine
    numbers = face_numbers(grid, kind, affine)
    letters = int(np.count_nonzero(sum(np.bincount(codes, minlength=256) for codes in problem.codes))) + 1
    refuse_wide(shape(grid, kind, affine, mapping), letters)
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
