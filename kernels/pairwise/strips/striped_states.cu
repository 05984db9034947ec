// Phases 1 and 2 of StripedAlignment, ChunkedAlignment1 and ChunkedAlignment2 (Li et al. 2012, section V).
//
// Recurrence: that of strip.cuh, in which every H, G and K carries its local start state. Ties: a path stops where it
//     can, else goes diagonally, else up, else left; a gap is opened as late as possible.
//
// Threads: phase 1 has a warp a strip, as in sweep.cuh. With TILE, tiles of a problem are computed, each by the blocks
//     of one y of the grid, with the true values above and left of it: a path may leave a tile through its top row as
//     well. Phase 2 is one thread, which follows the states from the best cell back by strips, chunks or tiles.
//
// Memory: the states of every boundary cell are kept in global memory, strips x m pairs. With CHUNKS, strips are cut
//     into chunks of `height` rows, and H and G of each chunk's last row are kept as well, rows x width pairs. With
//     CHUNKS == 2 start states are local to the chunk: they are kept and begin anew below that row.
//
// Needs strip.cuh, sweep.cuh and states.cuh. Compile-time: CHUNKS, 0, 1 or 2; TILE.

struct __align__(16) Crossing {
    int h, k, h_state, k_state;
#if TWO_PIECES
    int k2, k2_state;
#endif
};

struct Lane : OneRow {
    static constexpr int FIELDS = STATES_A_COLUMN * R + STATES_A_LANE;
    static constexpr bool KEEPS = CHUNKS > 0;
    int h[R], g[R], h_state[R], g_state[R];
#if TWO_PIECES
    int g2[R], g2_state[R];
#endif
    int diagonal, diagonal_state;
    Crossing out;
    int best, row, best_column, state;   // first best cell and its start state
    int chunk_end;                   // last row of the lane's chunk
    int id, column;                  // lane; columns left of its first one
    int m;                           // rows of the problem, or of the tile
    Buffers buffers;

    __device__ __forceinline__ void place(int strip, int lane) { id = lane, column = (strip * LANES + lane) * R; }

    __device__ __forceinline__ void begin(const Strip& problem) {
        const int border_state = TOP_FREE ? start_state(NEW_PATH, 0) : start_state(FROM_K, 0);
#pragma unroll
        for (int c = 0; c < R; ++c) {
            Edge edge = above(problem, column + c + 1);
            h[c] = edge.h, g[c] = edge.k;
            h_state[c] = TILE ? start_state(TOP_H, id * R + c + 1) : border_state;
            g_state[c] = TILE ? start_state(TOP_G, id * R + c + 1) : border_state;
#if TWO_PIECES
            g2[c] = edge.k2;
            g2_state[c] = TILE ? start_state(TOP_G2, id * R + c + 1) : border_state;
#endif
        }
        diagonal = above(problem, column).h;
        diagonal_state = id == 0 ? start_state(FROM_H, 0) : TILE ? start_state(TOP_H, id * R) : border_state;
        out = Crossing{};
        best = NO_END, row = best_column = state = 0;
        chunk_end = buffers.height;
    }

    template <class F>
    __device__ __forceinline__ void visit(F&& keep_value) {
        keep_value(best), keep_value(row), keep_value(best_column), keep_value(state);
#pragma unroll
        for (int c = 0; c < R; ++c) keep_value(h[c]);
#pragma unroll
        for (int c = 0; c < R; ++c) {
            keep_value(g[c]), keep_value(h_state[c]), keep_value(g_state[c]);
#if TWO_PIECES
            keep_value(g2[c]), keep_value(g2_state[c]);
#endif
        }
        keep_value(diagonal), keep_value(diagonal_state);
        keep_value(out.h), keep_value(out.k), keep_value(out.h_state), keep_value(out.k_state);
        keep_value(chunk_end);
#if TWO_PIECES
        keep_value(out.k2), keep_value(out.k2_state);
#endif
    }

    __device__ __forceinline__ void settle() {}

    __device__ __forceinline__ void finish() {}

#if TWO_PIECES
    static __device__ __forceinline__ Edge depart(Crossing edge) { return {edge.h, edge.k, edge.k2}; }

    static __device__ __forceinline__ Crossing arrive(Edge edge, int row) {
        return {edge.h, edge.k, start_state(FROM_H, row), start_state(FROM_K, row), edge.k2, start_state(FROM_K2, row)};
    }

    static __device__ __forceinline__ Crossing next(Crossing passed) {
        return {__shfl_up_sync(WARP, passed.h, 1), __shfl_up_sync(WARP, passed.k, 1),
                __shfl_up_sync(WARP, passed.h_state, 1), __shfl_up_sync(WARP, passed.k_state, 1),
                __shfl_up_sync(WARP, passed.k2, 1), __shfl_up_sync(WARP, passed.k2_state, 1)};
    }

    static __device__ __forceinline__ Values states_of(const Crossing& edge) {
        return {edge.h_state, edge.k_state, edge.k2_state};
    }
#else
    static __device__ __forceinline__ Edge depart(Crossing edge) { return {edge.h, edge.k}; }

    static __device__ __forceinline__ Crossing arrive(Edge edge, int row) {
        return {edge.h, edge.k, start_state(FROM_H, row), start_state(FROM_K, row)};
    }

    static __device__ __forceinline__ Crossing next(Crossing passed) {
        return {__shfl_up_sync(WARP, passed.h, 1), __shfl_up_sync(WARP, passed.k, 1),
                __shfl_up_sync(WARP, passed.h_state, 1), __shfl_up_sync(WARP, passed.k_state, 1)};
    }

    static __device__ __forceinline__ Values states_of(const Crossing& edge) { return {edge.h_state, edge.k_state}; }
#endif

    __device__ __forceinline__ void leave(int strip, int at_row, Crossing edge) {
        buffers.boundary_states[static_cast<long long>(strip) * m + at_row - 1] = states_of(edge);
    }

    __device__ __forceinline__ int kept_after(int at_row) const { return multiple_after(buffers.height, at_row); }

    template <bool MASKED, bool ENDING>
    __device__ __forceinline__ void compute(
        const Strip& problem, const Scores& scores, Crossing in, int at_row) {
        int above_left = diagonal, above_left_state = diagonal_state;
        int k = in.k, k_state = in.k_state;
        diagonal = in.h, diagonal_state = in.h_state;
#if TWO_PIECES
        int k2 = in.k2, k2_state = in.k2_state;
#endif
#pragma unroll
        for (int c = 0; c < R; ++c) {
            int t = above_left + scores[c], t_state = above_left_state;
            int up = g[c] - problem.open_extend;
            if (up > t) t = up, t_state = g_state[c];
#if TWO_PIECES
            int up2 = g2[c] - problem.open_extend2;
            if (up2 > t) t = up2, t_state = g2_state[c];
#endif
            if (LOCAL && t <= 0) t = 0, t_state = start_state(NEW_PATH, at_row);
            int left = k - problem.open_extend;
            bool gap = left > t;
            int here = gap ? left : t, here_state = gap ? k_state : t_state;
#if TWO_PIECES
            int left2 = k2 - problem.open_extend2;
            if (left2 > here) here = left2, here_state = k2_state;
            if (t >= k2 - problem.extend2) k2 = t, k2_state = t_state;
            else k2 -= problem.extend2;
            if (here >= g2[c] - problem.extend2) g2[c] = here, g2_state[c] = here_state;
            else g2[c] -= problem.extend2;
#endif
            if (t >= k - problem.extend) k = t, k_state = t_state;
            else k -= problem.extend;
            if (here >= g[c] - problem.extend) g[c] = here, g_state[c] = here_state;
            else g[c] -= problem.extend;
            above_left = h[c], above_left_state = h_state[c];
            h[c] = here, h_state[c] = here_state;
        }
#if TWO_PIECES
        out = {h[R - 1], k, h_state[R - 1], k_state, k2, k2_state};
#else
        out = {h[R - 1], k, h_state[R - 1], k_state};
#endif
        if (LOCAL) remember_best(at_row);
        remember_ends(at_row, column, problem, [&](int c) { return h[c]; }, [&](int score, int c) {
            if (score > best) best = score, row = at_row, best_column = c, state = h_state[c];
        });
        if (ENDING && at_row == chunk_end && at_row < m) end_chunk();
    }

    // Stores the lane's part of the chunk's last row, unless it is the lowest chunk.
    __device__ void end_chunk() {
        long long place = static_cast<long long>(chunk_end / buffers.height - 1) * buffers.width + column;
#pragma unroll
        for (int c = 0; c < R; ++c)
#if TWO_PIECES
            buffers.values[place + c] = {h[c], g[c], g2[c]};
#else
            buffers.values[place + c] = {h[c], g[c]};
#endif
        chunk_end += buffers.height;
        if (CHUNKS < 2) return;
#pragma unroll
        for (int c = 0; c < R; ++c) {
#if TWO_PIECES
            buffers.states[place + c] = {h_state[c], g_state[c], g2_state[c]};
            g2_state[c] = start_state(TOP_G2, id * R + c + 1);
#else
            buffers.states[place + c] = {h_state[c], g_state[c]};
#endif
            h_state[c] = start_state(TOP_H, id * R + c + 1);
            g_state[c] = start_state(TOP_G, id * R + c + 1);
        }
        if (id > 0) diagonal_state = start_state(TOP_H, id * R);
    }

    __device__ __forceinline__ void remember_best(int at_row) {
        int score = h[0];
#pragma unroll
        for (int c = 1; c < R; ++c) score = max(score, h[c]);
        if (score <= best) return;
        best = score, row = at_row;
#pragma unroll
        for (int c = R - 1; c >= 0; --c)
            if (h[c] == score) best_column = c, state = h_state[c];
    }
};

extern "C" __global__ void striped_states(
    STRIP_PARAMETERS(pair), BOUNDARY_PARAMETERS(boundary), int* state, Event* log, unsigned* ticket,
    SLICE_PARAMETERS(slice), BUFFERS_PARAMETERS(kept), const Tile* tiles) {
    Strip problem = STRIP_OF(pair);
    Slice slice = SLICE_OF(slice);
    Boundary boundary = BOUNDARY_OF(boundary);
    Lane lane;
    lane.m = pair_m;
    lane.buffers = BUFFERS_OF(kept);
    if (TILE) {
        const Tile tile = tiles[blockIdx.y];
        problem.rows += tile.row, problem.columns += tile.column, problem.m = tile.m, problem.n = tile.n;
        problem.top = tile.top, problem.left = tile.left;
        boundary = Boundary{tile.boundary, tile.capacity};
        slice.end_strip = min(slice.end_strip, (tile.n + LANES * R - 1) / (LANES * R));
        slice.steps = min(slice.steps, (tile.m + 2 * LANES - 2) / LANES * LANES);
        state = tile.registers;
        log += static_cast<long long>(blockIdx.y) * (kept_width / (LANES * R));
        lane.m = tile.m;
        lane.buffers.boundary_states = tile.states;
    }
    sweep(lane, problem, boundary, slice, state, log, ticket + blockIdx.y);
}

#if TILE
// Returns the start state of H, K or G (`in`) of a cell on the bottom or right border of a tile.
__device__ int state_on_border(const Tile& tile, int row, int column, int in) {
    int strip = (column - 1) / (LANES * R), place = (column - 1) % (LANES * R);
    const bool in_row = in == IN_K || (TWO_PIECES && in == IN_K2);
    if (in_row || row < tile.m) {
        Values states = tile.states[static_cast<long long>(strip) * tile.m + row - 1];
        return state_of_end(states, in_row ? in : IN_H);
    }
    int field = FIRST_H + R + OTHERS * (place % R) + (in == IN_G ? G_STATE : H_STATE);
#if TWO_PIECES
    if (in == IN_G2) field += G2_STATE - H_STATE;
#endif
    return tile.registers[(static_cast<long long>(strip) * Lane::FIELDS + field) * LANES + place / R];
}

// Phase 2: one thread follows the states from tile to tile, as long as these were computed; writes the sub-paths
// from the last to the first, and to `found` their number, where the path continues (row, column, state)
// and whether it starts there. Tiles are in the order in which a traceback meets them, `size` rows and columns apart; one
// that was swept up to a row and column above the path's does not count.
extern "C" __global__ void link_tiles(
    const Tile* tiles, int tile_count, int size, int end_row, int end_column, int end_in, SubPath* paths, int* found) {
    int count = 0, began = 0, index = 0;
    while (end_row > 0 && end_column > 0 && !began) {
        const int top = (end_row - 1) / size * size, left = (end_column - 1) / size * size;
        const auto has_path = [&](const Tile& tile) {
            return tile.row == top && tile.column == left && end_row <= top + tile.m && end_column <= left + tile.n;
        };
        while (index < tile_count && !has_path(tiles[index])) ++index;
        if (index == tile_count) break;
        const Tile tile = tiles[index];
        int row = end_row - tile.row, column = end_column - tile.column, strip = (column - 1) / (LANES * R);
        int state = state_on_border(tile, row, column, end_in);
        column -= strip * LANES * R;
        while (true) {
            int kind = kind_of(state), place = place_of(state);
            bool from_top = is_from_top(kind), from_left = is_from_left(kind);
            int start_row = from_top ? 0 : place;
            paths[count++] = {tile.column / (LANES * R) + strip, kind, tile.row + start_row, tile.row + row, column,
                              end_in, from_top ? place : 0, 0};
            row = start_row, column = from_top ? place : 0;
            end_in = end_before(kind);
            began = kind == NEW_PATH;
            if (!from_left || strip == 0 || row == 0) break;
            column = LANES * R;
            Values states = tile.states[static_cast<long long>(--strip) * tile.m + row - 1];
            state = state_of_end(states, end_in);
        }
        end_row = tile.row + row, end_column = tile.column + strip * LANES * R + column;
    }
    found[0] = count, found[1] = end_row, found[2] = end_column, found[3] = end_in, found[4] = began;
}
#else
// Phase 2: one thread follows the states; writes the sub-paths from the last to the first. `again` says
// whether phase 3 starts from true values rather than from the start state.
extern "C" __global__ void link_sub_paths(
    const Values* boundary_states, const Values* chunk_states, int height, int width, int m, int strip, int end_row,
    int end_column, int end_in, int state, int again, SubPath* paths, int* count) {
    int found = 0;
    while (true) {
        int kind = kind_of(state), place = place_of(state);
        bool from_top = is_from_top(kind);
        int chunk_top = (end_row - 1) / height * height;
        int start_row = from_top ? chunk_top : place;
        int above = CHUNKS == 0 ? 0 : CHUNKS == 2 ? chunk_top : (start_row - is_in_row(kind)) / height * height;
        paths[found++] = {strip, kind, start_row, end_row, end_column, end_in,
                          from_top ? place : 0, again ? above + 1 : 0};
        if (kind == NEW_PATH || (!from_top && (strip == 0 || (place == 0 && TOP_FREE)))) break;
        end_row = start_row;
        if (from_top) {
            end_column = place, end_in = end_before(kind);
            const long long chunk = chunk_top / height - 1;
            state = state_of_end(chunk_states[chunk * width + strip * LANES * R + place - 1], end_in);
        } else {
            --strip;
            end_column = LANES * R, end_in = end_before(kind);
            Values states = place ? boundary_states[static_cast<long long>(strip) * m + place - 1]
                                  : values_of(even_edge(start_state(FROM_K, 0)));
            state = state_of_end(states, end_in);
        }
    }
    *count = found;
}
#endif
