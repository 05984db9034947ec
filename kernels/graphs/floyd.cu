// Floyd-Warshall in blocks of TILE x TILE numbers; the k-th step of blocks is three launches:
//
//   floyd_close   block (k, k): all ways inside it; one block of threads, the tile in registers
//   floyd_cross   row k and column k of blocks: the least of themselves and a product with the closed block
//   floyd_rest    all other blocks (i, j): the least of themselves and (i, k) x (k, j)
//
// Only row k + 1 and column k + 1 stand in the way of the next step, so floyd_ahead does those first, and floyd_close
// and floyd_cross of step k + 1 run beside what floyd_rest leaves to do.
//
// A block of threads in floyd_cross changes the tile that is also its factor: every thread has read all of it (the last
// barrier of over_depth) before one writes. d is square, `stride` numbers to a row, a whole number of tiles.

extern "C" __global__ void __launch_bounds__(THREADS) floyd_close(Number* d, int stride, int k) {
    __shared__ __align__(16) Number row[2][TILE], column[2][TILE];
    Number* corner = d + (long long)k * TILE * stride + k * TILE;
    int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    Number sums[PER][PER];
    load_tile(corner, stride, sums);
    // Vertices in the order in which threads hold them, so that registers have constant numbers.
#pragma unroll
    for (int held = 0; held < PER; held++)
#pragma unroll 1
        for (int holder = 0; holder < SIDE; holder++) {
            int buffer = holder & 1;
#pragma unroll
            for (int i = 0; i < PER; i++) {
                if (y == holder) row[buffer][place(x, i)] = sums[held][i];
                if (x == holder) column[buffer][place(y, i)] = sums[i][held];
            }
            __syncthreads();
            Number left[PER], right[PER];
            load_packs(column[buffer], y, left);
            load_packs(row[buffer], x, right);
#pragma unroll
            for (int i = 0; i < PER; i++)
#pragma unroll
                for (int j = 0; j < PER; j++) sums[i][j] = step(sums[i][j], left[i], right[j]);
        }
    store_tile(corner, stride, sums);
}

// Of row k and of column k the blocks from `first` on, half as many of each as the grid has.
extern "C" __global__ void __launch_bounds__(THREADS, 2) floyd_cross(Number* d, int stride, int k, int first) {
    __shared__ Slabs slabs;
    int count = gridDim.x / 2, other = first + blockIdx.x % count;
    bool in_row = blockIdx.x < count;
    if (other == k) return;
    Number* closed = d + (long long)k * TILE * stride + k * TILE;
    Number* own = in_row ? d + (long long)k * TILE * stride + other * TILE : d + (long long)other * TILE * stride + k * TILE;
    Number sums[PER][PER];
    load_tile(own, stride, sums);
    add_product(slabs, in_row ? closed : own, stride, in_row ? own : closed, stride, TILE, sums);
    store_tile(own, stride, sums);
}

// Block (i, j) becomes the least of itself and (i, k) x (k, j).
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

// Rows and columns of blocks from `first` on, as many as the grid has; without those that floyd_ahead did, where it
// `went`.
extern "C" __global__ void __launch_bounds__(THREADS, 2) floyd_rest(Number* d, int stride, int k, int first, int went) {
    __shared__ Slabs slabs;
    int i = first + blockIdx.y, j = first + blockIdx.x;
    if (i == k || j == k || (went && (i == k + 1 || j == k + 1))) return;
    through(slabs, d, stride, i, j, k);
}

// Rows of blocks, from `first` on, become the least of themselves and a product: their factors, of `depth` numbers from
// column `pivot` of blocks on, are in `left`, because all columns change here; the others are the rows of d from row
// `pivot` of blocks on. Columns from `begin` to `end` of blocks are kept in `left`, as factors of the next product.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
floyd_apply(Number* d, Number* left, int stride, int first, int pivot, int depth, int begin, int end) {
    __shared__ Slabs slabs;
    int j = blockIdx.x;
    long long row = (long long)(first + blockIdx.y) * TILE * stride;
    Number sums[PER][PER];
    load_tile(d + row + j * TILE, stride, sums);
    add_product(slabs, static_cast<const Number*>(left) + row + pivot * TILE, stride,
                static_cast<const Number*>(d) + (long long)pivot * TILE * stride + j * TILE, stride, depth, sums);
    store_tile(d + row + j * TILE, stride, sums);
    if (begin <= j && j < end) store_tile(left + row + j * TILE, stride, sums);
}

// Rows of blocks, from `first` on, whose own square, the same columns of blocks, is closed: every other column becomes a
// product with it. The other factor, these rows as they were, is in `before`, because all of them change here.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
floyd_along(Number* d, const Number* before, int stride, int first) {
    __shared__ Slabs slabs;
    int j = blockIdx.x < first ? blockIdx.x : blockIdx.x + gridDim.y, depth = gridDim.y * TILE;
    long long row = (long long)(first + blockIdx.y) * TILE * stride, square = (long long)first * TILE * stride;
    Number sums[PER][PER];
    load_tile(before + row + j * TILE, stride, sums);
    add_product(slabs, static_cast<const Number*>(d) + row + first * TILE, stride, before + square + j * TILE, stride,
                depth, sums);
    store_tile(d + row + j * TILE, stride, sums);
}
