// profile-wavefront: strips of 128 columns, a warp each; scores by fused multiply-adds, the cells right after.
//
//     E = max(H above - open_i, E above) - extend_i        F = max(H left - open_j, F left) - extend_j
//     H = max(H diagonal + s(i, j), E, F, [0])
//
// Mapping.  Lane l holds four columns of the strip in registers: their SYMBOLS factors each, H and E of the row above.
// At step t it works on row t - l, so that the warp walks the antidiagonals of its strip; H and F of a lane's last column
// go to the next lane by a shuffle. Lane 0 takes them from the column on the left, 32 rows at a time, once the warp
// there says so in its progress word; strips are handed out in order, so that the one on the left is running or done.
// The factors of a row are read by the lanes as 16-byte words, row after row, and stay in the cache for all of them.
// A launch computes rows [from, until) of all strips; both are borders of batches, whose last rows the next launch begins
// with.
//
// Memory.  Columns between strips: int (strips + 1, 2, m + 1), H and F; rows between batches: int (strips, batches - 1, 2,
// padded), H and E. They are kept for the path. Every number is whole, and products are below 2^24: float32 is exact.
//
// Compile-time: SYMBOLS, KIND (LINEAR, ROOT, LOGARITHM), MODE (GLOBAL, LOCAL, SEMI_GLOBAL).

constexpr int PER = 4, WIDTH = PER * LANES;
constexpr int WORDS = (SYMBOLS + 3) / 4;

__device__ __forceinline__ int finished(const Finish& finish, const int* table, float product, float squares) {
    if (KIND == LINEAR) return __float2int_rd(product * finish.unit + 0.5f) + finish.offset;
    if (KIND == ROOT) return finish.offset - (int)ceilf(sqrtf(squares - 2.0f * product) - 0.5f);
    int word = max(__float_as_int(product), 0x3f800000);
    int power = (word >> 23) - 127, at = (word >> 15) & 255, rest = word & 0x7fff, low = table[at];
    int logarithm = (power << LOG_BITS) + low + (((table[at + 1] - low) * rest) >> 15);
    return (((logarithm - finish.origin) * finish.factor + (1 << (LOG_BITS - 1))) >> LOG_BITS) + finish.offset;
}

struct Best { int score, row, column; };

__device__ __forceinline__ bool before(const Best& one, const Best& other) {
    if (one.score != other.score) return one.score > other.score;
    return one.row != other.row ? one.row < other.row : one.column < other.column;
}

// Four columns of a lane, and what is above them.
struct Columns {
    float factors[SYMBOLS][PER], squares[PER];
    int open[PER], extend[PER], h[PER], e[PER];

    __device__ __forceinline__ void load(const Whole& whole, int first) {
#pragma unroll
        for (int c = 0; c < PER; ++c) {
            int column = first + c;
            bool real = column < whole.n;
#pragma unroll
            for (int x = 0; x < SYMBOLS; ++x)
                factors[x][c] = real ? whole.columns[(long long)x * (whole.n + 1) + column] : 0.0f;
            squares[c] = real ? whole.column_bias[column] : 0;
            open[c] = real ? whole.column_open[column] : 0;
            extend[c] = real ? whole.column_extend[column] : 0;
            h[c] = real ? whole.first_row[column + 1] : MINUS_INFINITY;
            e[c] = MINUS_INFINITY;
        }
    }

    // Go on below the last row of a batch: H and E of it, ``at`` columns into the strip.
    __device__ __forceinline__ void go_on(const int* row, int padded, int at) {
#pragma unroll
        for (int c = 0; c < PER; ++c)
            if (at + c < padded) h[c] = row[at + c], e[c] = row[padded + at + c];
    }

    // The products of a row with the four columns.
    __device__ __forceinline__ void products(const float4* row, float (&found)[PER]) const {
#pragma unroll
        for (int c = 0; c < PER; ++c) found[c] = 0.0f;
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            float4 four = row[word];
            const float values[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (int x = 0; x < 4; ++x)
                if (4 * word + x < SYMBOLS)
#pragma unroll
                    for (int c = 0; c < PER; ++c) found[c] = fmaf(values[x], factors[4 * word + x][c], found[c]);
        }
    }
};

extern "C" __global__ void __launch_bounds__(LANES)
strips(WHOLE_PARAMETERS(given), FINISH_PARAMETERS(given_finish), KEPT_PARAMETERS(given_kept)) {
    const Whole whole = WHOLE_OF(given);
    const Finish finish = FINISH_OF(given_finish);
    const Kept kept = KEPT_OF(given_kept);
    const int lane = threadIdx.x, m = whole.m, n = whole.n, from = kept.from, until = kept.until;
    __shared__ int table[257];
    if (KIND == LOGARITHM)
        for (int at = lane; at < 257; at += LANES) table[at] = whole.table[at];
    __syncwarp();
    for (;;) {
        int number = 0;
        if (lane == 0) number = atomicAdd(kept.ticket, 1);
        number = __shfl_sync(WARP, number, 0);
        if (number >= kept.strips) return;
        const int first = number * WIDTH, real = min(WIDTH, n - first), own = first + lane * PER;
        const volatile int* left_h = kept.columns + (long long)number * 2 * (m + 1);
        int *right_h = kept.columns + (long long)(number + 1) * 2 * (m + 1), *right_f = right_h + m + 1;
        const int writer = (real - 1) / PER, last = (real - 1) % PER;
        Columns columns;
        columns.load(whole, own);
        int corner = own <= n ? whole.first_row[own] : 0;      // H above, in the column on the left
        if (from > 0) {
            const int* row = kept.rows + ((long long)number * (kept.batches - 1) + from / kept.batch - 1) * 2 * kept.padded;
            columns.go_on(row, kept.padded, lane * PER);
            corner = lane == 0 ? left_h[from] : lane * PER <= kept.padded ? row[lane * PER - 1] : 0;
        }
        int out_h = 0, out_f = 0, waiting_h = 0, waiting_f = 0;
        Best best = {0, 0, 0};
        if (lane == writer && from == 0) right_h[0] = whole.first_row[first + real], right_f[0] = MINUS_INFINITY;
        for (int step = 0; step < until - from + LANES - 1; ++step) {
            if (step % LANES == 0 && from + step < until) {
                if (number > 0) {
                    unsigned long long goal = min(from + step + LANES, until);
                    while (load_shared_by_all(kept.progress + number - 1) < goal) {}
                    __threadfence();
                }
                int row = min(from + step + lane, until - 1);
                waiting_h = left_h[row + 1], waiting_f = left_h[m + 1 + row + 1];
            }
            int h_left = __shfl_up_sync(WARP, out_h, 1), f = __shfl_up_sync(WARP, out_f, 1);
            int from_h = __shfl_sync(WARP, waiting_h, step % LANES), from_f = __shfl_sync(WARP, waiting_f, step % LANES);
            if (lane == 0) h_left = from_h, f = from_f;
            const int i = from + step - lane;
            if (i >= from && i < until) {
                float products[PER];
                columns.products(whole.rows + (long long)i * WORDS, products);
                const int row_open = whole.row_open[i], row_extend = whole.row_extend[i];
                const float squares = whole.row_bias[i];
                int diagonal = corner, h = h_left;
                corner = h_left;
#pragma unroll
                for (int c = 0; c < PER; ++c) {
                    int above = columns.h[c];
                    int e = max(above - row_open, columns.e[c]) - row_extend;
                    f = max(h - columns.open[c], f) - columns.extend[c];
                    h = max(diagonal + finished(finish, table, products[c], squares + columns.squares[c]), max(e, f));
                    if (MODE == LOCAL) h = max(h, 0);
                    diagonal = above, columns.h[c] = h, columns.e[c] = e;
                    bool ends = MODE == LOCAL || (MODE == SEMI_GLOBAL && (i == m - 1 || own + c == n - 1));
                    if (ends && h > best.score && own + c < n) best = {h, i + 1, own - first + c + 1};
                    if (lane == writer && c == last) right_h[i + 1] = h, right_f[i + 1] = f;
                }
                out_h = h, out_f = f;
                if ((i + 1) % kept.batch == 0 && i + 1 < m) {
                    int at = (i + 1) / kept.batch - 1;
                    int* row = kept.rows + ((long long)number * (kept.batches - 1) + at) * 2 * kept.padded;
#pragma unroll
                    for (int c = 0; c < PER; ++c)
                        if (lane * PER + c < kept.padded)
                            row[lane * PER + c] = columns.h[c], row[kept.padded + lane * PER + c] = columns.e[c];
                }
                if (lane == writer && ((i + 1 - from) % LANES == 0 || i + 1 == until)) {
                    __threadfence();
                    store_shared_by_all(kept.progress + number, (unsigned long long)(i + 1));
                }
            }
        }
#pragma unroll
        for (int apart = LANES / 2; apart > 0; apart /= 2) {
            Best other = {__shfl_xor_sync(WARP, best.score, apart), __shfl_xor_sync(WARP, best.row, apart),
                          __shfl_xor_sync(WARP, best.column, apart)};
            if (before(other, best)) best = other;
        }
        if (lane == 0) {
            long long* found = kept.best + 3LL * number;
            Best earlier = {(int)found[0], (int)found[1], (int)found[2]};
            if (before(earlier, best)) best = earlier;
            found[0] = best.score, found[1] = best.row, found[2] = best.column;
        }
    }
}
