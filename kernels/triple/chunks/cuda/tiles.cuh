// Tiles: a thread owns T x T columns of cells, which it keeps in registers; both phases. Needs batches.cuh and a tile.
//
// Recurrence: linear.cuh or affine.cuh, a layer of a tile at a time.
// Threads:    thread (a, b) of SIDE x SIDE has the tile at row a T and column b T; in a step it computes one layer or none.
// Memory:     shared, what is passed on: the last row of a tile, [step % 2][a][value][S]; its last column,
//             [step % 2][b][EDGE]; its corner, [step % 2][value][a][b].

// T values of a row or a column of a tile, aligned.
__device__ __forceinline__ void give_edge(Word* to, const int (&values)[T], int from) {
    if (T == 4) give_four(to, values[0], values[1], values[T - 2], values[T - 1], from);
    else give_two(to, values[0], values[1], from);
}

__device__ __forceinline__ void load_edge(int (&values)[T], const int* from) {
    if (T == 4) {
        const int4 four = *reinterpret_cast<const int4*>(from);
        values[0] = four.x, values[1] = four.y, values[T - 2] = four.z, values[T - 1] = four.w;
    } else {
        const int2 two = *reinterpret_cast<const int2*>(from);
        values[0] = two.x, values[1] = two.y;
    }
}

__device__ __forceinline__ void store_edge(int* to, const int (&values)[T]) {
    if (T == 4) *reinterpret_cast<int4*>(to) = make_int4(values[0], values[1], values[T - 2], values[T - 1]);
    else *reinterpret_cast<int2*>(to) = make_int2(values[0], values[1]);
}

struct Place { int a, b, row, column; };         // of a thread, and of its first cell in the chunk

// Where a thread finds what enters its tile, and leaves what its neighbours need, in steps of each parity: at the edges of
// the chunk in the ring, a place for each layer; else where the neighbours left it in the step before.
struct Routes {
    const int *north[2], *west[2], *corner[2];
    int north_layer, west_layer, corner_layer;   // from layer to layer of the ring, or 0
    int corner_part;
    int *south[2], *east[2], *corners[2];
    const int *columns, *rows;                   // profiles
};

constexpr int FIRST_CORNER = AFFINE ? 2 : 0;     // parts of the corner that are needed: of moves 6 and 7

__device__ __forceinline__ Routes routes_of(const Store& store, Place at) {
    Routes routes;
    const bool inside = at.a && at.b;
    routes.north_layer = kept_in_register(at.a ? 0 : SOUTH), routes.west_layer = kept_in_register(at.b ? 0 : EAST);
    routes.corner_layer = kept_in_register(inside ? 0 : at.b ? SOUTH : EAST);
    routes.corner_part = inside ? SIDE * SIDE : at.b ? S : S + 4;
#pragma unroll
    for (int parity = 0; parity < 2; ++parity) {
        int* south = store.passed + parity * SOUTH_STEP + at.column;
        int* east = store.passed + 2 * SOUTH_STEP + parity * EAST_STEP + at.row;
        int* corners = store.passed + 2 * (SOUTH_STEP + EAST_STEP) + parity * CORNERS + at.b;
        routes.south[parity] = south + at.a * VALUES * S;
        routes.east[parity] = east + at.b * EDGE;
        routes.corners[parity] = corners + at.a * SIDE;
        const int* ring_north = store.ring_north + at.column;
        const int* ring_west = store.ring_west + at.row;
        routes.north[1 - parity] = at.a ? south + (at.a - 1) * VALUES * S : ring_north;
        routes.west[1 - parity] = at.b ? east + (at.b - 1) * EDGE : ring_west;
        routes.corner[1 - parity] = inside ? corners + (at.a - 1) * SIDE
                                    : at.b ? ring_north - 1
                                    : at.a ? ring_west - 1
                                           : ring_west + S;
    }
    routes.columns = store.profile + at.column, routes.rows = store.profile + S + at.row;
    return routes;
}

// What enters a tile in layer k.
template <int PARITY>
__device__ __forceinline__ Entering entering(const Routes& routes, const Store& store, Place at, int k) {
    Entering in;
    const int slot = k % RING;
    const int* north = routes.north[PARITY] + slot * routes.north_layer;
    const int* west = routes.west[PARITY] + slot * routes.west_layer;
    const int* corner = routes.corner[PARITY] + slot * routes.corner_layer;
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
        load_edge(in.north[part], north + part * S);
        load_edge(in.west[part], west + part * (S + 4));
        if (part >= FIRST_CORNER) in.corner[part] = corner[part * routes.corner_part];
    }
#if STARTS
    // At the edges of the chunk the cells that come in are themselves the starts.
    const bool inside = at.a && at.b;
    north = at.a ? north : routes.south[PARITY];
    west = at.b ? west : routes.east[PARITY];
    corner = inside ? corner : routes.corners[PARITY];
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
        load_edge(in.north_start[part], north + (PARTS + part) * S);
        load_edge(in.west_start[part], west + (PARTS + part) * (S + 4));
#pragma unroll
        for (int x = 0; x < T; ++x) {
            if (!at.a) in.north_start[part][x] = start_code(-1, at.column + x, k, south_move(part));
            if (!at.b) in.west_start[part][x] = start_code(at.row + x, -1, k, east_move(part));
        }
        // The corner is read as what goes south, or east: in both, parts 2 and 3 are moves 6 and 7.
        if (part >= FIRST_CORNER)
            in.corner_start[part] = inside ? corner[(PARTS + part) * SIDE * SIDE]
                                           : start_code(at.row - 1, at.column - 1, k, south_move(part));
    }
#endif
    return in;
}

// Leave the last row, the last column and the corner for the neighbours' next step.
template <int PARITY>
__device__ __forceinline__ void pass_on(const Routes& routes, const Tile& tile, const Entering& in) {
    int row[T], column[T];
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
        tile.edges(part, false, row, column);
        store_edge(routes.south[PARITY] + part * S, row);
        store_edge(routes.east[PARITY] + part * (S + 4), column);
        if (part >= FIRST_CORNER) routes.corners[PARITY][part * SIDE * SIDE] = in.west[part][T - 1];
#if STARTS
        const int value = PARTS + part;
        tile.edges(part, true, row, column);
        store_edge(routes.south[PARITY] + value * S, row);
        store_edge(routes.east[PARITY] + value * (S + 4), column);
        if (part >= FIRST_CORNER) routes.corners[PARITY][value * SIDE * SIDE] = in.west_start[part][T - 1];
#endif
    }
}

// The layer that a thread computes in a step, or -1.
__device__ __forceinline__ int layer_at(Place at, int step, int layers) {
    int k = LAYERED ? (step % DIAGONALS == at.a + at.b ? step / DIAGONALS : -1) : step - at.a - at.b;
    return k < layers ? k : -1;
}

__device__ __forceinline__ void load_scores(const Cube& cube, const Chunk& chunk, Place at, Scores& scores) {
#pragma unroll
    for (int r = 0; r < T; ++r)
#pragma unroll
        for (int c = 0; c < T; ++c) {
            int i = letter_of(cube.is, cube.ni, chunk.row * S + at.row + r, cube.letters - 1);
            int j = letter_of(cube.js, cube.nj, chunk.column * S + at.column + c, cube.letters - 1);
            scores.ij[r][c] = cube.table[i * cube.letters + j];
        }
}

__device__ __forceinline__ void load_layer_scores(const Routes& routes, int letter, Scores& scores) {
    load_edge(scores.jk, routes.columns + letter);
    load_edge(scores.ik, routes.rows + letter);
}

__device__ __forceinline__ Place place_of_thread() {
    const int a = kept_in_register(threadIdx.x / SIDE), b = kept_in_register(threadIdx.x % SIDE);
    return {a, b, a * T, b * T};
}

// Before the first layer: the 0 from which the path begins, in the first chunk.
__device__ __forceinline__ void begin_cube(Tile& tile, const Chunk& chunk, Place at) {
    tile.clear();
    if (chunk.row == 0 && chunk.column == 0 && threadIdx.x == 0) {
        tile.corner = 0;
#if STARTS
        tile.corner_start = start_code(-1, -1, -1, 7);
#endif
    }
}

// Steps first .. last - 1 of so many layers, each after a barrier: layer(number, Constant<step % 2>) of every thread that
// computes one. `first` is even.
template <class F>
__device__ __forceinline__ void compute_steps(Place at, int first, int last, int layers, F&& layer) {
    for (int step = first; step < last; step += 2) {
        __syncthreads();
        const int even = layer_at(at, step, layers);
        if (even >= 0) layer(even, Constant<0>{});
        if (step + 1 == last) return;
        __syncthreads();
        const int odd = layer_at(at, step + 1, layers);
        if (odd >= 0) layer(odd, Constant<1>{});
    }
}

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
    Logging logging = {log, (steps + STEPS_A_BATCH - 1) / STEPS_A_BATCH, 0, nanoseconds(), 0};
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
        if (first < cube.nk) logging.waited += coming.take(chunk, store);
        logging.batch_done(batch + 1);
    }
    give_last(cube, chunk, tile, at, last_cell);
}

#if MOVES
// Values of the layer above a box: the bottom of the box above, and the faces beside it.
__device__ __forceinline__ void begin_box(
    const Cube& cube, const Faces& faces, const Chunk& chunk, Tile& tile, Place at, int box) {
    begin_cube(tile, chunk, at);
    if (box == 0) return;
    const int k = box * cube.h - 1;
    const Word* north = chunk.north + static_cast<long long>(k) * SOUTH;
    const Word* west = chunk.west + static_cast<long long>(k) * EAST;
    const int* above = faces.bottom + bottom_of(cube, chunk.row, chunk.column, box - 1) * BOTTOM;
    tile.before([&](int& value, int&, int r, int c, int part, int move) {
        int row = at.row + r, column = at.column + c, down = AFFINE ? move >> 1 : 0;
        if (row >= 0 && column >= 0) value = above[(down * S + row) * S + column];
        else if (column >= 0) value = chunk.north ? north[part * S + column] : MINUS_INFINITY;
        else value = chunk.west ? west[part * (S + 4) + (row >= 0 ? row : S)] : MINUS_INFINITY;
    });
}

// The moves of a row of a tile, in one store.
struct RowOfMoves {
    int move[T];

    __device__ __forceinline__ void store(Move* to) const {
#if AFFINE
        store_edge(to, move);
#else
        unsigned bytes = 0;
#pragma unroll
        for (int c = 0; c < T; ++c) bytes |= static_cast<unsigned>(move[c]) << 8 * c;
        if (T == 4) *reinterpret_cast<unsigned*>(to) = bytes;
        else *reinterpret_cast<unsigned short*>(to) = static_cast<unsigned short>(bytes);
#endif
    }
};

// Compute layers box h .. last of a chunk, and write the moves of all cells, [layer][S][S].
__device__ void box_moves(
    const Cube& cube, const Faces& faces, const Chunk& chunk, const Store& store, int box, int last, Move* moves) {
    const Place at = place_of_thread();
    const Routes routes = routes_of(store, at);
    const int above = box * cube.h, layers = last - above + 1, steps = steps_of(layers);
    Tile tile;
    Scores scores;
    Batch coming;
    coming.ask(cube, chunk, above, above + min(BATCH, layers));
    begin_box(cube, faces, chunk, tile, at, box);
    load_scores(cube, chunk, at, scores);
    build_profiles(cube, chunk, store);
    fill_borders(chunk, store);
    coming.take(chunk, store);
    for (int step = 0, first = BATCH; step < steps; step += STEPS_A_BATCH, first += BATCH) {
        if (first < layers) coming.ask(cube, chunk, above + first, above + min(first + BATCH, layers));
        compute_steps(at, step, min(step + STEPS_A_BATCH, steps), layers, [&](int layer, auto parity) {
            const int k = above + layer;
            const int letter = store.letters[k % LETTERS];
            Entering in = entering<parity.value>(routes, store, at, k);
            load_layer_scores(routes, letter, scores);
            RowOfMoves rows[T];
            tile.compute(in, scores, cube.open, [&](int r, int c, int move) { rows[r].move[c] = move; });
            pass_on<parity.value>(routes, tile, in);
#pragma unroll
            for (int r = 0; r < T; ++r)
                rows[r].store(moves + (static_cast<long long>(layer) * S + at.row + r) * S + at.column);
        });
        if (first < layers) coming.take(chunk, store);
    }
    __syncthreads();
}
#endif
