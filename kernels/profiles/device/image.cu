// Computes: pixels of the table: the greatest H of each pixel.
//
// Threads: a block computes a tile of a strip and a batch again; then a thread has a column. Tiles are `across` next to each
// other, from strip `strip` and batch `batch` on, and end before row `until`.
//
// Memory: H of a tile is in shared memory, pixels in global memory. `rows` and `columns` are the pixels of the table's rows
// and columns, 0 to m and 0 to n, -1 outside of the window.

extern "C" __global__ void __launch_bounds__(THREADS)
image(const Pair* pairs, FINISH_PARAMETERS(given), int strip, int batch, int across, int until, const int* rows,
      const int* columns, int width, int* pixels) {
    const Finish finish = FINISH_OF(given);
    __shared__ Shared shared;
    extern __shared__ int4 values[];
    const Pair pair = pairs[0];
    const int number = strip + (int)blockIdx.x % across, top = (batch + (int)blockIdx.x / across) * BATCH;
    const int bottom = min(top + BATCH, until), column = number * WIDTH + (int)threadIdx.x;
    for (int at = threadIdx.x; KIND == LOGARITHM && at < 257; at += THREADS) shared.table[at] = finish.table[at];
    __syncthreads();
    Best none;
    sweep<VALUES>(shared, pair, finish, number, top, bottom, none, values);
    __syncthreads();
    if (threadIdx.x >= WIDTH || column >= pair.n || columns[column + 1] < 0) return;
    const int* own = (const int*)values + threadIdx.x;
    int pixel = -1, most = MINUS_INFINITY;
    for (int row = top; row < bottom; ++row) {
        if (rows[row + 1] != pixel) {
            if (pixel >= 0) atomicMax(pixels + (long long)pixel * width + columns[column + 1], most);
            pixel = rows[row + 1], most = MINUS_INFINITY;
        }
        most = max(most, own[(row - top) * WIDTH]);
    }
    if (pixel >= 0) atomicMax(pixels + (long long)pixel * width + columns[column + 1], most);
}
