// The triangle of pairs in memory and in cell blocks (Liu, Schmidt and Maskell 2009, sections 4.2 and 4.3).
//
// Computes: the place of a pair in the matrix, and the row and column of a cell block of a number.
// Threads: any; these are pure functions.
// Memory: a square of n + 1 rows, or with FOLDED half of it (joins_blocks.cu).

// Where a pair of places is. Mirrored, with FOLDED, is `mirror` less where it is without.
__device__ __forceinline__ long long cell_place(int p, int q, int taxa) {
    const long long y = 1 + (p < q ? p : q), x = 1 + (p < q ? q : p), wide = taxa + 1, plain = y * wide + x;
#if FOLDED
    if (y > wide / 2) return wide * (wide + 1) - plain;
#endif
    return plain;
}

// The cell block of a number: those of the upper triangle, row after row from the last, whose row has one.
__device__ inline void block_place(int number, int blocks, int* row, int* column) {
    int from_end = (int)((sqrtf(8.0f * number + 1.0f) - 1.0f) / 2.0f);
    while ((long long)from_end * (from_end + 1) / 2 > number) --from_end;
    while ((long long)(from_end + 1) * (from_end + 2) / 2 <= number) ++from_end;
    *row = blocks - 1 - from_end;
    *column = blocks - 1 - (number - from_end * (from_end + 1) / 2);
}
