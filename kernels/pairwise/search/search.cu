// Scores of the best local alignments of one query with all sequences of a database block (Smith-Waterman, affine gaps).
//
// Recurrence: H(i, j) = max(0, H(i-1, j-1) + s(i, j), E(i, j), F(i, j)); E(i, j) = max(E(i, j-1), H(i, j-1) - open) - extend,
//   F(i, j) = max(F(i-1, j), H(i-1, j) - open) - extend; the score is the greatest H. Instead of H the kernel keeps
//   O = H - open - extend, so that E and F are one add-and-maximum each, and scores in the table hold open + extend more.
// Arithmetic: with PAIRED, a register holds two sequences, as 16-bit numbers. A whole number k < 2048 has the same bits as an
//   integer and as a subnormal (or the first normal) half-precision number k 2^-24. So sums run on the floating-point pipe
//   and maxima on the integer one, both at once: per two cells 3.5 integer and 3 floating-point instructions. A negative
//   half is a negative integer too, and every maximum with such an operand has a floor of 0. A sum above 2047 rounds, but not
//   below 2048: a score of 2048 or more says that the sequence is to be computed again, in 32 bits (not PAIRED).
// Threads: a group of GROUP lanes takes two sequences from a ticket, then two others. A lane holds ROWS rows of the query
//   in registers; columns stream through the lanes, four at a time, so that lane l is 4 l columns behind. The lower half
//   of its rows is a column behind the upper one, which gives two independent chains. The last column of two sequences,
//   always the last of four, is a mark with their number: scores are stored and rows start anew.
// Memory: the scores of the rows lie in shared memory, `profile[letter][eight rows][lane][row]`, so that lanes with
//   different letters never meet in a bank. Columns are words: twice the letter in each half; or 2 number + 1 as a mark.
//   With STRIPS, H and F of a strip's last row are in `borders`, a pair of words a column, and become the next strip's.

constexpr int SPREAD = GROUP < 8 ? 8 : GROUP;           // lanes side by side in the profile
constexpr int SCORE_BYTES = PAIRED ? 2 : 4;
constexpr int ROWS_A_LOAD = 16 / SCORE_BYTES;
constexpr int UPPER_ROWS = (ROWS / ROWS_A_LOAD + 1) / 2 * ROWS_A_LOAD;
constexpr int ROW_BYTES = SPREAD * ROWS * SCORE_BYTES;  // of a letter, for all rows
constexpr unsigned LANE_STEP = 0x00100010u;             // 16 bytes on, in both halves
constexpr unsigned NO_PLACE = 0x80000000u;
constexpr unsigned NO_COLUMN = 2u * PADDING * 0x10001u;

#if PAIRED
using Value = unsigned;
constexpr Value ONE = 0x3c003c00u, NEVER = 0x80008000u;  // 1.0 in both halves; the lowest integer in both

// a * b + c of both halves, half-precision numbers.
__device__ __forceinline__ unsigned multiply_add_halves(unsigned a, unsigned b, unsigned c) {
    unsigned sum;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}

// Add half `HALF` of `score` to half TO of `sum`, on the floating-point pipe.
template <int HALF, int TO>
__device__ __forceinline__ unsigned add_float_half(unsigned sum, unsigned score) {
    constexpr unsigned ONE = TO ? 0x3c000000u : 0x3c00u;
    if (HALF)
        asm("{.reg .b16 l, h; .reg .b32 d; mov.b32 {l, h}, %1; mov.b32 d, {h, h}; fma.rn.f16x2 %0, d, %2, %0;}"
            : "+r"(sum) : "r"(score), "r"(ONE));
    else
        asm("{.reg .b16 l, h; .reg .b32 d; mov.b32 {l, h}, %1; mov.b32 d, {l, l}; fma.rn.f16x2 %0, d, %2, %0;}"
            : "+r"(sum) : "r"(score), "r"(ONE));
    return sum;
}

// Scores of eight rows with the letters of both sequences, two rows a word.
struct Scores {
    unsigned of_low[4], of_high[4];
};

__device__ __forceinline__ Scores load_scores(const unsigned char* low, const unsigned char* high, int row) {
    const uint4 a = *reinterpret_cast<const uint4*>(low + row * SPREAD * SCORE_BYTES);
    const uint4 b = *reinterpret_cast<const uint4*>(high + row * SPREAD * SCORE_BYTES);
    return {{a.x, a.y, a.z, a.w}, {b.x, b.y, b.z, b.w}};
}

// H of the diagonal predecessor plus the score of row `row` of eight, which is odd where ODD is 1.
template <int ODD>
__device__ __forceinline__ Value add_score(Value diagonal, const Scores& scores, int row) {
    return add_float_half<ODD, 1>(add_float_half<ODD, 0>(diagonal, scores.of_low[row / 2]), scores.of_high[row / 2]);
}
__device__ __forceinline__ Value subtract_opening(Value H, Value factor, Value minus_opening) {
    return multiply_add_halves(H, factor, minus_opening);
}
__device__ __forceinline__ Value extend_gap(Value gap, Value minus_extension, Value opened) {
    return __viaddmax_s16x2_relu(gap, minus_extension, opened);
}
__device__ __forceinline__ Value greatest(Value a, Value b, Value c) { return __vimax3_s16x2(a, b, c); }
#else
using Value = int;
constexpr Value ONE = 1, NEVER = MINUS_INFINITY;

// Scores of four rows.
struct Scores {
    int of_rows[4];
};

__device__ __forceinline__ Scores load_scores(const unsigned char* low, const unsigned char*, int row) {
    const int4 a = *reinterpret_cast<const int4*>(low + row * SPREAD * SCORE_BYTES);
    return {{a.x, a.y, a.z, a.w}};
}

template <int ODD>
__device__ __forceinline__ Value add_score(Value diagonal, const Scores& scores, int row) {
    return diagonal + scores.of_rows[row + ODD];
}
__device__ __forceinline__ Value subtract_opening(Value H, Value factor, Value minus_opening) {
    return H * factor + minus_opening;
}
__device__ __forceinline__ Value extend_gap(Value gap, Value minus_extension, Value opened) {
    return add_max_floor(gap, minus_extension, opened);
}
__device__ __forceinline__ Value greatest(Value a, Value b, Value c) { return __vimax3_s32(a, b, c); }
#endif

// What a lane keeps of its rows: O of the last column, and E of the next one.
struct Rows {
    Value opened[ROWS], E[ROWS];
};

// Costs in a column. They differ at a mark: its H does not count as opened, and E of the next column has no predecessor.
struct ColumnCosts {
    Value minus_extension, minus_opening, extension_of_E, factor;
};

// What enters one half of a lane's rows with a column: where the scores of its letters are, costs, and the cells above.
struct Column {
    const unsigned char *low, *high;  // scores of both letters with the first row of the lane
    ColumnCosts costs;
    Value diagonal, above;            // O of the cells above, in the last column and in this one
    Value up, F;                      // O and F above, then those of the last row
    Value best;
};

// Compute ROWS_A_LOAD cells of a column, from row FIRST on.
template <int FIRST>
__device__ __forceinline__ void compute_rows(Rows& rows, Column& at) {
    const Scores scores = load_scores(at.low, at.high, FIRST);
#pragma unroll
    for (int r = 0; r < ROWS_A_LOAD; r += 2) {
        Value H[2];
#pragma unroll
        for (int odd = 0; odd < 2; ++odd) {
            const Value aligned = odd ? add_score<1>(at.diagonal, scores, r) : add_score<0>(at.diagonal, scores, r);
            const int row = FIRST + r + odd;
            at.diagonal = rows.opened[row];
            at.F = extend_gap(at.F, at.costs.minus_extension, at.up);
            H[odd] = greatest(aligned, rows.E[row], at.F);
            at.up = rows.opened[row] = subtract_opening(H[odd], at.costs.factor, at.costs.minus_opening);
            rows.E[row] = extend_gap(rows.E[row], at.costs.extension_of_E, at.up);
        }
        at.best = greatest(at.best, H[0], H[1]);
    }
}

// Compute the upper rows in one column and the lower rows in the column before: two chains of dependent instructions, which
// the hardware works at in turns.
template <int FIRST = 0>
__device__ __forceinline__ void compute_columns(Rows& rows, Column& upper, Column& lower) {
    if constexpr (FIRST < UPPER_ROWS) {
        compute_rows<FIRST>(rows, upper);
        if constexpr (UPPER_ROWS + FIRST < ROWS) compute_rows<UPPER_ROWS + FIRST>(rows, lower);
        compute_columns<FIRST + ROWS_A_LOAD>(rows, upper, lower);
    }
}

__device__ __forceinline__ void store_best(Value best, unsigned number, int* scores) {
    if (!best) return;
#if PAIRED
    if (best & 0xffffu) atomicMax(scores + 2 * number, (int)(best & 0xffffu));
    if (best >> 16) atomicMax(scores + 2 * number + 1, (int)(best >> 16));
#else
    atomicMax(scores + number, best);
#endif
}

// Compute a strip of GROUP * ROWS rows of the query against sequences first_two to last_two (numbers of two sequences, or of
// one if not PAIRED). starts[two] is their first column, in fours; `tickets` counts from 0. Scores only rise.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
search_block(const uint4* columns, const unsigned* starts, unsigned first_two, unsigned last_two, unsigned* tickets,
             const uint4* profile, Value minus_opening, Value minus_extension, uint4* borders, int* scores) {
    extern __shared__ uint4 shared[];
    for (int at = threadIdx.x; at < (PADDING + 1) * ROW_BYTES / 16; at += THREADS) shared[at] = profile[at];
    __syncthreads();
    const unsigned char* table = reinterpret_cast<const unsigned char*>(shared);
    const int lane = threadIdx.x % LANES;
    const bool is_first = lane % GROUP == 0, is_last = lane % GROUP == GROUP - 1;
    const unsigned lane_offset = lane % SPREAD * LANE_STEP;
    Rows rows;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) rows.opened[r] = minus_opening, rows.E[r] = 0;
    const ColumnCosts usual = {minus_extension, minus_opening, minus_extension, ONE};
    const unsigned char* no_scores = table + (PADDING * ROW_BYTES + (lane_offset & 0xffffu));
    Column upper = {no_scores, no_scores, usual, minus_opening, minus_opening, minus_opening, 0, 0}, lower = upper;
    unsigned words[4];
    Value sent_up[3], sent_F[3];  // of the last row, in the first three columns of the four before
#pragma unroll
    for (int step = 0; step < 4; ++step) words[step] = PADDING * ROW_BYTES * 0x10001u + lane_offset;
#pragma unroll
    for (int step = 0; step < 3; ++step) sent_up[step] = minus_opening, sent_F[step] = 0;
    bool was_mark = false;
    unsigned at = 0, end = 0, place = NO_PLACE, next_place = NO_PLACE;
    bool is_done = !is_first;
    uint4 next = {NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN};
    const uint4 no_border = {(unsigned)minus_opening, 0, (unsigned)minus_opening, 0};
    uint4 next_border[2] = {no_border, no_border};
    for (int drained = 0; drained < 4 * GROUP + 8;) {
        const unsigned four[4] = {next.x, next.y, next.z, next.w};
        const unsigned border[8] = {next_border[0].x, next_border[0].y, next_border[0].z, next_border[0].w,
                                    next_border[1].x, next_border[1].y, next_border[1].z, next_border[1].w};
        const unsigned own_place = next_place;
        const bool is_busy = !is_done;
        if (is_busy) {
            if (at == end) {
                const unsigned two = first_two + atomicAdd(tickets, 1u);
                is_done = two >= last_two;
                if (!is_done) at = starts[two], end = starts[two + 1];
            }
            if (is_done) {
                next_place = NO_PLACE;
                next_border[0] = next_border[1] = no_border;
                next = {NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN};
            } else {
                next = columns[at];
                next_place = 4 * at;
#if STRIPS
                next_border[0] = borders[2ull * at];
                next_border[1] = borders[2ull * at + 1];
#endif
                ++at;
            }
        }
        drained = __any_sync(WARP, is_busy) ? 0 : drained + 4;
        // What the lane before had four columns ago. A mark is the last of four columns.
        const unsigned last_place = place, last_mark = words[3];
        place = STRIPS ? __shfl_up_sync(WARP, place, 1, GROUP) : 0;
        if (is_first) place = own_place;
        Value up[4], F[4];
#pragma unroll
        for (int step = 0; step < 4; ++step) {
            const bool may_be_mark = step == 3;
            const unsigned passed = __shfl_up_sync(WARP, words[step], 1, GROUP) + LANE_STEP;
            const unsigned letters = may_be_mark && (four[step] & 1u) ? four[step] : four[step] * (ROW_BYTES / 2);
            words[step] = is_first ? letters + lane_offset : passed;
        }
#pragma unroll
        for (int step = 0; step < 3; ++step) {
            up[step] = __shfl_up_sync(WARP, sent_up[step], 1, GROUP), F[step] = __shfl_up_sync(WARP, sent_F[step], 1, GROUP);
            if (is_first) up[step] = STRIPS ? (Value)border[2 * step] : minus_opening;
            if (is_first) F[step] = STRIPS ? (Value)border[2 * step + 1] : 0;
        }
        const bool is_mark = words[3] & 1u;
#pragma unroll
        for (int step = 0; step < 4; ++step) {
            lower.low = upper.low, lower.high = upper.high;
            lower.diagonal = lower.above, lower.above = lower.up = upper.up, lower.F = upper.F;
            const unsigned offsets = step == 3 && is_mark ? PADDING * ROW_BYTES * 0x10001u + lane_offset : words[step];
            upper.low = table + (offsets & 0xffffu), upper.high = table + (offsets >> 16);
            upper.diagonal = upper.above, upper.above = upper.up = up[step], upper.F = F[step];
            const bool marks_upper = step == 3 && is_mark, marks_lower = step == 0 && was_mark;
            upper.costs.factor = marks_upper ? 0 : ONE;
            upper.costs.extension_of_E = marks_upper ? NEVER : minus_extension;
            lower.costs.factor = marks_lower ? 0 : ONE;
            lower.costs.extension_of_E = marks_lower ? NEVER : minus_extension;
            compute_columns(rows, upper, lower);
            if (step > 0) {
                sent_up[step - 1] = lower.up, sent_F[step - 1] = lower.F;
                continue;
            }
            up[3] = __shfl_up_sync(WARP, lower.up, 1, GROUP), F[3] = __shfl_up_sync(WARP, lower.F, 1, GROUP);
            if (is_first) up[3] = STRIPS ? (Value)border[6] : minus_opening;
            if (is_first) F[3] = STRIPS ? (Value)border[7] : 0;
#if STRIPS
            if (is_last && last_place < NO_PLACE) {
                borders[last_place / 2] = {(unsigned)sent_up[0], (unsigned)sent_F[0], (unsigned)sent_up[1], (unsigned)sent_F[1]};
                borders[last_place / 2 + 1] = {(unsigned)sent_up[2], (unsigned)sent_F[2], (unsigned)lower.up, (unsigned)lower.F};
            }
#endif
            if (was_mark) {
                store_best(lower.best, (last_mark - lane_offset) >> 1, scores);
                lower.best = 0;
            }
        }
        // At a mark the scores are stored. What its column still adds to the best is below what is there.
        if (is_mark) {
            store_best(upper.best, (words[3] - lane_offset) >> 1, scores);
            upper.best = 0;
        }
        was_mark = is_mark;
    }
}
