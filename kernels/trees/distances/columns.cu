// Distances of rows of an alignment whose letters are bits: 32 columns of a pair are compared at once.
//
// Computes: for each pair of rows counts of columns, by logical operations and counts of bits, and a distance of them
//   (distance_models.cuh). PLANES are the bits of a letter: whether it is there, then its number. COUNTERS are
//   (common, different) for p, Jukes and Cantor and proteins; (common, transversions, transitions, those of C and T)
//   for Kimura and TN93; all 16 pairs of bases for LogDet.
// Threads: pack_letters: a warp packs a row, a lane has a column, and a ballot makes a word of each plane.
//   compare_tiles and find_nearest: 16 x 16 threads compare a tile of SIDE x SIDE pairs, SIDE / 16 rows with as many others each.
// Memory: packed[plane][word][row], so that words of neighbouring rows are loaded together. A tile takes DEPTH words of
//   its rows at a time to shared memory, and leaves its distances there, so that both it and its mirror image are
//   written in whole lines.

constexpr int ACROSS = 16, PER_THREAD = SIDE / ACROSS, TILE_THREADS = ACROSS * ACROSS;

extern "C" __global__ void pack_letters(const unsigned char* letters, long long columns, const unsigned char* codes,
                                        const int* chosen, int rows, int words, int stride, unsigned* packed) {
    __shared__ unsigned char table[256];
    for (int at = threadIdx.x; at < 256; at += blockDim.x) table[at] = codes[at];
    __syncthreads();
    const int lane = threadIdx.x % LANES, warps = gridDim.x * (blockDim.x / LANES);
    for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES; row < stride; row += warps)
        for (int word = 0; word < words; ++word) {
            const int column = word * LANES + lane;
            unsigned code = 0;
            if (row < rows && column < columns)
                code = table[letters[(long long)row * columns + (chosen ? chosen[column] : column)]];
            for (int plane = 0; plane < PLANES; ++plane) {
                const unsigned bits = __ballot_sync(WARP, code >> plane & 1);
                if (lane == 0) packed[((long long)plane * words + word) * stride + row] = bits;
            }
        }
}

// The words of a tile's rows and of its columns; then its distances.
union TileMemory {
    unsigned words[2][PLANES][DEPTH][SIDE];
    REAL tile[SIDE][SIDE + 1];
};

// Count the columns of a word of two rows.
__device__ __forceinline__ void count_word(const unsigned (&own)[PLANES], const unsigned (&other)[PLANES],
                                           int (&counts)[COUNTERS]) {
    const unsigned both = own[0] & other[0];
    if (COUNTERS == 2) {
        unsigned unlike = 0;
#pragma unroll
        for (int plane = 1; plane < PLANES; ++plane) unlike |= own[plane] ^ other[plane];
        counts[0] += __popc(both);
        counts[1] += __popc(both & unlike);
    } else if (COUNTERS == 4) {
        const unsigned across = both & (own[2] ^ other[2]), within = both & (own[1] ^ other[1]) & ~across;
        counts[0] += __popc(both);
        counts[1] += __popc(across);
        counts[2] += __popc(within);
        if (MODEL == TN93) counts[3 % COUNTERS] += __popc(within & own[2]);
    } else {
#pragma unroll
        for (int base = 0; base < 4; ++base) {
            const unsigned here = both & (base & 1 ? own[1] : ~own[1]) & (base & 2 ? own[2] : ~own[2]);
#pragma unroll
            for (int beside = 0; beside < 4; ++beside)
                counts[(4 * base + beside) % COUNTERS] +=
                    __popc(here & (beside & 1 ? other[1] : ~other[1]) & (beside & 2 ? other[2] : ~other[2]));
        }
    }
}

using TileCounts = int[PER_THREAD][PER_THREAD][COUNTERS];

// Count the columns of a tile of pairs: rows from `top` on with rows from `left` on. All threads of the block call this.
__device__ __forceinline__ void count_tile(TileMemory& shared, const unsigned* packed, int words, int stride, int top,
                                           int left, TileCounts& counts) {
    const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    for (int first = 0; first < words; first += DEPTH) {
        __syncthreads();
        for (int at = threadIdx.x; at < 2 * PLANES * DEPTH * SIDE; at += TILE_THREADS) {
            const int place = at % SIDE, word = at / SIDE % DEPTH, plane = at / (SIDE * DEPTH) % PLANES;
            const int side = at / (SIDE * DEPTH * PLANES), row = (side ? left : top) + place;
            const bool is_there = first + word < words && row < stride;
            shared.words[side][plane][word][place] =
                is_there ? packed[((long long)plane * words + first + word) * stride + row] : 0u;
        }
        __syncthreads();
#pragma unroll 2
        for (int word = 0; word < DEPTH; ++word) {
            unsigned own[PER_THREAD][PLANES], other[PER_THREAD][PLANES];
#pragma unroll
            for (int at = 0; at < PER_THREAD; ++at)
#pragma unroll
                for (int plane = 0; plane < PLANES; ++plane) {
                    own[at][plane] = shared.words[0][plane][word][y + at * ACROSS];
                    other[at][plane] = shared.words[1][plane][word][x + at * ACROSS];
                }
#pragma unroll
            for (int i = 0; i < PER_THREAD; ++i)
#pragma unroll
                for (int j = 0; j < PER_THREAD; ++j) count_word(own[i], other[j], counts[i][j]);
        }
    }
}

// The distance of a pair of a tile.
__device__ __forceinline__ double tile_distance(const int* counts, const Model& model, bool& is_stated) {
    int common = counts[0];
    if (COUNTERS == 16)
        for (int entry = 1; entry < COUNTERS; ++entry) common += counts[entry];
    return column_distance(counts, common, model, is_stated);
}

// Distances of rows from first_row on to the rows of all tiles of columns. With `mirrored`, tiles below the diagonal
// are left out, and every other one is written twice; row r of `distances` is row r - first_row otherwise.
extern "C" __global__ void compare_tiles(const unsigned* packed, int rows, int words, int stride, int first_row,
                                         int last_row, int mirrored, MODEL_PARAMETERS(of), REAL* distances,
                                         long long width, unsigned long long* stated) {
    const Model model = MODEL_OF(of);
    __shared__ TileMemory shared;
    const int top = first_row + blockIdx.y * SIDE, left = blockIdx.x * SIDE;
    if (mirrored && left + SIDE <= top) return;
    const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    TileCounts counts = {};
    count_tile(shared, packed, words, stride, top, left, counts);
    __syncthreads();
    unsigned long long lost = 0;
#pragma unroll
    for (int i = 0; i < PER_THREAD; ++i)
#pragma unroll
        for (int j = 0; j < PER_THREAD; ++j) {
            const int row = top + y + i * ACROSS, column = left + x + j * ACROSS;
            bool is_stated;
            const double found = tile_distance(counts[i][j], model, is_stated);
            shared.tile[y + i * ACROSS][x + j * ACROSS] = (REAL)(row == column ? 0.0 : found);
            lost += is_stated && row < column && column < rows && row < last_row;
        }
    for (int half = LANES / 2; half; half /= 2) lost += __shfl_xor_sync(WARP, lost, half);
    if (threadIdx.x % LANES == 0 && lost) atomicAdd(stated, lost);
    __syncthreads();
    for (int at = threadIdx.x; at < SIDE * SIDE; at += TILE_THREADS) {
        const int i = at / SIDE, j = at % SIDE;
        if (top + i < last_row && left + j < rows)
            distances[(top + i - (mirrored ? 0 : first_row)) * width + left + j] = shared.tile[i][j];
        if (mirrored && left != top && top + j < last_row && left + i < rows)
            distances[(left + i) * width + top + j] = shared.tile[j][i];
    }
}

// The nearest of the rows before each row, and its distance, among rows first_column to last_column; the first of
// equally near ones. `least` and `places` hold what was found among the rows before first_column.
extern "C" __global__ void find_nearest(const unsigned* packed, int rows, int words, int stride, int first_column,
                                        int last_column, MODEL_PARAMETERS(of), double* least, int* places) {
    const Model model = MODEL_OF(of);
    __shared__ TileMemory shared;
    const int top = first_column + blockIdx.x * SIDE, x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    double best[PER_THREAD];
    int nearest[PER_THREAD];
    for (int i = 0; i < PER_THREAD; ++i) {
        best[i] = 1e300;
        nearest[i] = 0;
    }
    for (int left = first_column; left < min(last_column, top + SIDE); left += SIDE) {
        TileCounts counts = {};
        count_tile(shared, packed, words, stride, top, left, counts);
#pragma unroll
        for (int i = 0; i < PER_THREAD; ++i)
#pragma unroll
            for (int j = 0; j < PER_THREAD; ++j) {
                const int row = top + y + i * ACROSS, column = left + x + j * ACROSS;
                bool is_stated;
                const double found = tile_distance(counts[i][j], model, is_stated);
                if (column < row && column < last_column && found < best[i]) {
                    best[i] = found;
                    nearest[i] = column;
                }
            }
    }
    for (int i = 0; i < PER_THREAD; ++i) {
        for (int half = ACROSS / 2; half; half /= 2) {
            const double other = __shfl_xor_sync(WARP, best[i], half);
            const int place = __shfl_xor_sync(WARP, nearest[i], half);
            if (other < best[i] || (other == best[i] && place < nearest[i])) {
                best[i] = other;
                nearest[i] = place;
            }
        }
        const int row = top + y + i * ACROSS;
        if (x == 0 && row < rows && best[i] < least[row]) {
            least[row] = best[i];
            places[row] = nearest[i];
        }
    }
}
