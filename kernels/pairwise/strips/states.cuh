// Local start states (Li et al. 2012, sections V.A to V.C).
//
// Computes: states packed and unpacked. The state of a value says where, in its strip or chunk, the best path to it
//     begins.
//
// Threads: any; these are pure functions.
//
// Memory: an int with the kind in the upper bits, and the row, or the column for a chunk's top, in the lower ones.

constexpr int KIND_SHIFT = 28;
constexpr int FROM_H = 0;            // enters from the left boundary diagonally, at a row
constexpr int FROM_K = 1;            // enters from the left boundary in a horizontal gap, at a row
constexpr int NEW_PATH = 2;          // begins inside, at a row
constexpr int TOP_H = 3;             // enters from the chunk above, from H at a column of the strip (from 1)
constexpr int TOP_G = 4;             // enters from the chunk above in a vertical gap, at a column
constexpr int FROM_K2 = 5, TOP_G2 = 6;   // as FROM_K and TOP_G, in a gap of the second piece of gap costs

__device__ __forceinline__ int start_state(int kind, int place) { return kind << KIND_SHIFT | place; }
__device__ __forceinline__ int kind_of(int state) { return state >> KIND_SHIFT; }
__device__ __forceinline__ int place_of(int state) { return state & ((1 << KIND_SHIFT) - 1); }
__device__ __forceinline__ bool is_from_top(int kind) { return kind == TOP_H || kind == TOP_G || (TWO_PIECES && kind == TOP_G2); }
__device__ __forceinline__ bool is_in_row(int kind) { return kind == FROM_K || (TWO_PIECES && kind == FROM_K2); }
__device__ __forceinline__ bool is_from_left(int kind) { return kind == FROM_H || is_in_row(kind); }

// The state in which the part of a path before one that starts in this way ends.
__device__ __forceinline__ int end_before(int kind) {
#if TWO_PIECES
    if (kind == FROM_K2) return IN_K2;
    if (kind == TOP_G2) return IN_G2;
#endif
    return kind == FROM_K ? IN_K : kind == TOP_G ? IN_G : IN_H;
}

// The start state of H, or of the gap state in which a part of a path ends, of those that are kept of a cell.
__device__ __forceinline__ int state_of_end(const Values& states, int end_in) {
#if TWO_PIECES
    if (end_in == IN_K2 || end_in == IN_G2) return states.z;
#endif
    return end_in == IN_H ? states.x : states.y;
}
