// Best scores of many pairs of sequences at once, of mixed lengths, and what is needed to follow their paths.
//
// Recurrence: that of cells.cuh, with padding and tie rule. The best end has the greatest score, then the smallest row, then column.
// Threads: a group of GROUP lanes takes a pair, or two pairs in the halves of 32-bit words (PAIRED); a warp takes as many as
//   it has groups from a ticket. A lane holds ROWS rows in registers; columns stream through the lanes, one step a column.
//   Long rows are cut into strips of GROUP * ROWS, one after another.
// Memory: PAIRED: scores of a lane's rows with every letter are bytes in shared memory, made for each strip; lanes with
//   different letters never meet in a bank. Else the score table is there. The last row of a strip goes through
//   `row_borders`. With PATHS the last row of every lane is stored there (H, E), and every 32 steps H and F of all rows
//   in `column_borders`, so that trace.cu computes any tile of ROWS x 32 cells again; positions count steps, so that
//   stores are aligned. Local mode: `peaks` has the greatest H of every tile.

constexpr int LOADS = ROWS / 16;                        // of 16 scores
constexpr unsigned LETTER_BYTES = 32 * ROWS;            // scores of a letter with all rows of a warp
constexpr unsigned LANE_STEP = PAIRED ? 0x00100010u : 0u;

#if PAIRED
__device__ __forceinline__ int both(int low, int high) { return halves(low, high); }
__device__ __forceinline__ int part(int word, int half) { return half ? high_half(word) : low_half(word); }
__device__ __forceinline__ int grow(int gap, int minus_extend, int H) { return __viaddmax_s16x2(gap, minus_extend, H); }
__device__ __forceinline__ int larger(int a, int b) { return __vimax3_s16x2(a, b, b); }
__device__ __forceinline__ int largest(int a, int b, int c) { return __vimax3_s16x2(a, b, c); }
__device__ __forceinline__ int align(int diagonal, int score) {
    return LOCAL ? __viaddmax_s16x2_relu(diagonal, score, 0) : __viaddmax_s16x2(diagonal, score, (int)0x80008000);
}
#else
__device__ __forceinline__ int both(int low, int) { return low; }
__device__ __forceinline__ int part(int word, int) { return word; }
__device__ __forceinline__ int grow(int gap, int minus_extend, int H) { return add_max(gap, minus_extend, H); }
__device__ __forceinline__ int larger(int a, int b) { return max(a, b); }
__device__ __forceinline__ int largest(int a, int b, int c) { return __vimax3_s32(a, b, c); }
__device__ __forceinline__ int align(int diagonal, int score) {
    return LOCAL ? add_max_floor(diagonal, score, 0) : diagonal + score;
}
#endif

struct LaneRows {
    int H[ROWS], F[ROWS], peak;
};

#if PAIRED
// Scores of 16 rows with a letter of each of two pairs.
struct Scores {
    unsigned low[4], high[4];
};

template <int BYTE>
__device__ __forceinline__ int score_of(const Scores& scores, int four) {
    return signed_bytes<BYTE>(scores.low[four], scores.high[four]);
}
#endif

__device__ __forceinline__ void compute_cell(LaneRows& rows, int r, int score, int& diagonal, int& up, int& E, int minus_open,
                                             int minus_extend) {
    rows.F[r] = grow(rows.F[r], minus_extend, rows.H[r]);
    E = grow(E, minus_extend, up);
    const int aligned = align(diagonal, score);
    diagonal = rows.H[r];
    up = rows.H[r] = grow(larger(E, rows.F[r]), minus_open, aligned);
}

#if PAIRED
// Compute a column; `low` and `high` are where the scores of this lane's rows with both letters are.
__device__ __forceinline__ void compute_column(LaneRows& rows, const unsigned char* low, const unsigned char* high, int diagonal,
                                               int& up, int& E, int minus_open, int minus_extend) {
#pragma unroll
    for (int load = 0; load < LOADS; ++load) {
        const uint4 a = *reinterpret_cast<const uint4*>(low + 512 * load);
        const uint4 b = *reinterpret_cast<const uint4*>(high + 512 * load);
        const Scores scores = {{a.x, a.y, a.z, a.w}, {b.x, b.y, b.z, b.w}};
#pragma unroll
        for (int four = 0; four < 4; ++four) {
            const int r = 16 * load + 4 * four;
            compute_cell(rows, r, score_of<0>(scores, four), diagonal, up, E, minus_open, minus_extend);
            compute_cell(rows, r + 1, score_of<1>(scores, four), diagonal, up, E, minus_open, minus_extend);
            if (LOCAL) rows.peak = largest(rows.peak, rows.H[r], rows.H[r + 1]);
            compute_cell(rows, r + 2, score_of<2>(scores, four), diagonal, up, E, minus_open, minus_extend);
            compute_cell(rows, r + 3, score_of<3>(scores, four), diagonal, up, E, minus_open, minus_extend);
            if (LOCAL) rows.peak = largest(rows.peak, rows.H[r + 2], rows.H[r + 3]);
        }
    }
}
#else
__device__ __forceinline__ void compute_column(LaneRows& rows, const int* scores, const int (&row_offsets)[ROWS], int diagonal,
                                               int& up, int& E, int minus_open, int minus_extend) {
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        compute_cell(rows, r, scores[row_offsets[r]], diagonal, up, E, minus_open, minus_extend);
        if (LOCAL) rows.peak = max(rows.peak, rows.H[r]);
    }
}
#endif

// An end of a path: greater scores come first, then smaller rows, then smaller columns.
struct End {
    int score, row, column;
};

__device__ __forceinline__ void take_better(End& best, const End& other) {
    const bool is_before = other.row < best.row || (other.row == best.row && other.column < best.column);
    if (other.score > best.score || (other.score == best.score && is_before)) best = other;
}

// Letter of a row of a pair; `letters` is that of padding.
__device__ __forceinline__ int row_letter(const Pairs& pairs, int pair, int i, int letters) {
    return i < 1 ? letters : pairs.codes[pairs.row_begins[pair] + i - 1];
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
score_pairs(PAIRS_PARAMETERS(all), int first, int last, const Place* places, COSTS_PARAMETERS(all), const int* table, const uint4* columns,
            unsigned* tickets, uint2* row_borders, uint2* column_borders, int* peaks, int* scores, int2* ends) {
    const Pairs pairs = PAIRS_OF(all);
    const Costs costs = COSTS_OF(all);
    extern __shared__ uint4 shared[];
    int* all_scores = reinterpret_cast<int*>(shared);
    const int side = costs.letters + 1, table_words = (side * side + 3) / 4 * 4;
    for (int at = threadIdx.x; at < side * side; at += THREADS) all_scores[at] = table[at];
    __syncthreads();
    const int lane = threadIdx.x % LANES, own = lane % GROUP;
    const bool is_first = own == 0, is_last = own == GROUP - 1;
#if PAIRED
    unsigned char* profile = reinterpret_cast<unsigned char*>(all_scores + table_words) +
                             threadIdx.x / LANES * (2 * side * LETTER_BYTES);
    const unsigned lane_offset = lane * LANE_STEP, pad_word = costs.letters * LETTER_BYTES * 0x10001u;
#else
    const unsigned lane_offset = 0, pad_word = costs.letters;
#endif
    const int minus_open = both(-costs.open, -costs.open), minus_extend = both(-costs.extend, -costs.extend);
    for (;;) {
        int group = lane == 0 ? (int)atomicAdd(tickets, 1u) : 0;
        group = __shfl_sync(WARP, group, 0);
        const int start = first + group * (LANES / GROUP);
        if (start >= last) return;
        const int number = min(start + lane / GROUP, last - 1);  // of the pair, or of two; groups beyond repeat the last
        const bool is_own = start + lane / GROUP < last;
        const Place place = places[number];
        int pad_rows[HALVES], pad_columns[HALVES];
#pragma unroll
        for (int half = 0; half < HALVES; ++half) {
            pad_rows[half] = place.strips * STRIP_ROWS - pairs.rows[HALVES * number + half];
            pad_columns[half] = place.width - pairs.columns[HALVES * number + half];
        }
        const int most_strips = warp_max(place.strips), most_width = warp_max(place.width);
        const int tiles = tiles_across(most_width), own_tiles = tiles_across(place.width);
        End best[HALVES];
#pragma unroll
        for (int half = 0; half < HALVES; ++half) best[half] = {LOCAL ? 0 : MINUS_INFINITY, 0, 0};
        for (int strip = 0; strip < most_strips; ++strip) {
            const bool is_there = is_own && strip < place.strips, is_end = strip == place.strips - 1;
            const int top = (is_there ? strip * STRIP_ROWS : 0) + own * ROWS;  // row of padding and sequence, from 0
            LaneRows rows;
            rows.peak = 0;
#if PAIRED
            __syncwarp();
            for (int half = 0; half < 2; ++half)
                for (int load = 0; load < 4 * LOADS; ++load) {
                    int letters[4];
#pragma unroll
                    for (int r = 0; r < 4; ++r)
                        letters[r] = row_letter(pairs, 2 * number + half, top + 4 * load + r + 1 - pad_rows[half],
                                                costs.letters) * side;
                    unsigned* to = reinterpret_cast<unsigned*>(profile + half * side * LETTER_BYTES + 512 * (load / 4) +
                                                               16 * lane + 4 * (load % 4));
                    for (int letter = 0; letter < side; ++letter) {
                        unsigned four = 0;
#pragma unroll
                        for (int r = 0; r < 4; ++r) four |= (all_scores[letters[r] + letter] & 0xff) << 8 * r;
                        to[letter * (LETTER_BYTES / 4)] = four;
                    }
                }
            __syncwarp();
#else
            int row_offsets[ROWS];
#pragma unroll
            for (int r = 0; r < ROWS; ++r)
                row_offsets[r] = row_letter(pairs, number, top + r + 1 - pad_rows[0], costs.letters) * side;
#endif
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                rows.H[r] = both(left_border(costs, top + r + 1 - pad_rows[0]),
                                 left_border(costs, top + r + 1 - pad_rows[HALVES - 1]));
                rows.F[r] = LOWEST;
            }
            int bottom = rows.H[ROWS - 1];
            int bottom_E = both(left_gap(costs, top + ROWS - pad_rows[0]), left_gap(costs, top + ROWS - pad_rows[HALVES - 1]));
            int diagonal = both(left_border(costs, top - pad_rows[0]), left_border(costs, top - pad_rows[HALVES - 1]));
            unsigned word = pad_word + lane_offset;
            const uint4* own_columns = columns + place.columns;
            uint2* border = row_borders + place.row_borders;  // of the strip above, seen from the first lane
            const long long border_length = (long long)TILE * own_tiles;
            const uint2* above = border + (PATHS && strip ? ((long long)strip * GROUP - 1) * border_length : 0);
            uint2* below = border + (PATHS ? ((long long)strip * GROUP + own) * border_length : 0);
            const bool reads_border = is_there && is_first && strip > 0;
            const bool follows_bottom = is_there && costs.free_bottom && is_last && is_end;
            const bool writes_border = is_there && (PATHS || (is_last && place.strips > 1));
            uint4 next = is_first ? own_columns[0] : uint4{};
            uint2 next_border[4];
#pragma unroll
            for (int step = 0; step < 4; ++step)
                next_border[step] = reads_border ? above[GROUP - 1 + step] : uint2{0, (unsigned)LOWEST};
            int peak_so_far = 0, bottom_score[HALVES], bottom_column[HALVES];  // the greatest H of the last row, its column
#pragma unroll
            for (int half = 0; half < HALVES; ++half) bottom_score[half] = MINUS_INFINITY, bottom_column[half] = 0;
            for (int tile = 0; tile < tiles; ++tile) {
                const bool is_inside = tile < own_tiles;
                for (int four_steps = 0; four_steps < TILE / 4; ++four_steps) {
                    const int step_0 = tile * TILE + 4 * four_steps;
                    const unsigned four[4] = {next.x, next.y, next.z, next.w};
                    uint2 own_border[4], stored[4];
#pragma unroll
                    for (int step = 0; step < 4; ++step) own_border[step] = next_border[step];
                    if (is_first && step_0 + 4 < place.width) {
                        next = own_columns[step_0 / 4 + 1];
                        if (reads_border)
#pragma unroll
                            for (int step = 0; step < 4; ++step)
                                next_border[step] = above[step_0 + 4 + GROUP - 1 + step];
                    }
#pragma unroll
                    for (int step = 0; step < 4; ++step) {
                        const int column = step_0 + step - own;
                        word = __shfl_up_sync(WARP, word, 1, GROUP) + LANE_STEP;
                        int up = __shfl_up_sync(WARP, bottom, 1, GROUP), E = __shfl_up_sync(WARP, bottom_E, 1, GROUP);
                        if (is_first) {
                            word = four[step] * (PAIRED ? LETTER_BYTES : 1) + lane_offset;
                            up = own_border[step].x, E = own_border[step].y;
                            if (strip == 0)
                                up = both(top_border(costs, column + 1 - pad_columns[0]),
                                          top_border(costs, column + 1 - pad_columns[HALVES - 1]));
                        }
                        if (column < place.width) {  // what comes after the last column stays as it is
                            bottom = up, bottom_E = E;
#if PAIRED
                            compute_column(rows, profile + (word & 0xffffu), profile + side * LETTER_BYTES + (word >> 16),
                                           diagonal, bottom, bottom_E, minus_open, minus_extend);
#else
                            compute_column(rows, all_scores + word, row_offsets, diagonal, bottom, bottom_E, minus_open,
                                           minus_extend);
#endif
                            diagonal = up;
                            if (!LOCAL && follows_bottom && column >= 0) {
#pragma unroll
                                for (int half = 0; half < HALVES; ++half)
                                    if (part(bottom, half) > bottom_score[half])
                                        bottom_score[half] = part(bottom, half), bottom_column[half] = column;
                            }
                        }
                        stored[step] = {(unsigned)bottom, (unsigned)bottom_E};
                    }
                    if (writes_border && is_inside) {
                        uint4* to = reinterpret_cast<uint4*>(below + step_0);
                        to[0] = {stored[0].x, stored[0].y, stored[1].x, stored[1].y};
                        to[1] = {stored[2].x, stored[2].y, stored[3].x, stored[3].y};
                    }
                }
#if PATHS
                if (is_there && is_inside) {
                    uint4* to = reinterpret_cast<uint4*>(column_borders + place.column_borders +
                                                         (long long)tile * place.strips * STRIP_ROWS + top);
#pragma unroll
                    for (int r = 0; r < ROWS; r += 2)
                        to[r / 2] = {(unsigned)rows.H[r], (unsigned)rows.F[r], (unsigned)rows.H[r + 1],
                                     (unsigned)rows.F[r + 1]};
                    if (LOCAL) {
                        peaks[place.peaks + ((long long)strip * GROUP + own) * own_tiles + tile] = rows.peak;
                        peak_so_far = larger(peak_so_far, rows.peak);
                        rows.peak = 0;
                    }
                }
#endif
            }
            if (!LOCAL && is_there) {
#pragma unroll
                for (int half = 0; half < HALVES; ++half) {
                    const int height = pairs.rows[HALVES * number + half], width = pairs.columns[HALVES * number + half];
                    if (follows_bottom) {
                        take_better(best[half], {left_border(costs, height), height, 0});
                        take_better(best[half], {bottom_score[half], height,
                                                 max(bottom_column[half] + 1 - pad_columns[half], 0)});
                    }
                    if (costs.free_right)
#pragma unroll
                        for (int r = 0; r < ROWS; ++r)
                            take_better(best[half], {part(rows.H[r], half), max(top + r + 1 - pad_rows[half], 0), width});
                    if (is_last && is_end) take_better(best[half], {part(bottom, half), height, width});
                }
            }
            if (LOCAL && is_there) {
                const int peak = larger(peak_so_far, rows.peak);
#pragma unroll
                for (int half = 0; half < HALVES; ++half) best[half].score = max(best[half].score, part(peak, half));
            }
            __threadfence_block();
            __syncwarp();
        }
#pragma unroll
        for (int half = 0; half < HALVES; ++half) {
            for (int distance = GROUP / 2; distance; distance /= 2) {
                const End other = {__shfl_xor_sync(WARP, best[half].score, distance),
                                   __shfl_xor_sync(WARP, best[half].row, distance),
                                   __shfl_xor_sync(WARP, best[half].column, distance)};
                take_better(best[half], other);
            }
            if (is_own && is_first) {
                scores[HALVES * number + half] = best[half].score;
                ends[HALVES * number + half] = {best[half].row, best[half].column};
            }
        }
    }
}

// Column words of pairs first to last: letters of both halves, padded in front. A warp takes one of them.
extern "C" __global__ void arrange_pairs(PAIRS_PARAMETERS(all), int first, int last, const Place* places, int letters,
                                         unsigned* columns) {
    const Pairs pairs = PAIRS_OF(all);
    const int lane = threadIdx.x % LANES, warps = gridDim.x * (blockDim.x / LANES);
    for (int number = first + (blockIdx.x * blockDim.x + threadIdx.x) / LANES; number < last; number += warps) {
        const Place place = places[number];
        unsigned* to = columns + 4 * place.columns;
        for (int column = lane; column < place.width; column += LANES) {
            unsigned word = 0;
            for (int half = 0; half < HALVES; ++half) {
                const int pair = HALVES * number + half, j = column - (place.width - pairs.columns[pair]);
                word |= (j < 0 ? letters : pairs.codes[pairs.column_begins[pair] + j]) << 16 * half;
            }
            to[column] = word;
        }
    }
}
