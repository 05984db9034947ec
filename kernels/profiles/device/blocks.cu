// Computes: what depends on no other cell (Hanif 2014, algorithms 4.1 and 4.2): scores D and gap costs V and H in blocks of
// k x k cells, and scores from products of cuBLAS.
//
// Threads: block (x, y) has the cells of columns x k and rows (first + y) k on. Simple: a thread per cell, as many at a time
// as there are threads. Row, Column: a thread per row, per column. Mix: a thread has a row from the diagonal on and the column
// below it. A thread computes V of its row and H of its column once. Tiles (MatProd V2): a thread per column; D alone.
//
// Memory: D, V and H are int, m x n, row by row. Tiles: factors of the columns and of the rows are in shared memory.

__device__ __forceinline__ void put(const Table& given, const Matrices& all, int i, int j, int v, int h) {
    const long long at = (long long)i * given.n + j;
    all.vertical[at] = v, all.horizontal[at] = h, all.scores[at] = score(given, i, j) + given.offset;
}

extern "C" __global__ void simple_k(TABLE_PARAMETERS(given_table), MATRICES_PARAMETERS(given_all), int k, int first) {
    const Table given = TABLE_OF(given_table);
    const Matrices all = MATRICES_OF(given_all);
    const int top = (first + blockIdx.y) * k, left = blockIdx.x * k;
    for (int cell = threadIdx.x; cell < k * k; cell += blockDim.x) {
        const int i = top + cell / k, j = left + cell % k;
        if (i < given.m && j < given.n) put(given, all, i, j, vertical(given, i), horizontal(given, j));
    }
}

extern "C" __global__ void row_k(TABLE_PARAMETERS(given_table), MATRICES_PARAMETERS(given_all), int k, int first) {
    const Table given = TABLE_OF(given_table);
    const Matrices all = MATRICES_OF(given_all);
    const int i = (first + blockIdx.y) * k + threadIdx.x, left = blockIdx.x * k;
    if (i >= given.m) return;
    const int v = vertical(given, i);
    for (int j = left; j < min(left + k, given.n); ++j) put(given, all, i, j, v, horizontal(given, j));
}

extern "C" __global__ void column_k(TABLE_PARAMETERS(given_table), MATRICES_PARAMETERS(given_all), int k, int first) {
    const Table given = TABLE_OF(given_table);
    const Matrices all = MATRICES_OF(given_all);
    const int j = blockIdx.x * k + threadIdx.x, top = (first + blockIdx.y) * k;
    if (j >= given.n) return;
    const int h = horizontal(given, j);
    for (int i = top; i < min(top + k, given.m); ++i) put(given, all, i, j, vertical(given, i), h);
}

extern "C" __global__ void mix_k(TABLE_PARAMETERS(given_table), MATRICES_PARAMETERS(given_all), int k, int first) {
    const Table given = TABLE_OF(given_table);
    const Matrices all = MATRICES_OF(given_all);
    const int top = (first + blockIdx.y) * k, left = blockIdx.x * k, i = top + threadIdx.x, j = left + threadIdx.x;
    if (i < given.m) {
        const int v = vertical(given, i);
        for (int column = j; column < min(left + k, given.n); ++column)
            put(given, all, i, column, v, horizontal(given, column));
    }
    if (j < given.n) {
        const int h = horizontal(given, j);
        for (int row = i + 1; row < min(top + k, given.m); ++row) put(given, all, row, j, vertical(given, row), h);
    }
}

// Shared memory: short, SYMBOLS x k factors of columns, then k x SYMBOLS of rows.
extern "C" __global__ void tiles_k(TABLE_PARAMETERS(given_table), MATRICES_PARAMETERS(given_all), int k, int first) {
    const Table given = TABLE_OF(given_table);
    const Matrices all = MATRICES_OF(given_all);
    extern __shared__ short factors[];
    const int top = (first + blockIdx.y) * k, left = blockIdx.x * k, own = threadIdx.x, j = left + own;
    const int height = min(k, given.m - top), width = min(k, given.n - left);
    short* rows = factors + SYMBOLS * k;
    for (int at = own; at < width * SYMBOLS; at += k)
        factors[at % SYMBOLS * k + at / SYMBOLS] = given.columns[(long long)left * SYMBOLS + at];
    for (int at = own; at < height * SYMBOLS; at += k) rows[at] = given.rows[(long long)top * SYMBOLS + at];
    __syncthreads();
    if (own >= width) return;
    const Scored scored = scored_of(given);
    const int squares = given.column_bias[j];
    for (int row = 0; row < height; ++row) {
        int product = 0;
#pragma unroll
        for (int x = 0; x < SYMBOLS; ++x) product += rows[row * SYMBOLS + x] * factors[x * k + own];
        all.scores[(long long)(top + row) * given.n + j] =
            finished(scored, given.table, worth(product, given.row_bias[top + row] + squares));
    }
}

// Scores (``what`` 0), V (1) or H (2) from products of float32, ``count`` of them, from row ``first`` on.
extern "C" __global__ void finish(TABLE_PARAMETERS(given_table), const float* products, int what, int first,
                                  long long count, int* target) {
    const Table given = TABLE_OF(given_table);
    const Scored scored = scored_of(given);
    for (long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x; at < count; at += (long long)gridDim.x * blockDim.x) {
        const int i = first + at / given.n, j = at % given.n;
        int found = what == 1 ? given.row_extend[i] : given.column_extend[j];
        if (what == 0 || given.by_column) {
            const int squares = given.row_bias[what == 2 ? given.m : i] + given.column_bias[what == 1 ? given.n : j];
            found = finished(scored, given.table, worth((int)products[at], squares));
            if (what) found = given.offset - found;
        }
        target[(long long)first * given.n + at] = found;
    }
}

// Scores of row i from its differences with all columns: float, SYMBOLS x n (MatProd V1).
extern "C" __global__ void squares(TABLE_PARAMETERS(given_table), const float* differences, int i, int* target) {
    const Table given = TABLE_OF(given_table);
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= given.n) return;
    long long sum = 0;
    for (int x = 0; x < SYMBOLS; ++x) {
        const long long one = (long long)differences[(long long)x * given.n + j];
        sum += one * one;
    }
    const int squares = given.row_bias[i] + given.column_bias[j];
    target[(long long)i * given.n + j] =
        finished(scored_of(given), given.table, worth((int)((squares - sum) / 2), squares));
}
