"""Device sources of the distances of all pairs, with the structs and numbers that they share with Python."""

from __future__ import annotations

from pathlib import Path

from antidiag.kernels.cuda.structs import DeviceConstants, DeviceStruct
from antidiag.kernels.trees.distances.alignment_columns import natural_log
from antidiag.kernels.trees.distances.alignment_columns.column_distances import SATURATED, ModelNumber

HERE = Path(__file__).parent

# Pairs that a launch takes (pairs.cuh).
PAIRS = DeviceStruct(
    "Pairs",
    """
    const int* tiles;
    int side;
    long long pairs;
    unsigned long long* ticket;
    """,
)
# Sequences by ascending length, one after another from `starts`.
SEQUENCES = DeviceStruct(
    "Sequences",
    """
    const unsigned char* letters;
    const long long* starts;
    int sequences;
    """,
)
# Buffers of borders, and which strips of the pairs a launch takes (identities.cu).
STRIPS = DeviceStruct(
    "Strips",
    """
    WORD* borders;
    long long columns;
    int first_strip, last_strip;
    WORD* carried;
    int* found;
    """,
)
# k-tuples of all sequences, one after another, and the options of chains (kmers.cu).
TUPLES = DeviceStruct(
    "Tuples",
    """
    const int* words;
    const long long* starts;
    const int *places, *word_starts;
    int bins, sequences, k, top, window, gap;
    """,
)
# Buffers of chains, and which rows of which stages a launch takes (kmers.cu).
CHAINS = DeviceStruct(
    "Chains",
    """
    int* counts;
    long long diagonals;
    struct End* chains;
    long long room, most;
    int stages, first_row, last_row;
    int *carried, *found;
    """,
)
COUNT_WORDS, CHAIN_WORDS = 1, 2
"""Stages of the chains of k-tuples, a bit each."""
LANES, MOST_ROWS = 32, 16
STRIP = LANES * MOST_ROWS
"""Rows of the tallest strip: lanes of a warp x rows that each has at most."""

IDENTITIES = (
    PAIRS,
    HERE / "pairs.cuh",
    DeviceConstants.from_values(MOST_ROWS=MOST_ROWS),
    HERE / "word.cuh",
    SEQUENCES,
    STRIPS,
    HERE / "identities.cu",
)
WORDS = (
    PAIRS,
    HERE / "pairs.cuh",
    DeviceConstants.from_values(COUNT_WORDS=COUNT_WORDS, CHAIN_WORDS=CHAIN_WORDS),
    TUPLES,
    CHAINS,
    HERE / "kmers.cu",
)
# Constants of a model of substitution, in the order of column_distances.tn93_constants (distance_models.cuh).
MODEL = DeviceStruct("Model", "double k1, k2, k3, one, two, purines, pyrimidines, both;")
COLUMNS = (
    DeviceConstants.from_values(**{model.name: int(model) for model in ModelNumber}),
    DeviceConstants.from_values(
        SATURATED=SATURATED,
        LOG_OFFSET=natural_log.OFFSET,
        LN2_HIGH=natural_log.LN2_HIGH,
        LN2_LOW=natural_log.LN2_LOW,
        **{f"LOG_{number}": getattr(natural_log, f"L{number}") for number in range(1, 8)},
    ),
    MODEL,
    HERE.parent / "real.cuh",
    HERE / "distance_models.cuh",
    HERE / "columns.cu",
)
