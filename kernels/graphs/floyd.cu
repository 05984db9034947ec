// Recurrence: d[i, j] = min(d[i, j], d[i, k] + d[k, j]) for all vertices k, in blocks of TILE x TILE numbers. Step k of the
// blocks is three launches:
//
//   floyd_close   block (k, k): all paths inside it
//   floyd_cross   row k and column k of blocks: the minimum of themselves and a product with the closed block
//   floyd_rest    all other blocks (i, j): the minimum of themselves and (i, k) x (k, j)
//
// Step k + 1 needs only row k + 1 and column k + 1: floyd_ahead computes those first, and floyd_close and floyd_cross of
// step k + 1 run beside floyd_rest of step k.
//
// Threads: a block of threads has one block of the matrix, each thread PER x PER numbers of it (tile.cuh). In floyd_cross it
// changes the block that is also its factor: all threads have read it, at the last barrier of over_depth, before one
// writes.
//
// Memory: d is square and row-major, `stride` numbers to a row, a whole number of tiles; beyond the graph it is infinite.

struct Crossing { __align__(16) Number row[2][TILE], column[2][TILE]; };

// Close a block that the block of threads has in registers: all paths inside it.
__device__ __forceinline__ void close(Crossing& crossing, Number (&sums)[PER][PER]) {
    int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    // Vertices in the order in which threads hold them, so that register indices are constants.
#pragma unroll
    for (int held = 0; held < PER; held++)
#pragma unroll 1
        for (int holder = 0; holder < SIDE; holder++) {
            int buffer = holder & 1;
#pragma unroll
            for (int i = 0; i < PER; i++) {
                if (y == holder) crossing.row[buffer][place(x, i)] = sums[held][i];
                if (x == holder) crossing.column[buffer][place(y, i)] = sums[i][held];
            }
            __syncthreads();
            Number left[PER], right[PER];
            load_packs(crossing.column[buffer], y, left);
            load_packs(crossing.row[buffer], x, right);
#pragma unroll
            for (int i = 0; i < PER; i++)
#pragma unroll
                for (int j = 0; j < PER; j++) sums[i][j] = step(sums[i][j], left[i], right[j]);
        }
}

extern "C" __global__ void __launch_bounds__(THREADS) floyd_close(Number* d, int stride, int k) {
    __shared__ Crossing crossing;
    Number* corner = d + (long long)k * TILE * stride + k * TILE;
    Number sums[PER][PER];
    load_tile(corner, stride, sums);
    close(crossing, sums);
    store_tile(corner, stride, sums);
}

extern "C" __global__ void __launch_bounds__(THREADS, 2) floyd_cross(Number* d, int stride, int k) {
    __shared__ Slabs slabs;
    int blocks = gridDim.x / 2, other = blockIdx.x % blocks;
    bool in_row = blockIdx.x < blocks;
    if (other == k) return;
    Number* closed = d + (long long)k * TILE * stride + k * TILE;
    Number* own = in_row ? d + (long long)k * TILE * stride + other * TILE : d + (long long)other * TILE * stride + k * TILE;
    Number sums[PER][PER];
    load_tile(own, stride, sums);
    add_product(slabs, in_row ? closed : own, stride, in_row ? own : closed, stride, TILE, sums);
    store_tile(own, stride, sums);
}

// Block (i, j) = min of itself and (i, k) x (k, j).
__device__ __forceinline__ void through(Slabs& slabs, Number* d, int stride, int i, int j, int k) {
    Number* own = d + (long long)i * TILE * stride + j * TILE;
    Number sums[PER][PER];
    load_tile(own, stride, sums);
    add_product(slabs, d + (long long)i * TILE * stride + k * TILE, stride, d + (long long)k * TILE * stride + j * TILE,
                stride, TILE, sums);
    store_tile(own, stride, sums);
}

extern "C" __global__ void __launch_bounds__(THREADS, 2) floyd_ahead(Number* d, int stride, int k) {
    __shared__ Slabs slabs;
    int blocks = gridDim.x / 2, other = blockIdx.x % blocks;
    bool in_row = blockIdx.x < blocks;
    if (other == k || (!in_row && other == k + 1)) return;
    through(slabs, d, stride, in_row ? k + 1 : other, in_row ? other : k + 1, k);
}

// All blocks that floyd_cross and floyd_ahead have not computed.
extern "C" __global__ void __launch_bounds__(THREADS, 2) floyd_rest(Number* d, int stride, int k) {
    __shared__ Slabs slabs;
    int i = blockIdx.y, j = blockIdx.x;
    if (i == k || j == k || i == k + 1 || j == k + 1) return;
    through(slabs, d, stride, i, j, k);
}
