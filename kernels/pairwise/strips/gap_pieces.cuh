// What crosses a boundary between strips, and the borders of the matrix, for gap costs of one piece or two.
//
// Computes: conversions between what crosses a boundary and what is kept of a cell, and H on the borders of the matrix.
//
// Threads: any; these are pure functions.
//
// Memory: H and a gap state of a cell, or of two pieces two gap states.
//
// Needs the struct Strip. Compile-time: TWO_PIECES (gap costs have two pieces; the structs of Python are then those of
// cuda_sources.with_two_pieces); TOP_FREE, LEFT_FREE.

#ifndef TWO_PIECES
#define TWO_PIECES 0
#endif

#if TWO_PIECES
struct __align__(16) Edge { int h, k, k2; };   // what crosses a boundary: H, and the gap state of each piece
using Values = int3;                           // what is kept of a cell
#else
struct __align__(8) Edge { int h, k; };        // what crosses a boundary
using Values = int2;                           // what is kept of a cell: H and a gap state
#endif

__device__ __forceinline__ Edge edge_of(const Values& values) {
#if TWO_PIECES
    return {values.x, values.y, values.z};
#else
    return {values.x, values.y};
#endif
}

__device__ __forceinline__ Values values_of(const Edge& edge) {
#if TWO_PIECES
    return {edge.h, edge.k, edge.k2};
#else
    return {edge.h, edge.k};
#endif
}

// A cell whose H and gap states are all the same, as on the border of the matrix.
__device__ __forceinline__ Edge even_edge(int value) {
#if TWO_PIECES
    return {value, value, value};
#else
    return {value, value};
#endif
}

// H, and the gap state, of the matrix border: row 0 at a column, column 0 at a row. Borders that are not free are gaps.
__device__ __forceinline__ int gap_cost(const Strip& problem, int length) {
#if TWO_PIECES
    const int second = problem.open_extend2 + (length - 1) * problem.extend2;
    return length == 0 ? 0 : -min(problem.open_extend + (length - 1) * problem.extend, second);
#else
    return length == 0 ? 0 : -(problem.open_extend + (length - 1) * problem.extend);
#endif
}
__device__ __forceinline__ int top_border(const Strip& problem, int column) {
    return TOP_FREE ? 0 : gap_cost(problem, column);
}
__device__ __forceinline__ int left_border(const Strip& problem, int row) {
    return LEFT_FREE ? 0 : gap_cost(problem, row);
}
