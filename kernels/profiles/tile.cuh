// Columns of a strip, row by row: one warp has the cells, four others the scores, and hand them over in shared memory.
//
//     E = max(H above - open_i, E above) - extend_i        F = max(H left - open_j, F left) - extend_j
//     H = max(H diagonal + s(i, j), E, F, [0])
//
// Scores.  Products of 16 rows and 8 columns by tensor cores: factors are whole and at most 2048, or a sum of two such
// numbers, so that 16 bits hold them; products are summed in float32, where every sum is whole and at most 2^24: exact.
// The squares of a distance are among the factors, so that the product is what the root is taken of. Each of the four
// warps keeps the factors of 32 columns in registers, makes 16 rows of scores ahead of the cells, and writes them to a
// ring of 64 rows in shared memory.
//
// Cells.  Lane l holds four columns: H and E of the row above. At step t it works on row t - l, so that the warp walks
// antidiagonals; H and the gap of a lane's last column go to the next lane by a shuffle. Gaps are kept shifted by what
// their columns cost so far, E' = E + R_i, G = F + C_j, so that each is one instruction; a gap may open behind
// max(diagonal, E), as one right behind another is never better than that one going on.
//
// Every 16 steps all warps meet. Meanwhile one of the four waits for the next 16 rows of the strip on the left, one
// publishes what this strip finished, one loads the costs of rows: no latency of memory is in the way of the cells.
//
// Memory.  Borders between strips: a word (H, F) for every row, which tells by itself that it is there (ABSENT is no H).
// Rows of each batch: (H, E) of every column. Factors: 16 bits, an order that lets a thread load what it needs at once.
//
// Compile-time: STEPS (eighths of factors), KIND (LINEAR, ROOT, LOGARITHM), MODE (GLOBAL, LOCAL, SEMI_GLOBAL).

constexpr int PER = 4, WIDTH = PER * LANES, CHUNK = 16, RING = 64, PITCH = WIDTH + 8;
constexpr int MAKERS = 4, TILES = WIDTH / MAKERS / 8, THREADS = LANES * (MAKERS + 1);
constexpr int LOADS = (STEPS + 3) / 4;
constexpr unsigned ABSENT = 0x80808080u;

// sums += rows (16 x 8) times columns (8 x 8): the fragments of mma.m16n8k8.
__device__ __forceinline__ void multiply_halves(float* sums, unsigned upper, unsigned lower, unsigned columns) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(upper), "r"(lower), "r"(columns));
}

// What the warps of a block share.
struct Shared {
    int4 scores[RING * PITCH / 4];
    int2 costs[RING], left[RING], right[RING];  // of rows: costs; H and G on the left; H and F in the last column
    unsigned char opens[RING];                  // whether a gap opens behind the column on the left
    int table[260];
    int4 word;                                  // what one thread tells all
};

__device__ __forceinline__ const int4* kept_row(const Pair& pair, int number, int batch) {
    return pair.kept + ((long long)number * ((pair.m - 1) / BATCH) + batch) * (WIDTH / 2);
}

// One of the warps that make scores.
struct Maker {
    unsigned factors[TILES][4 * LOADS];
    uint4 rows[2][LOADS];
    Scored scored;

    __device__ __forceinline__ void load_rows(const Pair& pair, int row, int lane) {
        const uint4* upper = pair.rows + ((long long)row + lane / 4) * (4 * LOADS) + lane % 4;
#pragma unroll
        for (int half = 0; half < 2; ++half)
#pragma unroll
            for (int load = 0; load < LOADS; ++load) rows[half][load] = upper[half * 8 * 4 * LOADS + 4 * load];
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

    // Scores of 16 rows and 32 columns, to row ``at`` of the ring.
    __device__ __forceinline__ void make(Shared& shared, int at, int column, int lane) const {
        int* scores = (int*)shared.scores + (at + lane / 4) * PITCH + column + lane % 4 * 2;
#pragma unroll
        for (int tile = 0; tile < TILES; ++tile) {
            float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
            for (int step = 0; step < STEPS; ++step)
                multiply_halves(sums, word_of(rows[0][step / 4], step % 4), word_of(rows[1][step / 4], step % 4),
                                factors[tile][step]);
            int found[4];
#pragma unroll
            for (int each = 0; each < 4; ++each) found[each] = finished(scored, shared.table, sums[each]);
            *(int2*)(scores + 8 * tile) = make_int2(found[0], found[1]);
            *(int2*)(scores + 8 * tile + 8 * PITCH) = make_int2(found[2], found[3]);
        }
    }

    static __device__ __forceinline__ unsigned word_of(const uint4& four, int word) {
        return word == 0 ? four.x : word == 1 ? four.y : word == 2 ? four.z : four.w;
    }
};

// H in the first row and in the first column of the table.
__device__ __forceinline__ int upper_border(const Pair& pair, int j) {
    return MODE == GLOBAL && j > 0 ? pair.column_costs[j].y + pair.column_costs[0].x : 0;
}
__device__ __forceinline__ int left_border(const Pair& pair, int i) {
    return MODE == GLOBAL && i > 0 ? pair.row_costs[i - 1].y + pair.row_costs[0].x : 0;
}

// The next rows of the border on the left, once they are there; a lane a row.
__device__ __forceinline__ void fetch(Shared& shared, const Pair& pair, int number, int from, int until, int at, int lane) {
    const int row = from + at + lane;
    if (lane < CHUNK && row < until) {
        int h = left_border(pair, row + 1), f = MINUS_INFINITY;
        if (number > 0) {
            const unsigned long long* word = pair.borders + (number - 1LL) * pair.m + row;
            unsigned long long found = load_shared_by_all(word);
            while ((unsigned)found == ABSENT) found = load_shared_by_all(word);
            h = (int)(unsigned)found, f = (int)(found >> 32);
        }
        const int2 cost = pair.column_costs[number * WIDTH];
        const int opened = h + cost.x, going_on = f - cost.y;
        shared.left[(at + lane) % RING] = make_int2(h, max(opened, going_on));
        shared.opens[(at + lane) % RING] = opened >= going_on;
    }
}

// Rows that were finished in the 16 steps before: to the border on the right; a lane a row.
__device__ __forceinline__ void publish(const Shared& shared, const Pair& pair, int number, int from, int rows, int step,
                                        int lane) {
    const int row = step - CHUNK - (LANES - 1) + lane;
    if (lane < CHUNK && row >= 0 && row < rows) {
        int2 one = shared.right[row % RING];
        unsigned long long word = (unsigned)one.x | (unsigned long long)(unsigned)one.y << 32;
        store_shared_by_all(pair.borders + (long long)number * pair.m + from + row, word);
    }
}

// What a step needs of shared memory, read while the step before is computed.
struct Ahead {
    int4 scores;
    int2 cost, left;
    int opens;

    __device__ __forceinline__ void load(const Shared& shared, int step, int lane) {
        const int at = (step - lane) & (RING - 1);
        scores = shared.scores[at * (PITCH / 4) + lane];
        cost = shared.costs[at], left = shared.left[step % RING], opens = shared.opens[step % RING];
    }
};

// Four columns of a lane of the warp that has the cells. ``KEEP``: directions are kept instead of borders.
template <bool KEEP>
struct Cells {
    int h[PER], e[PER], source[PER], sum[PER];
    int corner, out_h, out_g, out_opens, own, last_row, valid, ends;
    Best best;

    __device__ __forceinline__ void begin(const Pair& pair, int number, int from, int lane) {
        own = number * WIDTH + lane * PER, valid = min(max(pair.n - own, 0), PER);
        out_h = out_g = out_opens = 0;
        best.score = valid == 0 ? 0x7fffffff : MODE == GLOBAL ? MINUS_INFINITY : 0, best.row = best.column = 0;
        ends = own < pair.n && own + PER >= pair.n;
        const int shift = from > 0 ? pair.row_costs[from - 1].y : 0;
        const int4* kept = kept_row(pair, number, from / BATCH - 1) + lane * (PER / 2);
#pragma unroll
        for (int c = 0; c < PER; ++c) {
            int2 cost = c < valid ? pair.column_costs[own + c + 1] : make_int2(0, 0);
            source[c] = cost.x, sum[c] = cost.y;
            h[c] = from == 0 && c < valid ? upper_border(pair, own + c + 1) : MINUS_INFINITY;
            e[c] = MINUS_INFINITY;
            if (from > 0) {
                int4 two = kept[c / 2];
                h[c] = c % 2 ? two.z : two.x, e[c] = (c % 2 ? two.w : two.y) - shift;
            }
        }
        corner = __shfl_up_sync(WARP, h[PER - 1], 1);
        if (lane == 0)
            corner = from == 0     ? upper_border(pair, own)
                     : number == 0 ? left_border(pair, from)
                                   : (int)(unsigned)pair.borders[(number - 1LL) * pair.m + from - 1];
    }

    // The cells of row ``i``, ``at`` rows into the sweep.
    __device__ __forceinline__ void row(Shared& shared, const Ahead& ahead, const Pair& pair, int number, int at, int i,
                                        int h_left, int g, int opens, int lane, unsigned short* directions) {
        const int2 cost = ahead.cost;
        const int scores[PER] = {ahead.scores.x, ahead.scores.y, ahead.scores.z, ahead.scores.w};
        int diagonal = corner, f = 0, kinds = 0;
        corner = h_left;
#pragma unroll
        for (int c = 0; c < PER; ++c) {
            const int up = h[c], through = diagonal + scores[c];
            if (KEEP && up + cost.x >= e[c]) kinds |= E_OPENS << 4 * c;
            if (KEEP && opens) kinds |= F_OPENS << 4 * c;
            e[c] = add_max(up, cost.x, e[c]);
            const int t = MODE == LOCAL ? add_max_floor(e[c], cost.y, through) : add_max(e[c], cost.y, through);
            h[c] = add_max(g, sum[c], t);
            if (KEEP || c == PER - 1) f = g + sum[c];
            if (KEEP) {
                const int gap = e[c] + cost.y;
                int kind = f > max(through, gap) ? FROM_F : gap > through ? FROM_E : 0;
                if (MODE == LOCAL && h[c] <= 0) kind = NOWHERE;
                kinds |= kind << 4 * c;
                opens = h[c] + source[c] >= g;
            }
            g = add_max(t, source[c], g);
            diagonal = up;
        }
        out_h = h[PER - 1], out_g = g, out_opens = opens;
        if (KEEP) {
            directions[at * LANES + lane] = kinds;
            return;
        }
        if (lane == LANES - 1) shared.right[at % RING] = make_int2(out_h, f);
        if (MODE == LOCAL && max(max(h[0], h[1]), max(h[2], h[3])) > best.score) keep(i, false);
        if (MODE == SEMI_GLOBAL && (i == pair.m - 1 || ends)) keep(i, i < pair.m - 1);
        if (MODE == GLOBAL && i == pair.m - 1 && ends) keep_last(i);
        if ((i + 1) % BATCH == 0 && i + 1 < pair.m) {
            int4* kept = (int4*)kept_row(pair, number, i / BATCH) + lane * (PER / 2);
            kept[0] = make_int4(h[0], e[0] + cost.y, h[1], e[1] + cost.y);
            kept[1] = make_int4(h[2], e[2] + cost.y, h[3], e[3] + cost.y);
        }
    }

    // The first cell of the best score: of all columns, or of the last one alone.
    __device__ __forceinline__ void keep(int i, bool last_alone) {
#pragma unroll
        for (int c = 0; c < PER; ++c)
            if (c < valid && (!last_alone || c == valid - 1) && h[c] > best.score) best = {h[c], i + 1, own + c + 1};
    }

    // The corner of the table.
    __device__ __forceinline__ void keep_last(int i) {
#pragma unroll
        for (int c = 0; c < PER; ++c)
            if (c == valid - 1) best = {h[c], i + 1, own + c + 1};
    }
};

// Rows [from, until) of a strip; all threads of the block. ``from`` is 0 or the end of a batch. With KEEP the directions
// of all cells come to ``directions``, four columns a word, a row after the other; else borders and the best cell are kept.
template <bool KEEP>
__device__ __forceinline__ void sweep(Shared& shared, const Pair& pair, const Finish& finish, int number, int from,
                                      int until, Best& best, unsigned short* directions) {
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, rows = until - from;
    const int steps = rows + LANES - 1, right = number + 1 < pair.strips;
    if (warp == 0) {
        Cells<KEEP> cells;
        cells.begin(pair, number, from, lane);
        __syncthreads();
        for (int step = 0; step < steps; step += CHUNK) {
            Ahead ahead, next;
            next.load(shared, step, lane);
#pragma unroll 4
            for (int each = 0; each < CHUNK; ++each) {
                const int at = step + each - lane;
                ahead = next;
                if (each + 1 < CHUNK) next.load(shared, step + each + 1, lane);
                int h_left = __shfl_up_sync(WARP, cells.out_h, 1), g = __shfl_up_sync(WARP, cells.out_g, 1);
                int opens = KEEP ? __shfl_up_sync(WARP, cells.out_opens, 1) : 0;
                if (lane == 0) h_left = ahead.left.x, g = ahead.left.y, opens = ahead.opens;
                if (at >= 0 && at < rows)
                    cells.row(shared, ahead, pair, number, at, from + at, h_left, g, opens, lane, directions);
            }
            __syncthreads();
        }
        if (!KEEP) {
            if (cells.valid == 0) cells.best.score = MINUS_INFINITY;
            best = best_of_warp(cells.best);
        }
    } else {
        const int number_of = warp - 1, column = number_of * (WIDTH / MAKERS);
        Maker maker;
        maker.scored = {pair.unit, finish.factor, pair.origin, finish.offset};
        maker.load_rows(pair, from, lane);
        maker.load_columns(pair, number * WIDTH + column, lane);
        for (int step = -CHUNK; step < steps; step += CHUNK) {
            const int at = step + CHUNK;
            if (at < rows) {
                maker.make(shared, at % RING, column, lane);
                if (at + CHUNK < rows) maker.load_rows(pair, from + at + CHUNK, lane);
                if (number_of == 2 && lane < CHUNK && at + lane < rows)
                    shared.costs[(at + lane) % RING] = pair.row_costs[from + at + lane];
            }
            if (!KEEP && right && number_of == 1 && step > 0) publish(shared, pair, number, from, rows, step, lane);
            if (number_of == 0 && at < rows) fetch(shared, pair, number, from, until, at, lane);
            __syncthreads();
        }
        if (!KEEP && right && number_of == 1)
            publish(shared, pair, number, from, rows, (steps + CHUNK - 1) / CHUNK * CHUNK, lane);
    }
}
