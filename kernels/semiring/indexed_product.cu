// Recurrence: c[i, j] = min over k of a[i, k] + b[k, j], and the smallest k of each minimum; -1 where no sum is finite.
//
// Threads: a block computes a tile of c, a thread PER x PER sums of it (tile.cuh).
//
// Memory: row-major matrices, padded with infinity to whole tiles: a (rows x depth), b (depth x columns), c and indices
// (rows x columns).

extern "C" __global__ void __launch_bounds__(THREADS, 2)
indexed_product(const Number* a, const Number* b, Number* c, int* indices, int depth, int columns) {
    __shared__ Slabs slabs;
    long long corner = (long long)blockIdx.y * TILE * columns + blockIdx.x * TILE;
    Number sums[PER][PER];
    int winners[PER][PER];
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j++) sums[i][j] = zero(), winners[i][j] = -1;
    over_depth(slabs, a + (long long)blockIdx.y * TILE * depth, depth, b + blockIdx.x * TILE, columns, depth,
               [&](int i, int j, int k, Number left, Number right) {
                   Number way = left + right;
                   bool better = way < sums[i][j];
                   sums[i][j] = better ? way : sums[i][j];
                   winners[i][j] = better ? k : winners[i][j];
               });
    store_tile(c + corner, columns, sums);
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j++)
            indices[corner + (long long)place(threadIdx.x / SIDE, i) * columns + place(threadIdx.x % SIDE, j)] =
                winners[i][j];
}
