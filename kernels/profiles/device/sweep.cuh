// Recurrence: E, F and H of tile.cuh, for a strip or a tile of it.
//
// Threads: all warps of a block; warp 0 has the cells, the others make scores, load borders and costs, and publish borders.
//
// Memory: rings in shared memory (tile.cuh); directions or H of all cells go to `found`.

// Rows [from, until) of a strip; all threads of the block. ``from`` is 0 or the end of a batch. What is asked of all
// cells comes to ``found``, a word of directions or four numbers a lane, a row after the other.
template <int WHAT>
__device__ __forceinline__ void sweep(Shared& shared, const Pair& pair, const Finish& finish, int number, int from,
                                      int until, Best& best, void* found) {
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, rows = until - from;
    const int steps = rows + LANES - 1, right = number + 1 < pair.strips;
    if (warp == 0) {
        Cells<WHAT> cells;
        cells.begin(pair, number, from, lane);
        const bool whole = until == pair.m;
        __syncthreads();
        for (int step = 0; step < steps; step += CHUNK) {
            // Rows that are kept end a batch; none is in sight twice, and the last one of the table is not kept.
            const int keep = (step + CHUNK) / BATCH * BATCH - 1, ahead = lane - step;
            const bool kept = keep >= max(step - LANES + 1, 0) && keep < rows && from + keep + 1 < pair.m;
            int4* place = (int4*)kept_row(pair, number, kept ? (from + keep) / BATCH : 0) + lane * (PER / 2);
            const int last = whole ? rows - 1 + ahead : -1, stays = kept ? keep + ahead : -1, row = from - ahead;
            if (step < LANES || kept || (whole && step + CHUNK >= rows))
                cells.template steps<true>(shared, step, lane, ahead, last, rows + ahead, stays, place,
                                           WHAT != BORDERS ? -ahead : row, found);
            else
                cells.template steps<false>(shared, step, lane, -1, -1, rows + ahead, -1, place,
                                            WHAT != BORDERS ? -ahead : row, found);
            __syncthreads();
        }
        if (WHAT == BORDERS) {
            if (MODE != LOCAL && whole) cells.look_at_last(pair.m);
            if (cells.valid == 0) cells.best.score = MINUS_INFINITY;
            best = best_of_warp(cells.best);
        }
    } else {
        const int number_of = warp - 1, column = number_of * (WIDTH / MAKERS);
        Maker maker;
        Fetch fetch;
        maker.scored = {pair.unit, finish.factor, pair.origin, finish.offset};
        maker.load_rows(pair, from, lane);
        maker.load_columns(pair, number * WIDTH + column, lane);
        fetch.begin(pair, number);
        for (int step = -CHUNK; step < steps; step += CHUNK) {
            const int at = step + CHUNK, own = at + lane;
            const bool fetches = number_of == 0 && lane < CHUNK && own < rows;
            const bool pays = number_of == 2 && lane < CHUNK && own < rows;
            int2 cost = make_int2(0, 0);
            if (WHAT == BORDERS && right && number_of == 1 && step > 0) publish(shared, pair, number, from, rows, step, lane);
            if (fetches) fetch.ask(pair, number, from + own);
            if (pays) cost = pair.row_costs[from + own];
            if (at < rows) {
                maker.make(shared, at, column, lane);
                if (at + CHUNK < rows) maker.load_rows(pair, from + at + CHUNK, lane);
            }
            if (pays) {
                if (!OPENING) cost.y += cost.x;
                shared.costs[own & RING - 1] = cost;
                if ((own & RING - 1) < CHUNK) shared.costs[RING + (own & RING - 1)] = cost;
            }
            if (fetches) fetch.await(shared, pair, number, from + own, own);
            __syncthreads();
        }
        if (WHAT == BORDERS && right && number_of == 1)
            publish(shared, pair, number, from, rows, (steps + CHUNK - 1) / CHUNK * CHUNK, lane);
    }
}
