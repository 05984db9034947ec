// A tile of T x T columns of cells with affine, quasi-natural gap costs: seven values per cell (page.md). Needs cube.cuh.
//
// Recurrence: With V(m) the best value of a cell whose last move is m, a successor by move m takes from it
//                 G(m) = max( V(m), max(V(a), V(b)) - open, max over all V - 2 open ),    G(7) = max over all V
//             where a and b are the moves after which m opens one gap.
// Threads:    a thread computes one layer of its tile at a time, row by row.
// Memory:     registers. Southwards go G of 4, 5, 6, 7, eastwards of 2, 3, 6, 7, down of 1, 3, 5, 7, in this order of parts.

struct Tile {
    int g[4][T][T];                              // down, of the layer before
    int north[2][T], west[2][T], corner;         // 5 and 7; 3 and 7; 7: of the layer before
    int out_south[4][T], out_east[4][T];
#if STARTS
    int g_start[4][T][T], north_start[2][T], west_start[2][T], corner_start;
    int out_south_start[4][T], out_east_start[4][T];
#endif

    __device__ __forceinline__ void clear() {
        before([](int& value, int& start, int, int, int, int) { value = MINUS_INFINITY, start = 0; });
    }

    // f(value, start, row, column, part, move): every value of the layer before that is needed, from row and column -1.
    template <class F>
    __device__ __forceinline__ void before(F&& f) {
#if STARTS
#define START(x) x
#else
        int none = 0;
#define START(x) none
#endif
        f(corner, START(corner_start), -1, -1, 3, 7);
#pragma unroll
        for (int r = 0; r < T; ++r) {
            f(north[0][r], START(north_start[0][r]), -1, r, 1, 5);
            f(north[1][r], START(north_start[1][r]), -1, r, 3, 7);
            f(west[0][r], START(west_start[0][r]), r, -1, 1, 3);
            f(west[1][r], START(west_start[1][r]), r, -1, 3, 7);
#pragma unroll
            for (int c = 0; c < T; ++c)
#pragma unroll
                for (int part = 0; part < 4; ++part)
                    f(g[part][r][c], START(g_start[part][r][c]), r, c, part, down_move(part));
        }
#undef START
    }

    // The last row and the last column of a part, or of its starts.
    __device__ __forceinline__ void edges(int part, bool starts, int (&row)[T], int (&column)[T]) const {
#pragma unroll
        for (int x = 0; x < T; ++x) {
#if STARTS
            row[x] = starts ? out_south_start[part][x] : out_south[part][x];
            column[x] = starts ? out_east_start[part][x] : out_east[part][x];
#else
            row[x] = out_south[part][x], column[x] = out_east[part][x];
#endif
        }
    }
    __device__ __forceinline__ int down(int part, int r, int c) const { return g[part][r][c]; }
#if STARTS
    __device__ __forceinline__ int down_start(int part, int r, int c) const { return g_start[part][r][c]; }
#endif

    // What a successor takes by a move: first[1..7] of value by move, costs of opening after each.
    static __device__ __forceinline__ Best taken(const Candidates& of, int move, int open) {
        Candidates paid;
#pragma unroll
        for (int before = 1; before < 8; ++before) {
            paid.value[before] = of.value[before] - open * openings(before, move);
            paid.start[before] = of.start[before];
        }
        return first_best(paid);
    }

    // Gaps that open in a column of move `move` after one of move `before` (reference.py).
    static __device__ __forceinline__ constexpr int openings(int before, int move) {
        return opens(before, move, 6) + opens(before, move, 5) + opens(before, move, 3);
    }
    static __device__ __forceinline__ constexpr int opens(int before, int move, int pair) {
        int now = move & pair;
        return now != 0 && now != pair && (before & pair) != now;
    }

    // One layer; put(row, column, moves) where moves are wanted: for each successor's move m, in bits 3 m .. 3 m + 2.
    template <class F>
    __device__ __forceinline__ void compute(const Entering& in, const Scores& scores, int open, F&& put) {
        int old5[T], old7[T], new4[T], new6[T];
        int diagonal_old = corner, diagonal_new = in.corner[2];
#if STARTS
        int old5_start[T], old7_start[T], new4_start[T], new6_start[T];
        int diagonal_old_start = corner_start, diagonal_new_start = in.corner_start[2];
#endif
#pragma unroll
        for (int c = 0; c < T; ++c) {
            old5[c] = north[0][c], old7[c] = north[1][c], new4[c] = in.north[0][c], new6[c] = in.north[2][c];
#if STARTS
            old5_start[c] = north_start[0][c], old7_start[c] = north_start[1][c];
            new4_start[c] = in.north_start[0][c], new6_start[c] = in.north_start[2][c];
#endif
        }
#pragma unroll
        for (int r = 0; r < T; ++r) {
            int old3 = west[0][r], new2 = in.west[0][r], corner_old = diagonal_old, corner_new = diagonal_new;
            diagonal_old = west[1][r], diagonal_new = in.west[2][r];
#if STARTS
            int old3_start = west_start[0][r], new2_start = in.west_start[0][r];
            int corner_old_start = diagonal_old_start, corner_new_start = diagonal_new_start;
            diagonal_old_start = west_start[1][r], diagonal_new_start = in.west_start[2][r];
#endif
#pragma unroll
            for (int c = 0; c < T; ++c) {
                Candidates of;
                of.value[7] = corner_old + scores.ij[r][c] + scores.ik[r] + scores.jk[c];
                of.value[6] = corner_new + scores.ij[r][c];
                of.value[5] = old5[c] + scores.ik[r];
                of.value[3] = old3 + scores.jk[c];
                of.value[4] = new4[c], of.value[2] = new2, of.value[1] = g[0][r][c];
                corner_old = old7[c], corner_new = new6[c];
                old5[c] = g[2][r][c], old7[c] = g[3][r][c], old3 = g[1][r][c];
#if STARTS
                of.start[7] = corner_old_start, of.start[6] = corner_new_start, of.start[5] = old5_start[c];
                of.start[3] = old3_start, of.start[4] = new4_start[c], of.start[2] = new2_start;
                of.start[1] = g_start[0][r][c];
                corner_old_start = old7_start[c], corner_new_start = new6_start[c];
                old5_start[c] = g_start[2][r][c], old7_start[c] = g_start[3][r][c], old3_start = g_start[1][r][c];
#endif
#if STARTS || MOVES
#if !STARTS
#pragma unroll
                for (int move = 1; move < 8; ++move) of.start[move] = 0;
#endif
                Best g1 = taken(of, 1, open), g2 = taken(of, 2, open), g3 = taken(of, 3, open), g4 = taken(of, 4, open);
                Best g5 = taken(of, 5, open), g6 = taken(of, 6, open), g7 = taken(of, 7, open);
                g[0][r][c] = g1.value, g[1][r][c] = g3.value, g[2][r][c] = g5.value, g[3][r][c] = g7.value;
                new4[c] = g4.value, new6[c] = g6.value, new2 = g2.value;
                put(r, c, g1.move << 3 | g2.move << 6 | g3.move << 9 | g4.move << 12 | g5.move << 15 | g6.move << 18 |
                              g7.move << 21);
#if STARTS
                g_start[0][r][c] = g1.start, g_start[1][r][c] = g3.start;
                g_start[2][r][c] = g5.start, g_start[3][r][c] = g7.start;
                new4_start[c] = g4.start, new6_start[c] = g6.start, new2_start = g2.start;
#endif
#else
                const int* v = of.value;
                int most = __vimax3_s32(__vimax3_s32(v[7], v[6], v[5]), __vimax3_s32(v[3], v[4], v[2]), v[1]);
                int once = most - open;
                g[3][r][c] = most;
                g[2][r][c] = add_max(__vimax3_s32(v[4], v[1], once), -open, v[5]);
                g[1][r][c] = add_max(__vimax3_s32(v[2], v[1], once), -open, v[3]);
                g[0][r][c] = add_max(__vimax3_s32(v[5], v[3], once), -open, v[1]);
                new6[c] = add_max(__vimax3_s32(v[4], v[2], once), -open, v[6]);
                new4[c] = add_max(__vimax3_s32(v[6], v[5], once), -open, v[4]);
                new2 = add_max(__vimax3_s32(v[6], v[3], once), -open, v[2]);
#endif
            }
            out_east[0][r] = new2, out_east[1][r] = g[1][r][T - 1];
            out_east[2][r] = new6[T - 1], out_east[3][r] = g[3][r][T - 1];
#if STARTS
            out_east_start[0][r] = new2_start, out_east_start[1][r] = g_start[1][r][T - 1];
            out_east_start[2][r] = new6_start[T - 1], out_east_start[3][r] = g_start[3][r][T - 1];
#endif
        }
        corner = in.corner[3];
#if STARTS
        corner_start = in.corner_start[3];
#endif
#pragma unroll
        for (int x = 0; x < T; ++x) {
            out_south[0][x] = new4[x], out_south[1][x] = g[2][T - 1][x];
            out_south[2][x] = new6[x], out_south[3][x] = g[3][T - 1][x];
            north[0][x] = in.north[1][x], north[1][x] = in.north[3][x];
            west[0][x] = in.west[1][x], west[1][x] = in.west[3][x];
#if STARTS
            out_south_start[0][x] = new4_start[x], out_south_start[1][x] = g_start[2][T - 1][x];
            out_south_start[2][x] = new6_start[x], out_south_start[3][x] = g_start[3][T - 1][x];
            north_start[0][x] = in.north_start[1][x], north_start[1][x] = in.north_start[3][x];
            west_start[0][x] = in.west_start[1][x], west_start[1][x] = in.west_start[3][x];
#endif
        }
    }
};
