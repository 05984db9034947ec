"""Sources, structs and constants that the baselines' device code shares with Python."""

from __future__ import annotations

from pathlib import Path

from antidiag.kernels.cuda.structs import DeviceConstants, DeviceStruct
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP
from antidiag.kernels.pairwise.strips.cuda_sources import SECOND_COSTS, widen_struct
from antidiag.kernels.pairwise.strips.start_states import FROM_DIAGONAL, FROM_E, FROM_E2, FROM_F, FROM_F2

HERE = Path(__file__).parent

LOG_SLOTS = 256
"""Multiprocessors with an entry of their own in the step log."""
COLUMNS_A_THREAD = 4
"""Neighbouring columns that a thread of PerotRecurrence computes."""

PROBLEM = DeviceStruct(
    "Problem",
    """                    // oriented so that rows are the shorter sequence
    const unsigned char* rows;       // letters of the rows, m
    const unsigned char* columns;    // letters of the columns, n
    const int* table;                // scores, letters x letters
    int letters, m, n;
    int open_extend, extend;         // costs, as positive numbers
    int floor;                       // least H: 0 in a local alignment, minus infinity in all others
    int top_is_free, left_is_free;   // paths start anywhere on row 0, on column 0
""",
)
TWO_PIECE_PROBLEM = widen_struct(PROBLEM, SECOND_COSTS)
"""The same with gap costs of two pieces."""
BEST = DeviceStruct("Best", " int score, row, column; ")
BUSY = DeviceStruct("Busy", " unsigned long long start_complement, end; ")
"""When a multiprocessor first and last had a block of a batch; starts are complements, so that both are maxima."""
WALK = DeviceStruct(
    "Walk",
    """
    int row, column, in;             // the state of the traceback: in H (IN_H), or in the gap E or F
    int count, over;                 // operations written; whether the path is complete
""",
)

LEVELS = (PROBLEM, BEST, BUSY, DeviceConstants.from_values(LOG_SLOTS=LOG_SLOTS), HERE / "levels.cuh")
ANTIDIAGONAL = (*LEVELS, HERE / "antidiagonal.cu")
BLOCKED = (
    *LEVELS,
    WALK,
    DeviceConstants.from_values(IN_H=FROM_DIAGONAL, IN_E=FROM_E, IN_F=FROM_F, DIAGONAL=DIAGONAL, UP=UP, LEFT=LEFT),
    DeviceConstants.from_values(IN_E2=FROM_E2, IN_F2=FROM_F2),
    HERE / "blocked.cu",
)
PEROT = (*LEVELS, DeviceConstants.from_values(ITEMS=COLUMNS_A_THREAD), HERE / "perot.cu")
