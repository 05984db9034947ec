// NJ-basic and NJ-compact as published (Liu, Schmidt and Maskell 2009, sections 4.2 and 4.3, figure 4): a GPU finds the pair,
// the host joins it, and copies a row and a column of the matrix.
//
// Recurrence: that of joins.cuh.
// Threads: the upper triangle of n x n pairs is cut into cell blocks of SIDE x SIDE; a block of threads takes one. ACROSS x
//   ACROSS threads have CELLS x CELLS pairs each. The first thread compares what all found.
// Memory: a cluster keeps its place, which is its slot, until the end; a place without a cluster has the sum NO_CLUSTER. Cells
//   lie as in joins_blocks.cu. They and the sums are read through textures of linear memory, which the host writes between
//   launches; what the threads found is in shared memory, what the blocks found in global memory.
//
// Needs joins.cuh and cell_blocks.cuh. Compile-time: FOLDED, ACROSS, CELLS.

constexpr int SIDE = ACROSS * CELLS, THREADS = ACROSS * ACROSS;
constexpr double NO_CLUSTER = 1e300;    // beyond every sum (cuda_sources.py)

__device__ __forceinline__ double number_of(int2 words) { return __hiloint2double(words.y, words.x); }

__device__ __forceinline__ double fetch_sum(cudaTextureObject_t sums, int place) {
    return number_of(tex1Dfetch<int2>(sums, place));
}

__device__ __forceinline__ double fetch_distance(cudaTextureObject_t cells, int place) {
#if DOUBLE
    return number_of(tex1Dfetch<int2>(cells, place));
#else
    return __int_as_float(tex1Dfetch<int>(cells, place));
#endif
}

// Whether one pair comes before another: less, or the greater slot is smaller, or the smaller one is.
__device__ __forceinline__ bool comes_first(const SlotPair& one, const SlotPair& other) {
    if (one.criterion != other.criterion) return one.criterion < other.criterion;
    return one.high < other.high || (one.high == other.high && one.low < other.low);
}

extern "C" __global__ void __launch_bounds__(THREADS)
scan_cell_blocks(cudaTextureObject_t cells, cudaTextureObject_t sums, int taxa, int clusters, SlotPair* found) {
    __shared__ SlotPair of_threads[THREADS];
    int row, column;
    block_place(blockIdx.x, (taxa + SIDE - 1) / SIDE, &row, &column);
    const int top = row * SIDE + threadIdx.x / ACROSS * CELLS, left = column * SIDE + threadIdx.x % ACROSS * CELLS;
    SlotPair best = {1.7e308, taxa, taxa};
    for (int j = left; j < min(left + CELLS, taxa); ++j) {
        const double sum_j = fetch_sum(sums, j);
        if (sum_j >= NO_CLUSTER) continue;
        for (int i = top; i < min(top + CELLS, j); ++i) {
            const double sum_i = fetch_sum(sums, i);
            if (sum_i >= NO_CLUSTER) continue;
            const double distance = fetch_distance(cells, static_cast<int>(cell_place(i, j, taxa)));
            const SlotPair pair = {criterion(distance, sum_j, sum_i, clusters), i, j};
            if (pair.criterion < best.criterion) best = pair;
        }
    }
    of_threads[threadIdx.x] = best;
    __syncthreads();
    if (threadIdx.x) return;
    for (int thread = 1; thread < THREADS; ++thread)
        if (comes_first(of_threads[thread], best)) best = of_threads[thread];
    found[blockIdx.x] = best;
}
