// StripedScore: the score of the best alignment and the cell where it ends (Li et al. 2012, section IV).
//
// Recurrence: that of strip.cuh, in lanes of value_lane.cuh or, with PACKED, of packed_lane.cuh. A cell takes five and
//     a half instructions on the arithmetic pipe (one byte extraction, four add-max, half a three-way maximum) and two
//     on the multiply pipe.
//
// Threads: a warp a strip; strips are handed out as in sweep.cuh.
//
// Memory: only strip boundaries pass through global memory. With CHECKPOINTS, H and G of every row and H and K of every
//     boundary column that is a multiple of the tile are kept there, for CheckpointedAlignment. Where there is less
//     room, later ones replace earlier ones, which the host has copied by then.
//
// Needs strip.cuh, sweep.cuh, pruned_sweep.cuh, value_lane.cuh, score_keeper.cuh and packed_lane.cuh. Compile-time:
// KEYED, whether scores leave five bits free for a column; CHECKPOINTS; PACKED; PRUNED.

#if !PACKED
struct Lane : ValueLane, Keeper {
    static constexpr int FIELDS = SCORE_A_COLUMN * R + SCORE_A_LANE;
    int best, row, column;           // first best cell; KEYED: best is 32 score + 31 - column

    __device__ __forceinline__ void begin(const Strip& problem) {
        begin_values(problem, left);
        kept_row = checkpoints.tile;
        best = NO_END, row = column = 0;
    }

    template <class F>
    __device__ __forceinline__ void visit(F&& keep_value) {
        keep_value(best), keep_value(row), keep_value(column);
        visit_values(keep_value);
        keep_value(kept_row);
    }

    __device__ __forceinline__ void settle() { find_row_place(); }

#if PRUNED
    __device__ __forceinline__ void restart(int, int at_row) {
        set_all(MARK);
        kept_row = kept_after(at_row - 1);
    }
#endif

    __device__ __forceinline__ void leave(int, int at_row, Edge edge) { keep_cell(at_row, edge); }

    template <bool MASKED, bool ENDING>
    __device__ __forceinline__ void compute(
        const Strip& problem, const Scores& scores, Edge in, int at_row) {
        next_row(problem, scores, in, [](int) {});
        if (LOCAL) remember_best(at_row);
        remember_ends(at_row, left, problem, [&](int c) { return h[c]; }, [&](int score, int c) {
            if (score > best) best = score, row = at_row, column = c;
        });
        if (ENDING && at_row == kept_row && at_row < m) keep_row();
    }

    __device__ void keep_row() {
#pragma unroll
        for (int c = 0; c < R; ++c) row_place[c] = kept_values(c);
        kept_row += checkpoints.tile;
    }

    __device__ __forceinline__ void remember_best(int at_row) {
#if KEYED
        // The greatest key is the leftmost greatest score. key_scale is KEY_SCALE, passed at run time so that
        // the product stays a product, on the pipe that is idle otherwise.
        int key = 0;
#pragma unroll
        for (int c = 0; c < R; c += 2) {
            int first = h[c] * key_scale + (31 - c);
            int second = c + 1 < R ? h[c + 1] * key_scale + (30 - c) : 0;
            key = __vimax3_s32(key, first, second);
        }
        if (key > (best | 31)) best = key, row = at_row;
#else
        int score = h[0];
#pragma unroll
        for (int c = 1; c < R; ++c) score = max(score, h[c]);
        if (score > best) {
            best = score, row = at_row;
#pragma unroll
            for (int c = R - 1; c >= 0; --c) column = h[c] == score ? c : column;
        }
#endif
    }
};
#endif

extern "C" __global__ void striped_score(
    STRIP_PARAMETERS(pair), BOUNDARY_PARAMETERS(boundary), int* state, Event* log, unsigned* ticket,
    SLICE_PARAMETERS(slice), int key_scale, CHECKPOINTS_PARAMETERS(kept)
#if PRUNED
    , PRUNING_PARAMETERS(pruning)
#endif
) {
    Lane lane;
    lane.key_scale = key_scale, lane.m = pair_m, lane.n = pair_n;
    lane.checkpoints = CHECKPOINTS_OF(kept);
#if PRUNED
    lane.near = pruning_near, lane.far = pruning_far;
    const Pruning pruning = PRUNING_OF(pruning);
    pruned_sweep(lane, STRIP_OF(pair), BOUNDARY_OF(boundary), SLICE_OF(slice), pruning, state, log, ticket);
#else
    sweep(lane, STRIP_OF(pair), BOUNDARY_OF(boundary), SLICE_OF(slice), state, log, ticket);
#endif
}

// The borders of the whole matrix as checkpoints: row 0, column 0, and the first pair of every row kept.
// `rows` starts at column 0 of row 0, `columns` at row 1 of column 0; `pairs` is the distance of two rows kept.
extern "C" __global__ void keep_borders(
    Values* rows, int bands, long long pairs, Values* columns, int m, int n, int open_extend, int extend, int tile
#if TWO_PIECES
    , int open_extend2, int extend2
#endif
) {
    Strip problem = {};
    problem.open_extend = open_extend, problem.extend = extend;
#if TWO_PIECES
    problem.open_extend2 = open_extend2, problem.extend2 = extend2;
#endif
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    auto pair = [](int value) { return values_of(even_edge(value)); };
    if (index <= n) rows[index] = pair(top_border(problem, index));
    if (index < m) columns[index] = pair(left_border(problem, index + 1));
    if (index < bands) rows[index * pairs] = pair(left_border(problem, index * tile));
}

// A block for each row kept but the first: its greatest H up to column `last`, above the column that has it.
extern "C" __global__ void greatest_in_rows(const Values* rows, long long pairs, int last, long long* found) {
    __shared__ long long greatest[1024];
    const Values* row = rows + (blockIdx.x + 1) * pairs;
    int score = MINUS_INFINITY, column = 0;
#pragma unroll 4
    for (int j = threadIdx.x + 1; j <= last; j += blockDim.x)
        if (row[j].x > score) score = row[j].x, column = j;
    greatest[threadIdx.x] = static_cast<long long>(score) * (1ll << 32) + column;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) greatest[threadIdx.x] = max(greatest[threadIdx.x], greatest[threadIdx.x + half]);
    }
    if (threadIdx.x == 0) found[blockIdx.x] = greatest[0];
}
