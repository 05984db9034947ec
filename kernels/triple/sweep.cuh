// Phase 1: all chunks of a slice, each layers behind its neighbours. Needs chunk.cuh.

struct Slice { int first, last; };               // numbers of chunks

// Wait until a chunk has so many layers; one thread of a block calls.
__device__ __forceinline__ void wait_for(const unsigned long long* progress, int number, int layers) {
    while (load_shared_by_all(progress + number) < static_cast<unsigned long long>(layers)) {
    }
}

// What leaves the chunk in a layer: the last row, the last column and, for the next chunk's corner, the row above.
__device__ __forceinline__ void give_faces(
    const Cube& cube, const Faces& faces, const Chunk& chunk, const Tile& tile, const Entering& in, Place at, int k) {
    if (at.a == SIDE - 1 && chunk.row + 1 < cube.rows) {
        long long to = (faces.south_of(cube, chunk.row, chunk.column) * cube.nk + k) * SOUTH + at.column;
#pragma unroll
        for (int part = 0; part < PARTS; ++part)
#pragma unroll
            for (int x = 0; x < T; ++x) {
                faces.south[to + part * S + x] = tile.south(part, x);
#if STARTS
                faces.south_starts[to + part * S + x] = tile.south_start(part, x);
#endif
            }
    }
    if (at.b == SIDE - 1 && chunk.column + 1 < cube.columns) {
        long long to = (faces.east_of(cube, chunk.row, chunk.column) * cube.nk + k) * EAST + at.row;
#pragma unroll
        for (int part = 0; part < PARTS; ++part) {
#pragma unroll
            for (int x = 0; x < T; ++x) {
                faces.east[to + part * (S + 4) + x] = tile.east(part, x);
#if STARTS
                faces.east_starts[to + part * (S + 4) + x] = tile.east_start(part, x);
#endif
            }
            if (at.a == 0) faces.east[to + part * (S + 4) + S] = in.north[part][T - 1];
        }
    }
}

// The bottom face of a subchunk: all columns of its last layer.
__device__ __forceinline__ void give_bottom(
    const Cube& cube, const Faces& faces, const Chunk& chunk, const Tile& tile, Place at, int k) {
    long long to = faces.bottom_of(cube, chunk.row, chunk.column, k / cube.h) * BOTTOM;
#pragma unroll
    for (int part = 0; part < PARTS; ++part)
#pragma unroll
        for (int r = 0; r < T; ++r)
#pragma unroll
            for (int c = 0; c < T; ++c) {
                long long place = to + (part * S + at.row + r) * S + at.column + c;
                faces.bottom[place] = tile.down(part, r, c);
#if LOCAL
                faces.bottom_starts[place] = tile.down_start(part, r, c);
#endif
            }
}

__device__ void chunk_layers(
    const Cube& cube, const Faces& faces, const Chunk& chunk, int number, const Store& store,
    unsigned long long* progress, int* last_cell, Event* log) {
    const Place at = place_of_thread();
    const int up = chunk.row ? number_of(cube, chunk.row - 1, chunk.column) : -1;
    const int left = chunk.column ? number_of(cube, chunk.row, chunk.column - 1) : -1;
    const int last_row = cube.ni - 1 - chunk.row * S - at.row, last_column = cube.nj - 1 - chunk.column * S - at.column;
    Tile tile;
    Scores scores;
    begin_cube(tile, chunk, at);
    load_scores(cube, chunk, at, scores);
    build_profiles(cube, chunk, store);
    const int steps = steps_of(cube.nk);
    int fetched = 0, letter = cube.ks[0];
    long long began = 0;
    for (int step = 0; step < steps; ++step) {
        if (step % STEPS_A_BATCH == 0) {
            int wanted = min(fetched + BATCH, cube.nk);
            if (threadIdx.x == 0) {
                if (up >= 0) wait_for(progress, up, wanted);
                if (left >= 0) wait_for(progress, left, wanted);
                __threadfence();
                if (step == 0) began = nanoseconds();
            }
            __syncthreads();
            fetch_faces(chunk, store, fetched, wanted);
            fetched = wanted;
            __syncthreads();
        }
        const int k = layer_at(at, step, cube.nk);
        if (k >= 0) {
            Entering in = entering(store, at, k, step);
            load_layer_scores(store, at, letter, scores);
            letter = cube.ks[min(k + 1, cube.nk - 1)];
#if LOCAL
            if (k > 0 && k % cube.h == 0)
                tile.before([&](int&, int& start, int r, int c, int, int move) {
                    start = start_code(at.row + r, at.column + c, k - 1, AFFINE ? move : 0);
                });
#endif
            tile.compute(in, scores, cube.open, [](int, int, int) {});
            pass_on(store, tile, in, at, step);
            give_faces(cube, faces, chunk, tile, in, at, k);
#if SUBCHUNKS
            if ((k + 1) % cube.h == 0 && k + 1 < cube.nk) give_bottom(cube, faces, chunk, tile, at, k);
#endif
            if (k == cube.nk - 1)
#pragma unroll
                for (int r = 0; r < T; ++r)
#pragma unroll
                    for (int c = 0; c < T; ++c)
                        if (r == last_row && c == last_column) {
                            last_cell[0] = tile.down(PARTS - 1, r, c);
#if STARTS
                            last_cell[1] = tile.down_start(PARTS - 1, r, c);
#endif
                        }
        }
        __syncthreads();
        const bool ends_batch = (step + 1) % STEPS_A_BATCH == 0 || step + 1 == steps;
        if (threadIdx.x == 0 && ends_batch) {
            __threadfence();
            store_shared_by_all(progress + number, static_cast<unsigned long long>(ready_after(step + 1, cube.nk)));
        }
        // The last step of each piece is logged.
        if (threadIdx.x == 0)
            for (int piece = 0; piece < PIECES; ++piece)
                if (step + 1 == static_cast<int>(static_cast<long long>(steps) * (piece + 1) / PIECES)) {
                    long long now = nanoseconds();
                    log[number * PIECES + piece] = {began, now, multiprocessor(), 0};
                    began = now;
                }
    }
}

__device__ __forceinline__ void sweep(
    const Cube& cube, const Faces& faces, Slice slice, unsigned* ticket, unsigned long long* progress, int* last_cell,
    Event* log) {
    extern __shared__ __align__(16) int memory[];
    __shared__ int taken;
    const Store store = store_of(memory, cube.letters);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) taken = slice.first + static_cast<int>(atomicAdd(ticket, 1u));
        __syncthreads();
        const int number = taken;
        if (number >= slice.last) return;
        int row, column;
        place_of(cube, number, row, column);
        chunk_layers(cube, faces, chunk_at(cube, faces, row, column), number, store, progress, last_cell, log);
    }
}

#define SWEEP_ARGUMENTS \
    const unsigned char *is, const unsigned char *js, const unsigned char *ks, const int *table, int letters, int ni, \
        int nj, int nk, int open, int rows, int columns, int h, int boxes, int *south, int *east, int *bottom, \
        int *south_starts, int *east_starts, int *bottom_starts, int kept
#define CUBE_OF_ARGUMENTS {is, js, ks, table, letters, ni, nj, nk, open, rows, columns, h, boxes}
#define FACES_OF_ARGUMENTS {south, east, bottom, south_starts, east_starts, bottom_starts, kept}
