// Phase 1: all chunks of a slice, each some layers behind its neighbours. Needs chunk.cuh.

// Where a thread writes its layers, from layer 0 on, if it is at the south or east edge of a chunk; with `top` also the
// row above the chunk, for the next chunk's corner.
struct Giving {
    Word *south_face, *east_face;
    int *south_starts, *east_starts;
    bool south, east, top;
};

__device__ __forceinline__ Giving giving(const Cube& cube, const Faces& faces, const Chunk& chunk, Place at) {
    const bool south = at.a == SIDE - 1 && chunk.row + 1 < cube.rows;
    const bool east = at.b == SIDE - 1 && chunk.column + 1 < cube.columns;
    const long long to_south = south_of(cube, chunk.row, chunk.column) * cube.nk * SOUTH + at.column;
    const long long to_east = east_of(cube, chunk.row, chunk.column) * cube.nk * EAST + at.row;
    return {faces.south + to_south, faces.east + to_east, faces.south_starts + to_south, faces.east_starts + to_east,
            south, east, east && at.a == 0};
}

// What leaves the chunk in a layer. Each store has a condition of its own, so that none needs a branch.
__device__ __forceinline__ void give_faces(
    const Giving& to, const Chunk& chunk, const Tile& tile, const Entering& in, int k) {
    const long long south = static_cast<long long>(k) * SOUTH, east = static_cast<long long>(k) * EAST;
    int row[T], column[T];
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
        Word* east_face = to.east_face + east + part * (S + 4);
        tile.edges(part, false, row, column);
        if (to.south) give_edge(to.south_face + south + part * S, row, chunk.row + 1);
        if (to.east) give_edge(east_face, column, chunk.column + 1);
        if (to.top) give_four(east_face + S, in.north[part][T - 1], 0, 0, 0, chunk.column + 1);
#if STARTS
        tile.edges(part, true, row, column);
        if (to.south) store_edge(to.south_starts + south + part * S, row);
        if (to.east) store_edge(to.east_starts + east + part * (S + 4), column);
#endif
    }
}

// The bottom face of a subchunk: all columns of its last layer.
__device__ __forceinline__ void give_bottom(
    const Cube& cube, const Faces& faces, const Chunk& chunk, const Tile& tile, Place at, int box) {
    const long long to = bottom_of(cube, chunk.row, chunk.column, box) * BOTTOM;
#pragma unroll
    for (int part = 0; part < PARTS; ++part)
#pragma unroll
        for (int r = 0; r < T; ++r) {
            const long long place = to + (part * S + at.row + r) * S + at.column;
            int row[T];
#pragma unroll
            for (int c = 0; c < T; ++c) row[c] = tile.down(part, r, c);
            store_edge(faces.bottom + place, row);
#if LOCAL
#pragma unroll
            for (int c = 0; c < T; ++c) row[c] = tile.down_start(part, r, c);
            store_edge(faces.bottom_starts + place, row);
#endif
        }
}

// The last cell of the cube, where this thread has it.
__device__ __forceinline__ void give_last(
    const Cube& cube, const Chunk& chunk, const Tile& tile, Place at, int* last_cell) {
    const int row = cube.ni - 1 - chunk.row * S - at.row, column = cube.nj - 1 - chunk.column * S - at.column;
#pragma unroll
    for (int r = 0; r < T; ++r)
#pragma unroll
        for (int c = 0; c < T; ++c)
            if (r == row && c == column) {
                last_cell[0] = tile.down(PARTS - 1, r, c);
#if STARTS
                last_cell[1] = tile.down_start(PARTS - 1, r, c);
#endif
            }
}

// The step log of a chunk: an event for each quarter of its batches (cuda_sizes.pieces).
struct Logging {
    Event* log;
    int batches, piece;
    long long began;

    __device__ __forceinline__ void batch_done(int done) {
        if (threadIdx.x) return;
        while (piece < PIECES && done * PIECES >= batches * (piece + 1)) {
            const long long now = nanoseconds();
            log[piece++] = {began, now, multiprocessor(), 0};
            began = now;
        }
    }
};

__device__ __forceinline__ void chunk_layers(
    const Cube& cube, const Faces& faces, const Chunk& chunk, const Store& store, int* last_cell, Event* log) {
    const Place at = place_of_thread();
    const Routes routes = routes_of(store, at);
    const Giving to = giving(cube, faces, chunk, at);
    const int steps = steps_of(cube.nk);
    Tile tile;
    Scores scores;
    Batch coming;
    coming.ask(cube, chunk, 0, min(BATCH, cube.nk));
    begin_cube(tile, chunk, at);
    load_scores(cube, chunk, at, scores);
    build_profiles(cube, chunk, store);
    fill_borders(chunk, store);
    coming.take(chunk, store);
    Logging logging = {log, (steps + STEPS_A_BATCH - 1) / STEPS_A_BATCH, 0, nanoseconds()};
#if SUBCHUNKS
    int box = 0, bottom = cube.h - 1;            // of the next bottom face
#endif
    for (int batch = 0; batch < logging.batches; ++batch) {
        const int first = (batch + 1) * BATCH, step = batch * STEPS_A_BATCH;
        if (first < cube.nk) coming.ask(cube, chunk, first, min(first + BATCH, cube.nk));
        compute_steps(at, step, min(step + STEPS_A_BATCH, steps), cube.nk, [&](int k, auto parity) {
            const int letter = store.letters[k % LETTERS];
            Entering in = entering<parity.value>(routes, store, at, k);
            load_layer_scores(routes, letter, scores);
#if LOCAL
            if (k > 0 && k == bottom - cube.h + 1)
                tile.before([&](int&, int& start, int r, int c, int, int move) {
                    start = start_code(at.row + r, at.column + c, k - 1, AFFINE ? move : 0);
                });
#endif
            tile.compute(in, scores, cube.open, [](int, int, int) {});
            pass_on<parity.value>(routes, tile, in);
            give_faces(to, chunk, tile, in, k);
#if SUBCHUNKS
            if (k == bottom) {
                if (k + 1 < cube.nk) give_bottom(cube, faces, chunk, tile, at, box);
                ++box, bottom += cube.h;
            }
#endif
        });
        if (first < cube.nk) coming.take(chunk, store);
        logging.batch_done(batch + 1);
    }
    give_last(cube, chunk, tile, at, last_cell);
}

__device__ __forceinline__ void sweep(
    const Cube& cube, const Faces& faces, Slice slice, unsigned* ticket, int* last_cell, Event* log) {
    extern __shared__ __align__(16) int memory[];
    __shared__ int taken;
    const Store store = store_of(memory);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) taken = slice.first + static_cast<int>(atomicAdd(ticket, 1u));
        __syncthreads();
        const int number = taken;
        if (number >= slice.last) return;
        int row, column;
        place_of(cube, number, row, column);
        chunk_layers(cube, faces, chunk_at(cube, faces, row, column), store, last_cell, log + number * PIECES);
    }
}
