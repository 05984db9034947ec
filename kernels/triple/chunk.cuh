// A chunk, or a box of it, layer by layer: what both phases share. Needs cube.cuh and a tile.

struct Event { long long start, end; int worker, unused; };

struct Store {                                   // shared memory of a block
    int *profile_i, *profile_j;                  // scores of a letter of the third sequence, [letter][S]
    int *ring_north, *ring_west;                 // faces that came in, [layer % RING][part][S], [..][..][S + 4]
    int *south, *east, *corner;                  // from thread to thread, [step % 2][value][a or b][S], corners [a][b]
};

constexpr int VALUES = PARTS * (1 + STARTS);     // values and starts
constexpr int PASSED = VALUES * SIDE * S, CORNERS = VALUES * SIDE * SIDE;

__device__ __forceinline__ Store store_of(int* memory, int letters) {
    Store store;
    store.profile_i = memory;
    store.profile_j = store.profile_i + letters * S;
    store.ring_north = store.profile_j + letters * S;
    store.ring_west = store.ring_north + RING * SOUTH;
    store.south = store.ring_west + RING * EAST;
    store.east = store.south + 2 * PASSED;
    store.corner = store.east + 2 * PASSED;
    return store;
}

// Letters beyond the last cell count as the front letter: such cells are computed and lead nowhere.
__device__ __forceinline__ int letter_of(const unsigned char* letters, int count, int place, int front) {
    return place < count ? letters[place] : front;
}

__device__ void build_profiles(const Cube& cube, const Chunk& chunk, const Store& store) {
    for (int index = threadIdx.x; index < cube.letters * S; index += blockDim.x) {
        int letter = index / S, place = index % S;
        int i = letter_of(cube.is, cube.ni, chunk.row * S + place, cube.letters - 1);
        int j = letter_of(cube.js, cube.nj, chunk.column * S + place, cube.letters - 1);
        store.profile_i[index] = cube.table[i * cube.letters + letter];
        store.profile_j[index] = cube.table[j * cube.letters + letter];
    }
}

// Layers first .. last - 1 of the faces that come in, into the ring; all threads call. Minus infinity at the border.
__device__ void fetch_faces(const Chunk& chunk, const Store& store, int first, int last) {
    auto fetch = [&](const int* face, int* ring, int width) {
        int pairs = (last - first) * width / 2;
        for (int index = threadIdx.x; index < pairs; index += blockDim.x) {
            int layer = first + 2 * index / width, place = 2 * index % width;
            unsigned long long two = 0;
            if (face) {
                const int* from = face + static_cast<long long>(layer) * width + place;
                two = load_shared_by_all(reinterpret_cast<const unsigned long long*>(from));
            }
            int* to = ring + layer % RING * width + place;
            to[0] = face ? static_cast<int>(two) : MINUS_INFINITY;
            to[1] = face ? static_cast<int>(two >> 32) : MINUS_INFINITY;
        }
    };
    fetch(chunk.north, store.ring_north, SOUTH);
    fetch(chunk.west, store.ring_west, EAST);
}

struct Place { int a, b, row, column; };         // of a thread, and of its first cell in the chunk

// What enters a tile in layer k: from the ring at the edges of the chunk, else from the neighbours' last step.
__device__ __forceinline__ Entering entering(const Store& store, Place at, int k, int step) {
    Entering in;
    const int* north = store.ring_north + k % RING * SOUTH;
    const int* west = store.ring_west + k % RING * EAST;
    const int parity = (step + 1) % 2;
    const int* south = store.south + parity * PASSED + (at.a - 1) * S + at.column;
    const int* east = store.east + parity * PASSED + (at.b - 1) * S + at.row;
    const int* corners = store.corner + parity * CORNERS + (at.a - 1) * SIDE + at.b;
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
#pragma unroll
        for (int x = 0; x < T; ++x) {
            in.north[part][x] = at.a ? south[part * SIDE * S + x] : north[part * S + at.column + x];
            in.west[part][x] = at.b ? east[part * SIDE * S + x] : west[part * (S + 4) + at.row + x];
        }
        in.corner[part] = at.a && at.b ? corners[part * SIDE * SIDE]
                          : at.b       ? north[part * S + at.column - 1]
                                       : west[part * (S + 4) + (at.a ? at.row - 1 : S)];
    }
#if STARTS
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
        const int value = (PARTS + part) * SIDE;
#pragma unroll
        for (int x = 0; x < T; ++x) {
            in.north_start[part][x] = at.a ? south[value * S + x] : start_code(-1, at.column + x, k, south_move(part));
            in.west_start[part][x] = at.b ? east[value * S + x] : start_code(at.row + x, -1, k, east_move(part));
        }
        // The corner is read as what goes south, or east: in both, parts 2 and 3 are moves 6 and 7.
        in.corner_start[part] = at.a && at.b ? corners[value * SIDE]
                                             : start_code(at.row - 1, at.column - 1, k, south_move(part));
    }
#endif
    return in;
}

// Leave the last row, the last column and the corner for the neighbours' next step.
__device__ __forceinline__ void pass_on(const Store& store, const Tile& tile, const Entering& in, Place at, int step) {
    const int parity = step % 2;
    int* south = store.south + parity * PASSED + at.a * S + at.column;
    int* east = store.east + parity * PASSED + at.b * S + at.row;
    int* corners = store.corner + parity * CORNERS + at.a * SIDE + at.b;
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
#pragma unroll
        for (int x = 0; x < T; ++x) {
            south[part * SIDE * S + x] = tile.south(part, x);
            east[part * SIDE * S + x] = tile.east(part, x);
        }
        corners[part * SIDE * SIDE] = in.west[part][T - 1];
#if STARTS
        const int value = (PARTS + part) * SIDE;
#pragma unroll
        for (int x = 0; x < T; ++x) {
            south[value * S + x] = tile.south_start(part, x);
            east[value * S + x] = tile.east_start(part, x);
        }
        corners[value * SIDE] = in.west_start[part][T - 1];
#endif
    }
}

// The layer that a thread computes in a step, or -1.
__device__ __forceinline__ int layer_at(Place at, int step, int layers) {
    int k = LAYERED ? (step % DIAGONALS == at.a + at.b ? step / DIAGONALS : -1) : step - at.a - at.b;
    return k < layers ? k : -1;
}

// Steps before which the first `layers` layers must have come in, and after which they are ready, of `all`.
constexpr int STEPS_A_BATCH = LAYERED ? BATCH * DIAGONALS : BATCH;
__device__ __forceinline__ int steps_of(int layers) { return LAYERED ? layers * DIAGONALS : layers + DIAGONALS - 1; }
__device__ __forceinline__ int ready_after(int step, int all) {
    return LAYERED ? min(step / DIAGONALS, all) : max(0, min(step - DIAGONALS + 1, all));
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

__device__ __forceinline__ void load_layer_scores(const Store& store, Place at, int letter, Scores& scores) {
#pragma unroll
    for (int x = 0; x < T; ++x) {
        scores.ik[x] = store.profile_i[letter * S + at.row + x];
        scores.jk[x] = store.profile_j[letter * S + at.column + x];
    }
}

__device__ __forceinline__ Place place_of_thread() {
    int a = threadIdx.x / SIDE, b = threadIdx.x % SIDE;
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
