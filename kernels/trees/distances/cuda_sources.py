"""Device sources of the distances of all pairs, with the structs and numbers that they share with Python."""

from __future__ import annotations

from pathlib import Path

from antidiag.kernels.cuda.structs import DeviceConstants, DeviceStruct

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
COLUMNS = (HERE / "columns.cu",)
