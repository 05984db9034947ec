// One cell per thread and step, as the paper maps both orders (Li et al. 2014, section 4); both phases. Needs batches.cuh and
// a tile, which here is one cell.
//
// Recurrence: linear.cuh or affine.cuh, a cell at a time.
// Threads:    LAYERED: a thread has a row of the chunk, and in step t its cell on the antidiagonal. SLOPED: a thread has a
//             column of cells (several where a plane has more than 1,024), and in step t its cell on the plane.
// Memory:     shared: [age][number][S][PITCH] of the cells inside the chunk, where age is the layer modulo 2 (LAYERED), or the
//             plane modulo 4 (SLOPED, where a cell needs three planes), and a number is the value that a move takes from the
//             cell, or its local start; then, for each column, where the scores of its letter begin. What enters the chunk is
//             read from the ring of the faces. Before the first step the values above it are stored: minus infinity, or the
//             bottom face of the box above.

__device__ __forceinline__ int number_of(int move) { return AFFINE ? move - 1 : 0; }

// Place of a value of a cell of the chunk.
__device__ __forceinline__ int* value_at(const Store& store, int i, int j, int k, int number) {
    const int age = (LAYERED ? k : i + j + k) & (AGES - 1);
    return store.passed + (age * MOVES_LEFT * (1 + STARTS) + number) * PLANE + i * PITCH + j;
}

// The value that a move takes from the cell before (i, j, k), and that cell's start.
struct Source { int value, start; };

__device__ __forceinline__ Source source_of(
    const Store& store, const Cube& cube, int i, int j, int k, int move, bool box_begins) {
    i -= move >> 2, j -= move >> 1 & 1, k -= move & 1;
    const int slot = k & (RING - 1);
    Source from = {0, 0};
    if (j < 0) {
        const int part = AFFINE ? (move & 1) | (move >> 2) << 1 : 0;
        from.value = store.ring_west[slot * EAST + part * (FACE + 4) + (i < 0 ? FACE : i)];
    } else if (i < 0) {
        from.value = store.ring_north[slot * SOUTH + (AFFINE ? move & 3 : 0) * FACE + j];
    } else {
        from.value = *value_at(store, i, j, k, number_of(move));
    }
#if STARTS
    const bool begins = i < 0 || j < 0 || k < 0 || (LOCAL && box_begins && (move & 1));
    from.start = begins ? start_code(i, j, k, move) : *value_at(store, i, j, k, MOVES_LEFT + number_of(move));
#endif
    return from;
}

// The value that a move takes from the cell that was computed, or its start.
__device__ __forceinline__ int left_by(const Tile& cell, int move, bool start) {
#if STARTS
    if (move & 1 || !AFFINE) return start ? cell.down_start(AFFINE ? move >> 1 : 0, 0, 0) : cell.down(AFFINE ? move >> 1 : 0, 0, 0);
#else
    if (move & 1 || !AFFINE) return cell.down(AFFINE ? move >> 1 : 0, 0, 0);
#endif
    int row[1], column[1];
    cell.edges(move & 4 ? move & 3 : 0, start, row, column);
    return move & 4 ? row[0] : column[0];
}

// Compute a cell whose sources are there: put(0, 0, move) where moves are wanted.
template <class F>
__device__ __forceinline__ void compute_cell(
    const Store& store, const Cube& cube, int i, int j, int k, bool box_begins, Tile& cell, F&& put) {
    const int letter = store.letters[k % LETTERS], column = store.passed[AGES * AGE + j];
    Scores scores;
    scores.ij[0][0] = store.profile[column + S + i];
    scores.ik[0] = store.profile[letter + S + i];
    scores.jk[0] = store.profile[letter + j];
    // Of the layer before, a tile keeps more than its first cell needs: only what a move takes is read.
    cell.before([&](int& value, int& start, int row, int right, int, int move) {
        const bool is_source = row == -(move >> 2) && right == -(move >> 1 & 1);
        const Source from = is_source ? source_of(store, cube, i, j, k, move, box_begins) : Source{0, 0};
        value = from.value, start = from.start;
    });
    Entering in = {};
    const Source corner = source_of(store, cube, i, j, k, 6, box_begins);
    const Source north = source_of(store, cube, i, j, k, 4, box_begins);
    const Source west = source_of(store, cube, i, j, k, 2, box_begins);
    in.corner[AFFINE ? 2 : 0] = corner.value, in.north[0][0] = north.value, in.west[0][0] = west.value;
#if STARTS
    in.corner_start[AFFINE ? 2 : 0] = corner.start, in.north_start[0][0] = north.start, in.west_start[0][0] = west.start;
#endif
    cell.compute(in, scores, cube.open, put);
#pragma unroll
    for (int move = AFFINE ? 1 : 7; move < 8; ++move) {
        *value_at(store, i, j, k, number_of(move)) = left_by(cell, move, false);
#if STARTS
        *value_at(store, i, j, k, MOVES_LEFT + number_of(move)) = left_by(cell, move, true);
#endif
    }
}

// Letters, scores and borders of a chunk, and the values above its layer `above`.
__device__ __forceinline__ void begin_box(
    const Cube& cube, const Faces& faces, const Chunk& chunk, const Store& store, int above) {
    build_profiles(cube, chunk, store);
    fill_borders(chunk, store);
    for (int j = threadIdx.x; j < S; j += THREADS)
        store.passed[AGES * AGE + j] = letter_of(cube.js, cube.nj, chunk.column * S + j, cube.letters - 1) * PROFILE;
    const int k = above - 1, slot = k & (RING - 1);
    for (int place = threadIdx.x; place < S * S; place += THREADS)
#pragma unroll
        for (int move = AFFINE ? 1 : 7; move < 8; ++move) {
            int value = MINUS_INFINITY;
#if MOVES
            if (k >= 0 && move & 1) {
                const long long box = bottom_of(cube, chunk.row, chunk.column, k / cube.h) * BOTTOM;
                value = faces.bottom[box + (AFFINE ? move >> 1 : 0) * S * S + place];
            }
#endif
            *value_at(store, place / S, place % S, k, number_of(move)) = value;
        }
    __syncthreads();                             // the borders are filled, now what is known of the layer before
    for (int place = threadIdx.x; place < SOUTH; place += THREADS) {
        int value = MINUS_INFINITY;
        if (k >= 0 && chunk.north) value = value_of(chunk.north[static_cast<long long>(k) * SOUTH + place]);
        store.ring_north[slot * SOUTH + place] = value;
    }
    for (int place = threadIdx.x; place < EAST; place += THREADS) {
        const bool first = chunk.row == 0 && chunk.column == 0 && k < 0 && place == (PARTS - 1) * (FACE + 4) + FACE;
        int value = first ? 0 : MINUS_INFINITY;  // the 0 from which the path begins
        if (k >= 0 && chunk.west) value = value_of(chunk.west[static_cast<long long>(k) * EAST + place]);
        store.ring_west[slot * EAST + place] = value;
    }
}

// The 0 from which a path begins is for the first cell alone: the ring comes by its place again.
__device__ __forceinline__ void forget_origin(const Chunk& chunk, const Store& store) {
    if (threadIdx.x == 0 && !chunk.west)
        store.ring_west[(RING - 1) * EAST + (PARTS - 1) * (FACE + 4) + FACE] = MINUS_INFINITY;
}

// Calls cell(i, j, layer) for the cell, or the cells, that this thread computes in a step of so many layers.
template <class F>
__device__ __forceinline__ void cells_of(int step, int layers, F&& cell) {
    if (LAYERED) {
        const int i = threadIdx.x, layer = step / DIAGONALS, j = step % DIAGONALS - i;
        if (i < S && j >= 0 && j < S && layer < layers) cell(i, j, layer);
        return;
    }
    for (int column = threadIdx.x; column < S * S; column += THREADS) {
        const int i = column / S, j = column % S, layer = step - i - j;
        if (layer >= 0 && layer < layers) cell(i, j, layer);
    }
}

// A word of a face for the next chunk.
__device__ __forceinline__ void give_word(Word* to, int value, int from) {
#if KEPT
    store_shared_by_all(to, value);
#else
    store_shared_by_all(to, static_cast<unsigned long long>(from) << 32 | static_cast<unsigned>(value));
#endif
}

// What a cell at an edge of the chunk gives to the next ones.
__device__ __forceinline__ void give_cell(
    const Cube& cube, const Faces& faces, const Chunk& chunk, const Store& store, const Tile& cell, int i, int j, int k) {
    if (i == S - 1 && chunk.row + 1 < cube.rows) {
        const long long to = (south_of(cube, chunk.row, chunk.column) * cube.nk + k) * SOUTH + j;
#pragma unroll
        for (int part = 0; part < PARTS; ++part) {
            Word* face = faces.south + to + part * FACE;
            give_word(face, left_by(cell, south_move(part), false), chunk.row + 1);
            for (int more = 1; more <= FACE - S && j == S - 1; ++more) give_word(face + more, 0, chunk.row + 1);
#if STARTS
            faces.south_starts[to + part * FACE] = left_by(cell, south_move(part), true);
#endif
        }
    }
    if (j != S - 1 || chunk.column + 1 >= cube.columns) return;
    const long long to = (east_of(cube, chunk.row, chunk.column) * cube.nk + k) * EAST;
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
        Word* face = faces.east + to + part * (FACE + 4);
        give_word(face + i, left_by(cell, east_move(part), false), chunk.column + 1);
#if STARTS
        faces.east_starts[to + part * (FACE + 4) + i] = left_by(cell, east_move(part), true);
#endif
        if (i) continue;
        const int above = store.ring_north[(k & (RING - 1)) * SOUTH + part * FACE + S - 1];
        for (int more = S; more < FACE; ++more) give_word(face + more, 0, chunk.column + 1);
        for (int more = 0; more < 4; ++more) give_word(face + FACE + more, more ? 0 : above, chunk.column + 1);
    }
}

// What a cell of the last layer of a subchunk leaves for phase 3.
__device__ __forceinline__ void give_bottom(
    const Cube& cube, const Faces& faces, const Chunk& chunk, const Tile& cell, int i, int j, int box) {
    const long long to = bottom_of(cube, chunk.row, chunk.column, box) * BOTTOM + i * S + j;
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
        faces.bottom[to + part * S * S] = left_by(cell, down_move(part), false);
#if LOCAL
        faces.bottom_starts[to + part * S * S] = left_by(cell, down_move(part), true);
#endif
    }
}

__device__ __forceinline__ void chunk_layers(
    const Cube& cube, const Faces& faces, const Chunk& chunk, const Store& store, int* last_cell, Event* log) {
    const int steps = steps_of(cube.nk);
    const int last_i = cube.ni - 1 - chunk.row * S, last_j = cube.nj - 1 - chunk.column * S;
    Batch coming;
    coming.ask(cube, chunk, 0, min(BATCH, cube.nk));
    begin_box(cube, faces, chunk, store, 0);
    coming.take(chunk, store);
    Logging logging = {log, (steps + STEPS_A_BATCH - 1) / STEPS_A_BATCH, 0, nanoseconds(), 0};
    for (int batch = 0; batch < logging.batches; ++batch) {
        const int first = (batch + 1) * BATCH, last_step = min((batch + 1) * STEPS_A_BATCH, steps);
        if (first < cube.nk) coming.ask(cube, chunk, first, min(first + BATCH, cube.nk));
        for (int step = batch * STEPS_A_BATCH; step < last_step; ++step) {
            __syncthreads();
            if (step == 1) forget_origin(chunk, store);
            cells_of(step, cube.nk, [&](int i, int j, int k) {
                Tile cell;
                const bool box_begins = LOCAL && k % cube.h == 0;
                compute_cell(store, cube, i, j, k, box_begins, cell, [](int, int, int) {});
                give_cell(cube, faces, chunk, store, cell, i, j, k);
#if SUBCHUNKS
                if ((k + 1) % cube.h == 0 && k + 1 < cube.nk) give_bottom(cube, faces, chunk, cell, i, j, k / cube.h);
#endif
                if (k + 1 < cube.nk || i != last_i || j != last_j) return;
                last_cell[0] = left_by(cell, 7, false);
#if STARTS
                last_cell[1] = left_by(cell, 7, true);
#endif
            });
        }
        if (first < cube.nk) logging.waited += coming.take(chunk, store);
        logging.batch_done(batch + 1);
    }
}

#if MOVES
// Compute layers box h .. last of a chunk, and write the moves of all cells, [layer][S][S].
__device__ void box_moves(
    const Cube& cube, const Faces& faces, const Chunk& chunk, const Store& store, int box, int last, Move* moves) {
    // Batches of layers lie in the ring at multiples of BATCH: a box that begins within one skips its first layers.
    const int above = box * cube.h, early = WHOLE ? 0 : above % BATCH, top = above - early;
    const int layers = last - top + 1, steps = steps_of(layers);
    Batch coming;
    coming.ask(cube, chunk, top, top + min(BATCH, layers));
    begin_box(cube, faces, chunk, store, above);
    coming.take(chunk, store);
    for (int begin = 0, first = BATCH; begin < steps; begin += STEPS_A_BATCH, first += BATCH) {
        if (first < layers) coming.ask(cube, chunk, top + first, top + min(first + BATCH, layers));
        for (int step = begin; step < min(begin + STEPS_A_BATCH, steps); ++step) {
            __syncthreads();
            if (step == 1) forget_origin(chunk, store);
            cells_of(step, layers, [&](int i, int j, int layer) {
                if (layer < early) return;
                Tile cell;
                Move* to = moves + (static_cast<long long>(layer - early) * S + i) * S + j;
                compute_cell(store, cube, i, j, top + layer, false, cell,
                             [&](int, int, int move) { *to = static_cast<Move>(move); });
            });
        }
        if (first < layers) coming.take(chunk, store);
    }
    __syncthreads();
}
#endif
