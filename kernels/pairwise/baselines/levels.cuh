// Functions that the kernels of the baselines share.
//
// Computes: scores, border values, the best cell so far, and the step log. A launch computes one level (an
//     antidiagonal, an antidiagonal of blocks, a step of a row); the end of a launch is the only synchronisation
//     between levels.
//
// Threads: best cells are merged within a warp by shuffles; thread 0 of a block writes the log.
//
// Memory: one record of a best cell for each warp or row of blocks, and one log entry for each multiprocessor, in
//     global memory.

#ifndef TWO_PIECES
#define TWO_PIECES 0                                     // 1: gap costs have two pieces
#endif

// Letters and cells are counted from 1.
__device__ __forceinline__ int score_at(const Problem& problem, int i, int j) {
    return __ldg(problem.table + problem.rows[i - 1] * problem.letters + problem.columns[j - 1]);
}

// H of a cell of row 0 or column 0.
__device__ __forceinline__ int border(const Problem& problem, int row, int column) {
    const int distance = max(row, column);
    const bool starts_here = distance == 0 || (row == 0 ? problem.top_is_free : problem.left_is_free);
#if TWO_PIECES
    const int second = problem.open_extend2 + (distance - 1) * problem.extend2;
    return starts_here ? 0 : -min(problem.open_extend + (distance - 1) * problem.extend, second);
#else
    return starts_here ? 0 : -(problem.open_extend + (distance - 1) * problem.extend);
#endif
}

// The best cell so far of those that one warp, or one row of blocks, computes in every launch, is kept.
__device__ __forceinline__ bool beats(const Best& one, const Best& other) {
    if (one.score != other.score) return one.score > other.score;
    return one.row != other.row ? one.row < other.row : one.column < other.column;
}

// Merges the cell of each lane into the record of the warp; all lanes call. A record starts as 0, (0, 0), and no
// cell beats it with a score of 0.
__device__ __forceinline__ void keep_best(Best* record, Best mine, bool counts) {
    Best found = *record;
    bool better = counts && beats(mine, found);
    if (!__any_sync(WARP, better)) return;
    if (better) found = mine;
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
        Best other = {__shfl_xor_sync(WARP, found.score, distance), __shfl_xor_sync(WARP, found.row, distance),
                      __shfl_xor_sync(WARP, found.column, distance)};
        if (beats(other, found)) found = other;
    }
    if (threadIdx.x % LANES == 0) *record = found;
}

// The step log of a batch of launches: when each multiprocessor first and last had a block of it. Zeroed before;
// starts are kept as complements, so that both are maxima.
__device__ __forceinline__ void note(Busy* log, long long began) {
    if (threadIdx.x != 0) return;
    Busy* own = log + multiprocessor() % LOG_SLOTS;
    atomicMax(&own->start_complement, ~static_cast<unsigned long long>(began));
    atomicMax(&own->end, static_cast<unsigned long long>(nanoseconds()));
}
