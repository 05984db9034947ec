"""The parameters of the methods of three sequences, as they are declared and as a run reads them."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.parameters import Parameter
from antidiag.kernels.triple.grid import WIDEST

CHUNK_WIDTH = Parameter(
    name="s",
    kind="int",
    label="Chunk width s",
    help="Rows and columns of a chunk. Wide chunks pass fewer cells through memory; narrow ones let more chunks run at "
    "once. No chunk is wider than the sequences.",
    minimum=16,
    maximum=WIDEST,
    step=16,
    unit="cells",
)
SUBCHUNK_HEIGHT = Parameter(
    name="h",
    kind="int",
    label="Subchunk height h",
    help="Layers of a subchunk. Its bottom face is kept, so that phase 3 begins there: low subchunks recompute fewer "
    "cells, high ones keep fewer faces.",
    minimum=8,
    maximum=8192,
    step=8,
    unit="layers",
)
THREADS = Parameter(
    name="threads",
    kind="int",
    label="Threads",
    help="Worker threads, each computing one chunk at a time. On a GPU s and the mapping decide.",
    minimum=1,
    maximum=1024,
    unit="threads",
    backends=("cpu",),
)
MAPPING = Parameter(
    name="mapping",
    kind="choice",
    label="Mapping",
    help="GPU: what a thread computes in a step. tiles: 4 x 4 columns of cells, kept in registers (Antidiag's own). "
    "cells: one cell, with the last layers or planes in shared memory, as published.",
    default="tiles",
    choices=("tiles", "cells"),
    backends=("cuda",),
)


@dataclass(frozen=True, slots=True)
class ChunkParameters:
    """Chunk width, subchunk height (None: chunks are not cut), threads of the CPU, and mapping of the GPU."""

    s: int
    h: int | None = None
    threads: int = 1
    mapping: str = "tiles"
