// Best paths of pairs whose rows and columns batch.cu stored every ROWS rows and 32 columns: only tiles on the path are
// computed again.
//
// Recurrence: that of cells.cuh, with padding. Going back: diagonal before E before F, and opening a gap before extending it.
// Threads: a warp takes a pair. In a tile a lane holds a column, its rows one after another, a step behind the lane on its
//   left. Then all lanes follow the path through the tile together.
// Memory: the decisions of a tile are bits in shared memory, a word a column and kind. Operations are written backward, so
//   that they end where the room of a pair ends (`room_ends`).

constexpr int WARPS = THREADS / LANES;
constexpr int LOCAL_LIMIT = 32767 - 127;                // 16 bits may have overflowed; the pair is computed again

// Decisions of a column of a tile, a bit a row.
struct Decisions {
    unsigned diagonal, is_E, opens_E, opens_F, is_zero, is_best;
};

struct Tile {
    int top, height, first_column, last_column;  // rows and columns with padding, from 0
};

struct PairTable {
    Place place;
    int pair, number, half, rows, columns, pad_rows, pad_columns;
    long long row_begin, column_begin;
};

struct Shared {
    int left_H[LANES], left_F[LANES];
    unsigned char letters[LANES];
    uint4 decisions[LANES];
    unsigned zeros[LANES];
};

__device__ __forceinline__ int half_of_word(unsigned word, int half) {
    return PAIRED ? half ? high_half((int)word) : low_half((int)word) : (int)word;
}

// The tile of a cell with padding, from 0: tiles of the lane that computed the rows, shifted by its number in its group.
__device__ __forceinline__ Tile find_tile(const PairTable& of, int row, int column) {
    const int band = row / ROWS, shift = band % GROUP, tile = (column + shift) / TILE;
    return {band * ROWS, ROWS, max(tile * TILE - shift, 0), min((tile + 1) * TILE - shift, of.place.width) - 1};
}

// Compute a tile again; every lane returns the decisions of its column. `best` marks cells of that score.
__device__ Decisions compute_tile(const PairTable& of, const Pairs& pairs, const Costs& costs, const int* table,
                                  const uint2* row_borders, const uint2* column_borders, const Tile& tile, int best,
                                  Shared& shared) {
    const int lane = threadIdx.x % LANES, side = costs.letters + 1, band = tile.top / ROWS, shift = band % GROUP;
    const int column = tile.first_column + lane, number = (tile.first_column + shift) / TILE;
    const bool is_there = column <= tile.last_column;
    const long long length = (long long)TILE * tiles_across(of.place.width);
    __syncwarp();
    for (int r = lane; r < tile.height; r += LANES) {
        const int i = tile.top + r + 1 - of.pad_rows;
        shared.letters[r] = i < 1 ? costs.letters : pairs.codes[of.row_begin + i - 1];
        if (tile.first_column == 0) {
            shared.left_H[r] = left_border(costs, i), shared.left_F[r] = MINUS_INFINITY;
        } else {
            const uint2 word = column_borders[of.place.column_borders +
                                              (long long)(number - 1) * of.place.strips * STRIP_ROWS + tile.top + r];
            shared.left_H[r] = half_of_word(word.x, of.half), shared.left_F[r] = half_of_word(word.y, of.half);
        }
    }
    const uint2* above = row_borders + of.place.row_borders + (band - 1) * length + (band ? (band - 1) % GROUP : 0);
    int up = top_border(costs, column + 1 - of.pad_columns), E = MINUS_INFINITY;
    int corner = top_border(costs, tile.first_column - of.pad_columns);
    if (band) {
        if (is_there) up = half_of_word(above[column].x, of.half), E = half_of_word(above[column].y, of.half);
        if (tile.first_column) corner = half_of_word(above[tile.first_column - 1].x, of.half);
    }
    if (!tile.first_column) corner = left_border(costs, tile.top - of.pad_rows);
    const int j = column + 1 - of.pad_columns;
    const int letter = !is_there || j < 1 ? costs.letters : pairs.codes[of.column_begin + j - 1];
    int diagonal = __shfl_up_sync(WARP, up, 1);
    if (lane == 0) diagonal = corner;
    __syncwarp();
    Decisions found = {};
    int H = 0, F = 0;
    for (int step = 0; step < tile.height + LANES - 1; ++step) {
        int left = __shfl_up_sync(WARP, H, 1), left_F = __shfl_up_sync(WARP, F, 1);
        const int r = step - lane;
        if (r < 0 || r >= tile.height) continue;
        if (lane == 0) left = shared.left_H[r], left_F = shared.left_F[r];
        const unsigned bit = 1u << r;
        F = add_max(left_F, -costs.extend, left);
        E = add_max(E, -costs.extend, up);
        const int aligned = diagonal + table[shared.letters[r] * side + letter];
        H = max(aligned, max(E, F) - costs.open);
        if (LOCAL) H = max(H, 0);
        if (H == aligned) found.diagonal |= bit;
        if (H == E - costs.open) found.is_E |= bit;
        if (E == up) found.opens_E |= bit;
        if (F == left) found.opens_F |= bit;
        if (H == 0) found.is_zero |= bit;
        if (H == best && is_there) found.is_best |= bit;
        diagonal = left, up = H;
    }
    __syncwarp();
    return found;
}

// The first cell of the best score, in local mode: tiles whose peak it is are computed again, the upper ones first.
__device__ int2 find_end(const PairTable& of, const Pairs& pairs, const Costs& costs, const int* table,
                         const uint2* row_borders, const uint2* column_borders, const int* peaks, int score,
                         Shared& shared) {
    const int lane = threadIdx.x % LANES, across = tiles_across(of.place.width);
    int2 end = {1 << 30, 1 << 30};
    for (int band = 0; band < of.place.strips * GROUP && end.x == 1 << 30; ++band)
        for (int first = 0; first < across; first += LANES) {
            const int own = first + lane;
            const unsigned peak = own < across ? peaks[of.place.peaks + (long long)band * across + own] : 0;
            unsigned flagged = __ballot_sync(WARP, own < across && half_of_word(peak, of.half) == score);
            for (; flagged; flagged &= flagged - 1) {
                const int column = max((first + __ffs(flagged) - 1) * TILE - band % GROUP, 0);
                if (column >= of.place.width) continue;
                const Tile tile = find_tile(of, band * ROWS, column);
                const unsigned bits =
                    compute_tile(of, pairs, costs, table, row_borders, column_borders, tile, score, shared).is_best;
                const int row = bits ? tile.top + __ffs(bits) - 1 : 1 << 30, least = -warp_max(-row);
                const unsigned columns = __ballot_sync(WARP, row == least);
                if (least < end.x) end = {least, tile.first_column + __ffs(columns) - 1};
            }
        }
    return {end.x + 1 - of.pad_rows, end.y + 1 - of.pad_columns};
}

// Follow the paths of pairs from first to last, a warp a pair. `ends` (row, column) are given, and in local mode found;
// `starts` and `counts` are where paths start and how many operations they have.
extern "C" __global__ void __launch_bounds__(THREADS)
trace_pairs(PAIRS_PARAMETERS(all), int first, int last, const Place* places, COSTS_PARAMETERS(all), const int* scores_of_letters,
            const uint2* row_borders, const uint2* column_borders, const int* peaks, const int* scores, int2* ends,
            int2* starts, int* counts, const long long* room_ends, unsigned char* operations) {
    const Pairs pairs = PAIRS_OF(all);
    const Costs costs = COSTS_OF(all);
    extern __shared__ int table[];
    __shared__ Shared all_shared[WARPS];
    const int side = costs.letters + 1, lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    for (int at = threadIdx.x; at < side * side; at += THREADS) table[at] = scores_of_letters[at];
    __syncthreads();
    Shared& shared = all_shared[warp];
    const int pair = first + blockIdx.x * WARPS + warp;
    if (pair >= last) return;
    PairTable of;
    of.pair = pair, of.number = pair / HALVES, of.half = pair % HALVES;
    of.place = places[of.number];
    of.rows = pairs.rows[pair], of.columns = pairs.columns[pair];
    of.pad_rows = of.place.strips * STRIP_ROWS - of.rows, of.pad_columns = of.place.width - of.columns;
    of.row_begin = pairs.row_begins[pair], of.column_begin = pairs.column_begins[pair];
    int2 end = ends[pair];
    bool has_ended = LOCAL && (scores[pair] == 0 || (PAIRED && scores[pair] >= LOCAL_LIMIT));
    if (has_ended) end = {0, 0};
    else if (LOCAL)
        end = find_end(of, pairs, costs, table, row_borders, column_borders, peaks, scores[pair], shared);
    int i = end.x, j = end.y, state = 0;  // 0: H, 1: E, 2: F
    unsigned char* to = operations + room_ends[pair];
    int count = 0;
    while (i > 0 && j > 0 && !has_ended) {
        const Tile tile = find_tile(of, i - 1 + of.pad_rows, j - 1 + of.pad_columns);
        const Decisions own = compute_tile(of, pairs, costs, table, row_borders, column_borders, tile, MINUS_INFINITY, shared);
        shared.decisions[lane] = {own.diagonal, own.is_E, own.opens_E, own.opens_F};
        shared.zeros[lane] = own.is_zero;
        __syncwarp();
        for (;;) {
            const int r = i - 1 + of.pad_rows - tile.top, x = j - 1 + of.pad_columns - tile.first_column;
            if (i < 1 || j < 1 || r < 0 || x < 0) break;
            const uint4 decisions = shared.decisions[x];
            if (state == 0) {
                has_ended = LOCAL && (shared.zeros[x] >> r & 1u);
                if (has_ended) break;
                if (!(decisions.x >> r & 1u)) state = decisions.y >> r & 1u ? 1 : 2;
            }
            if (lane == 0) to[-count - 1] = state;
            ++count;
            const int taken = state;
            if (state == 1 && decisions.z >> r & 1u) state = 0;
            if (state == 2 && decisions.w >> r & 1u) state = 0;
            i -= taken != 2, j -= taken != 1;
        }
    }
    if (!LOCAL) {
        const int rest = i > 0 && !costs.free_left ? i : j > 0 && !costs.free_top ? j : 0;
        for (int at = lane; at < rest; at += LANES) to[-count - 1 - at] = i > 0 ? 1 : 2;
        count += rest;
        if (rest) i = j = 0;
    }
    if (lane == 0) ends[pair] = end, starts[pair] = {i, j}, counts[pair] = count;
}

// Copy the operations of pairs together, those of a pair from `offsets[pair]` on, and exchange both gaps where the rows
// are the second sequence. A warp copies a pair.
extern "C" __global__ void gather_operations(int first, int last, const int* counts, const long long* room_ends,
                                             const long long* offsets, const unsigned char* operations,
                                             const unsigned char* is_swapped, unsigned char* together) {
    const int lane = threadIdx.x % LANES, warps = gridDim.x * (blockDim.x / LANES);
    for (int pair = first + (blockIdx.x * blockDim.x + threadIdx.x) / LANES; pair < last; pair += warps) {
        const unsigned char* from = operations + room_ends[pair] - counts[pair];
        const bool exchanged = is_swapped[pair];
        for (int at = lane; at < counts[pair]; at += LANES) {
            const unsigned char operation = from[at];
            together[offsets[pair] + at] = exchanged && operation ? 3 - operation : operation;
        }
    }
}
