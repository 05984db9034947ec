// Directions of phase 3, and what a sub-path starts from, for both mappings (striped_path.cu, published_path.cu).
//
// Computes: the bits of a cell. How H was reached: 0 a new start, 1 the diagonal, 2 above, 3 the left; then 4: the gap from
//     here downwards opens here; 8: the gap from here to the right opens here. With TWO_PIECES H is reached in one of six
//     ways, 4 and 5 being a gap of the second piece from above and from the left, and 8, 16, 32 and 64 say which of the four
//     gaps open here. Where both pieces give H the first one goes before the second, so that gaps are as short as possible.
//
// Threads: any; these are pure functions.
//
// Memory: an unsigned a cell.
//
// Needs the struct Edge, states.cuh and the struct SubPath.

constexpr unsigned NEW_START = 0, DIAGONAL = 1, ABOVE = 2, LEFT = 3;
#if TWO_PIECES
constexpr unsigned ABOVE2 = 4, LEFT2 = 5, REACHED = 7;
constexpr unsigned OPENS_DOWN = 8, OPENS_RIGHT = 16, OPENS_DOWN2 = 32, OPENS_RIGHT2 = 64;
constexpr unsigned ON_ROW_0 = LEFT | OPENS_DOWN | OPENS_DOWN2;       // one gap to the left boundary
#else
constexpr unsigned REACHED = 3, OPENS_DOWN = 4, OPENS_RIGHT = 8;
constexpr unsigned ON_ROW_0 = LEFT | OPENS_DOWN;                     // one gap to the left boundary
#endif

// Whether a way to reach H is a gap from above.
__device__ __forceinline__ bool is_vertical(unsigned in) {
#if TWO_PIECES
    return in == ABOVE || in == ABOVE2;
#else
    return in == ABOVE;
#endif
}

// The bit of the cell before a gap that says that the gap opens there.
__device__ __forceinline__ unsigned opening_bit(unsigned in) {
#if TWO_PIECES
    if (in == ABOVE2) return OPENS_DOWN2;
    if (in == LEFT2) return OPENS_RIGHT2;
#endif
    return in == ABOVE ? OPENS_DOWN : OPENS_RIGHT;
}

// How a walk back begins in the end cell of a sub-path: in H (DIAGONAL), or in a gap that goes on beyond the cell.
__device__ __forceinline__ unsigned continued_gap(int end_in, unsigned directions) {
    unsigned in = DIAGONAL;
    if (end_in == IN_K && !(directions & OPENS_RIGHT)) in = LEFT;
    if (end_in == IN_G && !(directions & OPENS_DOWN)) in = ABOVE;
#if TWO_PIECES
    if (end_in == IN_K2 && !(directions & OPENS_RIGHT2)) in = LEFT2;
    if (end_in == IN_G2 && !(directions & OPENS_DOWN2)) in = ABOVE2;
#endif
    return in;
}

// The values above the first row of a sub-path that starts from its start state alone; `here`: in its start column.
__device__ __forceinline__ Edge start_on_top(int kind, bool here) {
    Edge edge = {kind == NEW_PATH || (here && kind == TOP_H) ? 0 : MINUS_INFINITY,
                 (!LOCAL && kind == NEW_PATH) || (here && kind == TOP_G) ? 0 : MINUS_INFINITY};
#if TWO_PIECES
    edge.k2 = (!LOCAL && kind == NEW_PATH) || (here && kind == TOP_G2) ? 0 : MINUS_INFINITY;
#endif
    return edge;
}

// Those on its left; `before` columns are left of its strip. The gap along row 0 is one of both pieces.
__device__ __forceinline__ Edge start_on_left(const Strip& problem, const SubPath& path, int row, int before) {
    const bool start = row == path.start_row;
    Edge edge = {start && path.kind == FROM_H ? 0 : MINUS_INFINITY, start && path.kind == FROM_K ? 0 : MINUS_INFINITY};
#if TWO_PIECES
    edge.k2 = start && path.kind == FROM_K2 ? 0 : MINUS_INFINITY;
    if (start && row == 0 && path.kind == FROM_K) edge.k = -before * problem.extend, edge.k2 = -before * problem.extend2;
#endif
    return edge;
}
