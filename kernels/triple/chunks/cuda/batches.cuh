// What comes into a chunk, or a box of it, for both mappings (tiles.cuh, cells.cuh). Needs cube.cuh.
//
// Computes:   faces in batches of layers, the letters of the third sequence, and the scores of letters (profiles).
// Threads:    all threads of a block load every THREADS-th pack of a batch, and wait for it only a batch later.
// Memory:     shared, see Store: rings of faces, numbers that threads leave for each other, letters, profiles.

struct Store {                                   // shared memory of a block; strides that keep banks apart
    int *ring_north, *ring_west;                 // faces that came in, [layer % RING][part][S], [..][..][S + 4]
    int *passed;                                 // from thread to thread, as the mapping has it (PASSED in cube.cuh)
    int *letters;                                // where the scores of a layer's letter begin, [layer % LETTERS]
    int *profile;                                // scores of letters of the third sequence: of the columns S, of the rows S
};

constexpr int PROFILE = 2 * S + 4;               // numbers of a letter

__device__ __forceinline__ Store store_of(int* memory) {
    Store store;
    store.ring_north = memory;
    store.ring_west = store.ring_north + RING * SOUTH;
    store.passed = store.ring_west + RING * EAST;
    store.letters = store.passed + PASSED;
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

    // Wait for what is not there yet, and put all into the ring; the nanoseconds that this thread waited.
    __device__ __forceinline__ int take(const Word* face, int first, int layers, int from, int* ring) {
        if (!face) return 0;
        bool all = true;
#pragma unroll
        for (int n = 0; n < COUNT; ++n) all = all && (!has(n, layers) || arrived(packs[n], from));
        int waited = 0;
        if (!all) {
            waited = static_cast<int>(nanoseconds());
            const Pack* again = reinterpret_cast<const Pack*>(face + static_cast<long long>(first) * WIDTH) + threadIdx.x;
#pragma unroll
            for (int n = 0; n < COUNT; ++n)
                while (has(n, layers) && !arrived(packs[n], from)) packs[n] = load_shared_by_all(again + n * THREADS);
            waited = static_cast<int>(nanoseconds()) - waited;
        }
        int* to = ring + first % RING * WIDTH + threadIdx.x * PACK;
#pragma unroll
        for (int n = 0; n < COUNT; ++n)
            if (has(n, layers)) unpack(to + n * THREADS * PACK, packs[n]);
        return waited;
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
    __device__ __forceinline__ int take(const Chunk& chunk, const Store& store) {
        const int waited = layers == BATCH ? take_faces(chunk, store, Constant<BATCH>{}) : take_faces(chunk, store, layers);
        if (threadIdx.x < BATCH) store.letters[(first + threadIdx.x) % LETTERS] = letter * PROFILE;
        return waited;
    }

private:
    template <class Layers>
    __device__ __forceinline__ void ask_faces(const Chunk& chunk, Layers number) {
        north.ask(chunk.north, first, number), west.ask(chunk.west, first, number);
    }
    template <class Layers>
    __device__ __forceinline__ int take_faces(const Chunk& chunk, const Store& store, Layers number) {
        const int waited = north.take(chunk.north, first, number, chunk.row, store.ring_north);
        return waited + west.take(chunk.west, first, number, chunk.column, store.ring_west);
    }
};

// Steps of so many layers, and those for which a batch of layers lasts.
constexpr int STEPS_A_BATCH = LAYERED ? BATCH * DIAGONALS : BATCH;
__device__ __forceinline__ int steps_of(int layers) { return LAYERED ? layers * DIAGONALS : layers + DIAGONALS - 1; }

// The step log of a chunk: an event for each quarter of its batches (cuda_sizes.pieces).
struct Logging {
    Event* log;
    int batches, piece;
    long long began;
    int waited;                                  // of the first thread, for faces, since then

    __device__ __forceinline__ void batch_done(int done) {
        if (threadIdx.x) return;
        while (piece < PIECES && done * PIECES >= batches * (piece + 1)) {
            const long long now = nanoseconds();
            log[piece++] = {began, now, multiprocessor(), waited};
            began = now, waited = 0;
        }
    }
};
