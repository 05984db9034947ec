"""Sources of the striped methods' device code, and what it agrees on with Python: structs, numbers, registers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from antidiag.kernels.cuda.events import EVENT
from antidiag.kernels.cuda.structs import Constants, Struct
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP

HERE = Path(__file__).parent

STRIP = Struct(
    "Strip",
    """                      // one problem, oriented so that rows are the shorter sequence
    const unsigned char* rows;       // letters of the rows, m
    const unsigned char* columns;    // letters of the columns, n
    const int* table;                // scores, letters x letters
    int letters, m, n;
    int open_extend, extend;         // costs, as positive numbers
    const int2* top;                 // H and G of row 0 from column 0 on, or null: the border of the matrix
    const int2* left;                // H and K of column 0 from row 1 on, or null
""",
)
BOUNDARY = Struct(
    "Boundary",
    """                   // right boundaries of all strips (strip.cuh)
    unsigned long long* cells;       // strips x capacity
    int capacity;                    // a multiple of 32
""",
)
SLICE = Struct(
    "Slice",
    """                      // one launch (sweep.cuh)
    int first_strip, end_strip, steps, skew, batch;
    long long start, end;
""",
)
CHECKPOINTS = Struct(
    "Checkpoints",
    """                // where StripedScore keeps special rows and columns (score_keeper.cuh)
    int2* rows;                      // row `tile` from column 1 on, then the other rows kept
    int2* columns;                   // column `tile` from row 1 on, then the other columns kept
    int tile;                        // rows, and columns, between them
    int width;                       // distance of two rows kept, in pairs
    int slots, height;               // rows that there is room for; cells of a column, the distance of two kept
""",
)
BUFFERS = Struct(
    "Buffers",
    """                    // what the sweep with start states leaves (striped_states.cu)
    int2* boundary_states;           // strips x m: start states of H and K on the right boundary
    int2* values;                    // chunks x width: H and G of each chunk's last row
    int2* states;                    // chunks x width: their start states (CHUNKS == 2)
    int height, width;               // rows of a chunk; columns of all strips
""",
)
TILE = Struct(
    "Tile",
    """                       // rows row + 1 .. row + m and columns column + 1 .. column + n of the problem
    const int2* top;                 // as those of Strip
    const int2* left;
    const int2* states;              // once it is swept: boundary states, a column of `height` for each of its strips
    const int* registers;            // and what its lanes left, Lane::FIELDS x LANES for each
    int row, column, m, n, height, unused;
""",
)
SUB_PATH = Struct(
    "SubPath",
    """                    // what phase 2 finds and phase 3 computes: the path inside one strip or chunk
    int strip;
    int kind, start_row;             // where it begins
    int end_row, end_column;         // where it ends; the column is counted from 1 inside the strip
    int end_in;                      // as what it ends: IN_H, or inside a gap that goes on
    int start_column;                // where it enters from the row above, counted as end_column
    int first;                       // first row computed again from true values; 0: from the start state alone
""",
)
SUB_PATHS = Struct(
    "SubPaths",
    """                   // those of a launch of phase 3, and what is made of them (striped_path.cu)
    const SubPath* paths;
    int count;
    unsigned* directions;
    const long long* direction_starts;
    unsigned char* operations;       // of every sub-path backwards, from operation_starts on
    const long long* operation_starts;
    int* operation_counts;
""",
)
IN_H, IN_K, IN_G = 0, 1, 2
"""As what a sub-path ends."""
KEY_SCALE = 32
"""Room for a lane's column below the score, where one number holds both (KEYED)."""
REACH = 4096
"""In 16 bits, the base of a warp's values is moved when H is so far from it."""


@dataclass(frozen=True, slots=True)
class Registers:
    """What a lane keeps between launches, in the order of Lane::visit: some values, H of all columns, the others.

    ``a_column`` values for each column and ``a_lane`` beside them, ``first_h`` of which come before H.
    """

    a_column: int
    a_lane: int
    first_h: int

    def count(self, columns: int) -> int:
        return self.a_column * columns + self.a_lane


SCORE_REGISTERS = Registers(2, 7, 3)
PACKED_REGISTERS = Registers(1, 9, 5)
STATES_REGISTERS = Registers(4, 11, 4)
OTHERS, H_STATE = 3, 1
"""With start states, G of a column and the states of its H and G come after H of all columns; that of H is second."""

STRIPS = (STRIP, BOUNDARY, EVENT, HERE / "strip.cuh", SLICE, HERE / "sweep.cuh")
VALUES = (*STRIPS, HERE / "value_lane.cuh")
SCORE = (
    *VALUES,
    CHECKPOINTS,
    Constants.of(SCORE_A_COLUMN=SCORE_REGISTERS.a_column, SCORE_A_LANE=SCORE_REGISTERS.a_lane),
    Constants.of(PACKED_A_COLUMN=PACKED_REGISTERS.a_column, PACKED_A_LANE=PACKED_REGISTERS.a_lane, REACH=REACH),
    HERE / "score_keeper.cuh",
    HERE / "packed_lane.cuh",
    HERE / "striped_score.cu",
)
OPERATIONS = Constants.of(OPERATION_DIAGONAL=DIAGONAL, OPERATION_UP=UP, OPERATION_LEFT=LEFT)
SUB_PATH_STATES = (SUB_PATH, Constants.of(IN_H=IN_H, IN_K=IN_K, IN_G=IN_G), HERE / "states.cuh")
STATES = (
    *STRIPS,
    *SUB_PATH_STATES,
    BUFFERS,
    TILE,
    Constants.of(STATES_A_COLUMN=STATES_REGISTERS.a_column, STATES_A_LANE=STATES_REGISTERS.a_lane),
    Constants.of(FIRST_H=STATES_REGISTERS.first_h, OTHERS=OTHERS, H_STATE=H_STATE, G_STATE=H_STATE + 1),
    HERE / "striped_states.cu",
)
PATH = (STRIP, BOUNDARY, EVENT, HERE / "strip.cuh", *SUB_PATH_STATES, SUB_PATHS, OPERATIONS, HERE / "striped_path.cu")
