"""Device sources of consistency-based alignment, and the constants and structs that Python shares with them."""

from __future__ import annotations

from antidiag.kernels.cuda.structs import DeviceConstants, DeviceStruct
from antidiag.kernels.msa.consistency.device import FOLDER
from antidiag.kernels.msa.consistency.groups.cpu_merging import FIRST, PAIR, SECOND
from antidiag.kernels.msa.consistency.posteriors.pair_models import CODES, PADDING

LANES, THREADS, WARPS = 32, 128, 4
"""Lanes of a warp, and threads and warps of a block."""
PER, RENEW, POWERS = 4, 4, 96
"""Columns of a lane, rows after which its exponent is renewed, and the largest power of 2 (`cpu_strips`)."""
STRIP = LANES * PER
GROUP = 8
"""Lanes that transform a row."""

MODELS = DeviceStruct(
    "Models",
    """
    const float *weights, *odds, *ends;  // of each model 8 forward and 8 backward; (CODES, CODES); 2 x stride
    const int* end_exponents;
    long long stride;
    int count;
""",
)
PAIRS = DeviceStruct(
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
ENTRIES = DeviceStruct(
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
POSTERIORS = DeviceStruct(
    "Posteriors",
    """
    const long long *rows, *entries;  // as `sparse.Posteriors`
    int* pointers;
    const int* lengths;
    unsigned* words;
    long long sequences;
""",
)
ROUND = DeviceStruct(
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
ALIGNED = DeviceStruct(
    "Aligned",
    """
    const int* places;                // columns of all letters
    const long long *starts, *weights;  // of each sequence
""",
)
MERGE = DeviceStruct("Merge", "long long pairs, first, second, seconds, rows, columns, scores, path, places;")
"""The members of both groups begin at ``first`` and ``second`` (``seconds`` of them); ``rows`` and ``columns`` of its
scores; ``pairs``, ``scores`` and ``path`` before its own; ``places`` is where the columns of its letters begin."""
PATH_WARPS, PATH_PER, AHEAD = 16, 2, 8
"""Warps of a block that finds a path, columns of a lane, and rows whose scores are loaded at once."""

NUMBERS = DeviceConstants.from_values(WARPS=WARPS, PER=PER, RENEW=RENEW, POWERS=POWERS, CODES=CODES, PADDING=PADDING)
WORDS = FOLDER / "entries.cuh"
PAIR_SOURCE = (NUMBERS, MODELS, PAIRS, ENTRIES, WORDS, FOLDER / "posteriors.cu")
ROUND_SOURCE = (DeviceConstants.from_values(GROUP=GROUP), POSTERIORS, ROUND, ENTRIES, WORDS, FOLDER / "consistency.cu")
LAYOUT_SOURCE = (POSTERIORS, ENTRIES, WORDS, FOLDER / "layout.cu")
MERGING_SOURCE = (POSTERIORS, ALIGNED, MERGE, WORDS, FOLDER / "merging.cu")
PATH_SOURCE = (
    DeviceConstants.from_values(
        PATH_WARPS=PATH_WARPS, PER=PATH_PER, AHEAD=AHEAD, STEP_PAIR=PAIR, STEP_FIRST=FIRST, STEP_SECOND=SECOND
    ),
    MERGE,
    FOLDER / "paths.cu",
)
