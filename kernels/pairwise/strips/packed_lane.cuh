// A lane of StripedScore with two cells in a register, 16 bits each: half the instructions a cell.
//
// Recurrence: that of strip.cuh; its floor and its score are added in one instruction.
//
// Threads: the lower halves are the first part of the lane's columns in row t - 2 l + 1, the upper halves the second
//     part in the row before: two virtual lanes, of which each hands H and K of its last column to the next. So cells
//     of one register never depend on each other.
//
// Memory: values are in registers, stored relative to `base`, which follows H of the strip's first lane. They cannot
//     overflow: within a warp H differs by at most a bound that grows with s (every cell is a gap away from every
//     other), and the host takes this lane only where that bound, and the lag of base, fit in 15 bits (cuda_sizes.py).
//
// Needs strip.cuh, sweep.cuh and score_keeper.cuh. Compile-time: PACKED; R is even.

#if PACKED
constexpr int LEAST_HALF = -32768, GREATEST_HALF = 32767;
constexpr int LOW = 0xffff, HIGH = ~0xffff;

struct Passed {
    int hk;                          // H, and K in the upper half, less base
#if TWO_PIECES
    int k2;                          // K2 in the upper half
#endif
};

struct Lane : TwoRows, Keeper {
    static constexpr int P = R / 2, FIELDS = PACKED_A_COLUMN * R + PACKED_A_LANE;
    int h[P], g[P];
    int k;                           // K of the last column of both parts
#if TWO_PIECES
    int g2[P], k2;
#endif
    int diagonal;                    // H left of the first columns, one row above
    Passed out;
    int best, row, column;           // first best cell
    int base;
    int floor;                       // 0 in both halves, or the least value
    int threshold;                   // the greatest H of both parts
    int low_row, high_row;           // the rows that had it, if they are below `row`; else 0
    int taken[P];                    // H of those rows

    __device__ __forceinline__ int packed(int low, int high) const { return halves(low - base, high - base); }

    static __device__ __forceinline__ int twice(int value) {
        value = min(max(value, LEAST_HALF), GREATEST_HALF);
        return halves(value, value);
    }

    __device__ __forceinline__ void place(int strip, int lane) {
        Keeper::place(strip, lane);
        low_row = high_row = 0;
#pragma unroll
        for (int c = 0; c < P; ++c) taken[c] = 0;
    }

    __device__ __forceinline__ void begin(const Strip& problem) {
        base = above(problem, left - id * R).h;
#pragma unroll
        for (int c = 0; c < P; ++c) {
            Edge low = above(problem, left + c + 1), high = above(problem, left + P + c + 1);
            h[c] = packed(low.h, high.h), g[c] = packed(low.k, high.k);
#if TWO_PIECES
            g2[c] = packed(low.k2, high.k2);
#endif
        }
        diagonal = packed(above(problem, left).h, above(problem, left + P).h);
        kept_row = checkpoints.tile;
        k = 0, out = Passed{};
#if TWO_PIECES
        k2 = 0;
#endif
        best = NO_END, row = column = 0;
        threshold = twice(best - base);
    }

    template <class F>
    __device__ __forceinline__ void visit(F&& keep_value) {
        keep_value(best), keep_value(row), keep_value(column), keep_value(base), keep_value(threshold);
#pragma unroll
        for (int c = 0; c < P; ++c) keep_value(h[c]);
#pragma unroll
        for (int c = 0; c < P; ++c) keep_value(g[c]);
        keep_value(k), keep_value(diagonal), keep_value(out.hk), keep_value(kept_row);
#if TWO_PIECES
#pragma unroll
        for (int c = 0; c < P; ++c) keep_value(g2[c]);
        keep_value(k2), keep_value(out.k2);
#endif
    }

    __device__ __forceinline__ void settle() {
        find_row_place();
        int ahead = low_half(__shfl_sync(WARP, h[0], 0));
        if (abs(ahead) > REACH) {
            finish();
            const int least = twice(LEAST_HALF), back = halves(-ahead, -ahead);
            auto move = [&](int& value) { value = add_max_halves(value, back, least); };
#pragma unroll
            for (int c = 0; c < P; ++c) move(h[c]), move(g[c]);
            move(k), move(diagonal), move(out.hk);
#if TWO_PIECES
#pragma unroll
            for (int c = 0; c < P; ++c) move(g2[c]);
            move(k2), move(out.k2);
#endif
            base += ahead;
            threshold = twice(best - base);
        }
        floor = twice(LOCAL ? -base : LEAST_HALF);
    }

#if TWO_PIECES
    __device__ __forceinline__ Passed arrive(Edge edge, int) const {
        return {packed(edge.h, edge.k), packed(base, edge.k2)};
    }

    static __device__ __forceinline__ Passed next(Passed passed) {
        return {__shfl_up_sync(WARP, passed.hk, 1), __shfl_up_sync(WARP, passed.k2, 1)};
    }

    __device__ __forceinline__ Edge depart(Passed passed) const {
        return {base + low_half(passed.hk), base + high_half(passed.hk), base + high_half(passed.k2)};
    }
#else
    __device__ __forceinline__ Passed arrive(Edge edge, int) const {
#if PRUNED
        edge.h = max(edge.h, base - far), edge.k = max(edge.k, base - far);  // what is skipped has no room in 16 bits
#endif
        return {packed(edge.h, edge.k)};
    }

#if PRUNED
    __device__ __forceinline__ int greatest() const {
        int most = max_halves(diagonal, out.hk, k);
#pragma unroll
        for (int c = 0; c < P; ++c) most = max_halves(most, g[c], g[c]);
        return base + max(low_half(most), high_half(most));
    }

    // Sets all to the least that the true values can be, near H of the left neighbour.
    __device__ __forceinline__ void restart(int most, int at_row) {
        finish();
        base = most - near;
#pragma unroll
        for (int c = 0; c < P; ++c) h[c] = g[c] = 0;
        diagonal = k = 0, out = {0};
        threshold = twice(best - base);
        kept_row = kept_after(at_row - 2);
    }
#endif

    static __device__ __forceinline__ Passed next(Passed passed) { return {__shfl_up_sync(WARP, passed.hk, 1)}; }

    __device__ __forceinline__ Edge depart(Passed passed) const {
        return {base + low_half(passed.hk), base + high_half(passed.hk)};
    }
#endif

    __device__ __forceinline__ void leave(int, int at_row, Passed passed) { keep_cell(at_row, depart(passed)); }

    template <bool MASKED, bool ENDING>
    __device__ __forceinline__ void compute(const Strip& problem, const Scores& scores, Passed in, int at_row) {
        const int open_extend = twice(-problem.open_extend), extend = twice(-problem.extend);
        // A half outside the matrix keeps its values.
        const int changes = !MASKED ? -1 : (at_row <= problem.m ? LOW : 0) | (at_row >= 2 ? HIGH : 0);
        auto change = [&](int& old, int value) { old = MASKED ? (value & changes) | (old & ~changes) : value; };
        int above_left = diagonal;
        change(diagonal, halves(in.hk, h[P - 1]));
        k = __byte_perm(in.hk, k, 0x5432);
#if TWO_PIECES
        const int open_extend2 = twice(-problem.open_extend2), extend2 = twice(-problem.extend2);
        k2 = __byte_perm(in.k2, k2, 0x5432);
#endif
#pragma unroll
        for (int c = 0; c < P; ++c) {
            int t = add_max_halves(above_left, scores.both(c), floor);
            t = add_max_halves(g[c], open_extend, t);
#if TWO_PIECES
            t = add_max_halves(g2[c], open_extend2, t);
            const int u = add_max_halves(k2, open_extend2, t);
            k2 = add_max_halves(k2, extend2, t);
            int here = add_max_halves(k, open_extend, u);
            k = add_max_halves(k, extend, u);
            change(g2[c], add_max_halves(g2[c], extend2, here));
#else
            int here = add_max_halves(k, open_extend, t);
            k = add_max_halves(k, extend, t);
#endif
            change(g[c], add_max_halves(g[c], extend, here));
            above_left = h[c];
            change(h[c], here);
        }
        out.hk = __byte_perm(h[P - 1], k, 0x7632);
#if TWO_PIECES
        out.k2 = k2;
#endif
        if (LOCAL) remember_best(at_row, changes);
        remember_half<0>(at_row, problem);
        remember_half<1>(at_row - 1, problem);
        if (ENDING) keep_rows(at_row);
    }

    // The cells of one part of the columns where paths may end.
    template <int PART>
    __device__ __forceinline__ void remember_half(int at_row, const Strip& problem) {
        if (at_row < 1 || at_row > problem.m) return;
        auto score = [&](int c) { return c / P == PART ? base + (PART ? high_half(h[c % P]) : low_half(h[c % P])) : NO_END; };
        remember_ends(at_row, left, problem, score, [&](int score, int c) {
            if (score > best) best = score, row = at_row, column = c;
        });
    }

    // Where a part has a new greatest H, it is copied whole; merge_best() looks for the column later.
    __device__ __forceinline__ void remember_best(int at_row, int changes) {
        int greatest = threshold;
#pragma unroll
        for (int c = 0; c < P; c += 2) greatest = max_halves(greatest, h[c], h[c + 1 < P ? c + 1 : c]);
        greatest = (greatest & changes) | (threshold & ~changes);
        // Without a branch, which every step would wait for.
        const int better = greatest ^ threshold;
        const int parts = (better & LOW ? LOW : 0) | (better & HIGH ? HIGH : 0);
#pragma unroll
        for (int c = 0; c < P; ++c) taken[c] = (h[c] & parts) | (taken[c] & ~parts);
        low_row = parts & LOW ? at_row : low_row;
        high_row = parts & HIGH ? at_row - 1 : high_row;
        threshold = greatest;
    }

    // Merges the best cell of the copied rows. Of equal scores the one in the smaller row counts, then the one in the
    // first part; cells merged before are never in a larger row.
    __device__ void merge_best() {
#pragma unroll 1
        for (int part = 0; part < 2; ++part) {
            const int at_row = part ? high_row : low_row, half = part ? HIGH : LOW;
            const int score = base + (part ? high_half(threshold) : low_half(threshold));
            if (at_row == 0 || score < best || (score == best && at_row >= row)) continue;
            best = score, row = at_row;
#pragma unroll
            for (int c = P - 1; c >= 0; --c) column = ((taken[c] ^ threshold) & half) == 0 ? part * P + c : column;
        }
        low_row = high_row = 0;
        threshold = twice(best - base);
    }

    __device__ __forceinline__ void finish() {
        if (LOCAL) merge_best();
    }

    // The first part of the next kept row is complete one step before the second.
    __device__ void keep_rows(int at_row) {
        if (at_row == kept_row && at_row < m) {
#pragma unroll
            for (int c = 0; c < P; ++c)
#if TWO_PIECES
                row_place[c] = {base + low_half(h[c]), base + low_half(g[c]), base + low_half(g2[c])};
#else
                row_place[c] = {base + low_half(h[c]), base + low_half(g[c])};
#endif
        }
        if (at_row - 1 == kept_row && at_row - 1 < m) {
#pragma unroll
            for (int c = 0; c < P; ++c)
#if TWO_PIECES
                row_place[P + c] = {base + high_half(h[c]), base + high_half(g[c]), base + high_half(g2[c])};
#else
                row_place[P + c] = {base + high_half(h[c]), base + high_half(g[c])};
#endif
            kept_row += checkpoints.tile;
        }
    }
};
#endif
