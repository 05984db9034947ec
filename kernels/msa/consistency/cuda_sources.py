"""Sources of the device code of consistency-based alignment, and what it agrees on with Python."""

from __future__ import annotations

from pathlib import Path

from kernels.cuda.structs import Constants, Struct
from kernels.msa.consistency.models import CODES, PADDING

HERE = Path(__file__).parent
LANES, THREADS, WARPS = 32, 128, 4
"""Lanes of a warp, and threads and warps of a block."""
PER, RENEW, POWERS = 4, 4, 96
"""Columns of a lane, rows after which its exponent is looked at, and the largest power of 2 (`cpu_strips`)."""
STRIP = LANES * PER
GROUP = 8
"""Lanes that make a row consistent."""

MODELS = Struct(
    "Models",
    """
    const float *weights, *odds, *ends;  // of each model 8 forward and 8 backward; (CODES, CODES); 2 x stride
    const int* end_exponents;
    long long stride;
    int count;
""",
)
PAIRS = Struct(
    "Pairs",
    """
    const unsigned char* letters;
    const long long* starts;
    const int* pairs;
    long long count;
    float* room;
    long long warp_room, most_cells;
    int longest, widest;
    unsigned long long* ticket;
""",
)
ENTRIES = Struct(
    "Entries",
    """
    const long long* rows;
    int* pointers;
    long long *begins, capacity;
    unsigned long long* cursor;
    unsigned short *columns, *units;
    int limit;
""",
)
POSTERIORS = Struct(
    "Posteriors",
    """
    const long long *rows, *entries;
    const int *pointers, *lengths;
    const unsigned short *columns, *units;
    long long sequences;
""",
)
ROUND = Struct(
    "Round",
    """
    const int *pairs, *pair_of;
    const long long* first_rows;
    const float *own, *weights;
    const int* via;
    int chosen, width, limit;
    long long rows;
    unsigned long long* ticket;
""",
)
ROWS = Struct(
    "Rows",
    """
    long long* begins;
    int* counts;
    unsigned long long* cursor;
    long long capacity;
    unsigned short *columns, *units;
""",
)

NUMBERS = Constants.of(WARPS=WARPS, PER=PER, RENEW=RENEW, POWERS=POWERS, CODES=CODES, PADDING=PADDING)
PAIR_SOURCE = (NUMBERS, MODELS, PAIRS, ENTRIES, HERE / "posteriors.cu")
ROUND_SOURCE = (Constants.of(GROUP=GROUP), POSTERIORS, ROUND, ROWS, HERE / "consistency.cu")
