// Floyd-Warshall by panels of rows (cuda_panels.py), behind floyd.cu. Rows of blocks are counted from `first` on, as many
// as the grid has; columns of blocks are all of those from 0 on but `skip` of them from `from` on.

__device__ __forceinline__ int column_of(int from, int skip) {
    return (int)blockIdx.x < from ? blockIdx.x : blockIdx.x + skip;
}

// Rows become the least of themselves and a product: their factors, of `depth` numbers from column `pivot` of blocks on,
// are in `left`, because all columns change here; the others are the rows of d from row `pivot` of blocks on. Columns
// from `begin` to `end` of blocks are kept in `left`, as factors of the next product.
extern "C" __global__ void __launch_bounds__(THREADS, 2) floyd_apply(
    Number* d, Number* left, int stride, int first, int from, int skip, int pivot, int depth, int begin, int end) {
    __shared__ Slabs slabs;
    int j = column_of(from, skip);
    long long row = (long long)(first + blockIdx.y) * TILE * stride;
    Number sums[PER][PER];
    load_tile(d + row + j * TILE, stride, sums);
    add_product(slabs, static_cast<const Number*>(left) + row + pivot * TILE, stride,
                static_cast<const Number*>(d) + (long long)pivot * TILE * stride + j * TILE, stride, depth, sums);
    store_tile(d + row + j * TILE, stride, sums);
    if (begin <= j && j < end) store_tile(left + row + j * TILE, stride, sums);
}

// Rows whose own square, `depth` numbers from column `first` of blocks on, is closed: columns beside it become a product
// with it. The other factor, these rows as they were, is in `before`, because all of them change here.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
floyd_along(Number* d, const Number* before, int stride, int first, int from, int skip, int depth) {
    __shared__ Slabs slabs;
    int j = column_of(from, skip);
    long long row = (long long)(first + blockIdx.y) * TILE * stride, square = (long long)first * TILE * stride;
    Number sums[PER][PER];
    load_tile(before + row + j * TILE, stride, sums);
    add_product(slabs, static_cast<const Number*>(d) + row + first * TILE, stride, before + square + j * TILE, stride,
                depth, sums);
    store_tile(d + row + j * TILE, stride, sums);
}

// Rows as they are.
extern "C" __global__ void __launch_bounds__(THREADS)
floyd_keep(const Number* d, Number* left, int stride, int first, int from, int skip) {
    long long at = (long long)(first + blockIdx.y) * TILE * stride + column_of(from, skip) * TILE;
    Number numbers[PER][PER];
    load_tile(d + at, stride, numbers);
    store_tile(left + at, stride, numbers);
}

// The square of `count` x `count` blocks from row and column `first` on, closed as floyd_close, floyd_cross and floyd_rest
// would, in one launch. Step k has a task for every block (i, j): its own first, those of row and column k, the others
// from (k + 1, k + 1) on. Blocks of threads take tasks in this order, by tickets, so that whatever a task waits for is
// done, or under way: the launch ends however few of its blocks there is room for.
//
// All words are 0 at first: the ticket; for every block how many steps it is ahead; for every step, how many of the others
// are done. These have read row and column k, which may change from then on.
__device__ __forceinline__ void wait_until(const unsigned long long* word, int goal) {
    while (load_shared_by_all(word) < (unsigned long long)goal) {}
}

extern "C" __global__ void __launch_bounds__(THREADS)
floyd_square(Number* d, unsigned long long* words, int stride, int first, int count) {
    __shared__ Slabs slabs;
    __shared__ Crossing crossing;
    __shared__ int ticket;
    unsigned long long *ahead = words + 1, *rested = ahead + count * count;
    int across = count - 1, others = across * across;
    Number* square = d + (long long)first * TILE * stride + first * TILE;
    auto block = [=](int i, int j) { return square + (long long)i * TILE * stride + j * TILE; };
    // All threads go on when two blocks are so many steps ahead.
    auto wait_for = [=](int i, int j, int other_i, int other_j, int goal) {
        if (threadIdx.x == 0) {
            wait_until(ahead + i * count + j, goal);
            wait_until(ahead + other_i * count + other_j, goal);
            __threadfence();
        }
        __syncthreads();
    };
    for (;;) {
        if (threadIdx.x == 0) ticket = (int)atomicAdd(words, 1ull);
        __syncthreads();
        int k = ticket / (count * count), turn = ticket % (count * count) - 1, i = k, j = k;
        if (k >= count) return;
        bool crosses = turn >= 0 && turn < 2 * across, rests = turn >= 2 * across;
        if (crosses) (turn % 2 ? i : j) = (k + 1 + turn / 2) % count;
        if (rests) {
            i = (k + 1 + (turn - 2 * across) / across) % count;
            j = (k + 1 + (turn - 2 * across) % across) % count;
        }
        if (threadIdx.x == 0 && k > 0 && (i == k - 1 || j == k - 1)) wait_until(rested + k - 1, others);
        wait_for(i, j, i, j, k);
        Number* own = block(i, j);
        Number sums[PER][PER];
        load_tile(own, stride, sums);
        if (crosses) {
            wait_for(k, k, k, k, k + 1);
            add_product(slabs, i == k ? block(k, k) : own, stride, i == k ? own : block(k, k), stride, TILE, sums);
        } else if (rests) {
            wait_for(i, k, k, j, k + 1);
            add_product(slabs, block(i, k), stride, block(k, j), stride, TILE, sums);
        } else {
            close(crossing, sums);
        }
        store_tile(own, stride, sums);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            store_shared_by_all(ahead + i * count + j, k + 1);
            if (rests) atomicAdd(rested + k, 1ull);
        }
    }
}
