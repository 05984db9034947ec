// A lane of StripedScore with two cells in a register, 16 bits each: half the instructions a cell.
//
// Mapping.  The lower halves are the first part of the lane's columns in row t - 2 l + 1, the upper halves the second
// part in the row before: two virtual lanes, of which each hands H and K of its last column to the next. So cells of
// one register never depend on each other, and the recurrence is that of strip.cuh, its floor and its score added in
// one instruction.
//
// Values are kept less `base`, which follows H of the strip's first lane. They cannot overflow: within a warp H
// differs by at most a bound that grows with s (every cell is a gap away from every other), and the host takes this
// lane only where that bound, and what base may lag behind, fit in 15 bits (cuda_sizes.packed).
// Needs strip.cuh, sweep.cuh and score_keeper.cuh. Compile-time: PACKED; R is even.

#if PACKED
constexpr int LEAST_HALF = -32768, GREATEST_HALF = 32767;
constexpr int REACH = 4096;          // base is moved when it is so far away; cuda_sizes.REACH

struct Passed { int hk; };           // H, and K in the upper half, less base

struct Lane : TwoRows, Keeper {
    static constexpr int P = R / 2, FIELDS = 2 * P + 8;
    int h[P], g[P];
    int k;                           // K of the last column of both parts
    int diagonal;                    // H left of the first columns, one row above
    Passed out;
    int best, row, column;           // first best cell
    int base;
    int floor, threshold;            // 0, and the best score, in both halves; kept in range

    __device__ __forceinline__ int packed(int low, int high) const { return halves(low - base, high - base); }

    static __device__ __forceinline__ int twice(int value) {
        value = min(max(value, LEAST_HALF), GREATEST_HALF);
        return halves(value, value);
    }

    __device__ __forceinline__ void begin(const Strip& problem) {
        base = above(problem, left - id * R).h;
#pragma unroll
        for (int c = 0; c < P; ++c) {
            Edge low = above(problem, left + c + 1), high = above(problem, left + P + c + 1);
            h[c] = packed(low.h, high.h), g[c] = packed(low.k, high.k);
        }
        diagonal = packed(above(problem, left).h, above(problem, left + P).h);
        kept_row = checkpoints.tile;
        k = 0, out = {0};
        best = row = column = 0;
    }

    template <class F>
    __device__ __forceinline__ void visit(F&& keep_value) {
        keep_value(best), keep_value(row), keep_value(column), keep_value(base);
#pragma unroll
        for (int c = 0; c < P; ++c) keep_value(h[c]);
#pragma unroll
        for (int c = 0; c < P; ++c) keep_value(g[c]);
        keep_value(k), keep_value(diagonal), keep_value(out.hk), keep_value(kept_row);
    }

    __device__ __forceinline__ void settle() {
        int ahead = low_half(__shfl_sync(WARP, h[0], 0));
        if (abs(ahead) > REACH) {
            const int least = twice(LEAST_HALF), back = halves(-ahead, -ahead);
            auto move = [&](int& value) { value = add_max_halves(value, back, least); };
#pragma unroll
            for (int c = 0; c < P; ++c) move(h[c]), move(g[c]);
            move(k), move(diagonal), move(out.hk);
            base += ahead;
        }
        floor = twice(LOCAL ? -base : LEAST_HALF);
        threshold = twice(best - base);
    }

    __device__ __forceinline__ Passed arrive(Edge edge, int) const { return {packed(edge.h, edge.k)}; }

    static __device__ __forceinline__ Passed next(Passed passed) { return {__shfl_up_sync(WARP, passed.hk, 1)}; }

    __device__ __forceinline__ Edge depart(Passed passed) const {
        return {base + low_half(passed.hk), base + high_half(passed.hk)};
    }

    __device__ __forceinline__ void leave(int, int at_row, Passed passed) { keep_cell(at_row, depart(passed)); }

    template <bool MASKED, bool ENDING>
    __device__ __forceinline__ void compute(const Strip& problem, const Scores& scores, Passed in, int at_row) {
        const int open_extend = twice(-problem.open_extend), extend = twice(-problem.extend);
        // Where a half is not inside the matrix, its values stay as they are.
        const int changes = !MASKED ? -1 : (at_row <= problem.m ? 0xffff : 0) | (at_row >= 2 ? ~0xffff : 0);
        auto change = [&](int& old, int value) { old = MASKED ? (value & changes) | (old & ~changes) : value; };
        int above_left = diagonal;
        change(diagonal, halves(in.hk, h[P - 1]));
        k = __byte_perm(in.hk, k, 0x5432);
#pragma unroll
        for (int c = 0; c < P; ++c) {
            int t = add_max_halves(above_left, scores.both(c), floor);
            t = add_max_halves(g[c], open_extend, t);
            int here = add_max_halves(k, open_extend, t);
            k = add_max_halves(k, extend, t);
            change(g[c], add_max_halves(g[c], extend, here));
            above_left = h[c];
            change(h[c], here);
        }
        out.hk = __byte_perm(h[P - 1], k, 0x7632);
        if (LOCAL) remember_best(at_row, changes);
        if (ENDING) keep_rows(at_row);
    }

    __device__ __forceinline__ void remember_best(int at_row, int changes) {
        int greatest = threshold;
#pragma unroll
        for (int c = 0; c < P; c += 2) greatest = max_halves(greatest, h[c], h[c + 1 < P ? c + 1 : c]);
        greatest = (greatest & changes) | (threshold & ~changes);
        if (greatest == threshold) return;
        // The second part is in the row before, so it comes first.
#pragma unroll 1
        for (int part = 1; part >= 0; --part) {
            int score = base + (part ? high_half(greatest) : low_half(greatest));
            if (score <= best) continue;
            const int half = part ? ~0xffff : 0xffff;
            best = score, row = at_row - part;
#pragma unroll
            for (int c = P - 1; c >= 0; --c) column = ((h[c] ^ greatest) & half) == 0 ? part * P + c : column;
        }
        threshold = twice(best - base);
    }

    // Of the row that is kept next, the first part is there a step before the second.
    __device__ void keep_rows(int at_row) {
        if (at_row == kept_row && at_row < m) {
            int2* place = row_place();
#pragma unroll
            for (int c = 0; c < P; ++c) place[c] = {base + low_half(h[c]), base + low_half(g[c])};
        }
        if (at_row - 1 == kept_row && at_row - 1 < m) {
            int2* place = row_place() + P;
#pragma unroll
            for (int c = 0; c < P; ++c) place[c] = {base + high_half(h[c]), base + high_half(g[c])};
            kept_row += checkpoints.tile;
        }
    }
};
#endif
