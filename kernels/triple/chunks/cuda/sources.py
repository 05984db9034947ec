"""Sources of the device code of three sequences, and the structs and constants that it shares with Python."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from antidiag.kernels.cuda.step_events import EVENT
from antidiag.kernels.cuda.structs import DeviceConstants, DeviceStruct

CUBE = DeviceStruct(
    "Cube",
    """
    const unsigned char *is, *js, *ks;           // letters with the front letter, ni, nj, nk
    const int* table;                            // scores, letters x letters
    int letters, ni, nj, nk;
    int open;                                    // cost, as a positive number
    int rows, columns, h, boxes;                 // chunks, layers of a subchunk, subchunks of a chunk
""",
)
FACES = DeviceStruct(
    "Faces",
    """                                   // starts and bottoms are of no use where there are none
    Word *south, *east;
    int *bottom, *south_starts, *east_starts, *bottom_starts;
""",
)
SLICE = DeviceStruct("Slice", " int first, last; ")
"""Numbers of chunks."""
PART = DeviceStruct(
    "Part",
    """                                    // of the path
    int row, column;                             // chunk
    int i, j, k, after;                          // where it ends, and the move that leaves that cell
    int start_i, start_j, start_k;               // where it begins, as phase 2 found it
    int count, done, unused;                     // moves so far; whether all were found
""",
)
PARTS = DeviceStruct(
    "Parts",
    """                                   // those that a launch computes again, and what is made of them
    Part* parts;
    int count;
    unsigned* ticket;
    Move* moves;                                 // of all cells of a box, for each block
    long long box_cells;
    unsigned char* found;                        // the moves of each part, backwards, from places[part] on
    const long long* places;
    int stop, most;                              // where a part ends; boxes of a part in a launch
""",
)
STOP_BOX, STOP_CHUNK, STOP_START = 0, 1, 2
"""Where a part of the path ends: with its box, with its chunk, at the start of the path."""
EVENTS_PER_CHUNK = 4
"""Events of the step log for each chunk."""


@cache
def list_sources(kernel: str, affine: bool, mapping: str) -> tuple[Path | DeviceStruct | DeviceConstants, ...]:
    """List the sources of "layered", "sloped" or "path"; ``mapping`` is "tiles" or "cells"."""
    here = Path(__file__).parent
    shared = (
        CUBE,
        here / "words.cuh",
        FACES,
        DeviceConstants.from_values(PIECES=EVENTS_PER_CHUNK),
        EVENT,
        here / "cube.cuh",
        here / ("affine.cuh" if affine else "linear.cuh"),
        here / "batches.cuh",
        here / f"{mapping}.cuh",
    )
    if kernel != "path":
        return *shared, SLICE, here / "sweep.cuh", here / f"{kernel}.cu"
    stops = DeviceConstants.from_values(STOP_BOX=STOP_BOX, STOP_CHUNK=STOP_CHUNK, STOP_START=STOP_START)
    return *shared, PART, PARTS, stops, here / "path.cu"
