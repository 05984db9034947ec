// Identical letters on the best alignments of many pairs of sequences; no path is walked.
//
// Recurrence: H, E and F of kernels/pairwise, rows belonging to the shorter sequence. With each of them goes the
//   number of identical letters on the path of the tie rule: the best cell with the smallest row, then the smallest
//   column; back from it diagonal before E before F, and opening a gap before extending it.
// Threads: a warp takes a pair. A strip is 32 lanes x R rows in registers; its columns stream through the lanes,
//   one step a column.
// Memory: a WORD holds score << (COUNT + 4) | rule << COUNT | count, so that one maximum decides by the score, then
//   by the rule; the rule is cleared before the word is used again. H and E below the last row of a strip go
//   through `borders` to the next one; the scores are in shared memory.

constexpr WORD ONE = 1;
constexpr WORD COUNTS = (ONE << COUNT) - 1;           // the bits of the count
constexpr WORD CLEAR = ~(WORD)(15 * (COUNTS + 1));    // all but those of the rule

// What all pairs have in common; words are shifted already.
struct Scoring {
    const WORD* table;         // a row for each letter of the rows and one for none, a column for each of the columns
    int alphabet;
    WORD opening, extension;   // costs of a gap's first letter and of each further one
    WORD lowest;               // below every score
};

__device__ __forceinline__ constexpr WORD rule(int number) { return (COUNTS + 1) * number; }

// H of a cell of the first row or column, `k` cells from the corner.
__device__ __forceinline__ WORD border_score(const Scoring& scoring, int k) {
#if LOCAL
    return 0;
#else
    return k ? -(scoring.opening + scoring.extension * (k - 1)) : 0;
#endif
}

// A pair and the strip that a warp is at.
struct Strip {
    const unsigned char *rows, *columns;
    int m, n, first;           // rows and columns in all; the strip's first row
    WORD* borders;             // H and E below the strip before, a pair of words a column; and of this one
};

// Compute a strip. Local: the best word of its cells, with its count, in all lanes. Global: that of the last cell, in
// all lanes, if it is the last strip.
template <int R>
__device__ WORD compute_strip(const Scoring& scoring, const Strip& strip) {
    const int lane = threadIdx.x % LANES, top = strip.first + lane * R, n = strip.n;
    const bool goes_on = strip.first + LANES * R < strip.m;
    const WORD opened = rule(2) - scoring.opening, zero = rule(3), of_E = rule(1);
    int letters[R];  // places of the rows of the table, in bytes
    WORD H[R], F[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
        letters[r] = (top + r < strip.m ? strip.rows[top + r] : scoring.alphabet) * scoring.alphabet * (int)sizeof(WORD);
        H[r] = border_score(scoring, top + r + 1);
        F[r] = scoring.lowest;
    }
    WORD diagonal = border_score(scoring, top), bottom = 0, bottom_E = scoring.lowest, best = 0;
    WORD next_H = 0, next_E = scoring.lowest;
    int next_letter = lane == 0 ? strip.columns[0] : 0;
    if (lane == 0 && strip.first) next_H = strip.borders[0], next_E = strip.borders[1];
    for (int step = 0; step < n + LANES - 1; ++step) {
        WORD above = __shfl_up_sync(WARP, bottom, 1), E = __shfl_up_sync(WARP, bottom_E, 1);
        const int j = step - lane, letter = next_letter;
        if (j + 1 >= 0 && j + 1 < n) next_letter = strip.columns[j + 1];
        if (lane == 0) {
            above = strip.first ? next_H : border_score(scoring, j + 1);
            E = next_E;
            if (strip.first && j + 1 < n) next_H = strip.borders[2 * (j + 1)], next_E = strip.borders[2 * (j + 1) + 1];
        }
        if (j < 0 || j >= n) continue;
        const char* scores = reinterpret_cast<const char*>(scoring.table + letter);
        WORD up = above, best_of_column = 0;
#pragma unroll
        for (int r = 0; r < R; ++r) {
            const WORD score = *reinterpret_cast<const WORD*>(scores + letters[r]);
            E = (add_max(up, opened, E - scoring.extension) & CLEAR) | of_E;
            F[r] = add_max(H[r], opened, F[r] - scoring.extension) & CLEAR;
#if LOCAL
            const WORD paired = add_max(diagonal, score, zero);
#else
            const WORD paired = diagonal + score;
#endif
            diagonal = H[r];
            up = H[r] = greatest(paired, E, F[r]) & CLEAR;
#if LOCAL
            best_of_column = add_max(up, rule(R - 1 - r), best_of_column);
#endif
        }
        diagonal = above;
        bottom = up;
        bottom_E = E;
        // Of equal cells in a row the first counts; of equal cells in a column the maximum took the first.
        if (best_of_column > (best | COUNTS)) best = best_of_column;
        if (goes_on && lane == LANES - 1) strip.borders[2 * j] = up, strip.borders[2 * j + 1] = E;
    }
    __syncwarp();
#if LOCAL
    const WORD score = best & CLEAR & ~COUNTS;
    WORD most = score;
    for (int distance = LANES / 2; distance; distance /= 2) most = max(most, __shfl_xor_sync(WARP, most, distance));
    return __shfl_sync(WARP, best & CLEAR, __ffs(__ballot_sync(WARP, score == most)) - 1);
#else
    WORD last = 0;
#pragma unroll
    for (int r = 0; r < R; ++r)
        if (top + r == strip.m - 1) last = H[r];
    return __shfl_sync(WARP, last, max(strip.m - 1 - strip.first, 0) / R % LANES);
#endif
}

__device__ WORD compute_strip(const Scoring& scoring, const Strip& strip, int rows_a_lane) {
    switch (rows_a_lane) {
        case 1: return compute_strip<1>(scoring, strip);
        case 2: return compute_strip<2>(scoring, strip);
        case 3:
        case 4: return compute_strip<4>(scoring, strip);
        case 5:
        case 6: return compute_strip<6>(scoring, strip);
        case 7:
        case 8: return compute_strip<8>(scoring, strip);
        case 9:
        case 10: return compute_strip<10>(scoring, strip);
        case 11:
        case 12: return compute_strip<12>(scoring, strip);
        case 13:
        case 14: return compute_strip<14>(scoring, strip);
        default: return compute_strip<16>(scoring, strip);
    }
}

// Count the identities of the pairs of some tiles.
//
// Sequences are numbered by ascending length; `letters` are theirs, one after another from `starts`. A warp has room
// for borders, `columns` of them. Pairs too long for one launch are computed some strips at a time: then `carried` has
// a word a pair, and `borders` room for each pair.
extern "C" __global__ void __launch_bounds__(128, WIDE ? 3 : 6)
count_identities(SEQUENCES_PARAMETERS(all), const WORD* table, int alphabet, WORD opening, WORD extension, WORD lowest,
                 PAIRS_PARAMETERS(all), STRIPS_PARAMETERS(own)) {
    extern __shared__ WORD scores[];
    for (int at = threadIdx.x; at < (alphabet + 1) * alphabet; at += blockDim.x) scores[at] = table[at];
    __syncthreads();
    const Scoring scoring = {scores, alphabet, opening, extension, lowest};
    const int lane = threadIdx.x % LANES, warp = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    for (Task task; next_pair(PAIRS_OF(all), all_sequences, &task);) {
        const auto [number, row, column] = task;
        const int m = (int)(all_starts[row + 1] - all_starts[row]), n = (int)(all_starts[column + 1] - all_starts[column]);
        const int strips = (m + LANES * MOST_ROWS - 1) / (LANES * MOST_ROWS);
        // Rounded as `compute_strip` rounds it, so that strips follow each other without a gap.
        int rows_a_lane = (m + LANES * strips - 1) / (LANES * strips);
        if (rows_a_lane > 2) rows_a_lane += rows_a_lane % 2;
        Strip strip = {all_letters + all_starts[row], all_letters + all_starts[column], m, n, 0,
                       own_borders + 2 * own_columns * (own_carried ? (long long)number : warp)};
        WORD best = own_carried && own_first_strip ? own_carried[number] : 0;
        for (int s = own_first_strip; s < min(own_last_strip, strips); ++s) {
            strip.first = s * rows_a_lane * LANES;
            if (strip.first >= m) break;
            const WORD word = compute_strip(scoring, strip, rows_a_lane);
#if LOCAL
            if (word > (best | COUNTS)) best = word;
#else
            best = word;
#endif
        }
        if (lane == 0) {
            if (own_carried) own_carried[number] = best;
            own_found[number] = (int)(best & COUNTS);
        }
    }
}
