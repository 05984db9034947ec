// Parts of a matrix, taken out and put back: a thread a number, in turns. Parts are in whole tiles.

// part (i, j) is matrix (rows[i], columns[j]); beyond `height` and `width`, nothing leads anywhere.
extern "C" __global__ void gather(const Number* matrix, int n, const int* rows, int height, const int* columns, int width,
                                  Number* part, int part_rows, int part_columns) {
    long long all = (long long)part_rows * part_columns, threads = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < all; at += threads) {
        int i = (int)(at / part_columns), j = (int)(at % part_columns);
        part[at] = i < height && j < width ? matrix[(long long)rows[i] * n + columns[j]] : zero();
    }
}

// matrix (rows[i], columns[j]) becomes part (i, j).
extern "C" __global__ void scatter(const Number* part, int part_columns, const int* rows, int height, const int* columns,
                                   int width, Number* matrix, int n) {
    long long all = (long long)height * width, threads = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < all; at += threads) {
        long long i = at / width, j = at % width;
        matrix[(long long)rows[i] * n + columns[j]] = part[i * part_columns + j];
    }
}

// No way from a vertex to itself.
extern "C" __global__ void without_loops(Number* matrix, int n, int stride) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        matrix[(long long)i * stride + i] = zero();
}

// The identity of `size` vertices: staying costs nothing.
extern "C" __global__ void identity(Number* matrix, int size, int stride) {
    long long all = (long long)stride * stride, threads = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < all; at += threads)
        matrix[at] = at / stride == at % stride && at / stride < size ? Number(0) : zero();
}
