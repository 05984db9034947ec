// Computes: the paths of many alignments, by tiles of a strip and a batch that are computed again as directions.
//
// Threads: a block has an alignment; all threads compute a tile, one thread traces the path through it. A launch goes through
// at most `most` tiles of each path.
//
// Memory: directions of a tile are in shared memory, the state of each path in `ends` (path.cuh).

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
                sweep<DIRECTIONS>(shared, pair, finish, strip, top, way.i, none, directions);
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                walk(directions, top, strip * WIDTH, way, pair.operations + pair.m + pair.n - way.count);
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
