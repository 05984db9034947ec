"""Sources of the striped methods' device code, and the structs, constants and registers it shares with Python."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from antidiag.kernels.cuda.kernel_compiler import SourcePart
from antidiag.kernels.cuda.step_events import EVENT
from antidiag.kernels.cuda.structs import DeviceConstants, DeviceStruct
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP

HERE = Path(__file__).parent


def widen_struct(struct: DeviceStruct, more: str = "") -> DeviceStruct:
    """Return a struct for gap costs of two pieces: with three values of a cell in place of two, and ``more`` fields."""
    return DeviceStruct(struct.name, struct.fields.replace("int2*", "int3*") + more)


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
    int* ranges;                     // for each launch RANGE_FIELDS: first and last strip, where it stops, first and
                                     // last strip of groups that follow the GPU's own
    unsigned long long* next_cells;  // boundary cells, extents and ranges on the GPUs of the next groups, and of those
    unsigned long long* next_extents;  // before
    const int* left_ranges;
    int* lives;                      // strips: what a strip was when a launch ended
    int* steps;                      // strips: steps computed
    unsigned char* computed;         // strips x blocks of block_rows rows: 1 where something was computed
    int least, row_cost, column_cost, near, far, left_rows, strips, blocks, block_rows;
    int group, cards, card;          // strips of a group; the GPUs, and which of them this one is
    int launch, first_begun, last_begun;
""",
)
LAUNCH_FIELDS = "launch", "first_begun", "last_begun"
"""The last fields of PRUNING, which differ from launch to launch."""
RANGE_FIELDS, STOP, NEXT_GROUPS = 5, 2, 3
"""Fields of a launch in ``ranges``, and the places of where it stops and of the strips in the next groups."""
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
    int2* states;                    // after the sweep: boundary states, a column of m for each strip
    int* registers;                  // after the sweep: registers of its lanes, Lane::FIELDS x LANES for each strip
    unsigned long long* boundary;    // right boundaries of its strips, strips x capacity
    int row, column, m, n, capacity, unused;
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
IN_H, IN_K, IN_G, IN_K2, IN_G2 = range(5)
"""The state in which a sub-path ends; the last two are those of the second piece of gap costs."""
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


@dataclass(frozen=True, slots=True)
class SweepRegisters:
    """The registers of the lanes of each sweep, for gap costs of one piece or of two."""

    score: LaneRegisters
    packed: LaneRegisters
    states: LaneRegisters
    others: int

    def choose_score(self, packed: bool) -> LaneRegisters:
        """Return the registers of StripedScore, whose lanes may hold two cells in a register."""
        return self.packed if packed else self.score


H_STATE = 1
"""With start states, G of a column and the states of its H and G come after H of all columns, and with two pieces G2
and its state: ``others`` numbers, of which that of H is the second."""
ONE_PIECE = SweepRegisters(LaneRegisters(2, 7, 3), LaneRegisters(1, 9, 5), LaneRegisters(4, 11, 4), 3)
TWO_PIECES = SweepRegisters(LaneRegisters(3, 8, 3), LaneRegisters(2, 11, 5), LaneRegisters(6, 13, 4), 5)


def sweep_registers(two_pieces: bool) -> SweepRegisters:
    """Return the registers for gap costs of one piece or of two."""
    return TWO_PIECES if two_pieces else ONE_PIECE


def _score_constants(registers: SweepRegisters) -> DeviceConstants:
    return DeviceConstants.from_values(SCORE_A_COLUMN=registers.score.a_column, SCORE_A_LANE=registers.score.a_lane)


def _packed_constants(registers: SweepRegisters) -> DeviceConstants:
    return DeviceConstants.from_values(
        PACKED_A_COLUMN=registers.packed.a_column, PACKED_A_LANE=registers.packed.a_lane, REACH=REACH
    )


def _states_constants(registers: SweepRegisters) -> DeviceConstants:
    return DeviceConstants.from_values(STATES_A_COLUMN=registers.states.a_column, STATES_A_LANE=registers.states.a_lane)


def _place_constants(registers: SweepRegisters) -> DeviceConstants:
    return DeviceConstants.from_values(
        FIRST_H=registers.states.first_h,
        OTHERS=registers.others,
        H_STATE=H_STATE,
        G_STATE=H_STATE + 1,
        **({"G2_STATE": H_STATE + 3} if registers is TWO_PIECES else {}),
    )


STRIPS = (STRIP, BOUNDARY, EVENT, HERE / "gap_pieces.cuh", HERE / "strip.cuh", SLICE, HERE / "sweep.cuh")
VALUES = (*STRIPS, HERE / "value_lane.cuh")
SCORE = (
    *VALUES,
    CHECKPOINTS,
    PRUNING,
    DeviceConstants.from_values(RANGE_FIELDS=RANGE_FIELDS, STOP=STOP, NEXT_GROUPS=NEXT_GROUPS),
    HERE / "pruned_sweep.cuh",
    _score_constants(ONE_PIECE),
    _packed_constants(ONE_PIECE),
    HERE / "score_keeper.cuh",
    HERE / "packed_lane.cuh",
    HERE / "striped_score.cu",
)
OPERATIONS = DeviceConstants.from_values(OPERATION_DIAGONAL=DIAGONAL, OPERATION_UP=UP, OPERATION_LEFT=LEFT)
ENDS_IN = DeviceConstants.from_values(IN_H=IN_H, IN_K=IN_K, IN_G=IN_G, IN_K2=IN_K2, IN_G2=IN_G2)
SUB_PATH_STATES = (SUB_PATH, ENDS_IN, HERE / "states.cuh")
DIRECTIONS = (*SUB_PATH_STATES, SUB_PATHS, HERE / "direction_bits.cuh", OPERATIONS)
STATES = (
    *STRIPS,
    *SUB_PATH_STATES,
    BUFFERS,
    TILE,
    _states_constants(ONE_PIECE),
    _place_constants(ONE_PIECE),
    HERE / "striped_states.cu",
)
PUBLISHED_STRIPS = (STRIP, EVENT, SLICE, HERE / "gap_pieces.cuh", HERE / "published_strip.cuh")
PUBLISHED_SCORE = (*PUBLISHED_STRIPS, PUBLISHED, HERE / "published_sweep.cu")
PUBLISHED_STATES = (*PUBLISHED_STRIPS, *SUB_PATH_STATES, BUFFERS, PUBLISHED, HERE / "published_sweep.cu")
PUBLISHED_PATH = (*PUBLISHED_STRIPS, *DIRECTIONS, HERE / "published_path.cu")
PATH = (STRIP, BOUNDARY, EVENT, HERE / "gap_pieces.cuh", HERE / "strip.cuh", *DIRECTIONS, HERE / "striped_path.cu")

SECOND_COSTS = "    int open_extend2, extend2;       // costs of the second piece\n"
TWO_PIECE_PARTS: dict[SourcePart, SourcePart] = {
    STRIP: widen_struct(STRIP, SECOND_COSTS),
    **{part: widen_struct(part) for part in (CHECKPOINTS, BUFFERS, TILE)},
    _score_constants(ONE_PIECE): _score_constants(TWO_PIECES),
    _packed_constants(ONE_PIECE): _packed_constants(TWO_PIECES),
    _states_constants(ONE_PIECE): _states_constants(TWO_PIECES),
    _place_constants(ONE_PIECE): _place_constants(TWO_PIECES),
}
"""What takes the place of structs and constants where gap costs have two pieces."""


def with_two_pieces(parts: tuple[SourcePart, ...]) -> tuple[SourcePart, ...]:
    """Return the parts of a source for gap costs of two pieces, which is compiled with TWO_PIECES=1."""
    return tuple(TWO_PIECE_PARTS.get(part, part) for part in parts)
