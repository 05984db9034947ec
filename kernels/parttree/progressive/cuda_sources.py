"""Device sources for the alignment of profiles, with the structs and numbers that they share with Python."""

from __future__ import annotations

from pathlib import Path

from antidiag.kernels.cuda.structs import DeviceConstants, DeviceStruct
from antidiag.kernels.parttree import symbols
from antidiag.kernels.parttree.progressive.cpu_profiles import ROWS_PER_LETTER

# Two profiles, and the buffers of their alignment; see profiles.cu.
JOIN = DeviceStruct(
    "Join",
    """
    const void *a, *b;
    int* room;
    unsigned char* ways;     // directions, a strip of 32 columns of A after another
    unsigned short* target;
    int m, n, rows_a, rows_b, leaf_a, leaf_b;
    float pairs;             // 1 / (rows_a rows_b)
    """,
)
# The result of an alignment: its columns, runs of one operation, and gaps of each side.
PATH = DeviceStruct(
    "Path",
    """
    int columns, runs, gaps_a, gaps_b;
    """,
)
NUMBERS = DeviceConstants.from_values(
    SYMBOLS=symbols.SYMBOLS,
    LETTERS=symbols.LETTERS,
    OPENS=symbols.OPENS,
    EXTENDS=symbols.EXTENDS,
    ENDS=symbols.ENDS,
    UNKNOWN=symbols.UNKNOWN,
    ROWS_PER_LETTER=int(ROWS_PER_LETTER),
)
PROFILES = (NUMBERS, JOIN, PATH, Path(__file__).with_name("profiles.cu"))
