"""Kernels of pair batches, and the structs that they share with Python."""

from __future__ import annotations

from pathlib import Path

from antidiag.kernels.cuda.structs import DeviceStruct

HERE = Path(__file__).parent

COSTS = DeviceStruct(
    "Costs",
    """
    int open, extend, letters;  // a gap's first letter, each further one; letters without that of padding
    int free_top, free_left, free_bottom, free_right;
""",
)
PAIRS = DeviceStruct(
    "Pairs",
    """
    const unsigned char* codes;
    const long long* row_begins;  // first letter of each pair's shorter sequence in codes
    const long long* column_begins;
    const int* rows;  // their lengths
    const int* columns;
""",
)
PLACE = DeviceStruct(
    "Place",
    """
    long long columns;  // first column word of a pair, or of two in the halves of words, in fours
    long long row_borders;  // in pairs of words
    long long column_borders;
    long long peaks;  // in words
    int width, strips;  // columns, a multiple of 32; strips of rows
""",
)

STRUCTS = COSTS, PAIRS, PLACE
SCORE_SOURCES = (*STRUCTS, HERE / "cells.cuh", HERE / "batch.cu")
TRACE_SOURCES = (*STRUCTS, HERE / "cells.cuh", HERE / "trace.cu")
