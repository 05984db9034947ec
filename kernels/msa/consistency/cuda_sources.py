"""Sources of the device code of consistency-based alignment, and what it agrees on with Python."""

from __future__ import annotations

from pathlib import Path

from antidiag.kernels.cuda.structs import Constants, Struct
from antidiag.kernels.msa.consistency.cpu_merging import FIRST, PAIR, SECOND
from antidiag.kernels.msa.consistency.models import CODES, PADDING

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
    const long long* first_rows;  // of each pair, and behind the last: its rows are numbered from there on
    long long* begins;            // of each row, where its words are
    int *counts, *totals;         // words of each row, and of each pair
    long long capacity;
    unsigned long long* cursor;
    unsigned* words;
    int limit;
""",
)
POSTERIORS = Struct(
    "Posteriors",
    """
    const long long *rows, *entries;  // as `sparse.Posteriors`
    int* pointers;
    const int* lengths;
    unsigned* words;
    long long sequences;
""",
)
ROUND = Struct(
    "Round",
    """
    const int* pairs;
    int count;
    const float *own, *weights;
    const int* via;
    int chosen, width, tile_rows;  // rows of a tile, one for each group of a warp
    const long long* first_tiles;  // of each pair
    long long tiles;
    unsigned long long* ticket;
""",
)
ALIGNED = Struct(
    "Aligned",
    """
    const int* places;                // columns of all letters
    const long long *starts, *weights;  // of each sequence
""",
)
MERGE = Struct("Merge", "long long pairs, first, second, seconds, rows, columns, scores, path, places;")
"""Two lists of members, from ``first`` and ``second`` on, the latter of ``seconds``; rows and columns of its scores;
how many pairs, scores and steps there are before its own; where the places of its letters are."""
PATH_WARPS, PATH_PER, AHEAD = 16, 2, 8
"""Warps of a block that finds a path, columns of a lane, and rows whose scores are asked for at once."""

NUMBERS = Constants.of(WARPS=WARPS, PER=PER, RENEW=RENEW, POWERS=POWERS, CODES=CODES, PADDING=PADDING)
WORDS = HERE / "entries.cuh"
PAIR_SOURCE = (NUMBERS, MODELS, PAIRS, ENTRIES, WORDS, HERE / "posteriors.cu")
ROUND_SOURCE = (Constants.of(GROUP=GROUP), POSTERIORS, ROUND, ENTRIES, WORDS, HERE / "consistency.cu")
LAYOUT_SOURCE = (POSTERIORS, ENTRIES, WORDS, HERE / "layout.cu")
MERGING_SOURCE = (POSTERIORS, ALIGNED, MERGE, WORDS, HERE / "merging.cu")
PATH_SOURCE = (
    Constants.of(PATH_WARPS=PATH_WARPS, PER=PATH_PER, AHEAD=AHEAD,
                 STEP_PAIR=PAIR, STEP_FIRST=FIRST, STEP_SECOND=SECOND),
    MERGE, HERE / "paths.cu",
)  # fmt: skip
