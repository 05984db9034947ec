// Columns of a strip, row by row: one warp has the cells, four others the scores, and hand them over in shared memory.
//
//     E = max(H above - open_i, E above) - extend_i        F = max(H left - open_j, F left) - extend_j
//     H = max(H diagonal + s(i, j), E, F, [0])
//
// Scores.  Products of 16 rows and 8 columns by tensor cores: factors are whole and at most 2048, or a sum of two such
// numbers, so that 16 bits hold them; products are summed in float32, where every sum is whole and at most 2^24: exact.
// The squares of a distance are among the factors, so that the product is what the root is taken of. Each of the four
// warps keeps the factors of 32 columns in registers, makes 16 rows of scores ahead of the cells, and writes them to a
// ring of 64 steps in shared memory: those of a cell to the step at which its lane comes to it.
//
// Cells.  Lane l holds four columns: H and E of the row above. At step t it works on row t - l, so that the warp walks
// antidiagonals; H and the gap of a lane's last column go to the next lane by a shuffle. Gaps are kept shifted by what
// their columns cost so far, E' = E + R_i, G = F + C_j, so that each is one instruction; a gap may open behind
// max(diagonal, E), as one right behind another is never better than that one going on.
//
// Every 16 steps all warps meet. Meanwhile one of the four waits for the next 16 rows of the strip on the left, one
// publishes what this strip finished, one loads the costs of rows: no latency of memory is in the way of the cells.
//
// Memory.  Borders between strips: a word (H, G) for every row, which tells by itself that it is there (ABSENT is no H).
// Rows of each batch: (H, E) of every column. Factors: 16 bits, an order that lets a thread load what it needs at once.
//
// Compile-time: STEPS (eighths of factors), KIND (LINEAR, ROOT, LOGARITHM), MODE (GLOBAL, LOCAL, SEMI_GLOBAL).

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

    // Scores of rows ``at`` to at + 15 and 32 columns, to the ring.
    __device__ __forceinline__ void make(Shared& shared, int at, int column, int lane) const {
        int* scores = (int*)shared.scores + column + lane % 4 * 2;
        const int step = at + lane / 4 + (column + lane % 4 * 2) / PER;
        float sums[TILES][4] = {};
#pragma unroll
        for (int step = 0; step < STEPS; ++step)
#pragma unroll
            for (int tile = 0; tile < TILES; ++tile)
                multiply_halves(sums[tile], word_of(rows[0][step / 4], step % 4), word_of(rows[1][step / 4], step % 4),
                                factors[tile][step]);
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

// What a step needs of shared memory, read while the step before is computed.
struct Ahead {
    int4 scores;
    int2 cost, left;
    int opens;
};

// Where a lane reads ahead in sixteen steps, in none of which a ring begins again: every place is one and a constant.
struct Places {
    const int4* scores;
    const int2 *costs, *left;
    const unsigned char* opens;

    __device__ __forceinline__ void begin(const Shared& shared, int step, int lane) {
        const int at = step & RING - 1;
        scores = shared.scores + at * (PITCH / 4) + lane * (PER / 4), left = shared.left + at, opens = shared.opens + at;
        costs = shared.costs + (step - lane & RING - 1);
    }

    template <bool KEEP>
    __device__ __forceinline__ void load(int each, Ahead& ahead) const {
        ahead.scores = scores[each * (PITCH / 4)], ahead.cost = costs[each], ahead.left = left[each];
        if (KEEP) ahead.opens = opens[each];
    }
};

// Four columns of a lane of the warp that has the cells. ``KEEP``: directions are kept instead of borders. There are no
// branches in what is done for every row: lanes whose first row is yet to come, or whose last one is over, compute what
// nobody uses, and begin with what ``above`` has.
template <bool KEEP>
struct Cells {
    int h[PER], e[PER], source[PER], sum[PER], above_h[PER], above_e[PER], final[PER];
    int corner, above_corner, out_h, out_g, out_opens, own, valid, ends;
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
            above_h[c] = from == 0 && c < valid ? upper_border(pair, own + c + 1) : MINUS_INFINITY;
            above_e[c] = MINUS_INFINITY;
            if (from > 0) {
                int4 two = kept[c / 2];
                above_h[c] = c % 2 ? two.z : two.x, above_e[c] = (c % 2 ? two.w : two.y) - shift;
            }
            h[c] = e[c] = final[c] = 0;
        }
        corner = 0, above_corner = __shfl_up_sync(WARP, above_h[PER - 1], 1);
        if (lane == 0)
            above_corner = from == 0     ? upper_border(pair, own)
                           : number == 0 ? left_border(pair, from)
                                         : (int)(unsigned)pair.borders[(number - 1LL) * pair.m + from - 1];
    }

    // Sixteen steps. Of them ``first`` is the one at which the lane comes to its first row, ``last`` to the last row of the
    // table, ``keep`` to a row that is kept, and with ``over`` its rows are over; such as are none of the sixteen never
    // come. Without ``EDGE`` no lane comes to a row of the first three kinds.
    template <bool EDGE>
    __device__ __forceinline__ void steps(Shared& shared, int step, int lane, int first, int last, int over, int keep,
                                          int4* kept, int row, unsigned short* directions) {
        Places places;
        Ahead ahead, next;
        places.begin(shared, step, lane);
        places.template load<KEEP>(0, next);
        int2* right = shared.right + step % RING;
#pragma unroll 4
        for (int each = 0; each < CHUNK; ++each) {
            ahead = next;
            if (each + 1 < CHUNK) places.template load<KEEP>(each + 1, next);
            int h_left = __shfl_up_sync(WARP, out_h, 1), g = __shfl_up_sync(WARP, out_g, 1);
            int opens = KEEP ? __shfl_up_sync(WARP, out_opens, 1) : 0;
            if (lane == 0) {
                h_left = ahead.left.x, g = ahead.left.y;
                if (KEEP) opens = ahead.opens;
            }
            if (EDGE && each == first) {
                corner = above_corner;
#pragma unroll
                for (int c = 0; c < PER; ++c) h[c] = above_h[c], e[c] = above_e[c];
            }
            const int2 cost = ahead.cost;
            const int scores[PER] = {ahead.scores.x, ahead.scores.y, ahead.scores.z, ahead.scores.w};
            // What lanes wait for each other with is G alone: gaps that open here are brought together before it comes.
            int diagonal = corner, gap_g = g, kinds = 0, ts[PER], ways[PER + 1], throughs[PER];
            corner = h_left;
#pragma unroll
            for (int c = 0; c < PER; ++c) {
                const int up = h[c], through = throughs[c] = diagonal + scores[c];
                if (KEEP && up + cost.x >= e[c]) kinds |= E_OPENS << 4 * c;
                e[c] = add_max(up, cost.x, e[c]);
                ts[c] = MODE == LOCAL ? add_max_floor(e[c], cost.y, through) : add_max(e[c], cost.y, through);
                ways[c + 1] = c == 0 ? ts[c] + source[c] : add_max(ts[c], source[c], ways[c]);
                diagonal = up;
            }
#pragma unroll
            for (int c = 0; c < PER; ++c) {
                if (c > 0) gap_g = max(g, ways[c]);
                h[c] = add_max(gap_g, sum[c], ts[c]);
                if (KEEP) {
                    if (opens) kinds |= F_OPENS << 4 * c;
                    const int gap = e[c] + cost.y, f = gap_g + sum[c];
                    int kind = f > max(throughs[c], gap) ? FROM_F : gap > throughs[c] ? FROM_E : 0;
                    if (MODE == LOCAL && h[c] <= 0) kind = NOWHERE;
                    kinds |= kind << 4 * c;
                    opens = h[c] + source[c] >= gap_g;
                }
            }
            g = max(g, ways[PER]);
            out_h = h[PER - 1], out_g = g, out_opens = opens;
            if (KEEP) {
                if (each >= first && each < over) directions[(row + each) * LANES + lane] = kinds;
                continue;
            }
            if (lane == LANES - 1) right[each] = make_int2(out_h, gap_g);
            if (MODE == LOCAL && max(max(h[0], h[1]), max(h[2], h[3])) > best.score && each >= first && each < over)
                look(row + each);
            if (MODE == SEMI_GLOBAL && ends && each >= first && each < over) look_at_end(row + each);
            if (EDGE && MODE != LOCAL && each == last) {
#pragma unroll
                for (int c = 0; c < PER; ++c) final[c] = h[c];
            }
            if (EDGE && each == keep) {
                kept[0] = make_int4(h[0], e[0] + cost.y, h[1], e[1] + cost.y);
                kept[1] = make_int4(h[2], e[2] + cost.y, h[3], e[3] + cost.y);
            }
        }
    }

    // The first cell of the best score in a row.
    __device__ __forceinline__ void look(int i) {
#pragma unroll
        for (int c = 0; c < PER; ++c)
            if (c < valid && h[c] > best.score) best = {h[c], i + 1, own + c + 1};
    }

    // The same in the last column of the table.
    __device__ __forceinline__ void look_at_end(int i) {
        const int last = valid == 1 ? h[0] : valid == 2 ? h[1] : valid == 3 ? h[2] : h[3];
        if (last > best.score) best = {last, i + 1, own + valid};
    }

    // The same in the last row of the table, or its corner, once that is computed.
    __device__ __forceinline__ void look_at_last(int m) {
#pragma unroll
        for (int c = 0; c < PER; ++c)
            if (c < valid && (MODE == GLOBAL ? ends && c == valid - 1 : final[c] > best.score))
                best = {final[c], m, own + c + 1};
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
        const bool whole = until == pair.m;
        __syncthreads();
        for (int step = 0; step < steps; step += CHUNK) {
            // Rows that are kept end a batch; none is in sight twice, and the last one of the table is not kept.
            const int keep = (step + CHUNK) / BATCH * BATCH - 1, ahead = lane - step;
            const bool kept = keep >= max(step - LANES + 1, 0) && keep < rows && from + keep + 1 < pair.m;
            int4* place = (int4*)kept_row(pair, number, kept ? (from + keep) / BATCH : 0) + lane * (PER / 2);
            const int last = whole ? rows - 1 + ahead : -1, stays = kept ? keep + ahead : -1, row = from - ahead;
            if (step < LANES || kept || (whole && step + CHUNK >= rows))
                cells.template steps<true>(shared, step, lane, ahead, last, rows + ahead, stays, place,
                                           KEEP ? -ahead : row, directions);
            else
                cells.template steps<false>(shared, step, lane, -1, -1, rows + ahead, -1, place,
                                            KEEP ? -ahead : row, directions);
            __syncthreads();
        }
        if (!KEEP) {
            if (MODE != LOCAL && whole) cells.look_at_last(pair.m);
            if (cells.valid == 0) cells.best.score = MINUS_INFINITY;
            best = best_of_warp(cells.best);
        }
    } else {
        const int number_of = warp - 1, column = number_of * (WIDTH / MAKERS);
        Maker maker;
        Fetch fetch;
        maker.scored = {pair.unit, finish.factor, pair.origin, finish.offset};
        maker.load_rows(pair, from, lane);
        maker.load_columns(pair, number * WIDTH + column, lane);
        fetch.begin(pair, number);
        for (int step = -CHUNK; step < steps; step += CHUNK) {
            const int at = step + CHUNK, own = at + lane;
            const bool fetches = number_of == 0 && lane < CHUNK && own < rows;
            const bool pays = number_of == 2 && lane < CHUNK && own < rows;
            int2 cost = make_int2(0, 0);
            if (!KEEP && right && number_of == 1 && step > 0) publish(shared, pair, number, from, rows, step, lane);
            if (fetches) fetch.ask(pair, number, from + own);
            if (pays) cost = pair.row_costs[from + own];
            if (at < rows) {
                maker.make(shared, at, column, lane);
                if (at + CHUNK < rows) maker.load_rows(pair, from + at + CHUNK, lane);
            }
            if (pays) shared.costs[own % RING] = cost;
            if (pays && own % RING < CHUNK) shared.costs[RING + own % RING] = cost;
            if (fetches) fetch.await(shared, pair, number, from + own, own);
            __syncthreads();
        }
        if (!KEEP && right && number_of == 1)
            publish(shared, pair, number, from, rows, (steps + CHUNK - 1) / CHUNK * CHUNK, lane);
    }
}
