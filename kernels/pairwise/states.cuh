// Local start states (001, sections V.A to V.C). A value's state says where, in its strip or chunk, the best
// path to it begins: an int with the kind above, and the row, or the column for a chunk's top, below.

constexpr int KIND_SHIFT = 28;
constexpr int FROM_H = 0;            // enters from the left boundary diagonally, at a row
constexpr int FROM_K = 1;            // enters from the left boundary in a horizontal gap, at a row
constexpr int NEW_PATH = 2;          // begins inside, at a row
constexpr int TOP_H = 3;             // enters from the chunk above, from H at a column of the strip (from 1)
constexpr int TOP_G = 4;             // enters from the chunk above in a vertical gap, at a column

__device__ __forceinline__ int start_state(int kind, int place) { return kind << KIND_SHIFT | place; }
__device__ __forceinline__ int kind_of(int state) { return state >> KIND_SHIFT; }
__device__ __forceinline__ int place_of(int state) { return state & ((1 << KIND_SHIFT) - 1); }

// What phase 2 finds and phase 3 computes: the path inside one strip or chunk.
struct SubPath {
    int strip;
    int kind, start_row;             // where it begins
    int end_row, end_column;         // where it ends; the column is counted from 1 inside the strip
    int end_in;                      // as what it ends: IN_H, or inside a gap that goes on
    int start_column;                // where it enters from the row above, counted as end_column
    int first;                       // first row computed again from true values; 0: from the start state alone
};

constexpr int IN_H = 0, IN_K = 1, IN_G = 2;
