"""Sources of the baselines' device code, and what it agrees on with Python."""

from __future__ import annotations

from pathlib import Path

from antidiag.kernels.cuda.structs import Constants, Struct
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP
from antidiag.kernels.pairwise.strips.path import FROM_DIAGONAL, FROM_E, FROM_F

HERE = Path(__file__).parent

LOG_SLOTS = 256
"""Multiprocessors that the step log tells apart."""
COLUMNS_A_THREAD = 4
"""Neighbouring columns that a thread of PerotRecurrence computes."""

PROBLEM = Struct(
    "Problem",
    """                    // oriented so that rows are the shorter sequence
    const unsigned char* rows;       // letters of the rows, m
    const unsigned char* columns;    // letters of the columns, n
    const int* table;                // scores, letters x letters
    int letters, m, n;
    int open_extend, extend;         // costs, as positive numbers
    int floor;                       // least H: 0 in a local alignment, minus infinity in a global one
""",
)
BEST = Struct("Best", " int score, row, column; ")
BUSY = Struct("Busy", " unsigned long long start_complement, end; ")
"""When a multiprocessor first and last had a block of a batch; starts are complements, so that both are maxima."""
WALK = Struct(
    "Walk",
    """
    int row, column, in;             // where the walk is: in H (IN_H), or in the gap E or F
    int count, over;                 // operations written; whether it is at its end
""",
)

LEVELS = (PROBLEM, BEST, BUSY, Constants.of(LOG_SLOTS=LOG_SLOTS), HERE / "levels.cuh")
ANTIDIAGONAL = (*LEVELS, HERE / "antidiagonal.cu")
BLOCKED = (
    *LEVELS,
    WALK,
    Constants.of(IN_H=FROM_DIAGONAL, IN_E=FROM_E, IN_F=FROM_F, DIAGONAL=DIAGONAL, UP=UP, LEFT=LEFT),
    HERE / "blocked.cu",
)
PEROT = (*LEVELS, Constants.of(ITEMS=COLUMNS_A_THREAD), HERE / "perot.cu")
