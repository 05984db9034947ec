// What the kernels of a pair batch have in common: the layout of a table with both sequences padded, and its borders.
//
// Recurrence: H, E (vertical gap) and F (horizontal gap) of kernels/pairwise with the shorter sequence as rows. E and F are
//   kept with opening and extension of a gap added: E(i, j) = max(E(i-1, j) - extend, H(i-1, j)), F likewise, and
//   H = max(H(i-1, j-1) + s, max(E, F) - open - extend), with a floor of 0 in local mode.
// Padding: both sequences of a pair are padded in front, so that all pairs end in the last row and column. There is at least
//   one row of padding, which is row 0 of the table; further ones repeat it, and columns of padding repeat column 0. Scores
//   with the letter of padding make it so: `table` has a row and a column more, see `padding_scores` in layout.py.
// Threads: each function works on the values of its thread.
// Memory: arrays of pairs are sorted as they are computed. The structs Costs, Pairs and Place are declared in
//   cuda_sources.py.

constexpr int STRIP_ROWS = GROUP * ROWS;
constexpr int TILE = 32;                                // columns (steps) between stored columns
#if PAIRED
constexpr int HALVES = 2, LOWEST = 0x8ad08ad0;           // -30000 in both halves
#else
constexpr int HALVES = 1, LOWEST = MINUS_INFINITY;
#endif

__device__ __forceinline__ int tiles_across(int width) { return (width + GROUP - 1 + TILE - 1) / TILE; }

// H of row i of column 0, and of rows of padding.
__device__ __forceinline__ int left_border(const Costs& costs, int i) {
    if (LOCAL || costs.free_left || i <= 0) return 0;
    return costs.extend - costs.open - costs.extend * i;
}

// E of row i of column 0, where the gap from the corner goes on.
__device__ __forceinline__ int left_gap(const Costs& costs, int i) {
    if (LOCAL || costs.free_left || i <= 0) return PAIRED ? -30000 : MINUS_INFINITY;
    return left_border(costs, i) + costs.open;
}

// H above the first row of padding.
__device__ __forceinline__ int top_border(const Costs& costs, int j) {
    return LOCAL || costs.free_top || j <= 0 ? 0 : PAIRED ? -30000 : MINUS_INFINITY;
}

__device__ __forceinline__ int warp_max(int value) {
    for (int distance = LANES / 2; distance; distance /= 2) value = max(value, __shfl_xor_sync(WARP, value, distance));
    return value;
}
