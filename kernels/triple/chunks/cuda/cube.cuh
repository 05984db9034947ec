// The cube in chunks, for every kernel of three sequences (page.md; encoding.py for the scores).
//
// Recurrence: H'(i, j, k) = max over the seven cells before it (linear.cuh; seven values per cell in affine.cuh)
// Threads:    a block computes one chunk of S x S columns of cells at a time. In a step it computes independent cells:
//                 SLOPED   step t: the sloped plane, k = t - a - b
//                 LAYERED  step t: k = t / DIAGONALS, and of this layer the antidiagonal a + b = t % DIAGONALS
//             tiles.cuh: thread (a, b) of SIDE x SIDE has the TILE x TILE columns below rows a TILE and columns b TILE.
//             cells.cuh: TILE is 1, and a thread computes one cell per step, as published; a and b are its row and column.
//             Chunks are handed out in antidiagonal order by a ticket: those that a block waits for are running or done.
// Memory:     the last row and column of a chunk go through global memory, [layer][part][S] southwards and
//             [layer][part][S + 4] eastwards, where place S is the row above the chunk, which the next chunk needs beside
//             its own. Where S is no multiple of 4, S stands for FACE there: rows of faces are filled up to whole packs.
//             Each word of a face marks itself as written, so that neighbours need no fences and no progress words: where
//             every chunk keeps its faces (KEPT) it is EMPTY until it is written; where a chunk overwrites faces, a word
//             has 8 bytes, and the upper four say which row or column of chunks wrote it. Batches of BATCH layers are
//             requested one batch ahead, and put into a ring in shared memory.
//
// Compile-time: S, TILE, BATCH, LETTERS, LAYERED, AFFINE, KEPT, STARTS (local start points), MOVES (boxes are computed again,
// with the move of every cell), SUBCHUNKS (bottom faces are kept), LOCAL (local starts begin anew in every subchunk), WHOLE
// (subchunks begin with a batch of layers).

#define T TILE
constexpr bool CELLS = TILE == 1;
constexpr int SIDE = S / TILE;
constexpr int LINE = (S + LANES - 1) / LANES * LANES;    // threads for an antidiagonal of cells
constexpr int THREADS = !CELLS ? SIDE * SIDE : LAYERED ? LINE : S * S < 1024 ? S * S : 1024;
constexpr int DIAGONALS = 2 * SIDE - 1;
constexpr int PARTS = AFFINE ? 4 : 1;            // values of a cell that cross a face
constexpr int SPREAD = CELLS && LAYERED ? 1 : CELLS ? SIDE : SIDE - 1;   // layers at the edges that are computed at a time
constexpr int RING_NEEDED = SPREAD + 2 * BATCH;
constexpr int RING = RING_NEEDED <= 16 ? 16 : RING_NEEDED <= 32 ? 32 : RING_NEEDED <= 64 ? 64 : 128;
static_assert(RING_NEEDED <= RING && 2 * (SIDE - 1) + 2 * BATCH <= LETTERS, "all layers that are computed at a time");
#define FACE ((S + 3) / 4 * 4)                   // places of a row of a face: whole packs
constexpr int SOUTH = PARTS * FACE, EAST = PARTS * (FACE + 4);
constexpr int BOTTOM = PARTS * S * S;

// Tiles: what a thread leaves for its neighbours.
constexpr int VALUES = PARTS * (1 + STARTS);     // values and starts
constexpr int EDGE = VALUES * (S + 4) + (VALUES > 1 ? 4 : 0);
constexpr int SOUTH_STEP = SIDE * VALUES * S, EAST_STEP = SIDE * EDGE, CORNERS = VALUES * SIDE * SIDE;

// Cells: all values of the last planes or layers; rows are so long that an antidiagonal meets no bank twice.
constexpr int AGES = LAYERED ? 2 : 4;
constexpr int MOVES_LEFT = AFFINE ? 7 : 1;       // a value for each move that leaves a cell
constexpr int PITCH = S + 2 + S % 2, PLANE = S * PITCH, AGE = MOVES_LEFT * (1 + STARTS) * PLANE;

constexpr int PASSED = CELLS ? AGES * AGE + S : 2 * (SOUTH_STEP + EAST_STEP + CORNERS);

// Moves by their bits of i, j, k; the parts of what goes south, east and down are the moves that cross there.
__device__ __forceinline__ constexpr int south_move(int part) { return 4 | part; }
__device__ __forceinline__ constexpr int east_move(int part) { return 2 | (part & 1) | (part & 2) << 1; }
__device__ __forceinline__ constexpr int down_move(int part) { return 1 | part << 1; }

// Number of the face that a chunk hands on: one a chunk; or one a column, one a row of the grid.
__device__ __forceinline__ long long south_of(const Cube& cube, int row, int column) {
    return KEPT ? static_cast<long long>(row) * cube.columns + column : column;
}
__device__ __forceinline__ long long east_of(const Cube& cube, int row, int column) {
    return KEPT ? static_cast<long long>(row) * cube.columns + column : row;
}
__device__ __forceinline__ long long bottom_of(const Cube& cube, int row, int column, int box) {
    return (static_cast<long long>(row) * cube.columns + column) * cube.boxes + box;
}

struct Chunk {
    int row, column;
    const Word *north, *west;                    // faces that come in, or null at the border of the cube
};

__device__ __forceinline__ Chunk chunk_at(const Cube& cube, const Faces& faces, int row, int column) {
    const Word* north = row ? faces.south + south_of(cube, row - 1, column) * cube.nk * SOUTH : nullptr;
    const Word* west = column ? faces.east + east_of(cube, row, column - 1) * cube.nk * EAST : nullptr;
    return {row, column, north, west};
}

// Chunk of this number, antidiagonal by antidiagonal, from the top right to the bottom left (Li et al. 2014, figure 1).
__device__ __forceinline__ void place_of(const Cube& cube, int number, int& row, int& column) {
    int level = 0;
    while (true) {
        int first = max(0, level - cube.columns + 1), count = min(level, cube.rows - 1) - first + 1;
        if (number < count) {
            row = first + number, column = level - row;
            return;
        }
        number -= count, ++level;
    }
}

// A local start: the cell, counted from the row and the column before the chunk, and the move that leaves it there.
__device__ __forceinline__ int start_code(int i, int j, int k, int move) {
    return (k + 1) << 17 | (AFFINE ? move << 14 : 0) | (i + 1) << 7 | (j + 1);
}

// The best of candidates in the order of the rule for ties: value, local start, move.
struct Best {
    int value, start, move;

    __device__ __forceinline__ void offer(int other, int from, int with) {
        bool stays;
        value = __vibmax_s32(value, other, &stays);
        start = stays ? start : from, move = stays ? move : with;
    }
};

struct Candidates { int value[8], start[8]; };   // by move

__device__ __forceinline__ Best first_best(const Candidates& of) {
    Best best = {of.value[7], of.start[7], 7};
    best.offer(of.value[6], of.start[6], 6);
    best.offer(of.value[5], of.start[5], 5);
    best.offer(of.value[3], of.start[3], 3);
    best.offer(of.value[4], of.start[4], 4);
    best.offer(of.value[2], of.start[2], 2);
    best.offer(of.value[1], of.start[1], 1);
    return best;
}

// What enters a tile in a layer: the row above, the column on the left, and the corner; by parts.
struct Entering {
    int north[PARTS][T], west[PARTS][T], corner[PARTS];
#if STARTS
    int north_start[PARTS][T], west_start[PARTS][T], corner_start[PARTS];
#endif
};

struct Scores { int ij[T][T], ik[T], jk[T]; };
