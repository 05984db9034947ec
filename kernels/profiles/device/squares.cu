// Computes: the path of one large alignment by many blocks, a square of SIDE x SIDE tiles at a time, the first of which the
// path is in. exits: where a path leaves a tile, for every cell and state in which it may enter. chain: from tile to tile by
// these exits. operations: the operations of all tiles of the path, at the same time.
//
// Threads: exits: a block has a tile, a thread some entries. chain: one thread. operations: a block has a tile of the path.
//
// Memory: a path enters a tile in its last row, in any state but F, or in its last column, in any state but E. An exit is a
// word: row and column in the tile, 8 bits each, the state, 2 bits, and the number of operations.
// Compile-time: SIDE.

constexpr int ENTRIES = 2 * WIDTH + 2 * BATCH, FIRST = ENTRIES;

// A tile: rows behind ``top``, columns behind ``left``, up to ``bottom`` and ``right``.
struct Tile {
    int strip, top, left, bottom, right;
};

__device__ __forceinline__ Tile tile_of(const Pair& pair, int strip, int batch) {
    return {strip, batch * BATCH, strip * WIDTH, min((batch + 1) * BATCH, pair.m), min((strip + 1) * WIDTH, pair.n)};
}

__device__ __forceinline__ Tile tile_at(const Pair& pair, const Way& way) {
    return tile_of(pair, (way.j - 1) / WIDTH, (way.i - 1) / BATCH);
}

__device__ __forceinline__ bool outside(const Way& way) { return begins(way) || way.i == 0 || way.j == 0; }

__device__ __forceinline__ int entry_of(const Tile& tile, const Way& way) {
    if (way.state == FROM_F || (way.state == 0 && way.i < tile.bottom))
        return 2 * WIDTH + way.i - 1 - tile.top + (way.state == FROM_F ? BATCH : 0);
    return way.j - 1 - tile.left + (way.state == FROM_E ? WIDTH : 0);
}

__device__ __forceinline__ Way entry(const Tile& tile, int number) {
    if (number < 2 * WIDTH) return {tile.bottom, tile.left + 1 + number % WIDTH, number < WIDTH ? 0 : FROM_E, 0};
    number -= 2 * WIDTH;
    return {tile.top + 1 + number % BATCH, tile.right, number < BATCH ? 0 : FROM_F, 0};
}

extern "C" __global__ void __launch_bounds__(THREADS)
exits(const Pair* pairs, FINISH_PARAMETERS(given), const int4* ends, unsigned* found) {
    const Finish finish = FINISH_OF(given);
    __shared__ Shared shared;
    __shared__ unsigned short directions[BATCH * LANES];
    const Pair pair = pairs[0];
    const Way way = {ends->x, ends->y, ends->z, 0};
    if (outside(way)) return;
    const Tile first = tile_at(pair, way);
    const int strip = first.strip - (int)blockIdx.x % SIDE, batch = first.top / BATCH - (int)blockIdx.x / SIDE;
    if (strip < 0 || batch < 0) return;
    for (int at = threadIdx.x; KIND == LOGARITHM && at < 257; at += THREADS) shared.table[at] = finish.table[at];
    __syncthreads();
    const Tile tile = tile_of(pair, strip, batch);
    Best none;
    sweep<DIRECTIONS>(shared, pair, finish, strip, tile.top, tile.bottom, none, directions);
    __syncthreads();
    for (int number = threadIdx.x; number <= FIRST; number += THREADS) {
        Way one = number == FIRST ? way : entry(tile, number);
        if (number == FIRST && blockIdx.x) continue;
        if (one.i > tile.bottom || one.j > tile.right) continue;
        while (one.state >= 0 && one.i > tile.top && one.j > tile.left) back(directions, tile.top, tile.left, one);
        found[blockIdx.x * (ENTRIES + 1) + number] =
            one.i - tile.top | one.j - tile.left << 8 | (one.state & 3) << 16 | one.count << 18;
    }
}

// ``hops``: int4 for every tile of the path, the cell and state in which it is entered and the operations before. ``count``
// is how many there are.
extern "C" __global__ void chain(const Pair* pairs, int4* ends, const unsigned* exits, int4* hops, int* count) {
    if (threadIdx.x > 0) return;
    const Pair& pair = pairs[0];
    Way way = {ends->x, ends->y, ends->z, ends->w};
    if (outside(way)) return;
    const Tile first = tile_at(pair, way);
    int tiles = *count;
    for (bool begun = false; !outside(way); begun = true) {
        const Tile tile = tile_at(pair, way);
        const int across = first.strip - tile.strip, down = (first.top - tile.top) / BATCH;
        if (across >= SIDE || down >= SIDE) break;
        hops[tiles++] = make_int4(way.i, way.j, way.state, way.count);
        const int number = begun ? entry_of(tile, way) : FIRST;
        const unsigned exit = exits[(down * SIDE + across) * (ENTRIES + 1) + number];
        const int state = exit >> 16 & 3;
        way = {tile.top + (int)(exit & 255), tile.left + (int)(exit >> 8 & 255), state == NOWHERE ? -1 : state,
               way.count + (int)(exit >> 18)};
    }
    *ends = make_int4(way.i, way.j, way.state, way.count);
    *count = tiles;
}

extern "C" __global__ void __launch_bounds__(THREADS)
operations(const Pair* pairs, FINISH_PARAMETERS(given), int4* ends, const int4* hops, const int* count) {
    const Finish finish = FINISH_OF(given);
    __shared__ Shared shared;
    __shared__ unsigned short directions[BATCH * LANES];
    const Pair pair = pairs[0];
    unsigned char* behind = pair.operations + pair.m + pair.n;
    for (int at = threadIdx.x; KIND == LOGARITHM && at < 257; at += THREADS) shared.table[at] = finish.table[at];
    for (int hop = blockIdx.x; hop < *count; hop += gridDim.x) {
        __syncthreads();
        Way way = {hops[hop].x, hops[hop].y, hops[hop].z, hops[hop].w};
        const Tile tile = tile_at(pair, way);
        Best none;
        sweep<DIRECTIONS>(shared, pair, finish, tile.strip, tile.top, way.i, none, directions);
        __syncthreads();
        if (threadIdx.x == 0)
            for (unsigned char* next = behind - way.count; way.state >= 0 && way.i > tile.top && way.j > tile.left;) {
                const int operation = back(directions, tile.top, tile.left, way);
                if (way.state >= 0) *--next = operation;
            }
    }
    if (blockIdx.x) return;
    Way way = {ends->x, ends->y, ends->z, ends->w};
    const bool on_column = MODE == QUERY_IN_TARGET && way.j == 0 && way.i > 0;
    const int left_over = MODE == GLOBAL || on_column ? way.i + way.j : 0;
    for (int at = threadIdx.x; at < left_over; at += THREADS) behind[-1 - way.count - at] = way.i ? FROM_E : FROM_F;
    __syncthreads();
    if (threadIdx.x == 0 && (MODE != GLOBAL || way.i == 0 || way.j == 0)) {
        if (MODE == GLOBAL || on_column) *ends = make_int4(0, 0, 0, way.count + left_over);
        ends[1].w = begins(way) || MODE == GLOBAL || on_column ? ENDED : ON_ITS_WAY;
    }
}
