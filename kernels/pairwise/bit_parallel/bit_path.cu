// Phase 2 of the bit-parallel methods: the path, tile by tile from its end.
//
// Recurrence: that of word_rows.cuh. Detours are the cells that the diagonal does not reach, rises those that the row above
//     reaches. A path goes back along the diagonal where a cell is no detour, else up where it is a rise, else to the
//     left: the tie rule of the family.
//
// Threads: one warp. It computes the tile that the path enters, from the kept row above and the boundary column on its
//     left, and stores two bits a cell. Then all lanes fetch a word and the one before it for 32 rows, and lane 0 goes
//     back through these 64 columns.
//
// Memory: `directions` in global memory, steps x 32 R words of detours above rises.
//
// Needs word_rows.cuh. Compile-time: R, TOP_FREE, LEFT_FREE.

struct PathShared {
    unsigned long long window[2][LANES];     // of word - 1 and word: rows upwards
};

// Computes rows top .. bottom - 1 (counted from 0) of a strip, and stores their directions.
__device__ __forceinline__ void compute_tile(
    const WordPair& pair, const Crossings& crossings, const KeptRows& kept, int strip, int top, int bottom, int lane,
    const unsigned* matches, unsigned long long* directions) {
    WordRow row;
    if (top == 0) {
        row.begin(strip, lane, pair.padding);
    } else {
        const long long all = static_cast<long long>(pair.strips) * WORDS;
        const unsigned* from = kept.words + (top / kept.tile - 1) * 2 * all + strip * WORDS + lane * R;
#pragma unroll
        for (int r = 0; r < R; ++r) row.plus[r] = from[r], row.minus[r] = from[all + r];
    }
    const unsigned long long* left = crossings.words + static_cast<long long>(max(strip - 1, 0)) * crossings.capacity;
    Crossing out{0u, 0u}, entering{0u, 0u};
    for (int t = 0; t < bottom - top + LANES - 1; ++t) {
        Crossing in{__shfl_up_sync(WARP, out.rise, 1), __shfl_up_sync(WARP, out.fall, 1)};
        if (t % LANES == 0)
            entering = strip == 0 || top + t >= bottom ? left_border() : unpack(left[(top + t) / LANES]);
        if (lane == 0) in = entering;
        entering.rise <<= 1, entering.fall <<= 1;
        const int at = t - lane;
        if (at >= 0 && at < bottom - top) {
            const unsigned* equal = matches + match_place(pair, top + at) + lane * R;
            unsigned long long* to = directions + static_cast<long long>(t) * WORDS + lane * R;
            out = row.advance(equal, in, [&](int r, unsigned detours, unsigned rises) {
                to[r] = static_cast<unsigned long long>(detours) << 32 | rises;
            });
        }
    }
    __syncwarp();
}

// Goes back from the cell of `place` to row `top` or column `left`, both counted from 0.
__device__ __forceinline__ void walk(
    PathPlace& place, const WordPair& pair, int strip, int top, int left, int lane, PathShared& shared,
    const unsigned long long* directions, unsigned char* operations) {
    while (place.row > top && place.column > left) {
        const int at_column = place.column - 1 + pair.padding - strip * WORDS * 32, word = at_column / 32;
        const int row = place.row - 1 - top;
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            const int of = word - 1 + k, step = row - lane + of / R;
            const bool is_there = of >= 0 && row >= lane;
            shared.window[k][lane] = is_there ? directions[static_cast<long long>(step) * WORDS + of] : 0;
        }
        __syncwarp();
        if (lane == 0) {
            int up = 0, column = at_column - (word - 1) * 32;    // rows above the first one; column in the window
            while (up < LANES && column >= 0 && place.row > top && place.column > left) {
                const unsigned long long two = shared.window[column / 32][up];
                const int bit = column % 32;
                int operation = PATH_DIAGONAL;
                if (two >> (32 + bit) & 1) operation = two >> bit & 1 ? PATH_UP : PATH_LEFT;
                operations[--place.at] = operation;
                if (operation != PATH_LEFT) ++up, --place.row;
                if (operation != PATH_UP) --column, --place.column;
            }
        }
        __syncwarp();
        place.row = __shfl_sync(WARP, place.row, 0), place.column = __shfl_sync(WARP, place.column, 0);
        place.at = __shfl_sync(WARP, place.at, 0);
    }
}

// Follows the path through `most` tiles at most; `log` has an event and `cells` the corners of each tile.
extern "C" __global__ void bit_path(
    WORD_PAIR_PARAMETERS(pair), CROSSINGS_PARAMETERS(crossings), KEPT_ROWS_PARAMETERS(kept), PathPlace* path, int most,
    unsigned long long* directions, unsigned char* operations, Event* log, int4* cells) {
    extern __shared__ __align__(16) unsigned char memory[];
    const WordPair pair = WORD_PAIR_OF(pair);
    const Crossings crossings = CROSSINGS_OF(crossings);
    const KeptRows kept = KEPT_ROWS_OF(kept);
    const int lane = threadIdx.x;
    PathShared& shared = *reinterpret_cast<PathShared*>(memory);
    unsigned* matches = reinterpret_cast<unsigned*>(memory + sizeof(PathShared));
    PathPlace place = *path;
    int loaded = -1;
    for (int count = 0; count < most && place.row > 0 && place.column > 0; ++count) {
        const long long began = nanoseconds();
        const int strip = (place.column - 1 + pair.padding) / (WORDS * 32), bottom = place.row, right = place.column;
        const int top = (bottom - 1) / kept.tile * kept.tile, left = max(strip * WORDS * 32 - pair.padding, 0);
        if (strip != loaded) load_matches(pair, strip, lane, matches);
        loaded = strip;
        compute_tile(pair, crossings, kept, strip, top, bottom, lane, matches, directions);
        walk(place, pair, strip, top, left, lane, shared, directions, operations);
        if (lane == 0) {
            log[place.tiles] = {began, nanoseconds(), multiprocessor(), 0};
            cells[place.tiles] = make_int4(top, bottom, left, right);
        }
        ++place.tiles;
    }
    if (lane == 0) *path = place;
}
