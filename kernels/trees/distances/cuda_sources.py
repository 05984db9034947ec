"""Sources of the device code for distances of all pairs, and what it agrees on with Python."""

from __future__ import annotations

from pathlib import Path

from antidiag.kernels.cuda.structs import Constants, Struct

HERE = Path(__file__).parent

PAIRS = Struct(
    "Pairs",
    """                        // pairs that a launch takes (pairs.cuh)
    const int* tiles;
    int side;
    long long pairs;
    unsigned long long* ticket;
""",
)
SEQUENCES = Struct(
    "Sequences",
    """                    // by ascending length, one after another from `starts`
    const unsigned char* letters;
    const long long* starts;
    int sequences;
""",
)
STRIPS = Struct(
    "Strips",
    """                       // room for borders, and which strips of the pairs a launch takes (identities.cu)
    WORD* borders;
    long long columns;
    int first_strip, last_strip;
    WORD* carried;
    int* found;
""",
)
TUPLES = Struct(
    "Tuples",
    """                       // of all sequences, one after another, and how they are chained (kmers.cu)
    const int* words;
    const long long* starts;
    const int *places, *word_starts;
    int bins, sequences, k, top, window, gap;
""",
)
CHAINS = Struct(
    "Chains",
    """                       // room for chains, and which rows of which stages a launch takes (kmers.cu)
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
"""Lanes of a warp, the rows that each has at most, and so the rows of the tallest strip."""

IDENTITIES = (
    PAIRS, HERE / "pairs.cuh", Constants.of(MOST_ROWS=MOST_ROWS), HERE / "word.cuh", SEQUENCES, STRIPS,
    HERE / "identities.cu",
)  # fmt: skip
WORDS = (
    PAIRS, HERE / "pairs.cuh", Constants.of(COUNT_WORDS=COUNT_WORDS, CHAIN_WORDS=CHAIN_WORDS), TUPLES, CHAINS,
    HERE / "kmers.cu",
)  # fmt: skip
COLUMNS = (HERE / "columns.cu",)
