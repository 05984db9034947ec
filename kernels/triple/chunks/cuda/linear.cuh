// A tile of T x T columns of cells with linear gaps: one value per cell. Needs cube.cuh.
//
// Recurrence: H'(i, j, k) = max over the seven cells before it of  H' + the scores of the letters that meet (encoding.py)
// Threads:    a thread computes one layer of its tile at a time, row by row, with six instructions per cell: the sum of two
//             scores, four add-max, a three-way maximum.
// Memory:     registers: the layer before, its row above, its column on the left, and its corner.

struct Tile {
    int h[T][T], north[T], west[T], corner;      // of the layer before
#if STARTS
    int start[T][T], north_start[T], west_start[T], corner_start;
#endif

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int r = 0; r < T; ++r) {
            north[r] = west[r] = MINUS_INFINITY;
#pragma unroll
            for (int c = 0; c < T; ++c) h[r][c] = MINUS_INFINITY;
        }
        corner = MINUS_INFINITY;
#if STARTS
#pragma unroll
        for (int r = 0; r < T; ++r) {
            north_start[r] = west_start[r] = 0;
#pragma unroll
            for (int c = 0; c < T; ++c) start[r][c] = 0;
        }
        corner_start = 0;
#endif
    }

    // f(value, start, row, column, part, move): every value of the layer before, rows and columns from -1; move 0.
    template <class F>
    __device__ __forceinline__ void before(F&& f) {
#if STARTS
#define START(x) x
#else
        int none = 0;
#define START(x) none
#endif
        f(corner, START(corner_start), -1, -1, 0, 7);
#pragma unroll
        for (int r = 0; r < T; ++r) {
            f(north[r], START(north_start[r]), -1, r, 0, 5);
            f(west[r], START(west_start[r]), r, -1, 0, 3);
#pragma unroll
            for (int c = 0; c < T; ++c) f(h[r][c], START(start[r][c]), r, c, 0, 1);
        }
#undef START
    }

    // The last row and the last column of a part, or of its starts.
    __device__ __forceinline__ void edges(int, bool starts, int (&row)[T], int (&column)[T]) const {
#pragma unroll
        for (int x = 0; x < T; ++x) {
#if STARTS
            row[x] = starts ? start[T - 1][x] : h[T - 1][x], column[x] = starts ? start[x][T - 1] : h[x][T - 1];
#else
            row[x] = h[T - 1][x], column[x] = h[x][T - 1];
#endif
        }
    }
    __device__ __forceinline__ int down(int, int r, int c) const { return h[r][c]; }
#if STARTS
    __device__ __forceinline__ int down_start(int, int r, int c) const { return start[r][c]; }
#endif

    // One layer; put(row, column, move) where moves are wanted.
    template <class F>
    __device__ __forceinline__ void compute(const Entering& in, const Scores& scores, int, F&& put) {
        int old_above[T + 1], above[T + 1];
#if STARTS
        int old_above_start[T + 1], above_start[T + 1];
        old_above_start[0] = corner_start, above_start[0] = in.corner_start[0];
#endif
        old_above[0] = corner, above[0] = in.corner[0];
#pragma unroll
        for (int c = 0; c < T; ++c) {
            old_above[c + 1] = north[c], above[c + 1] = in.north[0][c];
#if STARTS
            old_above_start[c + 1] = north_start[c], above_start[c + 1] = in.north_start[0][c];
#endif
        }
#pragma unroll
        for (int r = 0; r < T; ++r) {
            int old_left = west[r], left = in.west[0][r];
#if STARTS
            int old_left_start = west_start[r], left_start = in.west_start[0][r];
#endif
            int old_corner = old_above[0], new_corner = above[0];
            old_above[0] = old_left, above[0] = left;
#if STARTS
            int old_corner_start = old_above_start[0], new_corner_start = above_start[0];
            old_above_start[0] = old_left_start, above_start[0] = left_start;
#endif
#pragma unroll
            for (int c = 0; c < T; ++c) {
                int old = h[r][c], here;
#if STARTS || MOVES
                Candidates of;
                of.value[7] = old_corner + scores.ij[r][c] + scores.ik[r] + scores.jk[c];
                of.value[6] = new_corner + scores.ij[r][c];
                of.value[5] = old_above[c + 1] + scores.ik[r];
                of.value[3] = old_left + scores.jk[c];
                of.value[4] = above[c + 1], of.value[2] = left, of.value[1] = old;
#if STARTS
                int old_start = start[r][c];
                of.start[7] = old_corner_start, of.start[6] = new_corner_start, of.start[5] = old_above_start[c + 1];
                of.start[3] = old_left_start, of.start[4] = above_start[c + 1], of.start[2] = left_start;
                of.start[1] = old_start;
#else
#pragma unroll
                for (int move = 1; move < 8; ++move) of.start[move] = 0;
#endif
                Best best = first_best(of);
                here = best.value;
                put(r, c, best.move);
#if STARTS
                start[r][c] = best.start;
                old_corner_start = old_above_start[c + 1], new_corner_start = above_start[c + 1];
                old_above_start[c + 1] = old_left_start = old_start;
                above_start[c + 1] = left_start = best.start;
#endif
#else
                // The neighbours of this layer come last: a tile's cells wait for each other but a little.
                int other = add_max(old_above[c + 1], scores.ik[r], old);
                other = add_max(old_left, scores.jk[c], other);
                here = add_max(old_corner, scores.ik[r] + scores.jk[c], new_corner);
                here = add_max(here, scores.ij[r][c], other);
                here = __vimax3_s32(here, above[c + 1], left);
#endif
                h[r][c] = here;
                old_corner = old_above[c + 1], new_corner = above[c + 1];
                old_above[c + 1] = old_left = old;
                above[c + 1] = left = here;
            }
        }
        corner = in.corner[0];
#if STARTS
        corner_start = in.corner_start[0];
#endif
#pragma unroll
        for (int x = 0; x < T; ++x) {
            north[x] = in.north[0][x], west[x] = in.west[0][x];
#if STARTS
            north_start[x] = in.north_start[0][x], west_start[x] = in.west_start[0][x];
#endif
        }
    }
};
