// Computes: parts of a matrix of weights or distances, taken out and put back; its diagonal; its infinities.
//
// Threads: one thread per number, in a loop with the stride of the grid.
//
// Memory: row-major matrices. The matrix has `n` numbers to a row; parts are padded with infinity to whole tiles.

// part (i, j) = matrix (rows[i], columns[j]); infinite beyond `height` and `width`.
extern "C" __global__ void gather_part(const Number* matrix, int n, const int* rows, int height, const int* columns, int width,
                                  Number* part, int part_rows, int part_columns) {
    long long all = (long long)part_rows * part_columns, threads = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < all; at += threads) {
        int i = (int)(at / part_columns), j = (int)(at % part_columns);
        part[at] = i < height && j < width ? matrix[(long long)rows[i] * n + columns[j]] : zero();
    }
}

// matrix (rows[i], columns[j]) = part (i, j).
extern "C" __global__ void scatter_part(const Number* part, int part_columns, const int* rows, int height, const int* columns,
                                   int width, Number* matrix, int n) {
    long long all = (long long)height * width, threads = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < all; at += threads) {
        long long i = at / width, j = at % width;
        matrix[(long long)rows[i] * n + columns[j]] = part[i * part_columns + j];
    }
}

// The diagonal becomes infinite: no edge leads from a vertex to itself.
extern "C" __global__ void clear_diagonal(Number* matrix, int n, int stride) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        matrix[(long long)i * stride + i] = zero();
}

// The identity matrix of (min, +) over `size` vertices: zeros on the diagonal.
extern "C" __global__ void set_identity(Number* matrix, int size, int stride) {
    long long all = (long long)stride * stride, threads = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < all; at += threads)
        matrix[at] = at / stride == at % stride && at / stride < size ? Number(0) : zero();
}

// Numbers from `limit` on become infinite: negative weights may have lessened what stands for infinity.
extern "C" __global__ void settle_infinities(Number* matrix, long long count, Number limit) {
    long long threads = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += threads)
        if (matrix[at] >= limit) matrix[at] = zero();
}
