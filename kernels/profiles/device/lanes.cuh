// Recurrence: E, F and H of tile.cuh, four columns of a lane at a time, an antidiagonal of lanes in each step.
//
// Threads: one warp; a lane has four columns.
//
// Memory: registers. If gaps cost something to open, `sum` has -C_j behind each column and `source` C_j - open_j; else `sum`
// is the negated gap cost of the column. Scores, costs and the border on the left come from rings in shared memory.
// Compile-time: MODE, OPENING (whether some gap costs something to open).

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

// What comes of a sweep: borders, and the best cell; or directions, or H, of all cells.
constexpr int BORDERS = 0, DIRECTIONS = 1, VALUES = 2;

// Four columns of a lane of the warp that has the cells. There are no
// branches in what is done for every row: lanes whose first row is yet to come, or whose last one is over, compute what
// nobody uses, and begin with what ``above`` has.
template <int WHAT>
struct Cells {
    static constexpr bool KEEP = WHAT == DIRECTIONS;
    int h[PER], e[PER], source[PER], sum[PER], above_h[PER], above_e[PER], final[PER];
    int corner, above_corner, out_h, out_g, out_gap, out_opens, own, valid, ends;
    Best best;

    __device__ __forceinline__ void begin(const Pair& pair, int number, int from, int lane) {
        own = number * WIDTH + lane * PER, valid = min(max(pair.n - own, 0), PER);
        out_h = out_g = out_gap = out_opens = 0;
        constexpr int LEAST = MODE == GLOBAL || MODE == QUERY_IN_TARGET ? MINUS_INFINITY : 0;
        best.score = valid == 0 ? 0x7fffffff : LEAST, best.row = best.column = 0;
        ends = own < pair.n && own + PER >= pair.n;
        const int shift = from > 0 ? pair.row_costs[from - 1].y : 0;
        int before = valid > 0 ? pair.column_costs[own].y : 0;
        const int4* kept = kept_row(pair, number, from / BATCH - 1) + lane * (PER / 2);
#pragma unroll
        for (int c = 0; c < PER; ++c) {
            int2 cost = c < valid ? pair.column_costs[own + c + 1] : make_int2(0, 0);
            source[c] = cost.x, sum[c] = OPENING ? cost.y : cost.y - before;
            before = cost.y;
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
                                          int4* kept, int row, void* found) {
        Places places;
        Ahead ahead, next;
        places.begin(shared, step, lane);
        places.template load<KEEP>(0, next);
        int2* right = shared.right + step % RING;
#pragma unroll 2
        for (int each = 0; each < CHUNK; ++each) {
            ahead = next;
            if (each + 1 < CHUNK) places.template load<KEEP>(each + 1, next);
            int h_left = __shfl_up_sync(WARP, out_h, 1), g = OPENING ? __shfl_up_sync(WARP, out_g, 1) : 0;
            int opens = KEEP && OPENING ? __shfl_up_sync(WARP, out_opens, 1) : 0;
            if (lane == 0) {
                h_left = ahead.left.x, g = ahead.left.y;
                if (KEEP) opens = ahead.opens;
            }
            if (EDGE && each == first) {
                corner = above_corner;
#pragma unroll
                for (int c = 0; c < PER; ++c) h[c] = above_h[c], e[c] = above_e[c];
            }
            const int scores[PER] = {ahead.scores.x, ahead.scores.y, ahead.scores.z, ahead.scores.w};
            const int2 cost = ahead.cost;
            const int kinds = OPENING ? affine(scores, cost, g, opens) : linear(scores, cost.y, h_left);
            corner = h_left;
            if (WHAT != BORDERS) {
                const int at = (row + each) * LANES + lane;
                if (each >= first && each < over) {
                    if (WHAT == DIRECTIONS) ((unsigned short*)found)[at] = kinds;
                    if (WHAT == VALUES) ((int4*)found)[at] = make_int4(h[0], h[1], h[2], h[3]);
                }
                continue;
            }
            if (lane == LANES - 1) right[each] = make_int2(out_h, out_gap);
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

    // A row of four cells, with gaps that cost something to open; returns directions. What lanes wait for each other with
    // is G alone: gaps that open in the first two are brought together before it comes.
    __device__ __forceinline__ int affine(const int* scores, int2 cost, int g, int opens) {
        int diagonal = corner, gap_g = g, kinds = 0, ts[PER], way = 0, throughs[PER];
#pragma unroll
        for (int c = 0; c < PER; ++c) {
            const int up = h[c], through = throughs[c] = diagonal + scores[c];
            if (KEEP && up + cost.x >= e[c]) kinds |= E_OPENS << 4 * c;
            e[c] = add_max(up, cost.x, e[c]);
            ts[c] = MODE == LOCAL ? add_max_floor(e[c], cost.y, through) : add_max(e[c], cost.y, through);
            if (c < 2) way = c == 0 ? ts[c] + source[c] : add_max(ts[c], source[c], way);
            diagonal = up;
        }
#pragma unroll
        for (int c = 0; c < PER; ++c) {
            if (c > 0) gap_g = c == 2 ? max(g, way) : add_max(ts[c - 1], source[c - 1], gap_g);
            h[c] = add_max(gap_g, sum[c], ts[c]);
            if (KEEP) {
                if (opens) kinds |= F_OPENS << 4 * c;
                kinds |= kind_of(h[c], gap_g + sum[c], e[c] + cost.y, throughs[c]) << 4 * c;
                opens = h[c] + source[c] >= gap_g;
            }
        }
        out_h = h[PER - 1], out_gap = gap_g, out_opens = opens;
        out_g = add_max(ts[PER - 1], source[PER - 1], gap_g);
        return kinds;
    }

    // The same with gaps that cost nothing to open: each is one that opens, so that H is all there is.
    __device__ __forceinline__ int linear(const int* scores, int cost, int h_left) {
        int diagonal = corner, left = h_left, kinds = 0;
#pragma unroll
        for (int c = 0; c < PER; ++c) {
            const int up = h[c], through = diagonal + scores[c];
            const int above = MODE == LOCAL ? add_max_floor(up, cost, through) : add_max(up, cost, through);
            h[c] = add_max(left, sum[c], above);
            if (KEEP) kinds |= (E_OPENS | F_OPENS | kind_of(h[c], left + sum[c], up + cost, through)) << 4 * c;
            diagonal = up, left = h[c];
        }
        out_h = h[PER - 1];
        return kinds;
    }

    // Where a cell comes from: the diagonal before E, and E before F.
    static __device__ __forceinline__ int kind_of(int h, int f, int e, int through) {
        if (MODE == LOCAL && h <= 0) return NOWHERE;
        return f > max(through, e) ? FROM_F : e > through ? FROM_E : 0;
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

    // The same in the last row of the table, or its corner, once that is computed. The corner is in the last column too,
    // and was looked at: of cells as good as it, those before it are first.
    __device__ __forceinline__ void look_at_last(int m) {
#pragma unroll
        for (int c = 0; c < PER; ++c) {
            const Best one = {final[c], m, own + c + 1};
            if (c < valid && (MODE == GLOBAL ? ends && c == valid - 1 : before(one, best))) best = one;
        }
    }
};
