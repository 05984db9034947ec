// Phase 1: all chunks of a slice, each some layers behind its neighbours. Needs chunk.cuh.

struct Event { long long start, end; int worker, unused; };
struct Slice { int first, last; };               // numbers of chunks

// What leaves the chunk in a layer: the last row, the last column and, for the next chunk's corner, the row above.
__device__ __forceinline__ void give_faces(
    const Cube& cube, const Faces& faces, const Chunk& chunk, const Tile& tile, const Entering& in, Place at, int k) {
    const bool south = at.a == SIDE - 1 && chunk.row + 1 < cube.rows;
    const bool east = at.b == SIDE - 1 && chunk.column + 1 < cube.columns;
    if (!south && !east) return;
    const long long to_south = (faces.south_of(cube, chunk.row, chunk.column) * cube.nk + k) * SOUTH + at.column;
    const long long to_east = (faces.east_of(cube, chunk.row, chunk.column) * cube.nk + k) * EAST + at.row;
    int row[T], column[T];
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
        tile.edges(part, false, row, column);
        if (south) give_edge(faces.south + to_south + part * S, row, chunk.row + 1);
        if (east) {
            Word* to = faces.east + to_east + part * (S + 4);
            give_edge(to, column, chunk.column + 1);
            if (at.a == 0) give_four(to + S, in.north[part][T - 1], 0, 0, 0, chunk.column + 1);
        }
#if STARTS
        tile.edges(part, true, row, column);
        if (south) store_edge(faces.south_starts + to_south + part * S, row);
        if (east) store_edge(faces.east_starts + to_east + part * (S + 4), column);
#endif
    }
}

// The bottom face of a subchunk: all columns of its last layer.
__device__ __forceinline__ void give_bottom(
    const Cube& cube, const Faces& faces, const Chunk& chunk, const Tile& tile, Place at, int box) {
    const long long to = faces.bottom_of(cube, chunk.row, chunk.column, box) * BOTTOM;
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
        compute_steps(at, step, min(step + STEPS_A_BATCH, steps), cube.nk, [&](int k, int step) {
            const int letter = store.letters[k % LETTERS];
            Entering in = entering(store, at, k, step);
            load_layer_scores(store, at, letter, scores);
#if LOCAL
            if (k > 0 && k == bottom - cube.h + 1)
                tile.before([&](int&, int& start, int r, int c, int, int move) {
                    start = start_code(at.row + r, at.column + c, k - 1, AFFINE ? move : 0);
                });
#endif
            tile.compute(in, scores, cube.open, [](int, int, int) {});
            pass_on(store, tile, in, at, step);
            give_faces(cube, faces, chunk, tile, in, at, k);
#if SUBCHUNKS
            if (k == bottom) {
                if (k + 1 < cube.nk) give_bottom(cube, faces, chunk, tile, at, box);
                ++box, bottom += cube.h;
            }
#endif
            if (k == cube.nk - 1) give_last(cube, chunk, tile, at, last_cell);
        });
        if (first < cube.nk) coming.take(chunk, store);
        logging.batch_done(batch + 1);
    }
}

__device__ __forceinline__ void sweep(
    const Cube& cube, const Faces& faces, Slice slice, unsigned* ticket, int* last_cell, Event* log) {
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
        chunk_layers(cube, faces, chunk_at(cube, faces, row, column), store, last_cell, log + number * PIECES);
    }
}

#define SWEEP_ARGUMENTS \
    const unsigned char *is, const unsigned char *js, const unsigned char *ks, const int *table, int letters, int ni, \
        int nj, int nk, int open, int rows, int columns, int h, int boxes, Word *south, Word *east, int *bottom, \
        int *south_starts, int *east_starts, int *bottom_starts
#define CUBE_OF_ARGUMENTS {is, js, ks, table, letters, ni, nj, nk, open, rows, columns, h, boxes}
#define FACES_OF_ARGUMENTS {south, east, bottom, south_starts, east_starts, bottom_starts}
