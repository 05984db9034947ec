// What the kernels of the baselines share: a launch computes one level (an antidiagonal, an antidiagonal of blocks,
// a step of a row), and the end of a launch is the only synchronisation between levels.

struct Problem {         // oriented so that rows are the shorter sequence
    const unsigned char* rows;       // letters of the rows, m
    const unsigned char* columns;    // letters of the columns, n
    const int* table;                // scores, letters x letters
    int letters, m, n;
    int open_extend, extend;         // costs, as positive numbers
    int floor;                       // least H: 0 in a local alignment, minus infinity in a global one

    // Letters and cells are counted from 1.
    __device__ __forceinline__ int score(int i, int j) const {
        return __ldg(table + rows[i - 1] * letters + columns[j - 1]);
    }

    // H of row 0 or column 0, so far from the corner.
    __device__ __forceinline__ int border(int distance) const {
        return floor == 0 || distance == 0 ? 0 : -(open_extend + (distance - 1) * extend);
    }
};

// The best cell so far of those that one warp, or one row of blocks, computes in every launch.
struct Best {
    int score, row, column;

    __device__ __forceinline__ bool beats(const Best& other) const {
        if (score != other.score) return score > other.score;
        return row != other.row ? row < other.row : column < other.column;
    }
};

// Brings the cell of each lane into the record of the warp; all lanes call. A record starts as 0, (0, 0), and no
// cell beats it with a score of 0.
__device__ __forceinline__ void keep_best(Best* record, Best mine, bool counts) {
    Best found = *record;
    bool better = counts && mine.beats(found);
    if (!__any_sync(WARP, better)) return;
    if (better) found = mine;
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
        Best other = {__shfl_xor_sync(WARP, found.score, distance), __shfl_xor_sync(WARP, found.row, distance),
                      __shfl_xor_sync(WARP, found.column, distance)};
        if (other.beats(found)) found = other;
    }
    if (threadIdx.x % LANES == 0) *record = found;
}

// The step log of a batch of launches: when each multiprocessor first and last had a block of it. Zeroed before;
// starts are kept as complements, so that both are maxima.
struct Busy { unsigned long long start_complement, end; };
constexpr int LOG_SLOTS = 256;

__device__ __forceinline__ void note(Busy* log, long long began) {
    if (threadIdx.x != 0) return;
    Busy* own = log + multiprocessor() % LOG_SLOTS;
    atomicMax(&own->start_complement, ~static_cast<unsigned long long>(began));
    atomicMax(&own->end, static_cast<unsigned long long>(nanoseconds()));
}
