"""Sources of the bit-parallel methods' device code, and the structs and constants it shares with Python."""

from __future__ import annotations

from pathlib import Path

from antidiag.kernels.cuda.step_events import EVENT
from antidiag.kernels.cuda.structs import DeviceConstants, DeviceStruct
from antidiag.kernels.pairwise.bit_parallel.word_sizes import LANE_DELAY, STATE_FIELDS
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP

HERE = Path(__file__).parent

WORD_PAIR = DeviceStruct(
    "WordPair",
    """                   // a pair whose columns are cut into strips of 1,024 R (word_rows.cuh)
    const unsigned char* rows;       // letters of the rows, m
    const unsigned* equal;           // strips x letters x 32 R: match words
    int letters, m, strips, padding; // columns before column 1 in the first strip
""",
)
CROSSINGS = DeviceStruct(
    "Crossings",
    """                  // rise and fall of boundary columns, 32 rows in a word of 64 bits
    unsigned long long* words;       // strips x capacity
    unsigned long long* last;        // that of the last strip, every row
    int capacity;                    // words of a strip; later rows replace earlier ones
""",
)
KEPT_ROWS = DeviceStruct(
    "KeptRows",
    """                   // plus and minus of rows
    unsigned* words;                 // rows x 2 x strips x 32 R
    unsigned* last;                  // 2 x strips x 32 R: of row m
    int tile;                        // rows from one kept row to the next
""",
)
WORD_SLICE = DeviceStruct(
    "WordSlice",
    """                  // one launch (bit_sweep.cu)
    int first_strip, end_strip, steps, skew;
    long long start, end;
""",
)
PATH_PLACE = DeviceStruct(
    "PathPlace",
    """                  // where the path has come to (bit_path.cu)
    int row, column;                 // the cell
    long long at;                    // place of the last operation
    int tiles, unused;               // tiles that were computed
""",
)
PARTS = (WORD_PAIR, CROSSINGS, KEPT_ROWS, EVENT, HERE / "word_rows.cuh")
MATCHES = (WORD_PAIR, HERE / "find_matches.cu")
SWEEP = (
    *PARTS,
    WORD_SLICE,
    DeviceConstants.from_values(STATE_FIELDS=STATE_FIELDS, DELAY=LANE_DELAY),
    HERE / "bit_sweep.cu",
)
PATH = (
    *PARTS,
    PATH_PLACE,
    DeviceConstants.from_values(PATH_DIAGONAL=DIAGONAL, PATH_UP=UP, PATH_LEFT=LEFT),
    HERE / "bit_path.cu",
)
