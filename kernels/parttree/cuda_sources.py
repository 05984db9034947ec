"""Sources of the device code, and what it agrees on with Python."""

from __future__ import annotations

from pathlib import Path

from antidiag.kernels.cuda.structs import Constants, Struct
from antidiag.kernels.parttree import symbols

HERE = Path(__file__).parent

WORDS = Struct(
    "Words",
    """                         // see words.Words; heavy: a word is there more than 255 times
    unsigned short* kmers;
    int* counts;
    const long long* begins;
    long long *ends, *totals, *kept;
    unsigned char* heavy;
""",
)
BATCH = Struct(
    "Batch",
    """                         // see cpu_counts.Batch
    const long long *refs, *ref_starts, *members, *starts, *tasks;
    int bins;
    double b;
""",
)
FOUND = Struct(
    "Found",
    """                         // see cpu_counts.Found; pointers may be null
    int* nearest;
    double *least, *everything;
    float* single;
    const long long* places;
""",
)
JOIN = Struct(
    "Join",
    """                         // two profiles, and where what their alignment takes lies; see profiles.cu
    const void *a, *b;
    int* room;
    unsigned char* ways;     // directions, a strip of 32 columns of A after another
    unsigned short* target;
    int m, n, rows_a, rows_b, leaf_a, leaf_b;
    float pairs;             // 1 / (rows_a rows_b)
""",
)
PATH = Struct(
    "Path",
    """                         // what was found: columns of both, runs of one operation, gaps of each side
    int columns, runs, gaps_a, gaps_b;
""",
)
NUMBERS = Constants.of(
    SYMBOLS=symbols.SYMBOLS, LETTERS=symbols.LETTERS, OPENS=symbols.OPENS, EXTENDS=symbols.EXTENDS, ENDS=symbols.ENDS,
    UNKNOWN=symbols.UNKNOWN,
)  # fmt: skip
PROFILES = (NUMBERS, JOIN, PATH, HERE / "profiles.cu")
LCS = (HERE / "lcs.cu",)
MEASURE = (WORDS, BATCH, FOUND, HERE / "words.cu")
SECTIONS = (HERE / "sections.cu",)
COUNTERS = (4, 2, 1)
"""References whose counters lie side by side in shared memory: as many as fit."""
