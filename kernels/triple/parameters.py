"""Parameters of the methods of three sequences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from antidiag.kernels.parameters import GPU_ONLY, MethodParameters, parameter, thread_count
from antidiag.kernels.triple.grid import WIDEST

WIDTH_STEP, HEIGHT_STEP = 16, 8
"""Steps of s and h: whole vectors and tiles, and whole batches of layers on a GPU."""
ANY_NUMBER = "with mapping=cells"


@dataclass(frozen=True, kw_only=True)
class ChunkWidth(MethodParameters):
    """The chunks of a cube."""

    s: int = parameter(
        "Chunk width s",
        "Rows and columns of a chunk. Wide chunks pass fewer cells through memory; narrow ones let more chunks run at "
        "once. No chunk is wider than the sequences. On a CPU s is rounded up to a multiple of 16.",
        minimum=WIDTH_STEP,
        maximum=WIDEST,
        step=WIDTH_STEP,
        between_steps=ANY_NUMBER,
        unit="cells",
    )


@dataclass(frozen=True, kw_only=True)
class ChunkParameters(ChunkWidth):
    """Parameters of the methods that compute chunks."""

    threads: int = thread_count(
        "Worker threads, each computing one chunk at a time. On a GPU s and the mapping decide."
    )
    mapping: Literal["tiles", "cells"] = parameter(
        "Mapping",
        "GPU: what a thread computes in a step. tiles: 4 x 4 columns of cells, kept in registers (Antidiag's own). "
        "cells: one cell, with the last layers or planes in shared memory, as published; s and h can be any number.",
        default="tiles",
        backends=GPU_ONLY,
    )

    @property
    def subchunk_height(self) -> int | None:
        """Layers of a subchunk; None where chunks are not cut."""
        return None


@dataclass(frozen=True, kw_only=True)
class SubchunkHeight(ChunkWidth):
    """The subchunks of a chunk."""

    h: int = parameter(
        "Subchunk height h",
        "Layers of a subchunk. Its bottom face is kept, so that phase 3 begins there: low subchunks recompute fewer "
        "cells, high ones keep fewer faces.",
        minimum=HEIGHT_STEP,
        maximum=8192,
        step=HEIGHT_STEP,
        between_steps=ANY_NUMBER,
        unit="layers",
    )


@dataclass(frozen=True, kw_only=True)
class SubchunkParameters(ChunkParameters, SubchunkHeight):
    """Parameters of the methods that cut chunks into subchunks."""

    @property
    def subchunk_height(self) -> int | None:
        """Layers of a subchunk."""
        return self.h
