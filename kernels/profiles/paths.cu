// The paths of many alignments, a block each: tiles of a strip and a batch are computed again, and kept as directions; a
// thread goes back through each, from where the path ends.
//
// A launch goes through ``most`` tiles of each path at most, and says in ``ends`` how far it came: int (pairs, 8), the
// cell and state where the path is, the operations so far, score and cell of its end, and whether it has ended.
// Operations are written from the last place of m + n on downwards.

constexpr int ON_ITS_WAY = 0, ENDED = 1;

struct Way {
    int i, j, state, count;
};

__device__ __forceinline__ Best end_of(const Pair& pair) {
    Best best = {MODE == GLOBAL ? MINUS_INFINITY : 0, 0, MODE == SEMI_GLOBAL ? pair.n : 0};
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
    return MODE == GLOBAL ? way.i == 0 && way.j == 0 : way.state == 0 && (way.i == 0 || way.j == 0);
}

// The path through a tile that begins behind row ``top`` and column ``left``.
__device__ __forceinline__ void walk(const Pair& pair, const unsigned short* directions, int top, int left, Way& way) {
    unsigned char* next = pair.operations + pair.m + pair.n - way.count;
    while (!begins(way) && (way.i > top || way.i == 0) && (way.j > left || way.j == 0)) {
        int operation;
        if (way.i == 0 || way.j == 0) {
            operation = way.i == 0 ? FROM_F : FROM_E;
        } else {
            const int column = way.j - 1 - left;
            const int kind = directions[(way.i - 1 - top) * LANES + column / PER] >> 4 * (column % PER);
            if (way.state == 0) way.state = kind & 3;
            if (way.state == NOWHERE) {
                way.state = -1;
                break;
            }
            operation = way.state;
            if ((operation == FROM_E && (kind & E_OPENS)) || (operation == FROM_F && (kind & F_OPENS))) way.state = 0;
        }
        *--next = operation;
        ++way.count;
        way.i -= operation != FROM_F, way.j -= operation != FROM_E;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
paths(const Pair* pairs, FINISH_PARAMETERS(given), int first, int last, int begin, int most, int4* ends, int* ticket) {
    const Finish finish = FINISH_OF(given);
    __shared__ Shared shared;
    __shared__ unsigned short directions[BATCH * LANES];
    for (int at = threadIdx.x; KIND == LOGARITHM && at < 257; at += THREADS) shared.table[at] = finish.table[at];
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) shared.word.x = first + atomicAdd(ticket, 1);
        __syncthreads();
        const int number = shared.word.x;
        if (number >= last) return;
        const Pair pair = pairs[number];
        int4 *at = ends + 2 * number, *end = at + 1;
        if (begin && threadIdx.x < LANES) {
            Best best = end_of(pair);
            if (threadIdx.x == 0) {
                *at = make_int4(best.row, best.column, 0, 0);
                *end = make_int4(best.score, best.row, best.column, ON_ITS_WAY);
            }
        }
        __syncthreads();
        Way way = {at->x, at->y, at->z, at->w};
        for (int tile = 0; tile < most && !begins(way); ++tile) {
            const int strip = max(way.j - 1, 0) / WIDTH, top = max(way.i - 1, 0) / BATCH * BATCH;
            if (way.i > 0 && way.j > 0) {
                Best none;
                sweep<true>(shared, pair, finish, strip, top, way.i, none, directions);
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                walk(pair, directions, top, strip * WIDTH, way);
                shared.word = make_int4(way.i, way.j, way.state, way.count);
            }
            __syncthreads();
            way = {shared.word.x, shared.word.y, shared.word.z, shared.word.w};
        }
        if (threadIdx.x == 0) {
            *at = make_int4(way.i, way.j, way.state, way.count);
            end->w = begins(way) ? ENDED : ON_ITS_WAY;
        }
    }
}
