// Computes: the traceback through tiles: where a path ends and begins, and its operations.
//
// Threads: one thread traces a path; `end_of` is computed by a warp.
//
// Memory: `ends` is int4 (pairs, 2): cell and state where a path is, and its operations so far; score and cell of its end, and
// whether it is finished. Operations are written from the last place of m + n downwards.

constexpr int ON_ITS_WAY = 0, ENDED = 1;

struct Way {
    int i, j, state, count;
};

__device__ __forceinline__ Best end_of(const Pair& pair) {
    Best best = {MODE == GLOBAL ? MINUS_INFINITY : 0, 0, MODE == SEMI_GLOBAL ? pair.n : 0};
    if (MODE == QUERY_IN_TARGET) best = {left_border(pair, pair.m), pair.m, 0};
    for (int number = threadIdx.x; number < pair.strips; number += LANES) {
        int4 found = pair.best[number];
        Best one = {found.x, found.y, found.z};
        if (one.row > 0 && before(one, best)) best = one;
    }
    return best_of_warp(best);
}

// Whether a path begins in a cell, as far as borders of the table decide it; -1 stands for a local one's begin.
__device__ __forceinline__ bool begins(const Way& way) {
    if (way.state < 0) return true;
    if (MODE == GLOBAL) return way.i == 0 && way.j == 0;
    return way.state == 0 && (way.i == 0 || (MODE != QUERY_IN_TARGET && way.j == 0));
}

// One operation back from a cell of a tile that begins behind row ``top`` and column ``left``; 0 with state -1 where a
// local path begins.
__device__ __forceinline__ int back(const unsigned short* directions, int top, int left, Way& way) {
    const int column = way.j - 1 - left;
    const int kind = directions[(way.i - 1 - top) * LANES + column / PER] >> 4 * (column % PER);
    if (way.state == 0) way.state = kind & 3;
    if (way.state == NOWHERE) return way.state = -1, 0;
    const int operation = way.state;
    if ((operation == FROM_E && (kind & E_OPENS)) || (operation == FROM_F && (kind & F_OPENS))) way.state = 0;
    ++way.count, way.i -= operation != FROM_F, way.j -= operation != FROM_E;
    return operation;
}

// The path through a tile, and along a border of the table; operations are written from ``next`` downwards.
__device__ __forceinline__ void walk(const unsigned short* directions, int top, int left, Way& way, unsigned char* next) {
    while (!begins(way) && (way.i > top || way.i == 0) && (way.j > left || way.j == 0)) {
        int operation;
        if (way.i == 0 || way.j == 0) {
            operation = way.i == 0 ? FROM_F : FROM_E;
            ++way.count, way.i -= operation != FROM_F, way.j -= operation != FROM_E;
        } else {
            operation = back(directions, top, left, way);
            if (way.state < 0) return;
        }
        *--next = operation;
    }
}
