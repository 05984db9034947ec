"""Device sources for 6-mers and their distances, with the structs that they share with Python."""

from __future__ import annotations

from pathlib import Path

from antidiag.kernels.cuda.structs import DeviceStruct

HERE = Path(__file__).parent

# See word_arrays.WordArrays; heavy: a word occurs more than 255 times.
WORDS = DeviceStruct(
    "Words",
    """
    unsigned short* kmers;
    int* counts;
    const long long* begins;
    long long *ends, *totals, *kept;
    unsigned char* heavy;
    """,
)
# See cpu_shared_words.DistanceBatch.
BATCH = DeviceStruct(
    "Batch",
    """
    const long long *refs, *ref_starts, *members, *starts, *tasks;
    int bins;
    double b;
    """,
)
# See cpu_shared_words.MeasuredDistances; pointers may be null.
FOUND = DeviceStruct(
    "Found",
    """
    int* nearest;
    double *least, *everything;
    const long long* places;
    """,
)
MEASURE = (WORDS, BATCH, FOUND, HERE / "words.cu")
SECTIONS = (HERE / "sections.cu",)
COUNTERS = (4, 2, 1)
"""Numbers of references whose counters may lie side by side in shared memory; the largest that fits is used."""
