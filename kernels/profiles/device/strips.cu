// Recurrence: E, F and H of tile.cuh, for strips of many alignments (ProfileWavefront).
//
// Threads: a block takes strips of 128 columns from a queue, in which the strip on the left of each comes before it. A launch
// computes rows [from, until) of the items [first, last) of the queue.
//
// Memory: borders between strips, last rows of batches and the best cell of each strip are in global memory (tile.cuh).
// Compile-time: BLOCKS (how many a multiprocessor is to hold, which limits the registers).

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
strips(const Pair* pairs, const int2* items, FINISH_PARAMETERS(given), int first, int last, int from, int until,
       int* ticket) {
    const Finish finish = FINISH_OF(given);
    __shared__ Shared shared;
    for (int at = threadIdx.x; KIND == LOGARITHM && at < 257; at += THREADS) shared.table[at] = finish.table[at];
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) shared.word.x = first + atomicAdd(ticket, 1);
        __syncthreads();
        const int item = shared.word.x;
        if (item >= last) return;
        const int number = items[item].y;
        const Pair pair = pairs[items[item].x];
        Best best = {0, 0, 0};
        sweep<BORDERS>(shared, pair, finish, number, from, min(until, pair.m), best, nullptr);
        if (threadIdx.x == 0) {
            int4 earlier = pair.best[number];
            Best kept = {earlier.x, earlier.y, earlier.z};
            if (MODE != GLOBAL && from > 0 && before(kept, best)) best = kept;
            pair.best[number] = make_int4(best.score, best.row, best.column, 0);
        }
    }
}
