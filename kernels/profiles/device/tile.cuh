// Recurrence: E = max(H above - open_i, E above) - extend_i        F = max(H left - open_j, F left) - extend_j
//             H = max(H diagonal + s(i, j), E, F, [0])
//
// Threads: one warp has the cells of a strip, four others make the scores. Every 16 steps all warps meet; meanwhile one of
// the four waits for the next 16 rows of the strip on the left, one publishes what this strip finished, one loads row costs.
// Scores: tensor cores multiply 16 rows and 8 columns. Factors are whole and at most 2048, or a sum of two such numbers, so
// that 16 bits hold them; float32 sums are whole and at most 2^24, hence exact. The squares of a distance are among the
// factors. Each of the four warps keeps the factors of 32 columns in registers and makes 16 rows ahead of the cells.
// Cells: lane l has four columns with H and E of the row above, and works on row t - l at step t. H and the gap of its last
// column go to the next lane by a shuffle. Gaps are shifted by what their columns cost so far, E' = E + R_i, G = F + C_j, so
// that each takes one instruction; a gap opens behind max(diagonal, E), since one right behind another is never better.
//
// Memory: scores go through a ring of 64 steps in shared memory, those of a cell to the step at which its lane needs them.
// Borders between strips are a word (H, G) for every row, valid once it differs from ABSENT, which is no H. Rows of each batch
// are (H, E) of every column. Factors are 16-bit numbers in the order in which a thread loads them.
// Compile-time: STEPS (eighths of factors), KIND (LINEAR, ROOT, LOGARITHM), MODE (GLOBAL, LOCAL, SEMI_GLOBAL,
// QUERY_IN_TARGET), OPENING.

constexpr int PER = 4, WIDTH = PER * LANES, CHUNK = 16, RING = 64, PITCH = WIDTH + 8;
constexpr int MAKERS = 4, TILES = WIDTH / MAKERS / 8, THREADS = LANES * (MAKERS + 1);
constexpr int LOADS = (STEPS + 3) / 4;
constexpr unsigned ABSENT = 0x80808080u;

// What the warps of a block share.
struct Shared {
    int4 scores[RING * PITCH / 4];              // of steps
    int2 costs[RING + CHUNK];                   // of rows; the first ones once more behind the last ones
    int2 left[RING];                            // of rows: H and G on the left
    int2 right[RING];                           // of steps: H and G in the last column
    unsigned char opens[RING];                  // whether a gap opens behind the column on the left
    int table[260];
    int4 word;                                  // from one thread to all
};

__device__ __forceinline__ const int4* kept_row(const Pair& pair, int number, int batch) {
    return pair.kept + ((long long)number * ((pair.m - 1) / BATCH) + batch) * (WIDTH / 2);
}

// One of the warps that make scores.
struct Maker {
    unsigned factors[TILES][4 * LOADS];
    uint4 rows[2 * LOADS];
    Scored scored;

    __device__ __forceinline__ void load_rows(const Pair& pair, int row, int lane) {
        const uint4* own = pair.rows + (long long)row * (4 * LOADS) + lane;
#pragma unroll
        for (int load = 0; load < 2 * LOADS; ++load) rows[load] = own[LANES * load];
    }

    __device__ __forceinline__ void load_columns(const Pair& pair, int column, int lane) {
#pragma unroll
        for (int tile = 0; tile < TILES; ++tile)
#pragma unroll
            for (int load = 0; load < LOADS; ++load) {
                uint4 four = pair.columns[((long long)column + 8 * tile + lane / 4) * (4 * LOADS) + 4 * load + lane % 4];
                factors[tile][4 * load] = four.x, factors[tile][4 * load + 1] = four.y;
                factors[tile][4 * load + 2] = four.z, factors[tile][4 * load + 3] = four.w;
            }
    }

    // Scores of rows ``at`` to at + 15 and 32 columns, to the ring.
    __device__ __forceinline__ void make(Shared& shared, int at, int column, int lane) const {
        int* scores = (int*)shared.scores + column + lane % 4 * 2;
        const int step = at + lane / 4 + (column + lane % 4 * 2) / PER;
        float sums[TILES][4] = {};
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            const uint4& two = rows[step / 2];
            const unsigned upper = step % 2 ? two.z : two.x, lower = step % 2 ? two.w : two.y;
#pragma unroll
            for (int tile = 0; tile < TILES; ++tile) multiply_halves(sums[tile], upper, lower, factors[tile][step]);
        }
#pragma unroll
        for (int tile = 0; tile < TILES; ++tile) {
            int found[4];
#pragma unroll
            for (int each = 0; each < 4; ++each) found[each] = finished(scored, shared.table, sums[tile][each]);
            const int upper = step + 8 * tile / PER & RING - 1, lower = step + 8 * tile / PER + 8 & RING - 1;
            *(int2*)(scores + 8 * tile + upper * PITCH) = make_int2(found[0], found[1]);
            *(int2*)(scores + 8 * tile + lower * PITCH) = make_int2(found[2], found[3]);
        }
    }
};

// H in the first row and in the first column of the table.
__device__ __forceinline__ int upper_border(const Pair& pair, int j) {
    return MODE == GLOBAL && j > 0 ? pair.column_costs[j].y + pair.column_costs[0].x : 0;
}
__device__ __forceinline__ int left_border(const Pair& pair, int i) {
    return (MODE == GLOBAL || MODE == QUERY_IN_TARGET) && i > 0 ? pair.row_costs[i - 1].y + pair.row_costs[0].x : 0;
}

// The next rows of the border on the left, a lane a row: asked for, and awaited a while later.
struct Fetch {
    const unsigned long long* word;
    unsigned long long found;
    int opening;

    __device__ __forceinline__ void begin(const Pair& pair, int number) {
        opening = pair.column_costs[number * WIDTH].x, found = ABSENT;
    }

    __device__ __forceinline__ void ask(const Pair& pair, int number, int row) {
        word = pair.borders + (number - 1LL) * pair.m + row;
        if (number > 0) found = load_shared_by_all(word);
    }

    __device__ __forceinline__ void await(Shared& shared, const Pair& pair, int number, int row, int at) {
        int h = 0, going_on = MINUS_INFINITY;
        if (number > 0) {
            while ((unsigned)found == ABSENT) found = load_shared_by_all(word);
            h = (int)(unsigned)found, going_on = (int)(found >> 32);
        } else {
            h = left_border(pair, row + 1);
        }
        const int opened = h + opening;
        shared.left[at % RING] = make_int2(h, max(opened, going_on));
        shared.opens[at % RING] = opened >= going_on;
    }
};

// Rows that were finished in the 16 steps before: to the border on the right; a lane a row.
__device__ __forceinline__ void publish(const Shared& shared, const Pair& pair, int number, int from, int rows, int step,
                                        int lane) {
    const int row = step - CHUNK - (LANES - 1) + lane;
    if (lane < CHUNK && row >= 0 && row < rows) {
        int2 one = shared.right[(step - CHUNK + lane) % RING];
        unsigned long long word = (unsigned)one.x | (unsigned long long)(unsigned)one.y << 32;
        store_shared_by_all(pair.borders + (long long)number * pair.m + from + row, word);
    }
}
