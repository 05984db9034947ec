// A chunk, or a box of it, layer by layer: what both phases share. Needs cube.cuh and a tile.

struct Store {                                   // shared memory of a block; strides that keep banks apart
    int *ring_north, *ring_west;                 // faces that came in, [layer % RING][part][S], [..][..][S + 4]
    int *south, *east;                           // from thread to thread, [step % 2][a][value][S], [step % 2][b][EDGE]
    int *corner;                                 // [step % 2][value][a][b]
    int *letters;                                // where the scores of a layer's letter begin, [layer % LETTERS]
    int *profile;                                // scores of letters of the third sequence: of the columns S, of the rows S
};

constexpr int PROFILE = 2 * S + 4;               // numbers of a letter

constexpr int VALUES = PARTS * (1 + STARTS);     // values and starts
constexpr int EDGE = VALUES * (S + 4) + (VALUES > 1 ? 4 : 0);
constexpr int SOUTH_STEP = SIDE * VALUES * S, EAST_STEP = SIDE * EDGE, CORNERS = VALUES * SIDE * SIDE;

__device__ __forceinline__ Store store_of(int* memory) {
    Store store;
    store.ring_north = memory;
    store.ring_west = store.ring_north + RING * SOUTH;
    store.south = store.ring_west + RING * EAST;
    store.east = store.south + 2 * SOUTH_STEP;
    store.corner = store.east + 2 * EAST_STEP;
    store.letters = store.corner + 2 * CORNERS;
    store.profile = store.letters + LETTERS;
    return store;
}

// Letters beyond the last cell count as the front letter: such cells are computed and lead nowhere.
__device__ __forceinline__ int letter_of(const unsigned char* letters, int count, int place, int front) {
    return place < count ? letters[place] : front;
}

__device__ void build_profiles(const Cube& cube, const Chunk& chunk, const Store& store) {
    for (int index = threadIdx.x; index < 2 * S; index += THREADS) {
        const bool is_row = index < S;
        const int place = is_row ? index : index - S, front = cube.letters - 1;
        const int letter = is_row ? letter_of(cube.is, cube.ni, chunk.row * S + place, front)
                                  : letter_of(cube.js, cube.nj, chunk.column * S + place, front);
        int* to = store.profile + (is_row ? S + place : place);
#pragma unroll 4
        for (int other = 0; other < cube.letters; ++other)
            to[other * PROFILE] = cube.table[letter * cube.letters + other];
    }
}

// Minus infinity where no face comes in.
__device__ void fill_borders(const Chunk& chunk, const Store& store) {
    for (int index = threadIdx.x; index < RING * SOUTH && !chunk.north; index += THREADS)
        store.ring_north[index] = MINUS_INFINITY;
    for (int index = threadIdx.x; index < RING * EAST && !chunk.west; index += THREADS)
        store.ring_west[index] = MINUS_INFINITY;
}

// Words of faces: what is written, and whether it is there. `from`: row or column of the chunk that writes, from 1.
#if KEPT
__device__ __forceinline__ bool arrived(const Pack& pack, int) {
    return pack.x != EMPTY && pack.y != EMPTY && pack.z != EMPTY && pack.w != EMPTY;
}
__device__ __forceinline__ void unpack(int* to, const Pack& pack) { *reinterpret_cast<int4*>(to) = pack; }
__device__ __forceinline__ int value_of(Word word) { return word; }
__device__ __forceinline__ void give_four(Word* to, int a, int b, int c, int d, int) {
    store_shared_by_all(reinterpret_cast<int4*>(to), make_int4(a, b, c, d));
}
__device__ __forceinline__ void give_two(Word* to, int a, int b, int) {
    const unsigned long long low = static_cast<unsigned>(a), high = static_cast<unsigned>(b);
    store_shared_by_all(reinterpret_cast<unsigned long long*>(to), low | high << 32);
}
#else
__device__ __forceinline__ bool arrived(const Pack& pack, int from) {
    return static_cast<int>(pack.x >> 32) == from && static_cast<int>(pack.y >> 32) == from;
}
__device__ __forceinline__ void unpack(int* to, const Pack& pack) {
    *reinterpret_cast<int2*>(to) = make_int2(static_cast<int>(pack.x), static_cast<int>(pack.y));
}
__device__ __forceinline__ int value_of(Word word) { return static_cast<int>(word); }
__device__ __forceinline__ void give_two(Word* to, int a, int b, int from) {
    const unsigned long long mark = static_cast<unsigned long long>(from) << 32;
    const ulonglong2 two = {mark | static_cast<unsigned>(a), mark | static_cast<unsigned>(b)};
    store_shared_by_all(reinterpret_cast<ulonglong2*>(to), two);
}
__device__ __forceinline__ void give_four(Word* to, int a, int b, int c, int d, int from) {
    give_two(to, a, b, from), give_two(to + 2, c, d, from);
}
#endif

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

// A number that is known when the kernel is compiled.
template <int VALUE>
struct Constant {
    static constexpr int value = VALUE;
    __device__ __forceinline__ constexpr operator int() const { return VALUE; }
};

// Packs of one face on their way into the ring: a thread asks for every THREADS-th of a batch, and goes on.
template <int WIDTH>
struct Coming {
    static constexpr int COUNT = (BATCH * WIDTH / PACK + THREADS - 1) / THREADS;
    Pack packs[COUNT];

    // Whether the n-th pack of a thread belongs to so many layers; of a full batch known when this is compiled.
    static __device__ __forceinline__ bool has(int n, int layers) {
        const int index = n * THREADS + threadIdx.x;
        return layers == BATCH ? (n + 1) * THREADS <= BATCH * WIDTH / PACK || index < BATCH * WIDTH / PACK
                               : index < layers * WIDTH / PACK;
    }

    __device__ __forceinline__ void ask(const Word* face, int first, int layers) {
        if (!face) return;
        const Pack* from = reinterpret_cast<const Pack*>(face + static_cast<long long>(first) * WIDTH) + threadIdx.x;
#pragma unroll
        for (int n = 0; n < COUNT; ++n)
            if (has(n, layers)) packs[n] = load_shared_by_all(from + n * THREADS);
    }

    // Wait for what is not there yet, and put all into the ring.
    __device__ __forceinline__ void take(const Word* face, int first, int layers, int from, int* ring) {
        if (!face) return;
        bool all = true;
#pragma unroll
        for (int n = 0; n < COUNT; ++n) all = all && (!has(n, layers) || arrived(packs[n], from));
        if (!all) {
            const Pack* again = reinterpret_cast<const Pack*>(face + static_cast<long long>(first) * WIDTH) + threadIdx.x;
#pragma unroll
            for (int n = 0; n < COUNT; ++n)
                while (has(n, layers) && !arrived(packs[n], from)) packs[n] = load_shared_by_all(again + n * THREADS);
        }
        int* to = ring + first % RING * WIDTH + threadIdx.x * PACK;
#pragma unroll
        for (int n = 0; n < COUNT; ++n)
            if (has(n, layers)) unpack(to + n * THREADS * PACK, packs[n]);
    }
};

// What comes in with layers first .. last - 1: both faces, and letters of the third sequence. While it is on its way a
// thread loads nothing else from global memory, and keeps no load of shared memory open from step to step: it would have
// to wait for all of them together.
struct Batch {
    Coming<SOUTH> north;
    Coming<EAST> west;
    int first, layers, letter;

    __device__ __forceinline__ void ask(const Cube& cube, const Chunk& chunk, int first_layer, int last_layer) {
        first = first_layer, layers = last_layer - first_layer;
        if (layers == BATCH) ask_faces(chunk, Constant<BATCH>{});
        else ask_faces(chunk, layers);
        letter = cube.ks[min(first + static_cast<int>(threadIdx.x % BATCH), cube.nk - 1)];
    }
    __device__ __forceinline__ void take(const Chunk& chunk, const Store& store) {
        if (layers == BATCH) take_faces(chunk, store, Constant<BATCH>{});
        else take_faces(chunk, store, layers);
        if (threadIdx.x < BATCH) store.letters[(first + threadIdx.x) % LETTERS] = letter * PROFILE;
    }

private:
    template <class Layers>
    __device__ __forceinline__ void ask_faces(const Chunk& chunk, Layers number) {
        north.ask(chunk.north, first, number), west.ask(chunk.west, first, number);
    }
    template <class Layers>
    __device__ __forceinline__ void take_faces(const Chunk& chunk, const Store& store, Layers number) {
        north.take(chunk.north, first, number, chunk.row, store.ring_north);
        west.take(chunk.west, first, number, chunk.column, store.ring_west);
    }
};

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
        int* south = store.south + parity * SOUTH_STEP + at.column;
        int* east = store.east + parity * EAST_STEP + at.row;
        int* corners = store.corner + parity * CORNERS + at.b;
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

// Steps of so many layers, and those for which a batch of layers lasts.
constexpr int STEPS_A_BATCH = LAYERED ? BATCH * DIAGONALS : BATCH;
__device__ __forceinline__ int steps_of(int layers) { return LAYERED ? layers * DIAGONALS : layers + DIAGONALS - 1; }

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
