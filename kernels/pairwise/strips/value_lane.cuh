// A lane that computes values alone, in 32 bits: for StripedScore (striped_score.cu) and pictures (image.cu).
//
// Recurrence: that of strip.cuh.
//
// Threads: a lane of a warp has R columns, as in strip.cuh.
//
// Memory: H and G of all columns are in registers. A lane that derives from this one adds what it keeps.
//
// Needs strip.cuh and sweep.cuh.

struct ValueLane : OneRow {
    int h[R], g[R];
#if TWO_PIECES
    int g2[R];
#endif
    int diagonal;                    // H of the cell left of the lane's first column, one row above
    Edge out;

    // Row 0, right of column `left`.
    __device__ __forceinline__ void begin_values(const Strip& problem, int left) {
#pragma unroll
        for (int c = 0; c < R; ++c) {
            Edge edge = above(problem, left + c + 1);
            h[c] = edge.h, g[c] = edge.k;
#if TWO_PIECES
            g2[c] = edge.k2;
#endif
        }
        diagonal = above(problem, left).h;
        out = Edge{};
    }

    // H and G of a column.
    __device__ __forceinline__ Values kept_values(int c) const {
#if TWO_PIECES
        return {h[c], g[c], g2[c]};
#else
        return {h[c], g[c]};
#endif
    }

    // The greatest value that the lane holds: G is at least H, and K of the last column, too.
    __device__ __forceinline__ int greatest() const {
        int most = max(diagonal, out.k);
#pragma unroll
        for (int c = 0; c < R; ++c) most = max(most, g[c]);
        return most;
    }

    __device__ __forceinline__ void set_all(int value) {
#pragma unroll
        for (int c = 0; c < R; ++c) h[c] = g[c] = value;
        diagonal = out.h = out.k = value;
    }

    template <class F>
    __device__ __forceinline__ void visit_values(F&& keep_value) {
#pragma unroll
        for (int c = 0; c < R; ++c) keep_value(h[c]);
#pragma unroll
        for (int c = 0; c < R; ++c) keep_value(g[c]);
        keep_value(diagonal), keep_value(out.h), keep_value(out.k);
#if TWO_PIECES
#pragma unroll
        for (int c = 0; c < R; ++c) keep_value(g2[c]);
        keep_value(out.k2);
#endif
    }

    static __device__ __forceinline__ Edge arrive(Edge edge, int) { return edge; }

    static __device__ __forceinline__ Edge next(Edge passed) {
#if TWO_PIECES
        return {__shfl_up_sync(WARP, passed.h, 1), __shfl_up_sync(WARP, passed.k, 1), __shfl_up_sync(WARP, passed.k2, 1)};
#else
        return {__shfl_up_sync(WARP, passed.h, 1), __shfl_up_sync(WARP, passed.k, 1)};
#endif
    }

    __device__ __forceinline__ void settle() {}

    __device__ __forceinline__ void finish() {}

    static __device__ __forceinline__ Edge depart(Edge edge) { return edge; }

    // The next row; seen(c) is called for every column c of the lane once h[c] is that row's.
    template <class F>
    __device__ __forceinline__ void next_row(const Strip& problem, const Scores& scores, Edge in, F&& seen) {
        int above_left = diagonal, k = in.k;
        diagonal = in.h;
#if TWO_PIECES
        int k2 = in.k2;
#endif
#pragma unroll
        for (int c = 0; c < R; ++c) {
            int matched = above_left + scores[c];
            int t = LOCAL ? add_max_floor(g[c], -problem.open_extend, matched)
                          : add_max(g[c], -problem.open_extend, matched);
#if TWO_PIECES
            t = add_max(g2[c], -problem.open_extend2, t);
            const int u = add_max(k2, -problem.open_extend2, t);
            k2 = add_max(k2, -problem.extend2, t);
            int here = add_max(k, -problem.open_extend, u);
            k = add_max(k, -problem.extend, u);
            g2[c] = add_max(g2[c], -problem.extend2, here);
#else
            int here = add_max(k, -problem.open_extend, t);
            k = add_max(k, -problem.extend, t);
#endif
            g[c] = add_max(g[c], -problem.extend, here);
            above_left = h[c];
            h[c] = here;
            seen(c);
        }
#if TWO_PIECES
        out = {h[R - 1], k, k2};
#else
        out = {h[R - 1], k};
#endif
    }
};
