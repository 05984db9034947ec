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

__device__ __forceinline__ int start_state(int kind, int place) { return kind << KIND_SHIFT | place; }
__device__ __forceinline__ int kind_of(int state) { return state >> KIND_SHIFT; }
__device__ __forceinline__ int place_of(int state) { return state & ((1 << KIND_SHIFT) - 1); }
