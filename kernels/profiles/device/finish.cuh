// Computes: scores from products, the best of cells, and the bits of directions (see cpu_cells.py).
//
// Threads: any thread by itself; `best_of_warp` by all lanes of a warp.
//
// Memory: the table of logarithms, int[257], is where the caller put it.
// Compile-time: KIND (LINEAR, ROOT, LOGARITHM).

constexpr int FROM_E = 1, FROM_F = 2, NOWHERE = 3, E_OPENS = 4, F_OPENS = 8;

struct Scored {
    float unit;
    int factor, origin, offset;
};

// The score of a product; of the square of a distance, where it is one.
__device__ __forceinline__ int finished(const Scored& scored, const int* table, float product) {
    // A number that is raised by WHOLE is rounded to a whole one, which is the difference of the bits: multiply-adds are
    // twice as many a clock as conversions, comparisons and selections.
    constexpr float WHOLE = 12582912.0f;
    const int bits = __float_as_int(WHOLE);
    if (KIND == LINEAR) {
        const float raised = __fadd_rd(fmaf(product, scored.unit, 0.5f), WHOLE);
        return __float_as_int(raised) + (scored.offset - bits);
    }
    if (KIND == ROOT) {
        // Rounded from a little below: that one or the next; k or less from k (k + 1) on down. What is beyond is whole, and
        // cut off at 1.
        const float raised = fmaf(rough_root(product), 1.0f - 1.0f / (1 << 20), WHOLE);
        const float root = raised - WHOLE, next = raised - (WHOLE - 1.0f);
        return scored.offset + bits - __float_as_int(raised + __saturatef(fmaf(-root, next, product)));
    }
    int word = max(__float_as_int(product), 0x3f800000);
    int power = (word >> 23) - 127, at = (word >> 15) & 255, rest = word & 0x7fff, low = table[at];
    int logarithm = (power << LOG_BITS) + low + (((table[at + 1] - low) * rest) >> 15);
    return (((logarithm - scored.origin) * scored.factor + (1 << (LOG_BITS - 1))) >> LOG_BITS) + scored.offset;
}

struct Best {
    int score, row, column;
};

__device__ __forceinline__ bool before(const Best& one, const Best& other) {
    if (one.score != other.score) return one.score > other.score;
    return one.row != other.row ? one.row < other.row : one.column < other.column;
}

__device__ __forceinline__ Best best_of_warp(Best best) {
#pragma unroll
    for (int apart = LANES / 2; apart > 0; apart /= 2) {
        Best other = {__shfl_xor_sync(WARP, best.score, apart), __shfl_xor_sync(WARP, best.row, apart),
                      __shfl_xor_sync(WARP, best.column, apart)};
        if (before(other, best)) best = other;
    }
    return best;
}

