// Scores of products, the best of cells, and the bits of directions (see cpu_cells.py).
//
// Compile-time: KIND (LINEAR, ROOT, LOGARITHM).

constexpr int FROM_E = 1, FROM_F = 2, NOWHERE = 3, E_OPENS = 4, F_OPENS = 8;

// A root within some units of the last place.
__device__ __forceinline__ float rough_root(float value) {
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(value));
    return root;
}

struct Scored {
    float unit;
    int factor, origin, offset;
};

// The score of a product; of the square of a distance, where it is one.
__device__ __forceinline__ int finished(const Scored& scored, const int* table, float product) {
    if (KIND == LINEAR) return __float2int_rd(fmaf(product, scored.unit, 0.5f)) + scored.offset;
    if (KIND == ROOT) {
        // Rounded to a whole number from a little below: that one or the next; k or less from k (k + 1) on down.
        constexpr float WHOLE = 12582912.0f;
        float raised = fmaf(rough_root(product), 1.0f - 1.0f / (1 << 20), WHOLE);
        float root = raised - WHOLE, next = raised - (WHOLE - 1.0f);
        int found = scored.offset + __float_as_int(WHOLE) - __float_as_int(raised);
        return fmaf(-root, next, product) > 0.0f ? found - 1 : found;
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

