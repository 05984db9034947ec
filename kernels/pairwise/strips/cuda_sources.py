"""Sources of the striped methods' device code, and the structs, constants and registers it shares with Python."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from antidiag.kernels.cuda.step_events import EVENT
from antidiag.kernels.cuda.structs import DeviceConstants, DeviceStruct
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP

HERE = Path(__file__).parent

STRIP = DeviceStruct(
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
BOUNDARY = DeviceStruct(
    "Boundary",
    """                   // right boundaries of all strips (strip.cuh)
    unsigned long long* cells;       // strips x capacity
    int capacity;                    // a multiple of 32
""",
)
SLICE = DeviceStruct(
    "Slice",
    """                      // one launch (sweep.cuh)
    int first_strip, end_strip, steps, skew, batch;
    long long start, end;
""",
)
CHECKPOINTS = DeviceStruct(
    "Checkpoints",
    """                // where StripedScore stores special rows and columns (score_keeper.cuh)
    int2* rows;                      // row `tile` from column 1 on, then the other kept rows
    int2* columns;                   // column `tile` from row 1 on, then the other kept columns
    int tile;                        // rows, and columns, between them
    int width;                       // distance of two kept rows, in pairs
    int slots, height;               // number of row slots; cells of a column, the distance of two kept columns
""",
)
PRUNING = DeviceStruct(
    "Pruning",
    """                    // what decides which batches are skipped (pruned_sweep.cuh)
    const int* row_gains;            // the most that is gained behind row 32 i and any below it
    const int* column_gains;         // the same behind the column on the left of each lane, and behind the last one
    unsigned long long* extents;     // 2 x strips: which batches of a strip were skipped
    int* ranges;                     // for each launch RANGE_FIELDS: first and last strip, and where it stops
    int* lives;                      // strips: what a strip was when a launch ended
    int* steps;                      // strips: steps computed
    unsigned char* computed;         // strips x blocks of block_rows rows: 1 where something was computed
    int least, row_cost, column_cost, near, far, left_rows, strips, blocks, block_rows;
    int launch, first_begun, last_begun;
""",
)
RANGE_FIELDS = 3
BUFFERS = DeviceStruct(
    "Buffers",
    """                    // what the sweep with start states stores (striped_states.cu)
    int2* boundary_states;           // strips x m: start states of H and K on the right boundary
    int2* values;                    // chunks x width: H and G of each chunk's last row
    int2* states;                    // chunks x width: their start states (CHUNKS == 2)
    int height, width;               // rows of a chunk; columns of all strips
""",
)
TILE = DeviceStruct(
    "Tile",
    """                       // rows row + 1 .. row + m and columns column + 1 .. column + n of the problem
    const int2* top;                 // as in Strip
    const int2* left;
    const int2* states;              // after the sweep: boundary states, a column of `height` for each strip
    const int* registers;            // after the sweep: registers of its lanes, Lane::FIELDS x LANES for each strip
    int row, column, m, n, height, unused;
""",
)
PUBLISHED = DeviceStruct(
    "Published",
    """                  // strips as published, each computed by a block (published_sweep.cu)
    int s, batch;                    // columns of a strip; T
    unsigned long long* boundary;    // strips x m: H above K of the right boundary
    unsigned long long* progress;    // rows of it that are complete, for each strip
    int* kept;                       // antidiagonals between launches
    int4* best;                      // best cell of each strip: score, row, column in the strip, start state
""",
)
SUB_PATH = DeviceStruct(
    "SubPath",
    """                    // what phase 2 finds and phase 3 computes: the path inside one strip or chunk
    int strip;
    int kind, start_row;             // where it begins
    int end_row, end_column;         // where it ends; the column is counted from 1 inside the strip
    int end_in;                      // state in which it ends: IN_H, or inside a gap that continues
    int start_column;                // where it enters from the row above, counted as end_column
    int first;                       // first row computed again from true values; 0: from the start state alone
""",
)
SUB_PATHS = DeviceStruct(
    "SubPaths",
    """                   // the sub-paths of a launch of phase 3, and their operations (striped_path.cu)
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
"""The state in which a sub-path ends."""
KEY_SCALE = 32
"""Factor of the score where one number holds score and column (KEYED)."""
REACH = 4096
"""In 16 bits, the base of a warp's values moves when H is this far from it."""


@dataclass(frozen=True, slots=True)
class LaneRegisters:
    """The values that a lane keeps between launches, in the order of Lane::visit.

    ``a_column`` values for each column and ``a_lane`` beside them, ``first_h`` of which come before H of all columns.
    """

    a_column: int
    a_lane: int
    first_h: int

    def count_registers(self, columns: int) -> int:
        """Return the registers of a lane with so many columns."""
        return self.a_column * columns + self.a_lane


SCORE_REGISTERS = LaneRegisters(2, 7, 3)
PACKED_REGISTERS = LaneRegisters(1, 9, 5)
STATES_REGISTERS = LaneRegisters(4, 11, 4)
OTHERS, H_STATE = 3, 1
"""With start states, G of a column and the states of its H and G come after H of all columns; that of H is second."""

STRIPS = (STRIP, BOUNDARY, EVENT, HERE / "strip.cuh", SLICE, HERE / "sweep.cuh")
VALUES = (*STRIPS, HERE / "value_lane.cuh")
SCORE = (
    *VALUES,
    CHECKPOINTS,
    PRUNING,
    DeviceConstants.from_values(RANGE_FIELDS=RANGE_FIELDS),
    HERE / "pruned_sweep.cuh",
    DeviceConstants.from_values(SCORE_A_COLUMN=SCORE_REGISTERS.a_column, SCORE_A_LANE=SCORE_REGISTERS.a_lane),
    DeviceConstants.from_values(
        PACKED_A_COLUMN=PACKED_REGISTERS.a_column, PACKED_A_LANE=PACKED_REGISTERS.a_lane, REACH=REACH
    ),
    HERE / "score_keeper.cuh",
    HERE / "packed_lane.cuh",
    HERE / "striped_score.cu",
)
OPERATIONS = DeviceConstants.from_values(OPERATION_DIAGONAL=DIAGONAL, OPERATION_UP=UP, OPERATION_LEFT=LEFT)
SUB_PATH_STATES = (SUB_PATH, DeviceConstants.from_values(IN_H=IN_H, IN_K=IN_K, IN_G=IN_G), HERE / "states.cuh")
STATES = (
    *STRIPS,
    *SUB_PATH_STATES,
    BUFFERS,
    TILE,
    DeviceConstants.from_values(STATES_A_COLUMN=STATES_REGISTERS.a_column, STATES_A_LANE=STATES_REGISTERS.a_lane),
    DeviceConstants.from_values(FIRST_H=STATES_REGISTERS.first_h, OTHERS=OTHERS, H_STATE=H_STATE, G_STATE=H_STATE + 1),
    HERE / "striped_states.cu",
)
PUBLISHED_STRIPS = (STRIP, EVENT, SLICE, HERE / "published_strip.cuh")
PUBLISHED_SCORE = (*PUBLISHED_STRIPS, PUBLISHED, HERE / "published_sweep.cu")
PUBLISHED_STATES = (*PUBLISHED_STRIPS, *SUB_PATH_STATES, BUFFERS, PUBLISHED, HERE / "published_sweep.cu")
PUBLISHED_PATH = (*PUBLISHED_STRIPS, *SUB_PATH_STATES, SUB_PATHS, OPERATIONS, HERE / "published_path.cu")
PATH = (STRIP, BOUNDARY, EVENT, HERE / "strip.cuh", *SUB_PATH_STATES, SUB_PATHS, OPERATIONS, HERE / "striped_path.cu")
