"""Sources of the device code, and what it agrees on with Python."""

from __future__ import annotations

from pathlib import Path

from kernels.cuda.structs import Struct

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
MEASURE = (WORDS, BATCH, FOUND, HERE / "words.cu")
SECTIONS = (HERE / "sections.cu",)
COUNTERS = (4, 2, 1)
"""References whose counters lie side by side in shared memory: as many as fit."""
