// Recurrence: the alignment of two groups with the largest sum of scores of columns; ties as in `cpu_merging`.
//
//     H(i, j) = max(H(i-1, j-1) + score(i, j), H(i-1, j), H(i, j-1))
//
// Threads: a block has a merge, a lane PER columns of one row, the block a strip of them. In a row H is a running maximum, which
// a warp takes by shuffles; each warp is one row behind the warp at its left. One thread traces the path back, in tiles that
// all threads load to shared memory.
//
// Memory: the last column of a warp goes to the next one through shared memory, the last column of a strip through global
// memory. Scores of AHEAD rows are loaded at once. Operations take a byte for each cell.

constexpr int TILE = 64;

__device__ __forceinline__ long long larger(long long a, long long b) { return a > b ? a : b; }

__device__ void fill(const long long* scores, unsigned char* steps, long long* border, int m, int n, long long* best,
                     long long (*carried)[PATH_WARPS + 1]) {
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    for (int strip = 0; strip < n; strip += blockDim.x * PER) {
        const int left = strip + threadIdx.x * PER;
        const int rows = left - lane * PER < n ? m : 0;  // a warp beyond the last column has nothing to compute
        long long above[PER], corner = 0;
#pragma unroll
        for (int c = 0; c < PER; c++) above[c] = 0;
        for (int first = 0; first < m + warps - 1; first += AHEAD) {
            long long ahead[AHEAD][PER];
#pragma unroll
            for (int of = 0; of < AHEAD; of++) {
                const int i = first + of - warp;
#pragma unroll
                for (int c = 0; c < PER; c++)
                    ahead[of][c] = i >= 0 && i < rows && left + c < n ? scores[static_cast<long long>(i) * n + left + c] : 0;
            }
#pragma unroll
            for (int of = 0; of < AHEAD; of++) {
                const int step = first + of, i = step - warp;
                if (i >= 0 && i < rows) {
                    const long long entering = warp ? carried[(step + 1) % 2][warp] : strip ? border[i] : 0;
                    long long diagonal = __shfl_up_sync(WARP, above[PER - 1], 1);
                    if (lane == 0) diagonal = corner;
                    long long paired[PER], H[PER];
#pragma unroll
                    for (int c = 0; c < PER; c++) {
                        paired[c] = diagonal + ahead[of][c];
                        H[c] = larger(paired[c], above[c]);
                        if (c) H[c] = larger(H[c], H[c - 1]);
                        diagonal = above[c];
                    }
                    long long so_far = H[PER - 1];
#pragma unroll
                    for (int by = 1; by < LANES; by *= 2) {
                        const long long other = __shfl_up_sync(WARP, so_far, by);
                        if (lane >= by) so_far = larger(so_far, other);
                    }
                    long long before = __shfl_up_sync(WARP, so_far, 1);
                    before = lane ? larger(before, entering) : entering;
#pragma unroll
                    for (int c = 0; c < PER; c++) {
                        H[c] = larger(H[c], before);
                        if (left + c < n) {
                            steps[static_cast<long long>(i) * n + left + c] =
                                paired[c] == H[c] ? STEP_PAIR : above[c] == H[c] ? STEP_FIRST : STEP_SECOND;
                            if (i == m - 1 && left + c == n - 1) *best = H[c];
                        }
                        above[c] = H[c];
                    }
                    corner = entering;
                    if (lane == LANES - 1) {
                        carried[step % 2][warp + 1] = H[PER - 1];
                        if (warp == warps - 1) border[i] = H[PER - 1];
                    }
                }
                __syncthreads();
            }
        }
        __syncthreads();
    }
}

// Steps from the end on, into the last places of `path`; how many there are.
__device__ int walk_back(const unsigned char* steps, int m, int n, unsigned char* path) {
    __shared__ unsigned char tile[TILE][TILE];
    __shared__ int corner[3];
    int i = m, j = n, at = m + n;
    while (i > 0 && j > 0) {
        const int top = max(i - TILE, 0), left = max(j - TILE, 0);
        for (int cell = threadIdx.x; cell < TILE * TILE; cell += blockDim.x) {
            const int row = top + cell / TILE, column = left + cell % TILE;
            if (row < i && column < j) tile[cell / TILE][cell % TILE] = steps[static_cast<long long>(row) * n + column];
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            while (i > top && j > left) {
                const int step = tile[i - 1 - top][j - 1 - left];
                path[--at] = step;
                i -= step != STEP_SECOND, j -= step != STEP_FIRST;
            }
            corner[0] = i, corner[1] = j, corner[2] = at;
        }
        __syncthreads();
        i = corner[0], j = corner[1], at = corner[2];
    }
    for (int k = threadIdx.x; k < i + j; k += blockDim.x) path[at - 1 - k] = i ? STEP_FIRST : STEP_SECOND;
    return m + n - at + i + j;
}

extern "C" __global__ void __launch_bounds__(PATH_WARPS* LANES)
    best_paths(const Merge* merges, const long long* scores, unsigned char* steps, long long* borders,
               unsigned char* paths, long long* sizes, long long* best) {
    __shared__ long long carried[2][PATH_WARPS + 1];
    const Merge merge = merges[blockIdx.x];
    const int m = static_cast<int>(merge.rows), n = static_cast<int>(merge.columns);
    if (threadIdx.x == 0) best[blockIdx.x] = 0;
    __syncthreads();
    fill(scores + merge.scores, steps + merge.scores, borders + merge.path, m, n, best + blockIdx.x, carried);
    const int size = walk_back(steps + merge.scores, m, n, paths + merge.path);
    if (threadIdx.x == 0) sizes[blockIdx.x] = size;
}
