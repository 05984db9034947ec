"""Sizes of the GPU backend: tiles, shared memory, faces, launches, and bytes. Nothing here needs a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels.cuda.step_events import EVENT
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.memory import Footprint
from antidiag.kernels.triple.chunks.cuda.sources import EVENTS_PER_CHUNK, PART
from antidiag.kernels.triple.grid import ChunkGrid, ChunkKind, choose_height
from antidiag.kernels.triple.model import TripleProblem
from antidiag.kernels.triple.parameters import HEIGHT_STEP, WIDTH_STEP, ChunkParameters

DEFAULT_WIDTH, DEFAULT_HEIGHT = 32, 64
"""Default s and h: 64 threads per chunk, so that a multiprocessor has many chunks at a time."""
BATCH_LAYERS = {False: 8, True: 4}
"""Layers of faces that are fetched at a time, without and with affine gaps: more would not fit the registers."""
RESIDENT_BLOCKS = {False: 8, True: 4}
"""Blocks of 64 threads that fit a multiprocessor, without and with affine gaps."""
MOST_SHARED = 232_448
"""Most bytes of shared memory that a block can have on any GPU."""
WARP = 32
STATIC_SHARED = 64
"""Most bytes of shared memory that kernels use beside Store: the number and the part of a block (path.cu)."""
MOST_BLOCKS = 128
"""Blocks that compute parts of the path at a time; each needs memory for the moves of a box."""

LAUNCH_CELLS = {False: 60_000_000, True: 12_000_000}
"""Cells that a multiprocessor computes in a launch, without and with local starts.

They take 20 to 60 ms on an H200, so that slower GPUs stay below a quarter of a second. There are a quarter of them with
affine gaps, and for LAYERED, in which most threads wait; and a quarter where a thread computes one cell per step.
"""
LETTER_SLOTS = {"tiles": 128, "cells": 256}
"""Letters of the third sequence in shared memory: of all layers that are computed at a time, and two batches."""
RING_SIZES = 16, 32, 64, 128
"""Layers of faces in shared memory (RING in cube.cuh)."""
MOST_THREADS = 1024


@dataclass(frozen=True, slots=True)
class KernelShape:
    """Constants with which kernels are compiled (cube.cuh)."""

    s: int
    tile: int
    mapping: str
    has_affine_gaps: bool
    kind: ChunkKind
    whole_batches: bool = True

    @property
    def tiles_per_side(self) -> int:
        """Tiles along a side of a chunk."""
        return self.s // self.tile

    @property
    def one_cell_per_step(self) -> bool:
        """Whether a thread computes one cell per step (cells.cuh), as published."""
        return self.mapping == "cells"

    @property
    def threads(self) -> int:
        """Threads of a block."""
        if self.one_cell_per_step and self.kind.layered:
            return -(-self.s // WARP) * WARP
        return min(self.tiles_per_side**2, MOST_THREADS)

    @property
    def batch_layers(self) -> int:
        """Layers of faces that are fetched at a time."""
        return BATCH_LAYERS[self.has_affine_gaps]

    @property
    def resident_blocks(self) -> int:
        """Blocks that should fit a multiprocessor, for which the compiler saves registers."""
        return (
            RESIDENT_BLOCKS[self.has_affine_gaps]
            if self.threads == 64 and not self.kind.has_local_starts and not self.one_cell_per_step
            else 1
        )

    @property
    def part_count(self) -> int:
        """Values of a cell that cross a face."""
        return 4 if self.has_affine_gaps else 1

    @property
    def batch_steps(self) -> int:
        """Steps for which a batch of layers lasts."""
        return self.batch_layers * (2 * self.tiles_per_side - 1) if self.kind.layered else self.batch_layers

    def count_steps(self, layers: int) -> int:
        """Count the steps of a chunk of so many layers: in each, a thread has a tile of a layer, or none."""
        return layers * (2 * self.tiles_per_side - 1) if self.kind.layered else layers + 2 * (self.tiles_per_side - 1)

    def compile_constants(self, moves: bool) -> dict[str, int]:
        """Return compile-time constants; a box that is computed again for its moves needs no starts."""
        return {
            "S": self.s,
            "TILE": self.tile,
            "BATCH": self.batch_layers,
            "LETTERS": LETTER_SLOTS[self.mapping],
            "BLOCKS": self.resident_blocks,
            "LAYERED": int(self.kind.layered),
            "AFFINE": int(self.has_affine_gaps),
            "KEPT": int(self.kind.keeps_faces),
            "STARTS": int(self.kind.has_local_starts and not moves),
            "MOVES": int(moves),
            "SUBCHUNKS": int(self.kind.has_subchunks and not moves),
            "LOCAL": int(self.kind.starts_per_subchunk and not moves),
            "WHOLE": int(self.whole_batches),
        }

    def shared_bytes(self, letters: int, moves: bool) -> int:
        """Return the dynamic shared memory of a block (Store in batches.cuh)."""
        starts = 2 if self.kind.has_local_starts and not moves else 1
        faces = self.ring_layers * self.part_count * (2 * face_width(self.s) + 4)
        passed = self._count_cell_numbers(starts) if self.one_cell_per_step else self._count_tile_numbers(starts)
        return 4 * (letters * (2 * self.s + 4) + LETTER_SLOTS[self.mapping] + faces + passed)

    @property
    def ring_layers(self) -> int:
        """Layers of faces in shared memory: those at the edges that are computed at a time, and two batches."""
        spread = (
            1
            if self.one_cell_per_step and self.kind.layered
            else self.tiles_per_side
            if self.one_cell_per_step
            else self.tiles_per_side - 1
        )
        return next(size for size in RING_SIZES if spread + 2 * self.batch_layers <= size)

    def _count_tile_numbers(self, starts: int) -> int:
        """Count numbers that threads leave for each other: last rows, last columns and corners, twice."""
        values = self.part_count * starts
        edge = values * (self.s + 4) + (4 if values > 1 else 0)
        return 2 * self.tiles_per_side * (values * (self.s + self.tiles_per_side) + edge)

    def _count_cell_numbers(self, starts: int) -> int:
        """Count the values of two layers or four planes, one per leaving move, and the columns' letters."""
        ages, values = 2 if self.kind.layered else 4, (7 if self.has_affine_gaps else 1) * starts
        return ages * values * self.s * (self.s + 2 + self.s % 2) + self.s


def choose_kernel_shape(grid: ChunkGrid, kind: ChunkKind, affine: bool, mapping: str = "tiles") -> KernelShape:
    """Choose tiles of 4 x 4, or 2 x 2 where four values and their starts would not fit the registers of a thread."""
    small = affine and kind.has_local_starts and grid.s <= 32
    tile = 1 if mapping == "cells" else 2 if small else 4
    whole = grid.boxes == 1 or grid.h % BATCH_LAYERS[affine] == 0
    return KernelShape(grid.s, tile, mapping, affine, kind, whole)


def choose_parameters(problem: TripleProblem, kind: ChunkKind) -> Mapping[str, Any]:
    """Choose chunk width and subchunk height for a GPU; ``threads`` belongs to the CPU."""
    longest = max(problem.lengths[:2])
    # Subchunks that are computed one after another are smaller than those that are computed all at once.
    height = choose_height(problem.lengths[2], DEFAULT_HEIGHT if kind.has_local_starts else DEFAULT_HEIGHT // 2)
    return {"s": 16 if longest < 64 else DEFAULT_WIDTH, "h": height, "threads": 1}


def event_steps(shape: KernelShape, layers: int) -> np.ndarray:
    """Return the steps after which the events of a chunk end (Logging in batches.cuh), after a 0."""
    steps = shape.count_steps(layers)
    batches = -(-steps // shape.batch_steps)
    ends = -(-batches * np.arange(EVENTS_PER_CHUNK + 1) // EVENTS_PER_CHUNK) * shape.batch_steps
    return np.minimum(ends, steps)


def face_width(s: int) -> int:
    """Return the places of a row of a face: whole packs of four (FACE in cube.cuh)."""
    return -(-s // 4) * 4


def face_word_bytes(kind: ChunkKind) -> int:
    """Return the bytes of a face word in phase 1: faces that are overwritten mark each word's writer (cube.cuh)."""
    return 4 if kind.keeps_faces else 8


def count_face_numbers(grid: ChunkGrid, kind: ChunkKind, affine: bool) -> dict[str, int]:
    """Count the numbers of the faces southwards, eastwards and down, at least one each."""
    parts = 4 if affine else 1
    south = max(grid.rows - 1, 0) * grid.columns if kind.keeps_faces else grid.columns
    east = grid.chunks if kind.keeps_faces else grid.rows
    layers = grid.cells[2] * parts
    return {
        "south": max(south * layers * face_width(grid.s), 2),
        "east": east * layers * (face_width(grid.s) + 4),
        "bottom": grid.chunks * grid.boxes * parts * grid.s**2 if kind.has_subchunks else 2,
    }


def count_launch_chunks(grid: ChunkGrid, shape: KernelShape, multiprocessors: int) -> int:
    """Return the chunks of a launch that stays short."""
    slower = (
        (4 if shape.has_affine_gaps else 1) * (4 if shape.kind.layered else 1) * (4 if shape.one_cell_per_step else 1)
    )
    cells = LAUNCH_CELLS[shape.kind.has_local_starts] // slower * multiprocessors
    return max(cells // (grid.s**2 * grid.cells[2]), 1)


def bound_part_count(grid: ChunkGrid, kind: ChunkKind) -> int:
    """Bound the parts of a path: it never goes back."""
    if not kind.has_local_starts:
        return 1
    return grid.rows + grid.columns + (grid.boxes if kind.starts_per_subchunk else 0)


def box_move_bytes(grid: ChunkGrid, affine: bool) -> int:
    """Return the bytes of the moves of a box."""
    return (4 if affine else 1) * grid.s**2 * grid.h


def count_part_blocks(grid: ChunkGrid, kind: ChunkKind) -> int:
    """Return the blocks that compute parts of the path at a time."""
    return min(bound_part_count(grid, kind), MOST_BLOCKS)


def refuse_partial_tiles(parameters: ChunkParameters) -> None:
    """ParameterError where tiles do not fill a chunk, or batches of layers a subchunk."""
    if parameters.mapping == "cells":
        return
    for name, value, step in (("s", parameters.s, WIDTH_STEP), ("h", parameters.subchunk_height, HEIGHT_STEP)):
        if value is not None and value % step:
            raise ParameterError(
                f"{name}={value}: mapping=tiles takes multiples of {step}; choose one of these, or mapping=cells"
            )


def refuse_wide_chunks(shape: KernelShape, letters: int) -> None:
    """ParameterError where no GPU has the shared memory for chunks so wide."""
    needed = shape.shared_bytes(letters, False) + STATIC_SHARED
    if needed > MOST_SHARED:
        raise ParameterError(
            f"s={shape.s}: with these gap costs and mapping={shape.mapping} a chunk needs {needed:,} bytes of shared "
            f"memory, and no GPU has more than {MOST_SHARED:,}; choose a smaller s"
        )


def estimate_footprint(problem: TripleProblem, grid: ChunkGrid, kind: ChunkKind, mapping: str) -> Footprint:
    """Estimate the bytes of a run on a GPU."""
    affine = problem.has_affine_gaps
    numbers = count_face_numbers(grid, kind, affine)
    letters = int(np.count_nonzero(sum(np.bincount(codes, minlength=256) for codes in problem.codes))) + 1
    refuse_wide_chunks(choose_kernel_shape(grid, kind, affine, mapping), letters)
    device = {
        "sequences": sum(grid.cells) + 4 * letters**2,
        "faces of chunks": face_word_bytes(kind) * (numbers["south"] + numbers["east"]),
        "bottoms of subchunks": 4 * numbers["bottom"],
        "step log": EVENT.dtype.itemsize * EVENTS_PER_CHUNK * grid.chunks,
    }
    if kind.has_local_starts:
        device["local starts"] = device["faces of chunks"] + (
            device["bottoms of subchunks"] if kind.starts_per_subchunk else 8
        )
    path = 2 * sum(grid.cells)
    if kind.keeps_faces:
        device["moves of boxes"] = count_part_blocks(grid, kind) * box_move_bytes(grid, affine)
        device["path"] = path + bound_part_count(grid, kind) * (PART.dtype.itemsize + 8 + EVENT.dtype.itemsize)
    host = {"sequences": sum(grid.cells), "step log": device["step log"], "path": path if kind.keeps_faces else 0}
    return Footprint(host, device)
