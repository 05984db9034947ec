// What the kernels of neighbor joining share: the state of a run, the criterion, and the best pair.
//
// Recurrence: the pair of the least (r - 2) d(i, j) - S(i) - S(j) is joined to u; then d(u, k) = (d(i, k) + d(j, k)
//   - d(i, j)) / 2 and S follows, until three clusters are left. Of equal pairs the one comes first whose greater
//   slot is the smallest, then whose smaller slot is. Everything that decides is in double precision and rounds as
//   on the CPU: no product is fused with a sum.
// Threads: each thread keeps its best pair; warps, then blocks, then the last block of the grid reduce them.
// Memory: clusters lie densely at places 0 .. r - 1; `slots` says which slot a place has. The new cluster takes the
//   place of the one with the smaller slot, and the last cluster moves to the place that becomes free. State is in
//   global memory.

// Beyond every distance; see MOST_SINGLE and MOST_DOUBLE in problem.py.
constexpr double NO_DISTANCE = 1e30;

__device__ __forceinline__ double criterion(double d, double sum_x, double sum_y, int r) {
    return __dsub_rn(__dmul_rn((double)(r - 2), d), __dadd_rn(sum_x, sum_y));
}

__device__ __forceinline__ bool is_better(const Pair& x, const Pair& y) {
    return x.criterion < y.criterion || (x.criterion == y.criterion && x.slots < y.slots);
}

__device__ __forceinline__ Pair no_pair() { return {1.7e308, ~0ull, ~0ull}; }

__device__ __forceinline__ Pair pair_of(double value, int x, int y, const int* slots) {
    const unsigned sx = slots[x], sy = slots[y];
    const bool first = sx < sy;
    const unsigned long long low = first ? sx : sy, high = first ? sy : sx, a = first ? x : y, b = first ? y : x;
    return {value, high << 32 | low, a << 32 | b};
}

// The best pair of a block, in all threads of its first warp; every thread of the block calls this.
__device__ inline Pair best_of_block(Pair mine) {
    __shared__ Pair of_warps[LANES];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = (blockDim.x + LANES - 1) / LANES;
    for (int distance = LANES / 2; distance; distance /= 2) {
        const Pair other = {__shfl_xor_sync(WARP, mine.criterion, distance), __shfl_xor_sync(WARP, mine.slots, distance),
                            __shfl_xor_sync(WARP, mine.places, distance)};
        if (is_better(other, mine)) mine = other;
    }
    __syncthreads();
    if (lane == 0) of_warps[warp] = mine;
    __syncthreads();
    if (warp == 0) {
        mine = lane < warps ? of_warps[lane] : no_pair();
        for (int distance = LANES / 2; distance; distance /= 2) {
            const Pair other = {__shfl_xor_sync(WARP, mine.criterion, distance),
                                __shfl_xor_sync(WARP, mine.slots, distance),
                                __shfl_xor_sync(WARP, mine.places, distance)};
            if (is_better(other, mine)) mine = other;
        }
    }
    return mine;
}

// The greatest of each of N numbers of all threads, in all threads of the first warp; every thread calls this.
template <int N>
__device__ inline void greatest_of_block(double (&mine)[N]) {
    __shared__ double of_warps[N][LANES];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = (blockDim.x + LANES - 1) / LANES;
    for (int distance = LANES / 2; distance; distance /= 2)
        for (double& number : mine) number = max(number, __shfl_xor_sync(WARP, number, distance));
    __syncthreads();
    if (lane == 0)
        for (int n = 0; n < N; ++n) of_warps[n][warp] = mine[n];
    __syncthreads();
    if (warp) return;
    for (int n = 0; n < N; ++n) mine[n] = lane < warps ? of_warps[n][lane] : -1.7e308;
    for (int distance = LANES / 2; distance; distance /= 2)
        for (double& number : mine) number = max(number, __shfl_xor_sync(WARP, number, distance));
}

// Whether this block is the last of the grid to come here; what all others wrote before can then be read. One thread
// releases and acquires for its block: fences on both sides of the atomic, barriers around all of it.
__device__ inline bool last_block(State* state) {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&state->finished, 1u) == gridDim.x - 1;
        __threadfence();
        if (last) state->finished = 0;
    }
    __syncthreads();
    return last;
}

// The best of what all blocks found, by the last block; the first thread has it.
__device__ inline Pair best_of_grid(const Pair* found) {
    Pair best = no_pair();
    for (int block = threadIdx.x; block < (int)gridDim.x; block += blockDim.x)
        if (is_better(found[block], best)) best = found[block];
    return best_of_block(best);
}

// Keep the chosen join: its nodes, its distance and both sums, for the host and for the kernel that follows.
__device__ inline void record_join(State* state, const Pair& best, double between, const double* S, const int* nodes,
                              int* joins, double* records) {
    const int a = best.places >> 32, b = best.places & 0xffffffffu, step = state->step;
    state->a = a;
    state->b = b;
    state->between = between;
    state->sum_a = S[a];
    state->sum_b = S[b];
    joins[2 * step] = nodes[a];
    joins[2 * step + 1] = nodes[b];
    records[RECORD * step] = between;
    records[RECORD * step + 1] = S[a];
    records[RECORD * step + 2] = S[b];
}

__device__ __forceinline__ double sum_of_new(const State& state) {
    return 0.5 * __dsub_rn(__dadd_rn(state.sum_a, state.sum_b), __dmul_rn((double)state.r, state.between));
}

__device__ __forceinline__ REAL distance_to_new(double both, double between) {
    return (REAL)(0.5 * __dsub_rn(both, between));
}

// Row sums in the order of the CPU: a warp a row, a lane for the columns of one remainder, then halves of the lanes.
extern "C" __global__ void sum_rows(const REAL* D, long long stride, int rows, int taxa, double* S) {
    const int lane = threadIdx.x % LANES, warps = gridDim.x * blockDim.x / LANES;
    for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES; row < rows; row += warps) {
        double sum = 0.0;
        for (int column = lane; column < taxa; column += LANES) sum = __dadd_rn(sum, (double)D[row * stride + column]);
        for (int half = LANES / 2; half; half /= 2) sum = __dadd_rn(sum, __shfl_down_sync(WARP, sum, half));
        if (lane == 0) S[row] = sum;
    }
}
