// Computes: the score of two columns from whole numbers, and gap costs, for kernels that compute cells one by one.
//
// Threads: any thread, by itself.
//
// Memory: factors and squares of all columns are in global memory (Table), one profile column after another.
// Compile-time: SYMBOLS, KIND, MODE.

__device__ __forceinline__ Scored scored_of(const Table& given) {
    return {given.unit, given.factor, given.origin, given.offset};
}

// What a score is made of: the product, or the square of a distance.
__device__ __forceinline__ float worth(int product, int squares) {
    return KIND == ROOT ? (float)(squares - 2 * product) : (float)product;
}

// The score of column i of the first and j of the second profile, without the offset; m and n are blank columns.
__device__ __forceinline__ int score(const Table& given, int i, int j) {
    const short *left = given.rows + (long long)i * SYMBOLS, *right = given.columns + (long long)j * SYMBOLS;
    int product = 0;
#pragma unroll
    for (int x = 0; x < SYMBOLS; ++x) product += left[x] * right[x];
    return finished(scored_of(given), given.table, worth(product, given.row_bias[i] + given.column_bias[j])) - given.offset;
}

// What a gap opposite a column costs to extend.
__device__ __forceinline__ int vertical(const Table& given, int i) {
    return given.by_column ? -score(given, i, given.n) : given.row_extend[i];
}

__device__ __forceinline__ int horizontal(const Table& given, int j) {
    return given.by_column ? -score(given, given.m, j) : given.column_extend[j];
}
