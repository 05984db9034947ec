// Recurrence: forward sums, and backward sums on both sequences reversed, of a model with one or two kinds of gap.
//
//     M = odds[x_i, y_j] D(i-1, j-1)
//     X_k = into_k M(i-1, j) + extend_k X_k(i-1, j)
//     Y_k = into_k M(i, j-1) + extend_k Y_k(i, j-1)
//     D = match M + leave_1 (X_1 + Y_1) + leave_2 (X_2 + Y_2)
//
// D(i-1, j-1) of the forward sweep times M of the backward sweep over the sum of all alignments is a posterior. Sums are made
// in this order and rounded once, as on the CPU; each lane has an exponent of 2 for its float32 sums, and scaling is exact.
//
// Threads: a warp has a pair. A lane has PER columns of one row; 32 lanes are a strip, and lane l is one row behind lane l - 1,
// from which it gets the sums at its left by a shuffle.
//
// Memory: borders between strips, D(i-1, j-1) of every cell (`entered`) with exponents, and sums of squared posteriors
// (`squares`) are in global memory, a line of STRIP numbers for each step of a strip. The backward sweep meets the cells of
// a line in one step, too, so that lanes access neighbours. At last posteriors that reach the limit are appended to the entries.

constexpr int STRIP = LANES * PER;

struct Scaled { float value; int exponent; };

__device__ __forceinline__ float power(int exponent) {
    return exponent <= -POWERS ? 0.0f : __int_as_float((min(exponent, POWERS) + 127) << 23);
}
__device__ __forceinline__ int exponent_of(float value) { return ((__float_as_int(value) >> 23) & 255) - 127; }

__device__ __forceinline__ float times(float a, float b) { return __fmul_rn(a, b); }
__device__ __forceinline__ float plus(float a, float b) { return __fadd_rn(a, b); }

__device__ void accumulate(Scaled& sum, float value, int exponent) {
    if (!(value > 0.0f)) return;
    int shift = exponent_of(value);
    value = times(value, power(-shift)), exponent += shift;
    const int above = exponent - sum.exponent;
    if (sum.value == 0.0f) sum = {value, exponent};
    else if (above > 0) sum = {plus(times(sum.value, power(-above)), value), exponent};
    else sum.value = plus(sum.value, times(value, power(above)));
    shift = exponent_of(sum.value);
    sum.value = times(sum.value, power(-shift)), sum.exponent += shift;
}

// Two powers of 2 whose product is 2^shift.
struct Factors { float low, high; };
__device__ __forceinline__ Factors factors(int shift) { return {power(shift >> 1), power(shift - (shift >> 1))}; }

// Where cell (i, j) is, of a pair whose first sequence has m letters: i, j = 0, 1, ...
__device__ __forceinline__ long long place_of(int m, int i, int j) {
    const int column = j % STRIP;
    return static_cast<long long>(j / STRIP * (m + LANES - 1) + i + column / PER) * STRIP + column;
}

// A warp's room, for the largest pair of the launch.
struct Own {
    float *entered, *squares, *border, *last;
    int *exponents, *border_exponents, *last_exponents;
};

template <bool BACK>
__device__ Scaled sweep(const unsigned char* x, int m, const unsigned char* y, int n, const float* odds,
                        const float* weights, const float* ends, const int* end_exponents, const float* tails,
                        const int* tail_exponents, bool two, bool first_model, Own own, int width, Scaled inverse) {
    const int lane = threadIdx.x % LANES;
    const float match = weights[0], into_1 = weights[1], into_2 = weights[2], extend_1 = weights[3],
                extend_2 = weights[4], leave_1 = weights[5], leave_2 = weights[6];
    Scaled column_total = {0.0f, 0}, row_total = {0.0f, 0};
    for (int strip = 0; strip < width; strip += STRIP) {
        const int left = strip + lane * PER;  // columns left + 1 .. left + PER
        int letters[PER];
        float M[PER], X1[PER], X2[PER], D[PER];
        int exponent = end_exponents[min(left + 1, n)];
#pragma unroll
        for (int c = 0; c < PER; c++) {
            const int j = left + c;
            letters[c] = j < n ? y[BACK ? n - 1 - j : j] : PADDING;
            M[c] = X1[c] = X2[c] = 0.0f;
            D[c] = j < n ? times(ends[j + 1], power(end_exponents[j + 1] - exponent)) : 0.0f;
        }
        // What enters at the left: D of the row before, the rest of this row, and their exponents.
        float D_before = left <= n ? ends[left] : 0.0f;
        int before_exponent = end_exponents[min(left, n)];
        float D_out = 0.0f, M_out = 0.0f, Y1_out = 0.0f, Y2_out = 0.0f;
        int exponent_out = 0;
        for (int step = 0; step < m + LANES - 1; step++) {
            const int i = step - lane;
            float D_left = __shfl_up_sync(WARP, D_out, 1), M_left = __shfl_up_sync(WARP, M_out, 1);
            float Y1 = __shfl_up_sync(WARP, Y1_out, 1), Y2 = __shfl_up_sync(WARP, Y2_out, 1);
            int left_exponent = __shfl_up_sync(WARP, exponent_out, 1);
            if (lane == 0 && i < m) {
                if (strip == 0) {
                    D_left = ends[i + 1], left_exponent = end_exponents[i + 1];
                    M_left = Y1 = Y2 = 0.0f;
                } else {
                    const float* border = own.border + 4 * i;
                    D_left = border[0], M_left = border[1], Y1 = border[2], Y2 = border[3];
                    left_exponent = own.border_exponents[i];
                }
            }
            if (i >= 0 && i < m) {
                if (i % RENEW == 0) {
                    float largest = 0.0f;
#pragma unroll
                    for (int c = 0; c < PER; c++) largest = fmaxf(largest, fmaxf(D[c], M[c]));
                    const int shift = max(min(exponent_of(largest), POWERS), -POWERS);
                    if (largest > 0.0f && abs(shift) > 4) {
                        const float factor = power(-shift);
                        exponent += shift;
#pragma unroll
                        for (int c = 0; c < PER; c++) {
                            D[c] = times(D[c], factor), M[c] = times(M[c], factor);
                            X1[c] = times(X1[c], factor), X2[c] = times(X2[c], factor);
                        }
                    }
                }
                float diagonal = times(D_before, power(before_exponent - exponent));
                const float factor = power(left_exponent - exponent);
                D_before = D_left, before_exponent = left_exponent;
                float M_here = times(M_left, factor);
                Y1 = times(Y1, factor), Y2 = times(Y2, factor);
                const float* row_odds = odds + CODES * x[BACK ? m - 1 - i : i];
                const long long here = BACK ? 0 : place_of(m, i, left);
                if (!BACK) own.exponents[here / PER] = exponent;
                float entered[PER];
                // Backwards, the columns of a lane are those of one forward lane, or of two that are neighbours.
                long long near = 0, far = 0;
                Factors near_factors, far_factors;
                if (BACK && left < n) {
                    const int last = max(n - 1 - left - (PER - 1), 0);
                    near = place_of(m, m - 1 - i, n - 1 - left) / PER, far = place_of(m, m - 1 - i, last) / PER;
                    near_factors = factors(own.exponents[near] + exponent + inverse.exponent);
                    far_factors = factors(own.exponents[far] + exponent + inverse.exponent);
                }
#pragma unroll
                for (int c = 0; c < PER; c++) {
                    entered[c] = diagonal;
                    const float new_X1 = plus(times(M[c], into_1), times(X1[c], extend_1));
                    Y1 = plus(times(M_here, into_1), times(Y1, extend_1));
                    float new_X2 = 0.0f;
                    if (two) {
                        new_X2 = plus(times(M[c], into_2), times(X2[c], extend_2));
                        Y2 = plus(times(M_here, into_2), times(Y2, extend_2));
                    }
                    M_here = times(row_odds[letters[c]], diagonal);
                    float new_D = plus(times(M_here, match), times(plus(new_X1, Y1), leave_1));
                    if (two) new_D = plus(new_D, times(plus(new_X2, Y2), leave_2));
                    diagonal = D[c];
                    D[c] = new_D, M[c] = M_here, X1[c] = new_X1, X2[c] = new_X2;
                    const int j = left + c;
                    if (BACK && j < n) {
                        const int column = n - 1 - j;
                        const bool of_near = column / PER == (n - 1 - left) / PER;
                        const long long cell = PER * (of_near ? near : far) + column % PER;
                        const float forward = times(own.entered[cell], of_near ? near_factors.low : far_factors.low);
                        const float matched = times(M_here, of_near ? near_factors.high : far_factors.high);
                        const float posterior = times(times(forward, matched), inverse.value);
                        const float square = times(posterior, posterior);
                        own.squares[cell] = first_model ? square : plus(own.squares[cell], square);
                    }
                    if (!BACK && j == n - 1) {
                        const int after = m - 1 - i;
                        accumulate(column_total, times(M_here, tails[after]), exponent + tail_exponents[after]);
                    }
                    if (!BACK && i == m - 1) own.last[j] = M_here;
                }
                if (!BACK) {
                    static_assert(PER == 4, "a lane's columns are one store");
                    *reinterpret_cast<float4*>(own.entered + here) =
                        make_float4(entered[0], entered[1], entered[2], entered[3]);
                    if (i == m - 1) own.last_exponents[left / PER] = exponent;
                }
                D_out = D[PER - 1], M_out = M_here, Y1_out = Y1, Y2_out = Y2, exponent_out = exponent;
                if (lane == LANES - 1) {
                    float* border = own.border + 4 * i;
                    border[0] = D_out, border[1] = M_out, border[2] = Y1_out, border[3] = Y2_out;
                    own.border_exponents[i] = exponent;
                }
            }
        }
        __syncwarp();
    }
    if (BACK) return {0.0f, 0};
    // All alignments: those whose last match is in the last row, column after column, and those in the last column.
    for (int first = 0; first < n - 1; first += LANES) {
        const int j = first + lane;
        float value = 0.0f;
        int at = 0;
        if (j < n - 1) {
            value = times(own.last[j], tails[n - 1 - j]);
            at = own.last_exponents[j / PER] + tail_exponents[n - 1 - j];
        }
        for (int of = 0; of < LANES; of++) {
            const float other = __shfl_sync(WARP, value, of);
            const int other_at = __shfl_sync(WARP, at, of);
            accumulate(row_total, other, other_at);
        }
    }
    const int owner = (n - 1) % STRIP / PER;
    float other = __shfl_sync(WARP, column_total.value, owner);
    int other_at = __shfl_sync(WARP, column_total.exponent, owner);
    float total = row_total.value;
    int at = row_total.exponent;
    if (other > 0.0f && (other_at > at || total == 0.0f)) {
        const float value = total;
        const int exponent = at;
        total = other, at = other_at, other = value, other_at = exponent;
    }
    if (!(total > 0.0f)) return {0.0f, 0};
    total = plus(total, times(other, __int_as_float((max(other_at - at, -126) + 127) << 23)));
    return {__fdiv_rn(1.0f, total), -at};
}

// Counts what stands out; with `write`, appends it row after row from `begin` on, and says where each row is.
__device__ int collect(const Own own, int m, int n, float share, int limit, long long begin, const Entries out,
                       long long first_row, bool write) {
    const int lane = threadIdx.x % LANES;
    const unsigned before = (1u << lane) - 1;
    const float root = (limit - 1) / 65536.0f, least = root * root;  // below it, units are fewer than the limit
    int count = 0;
    for (int i = 0; i < m; i++) {
        const int of_rows_before = count;
        for (int strip = 0; strip < n; strip += STRIP) {
            const int left = strip + lane * PER;
            const float4 squares = *reinterpret_cast<const float4*>(own.squares + place_of(m, i, left));
            const float means[PER] = {times(squares.x, share), times(squares.y, share), times(squares.z, share),
                                      times(squares.w, share)};
            int found[PER];
            unsigned there[PER];
            int place = count;
#pragma unroll
            for (int c = 0; c < PER; c++) {
                found[c] = 0;
                if (left + c < n && means[c] >= least)
                    found[c] = static_cast<int>(plus(times(__fsqrt_rn(means[c]), 65536.0f), 0.5f));
                there[c] = __ballot_sync(WARP, found[c] >= limit);
                place += __popc(there[c] & before);
                count += __popc(there[c]);
            }
            if (write) {
#pragma unroll
                for (int c = 0; c < PER; c++)
                    if (found[c] >= limit) {
                        out.words[begin + place] = word_of(left + c, found[c]);
                        place++;
                    }
            }
        }
        if (write && lane == 0) {
            out.begins[first_row + i] = begin + of_rows_before;
            out.counts[first_row + i] = count - of_rows_before;
        }
    }
    return count;
}

extern "C" __global__ void __launch_bounds__(WARPS * LANES) pair_posteriors(
    MODELS_PARAMETERS(given), PAIRS_PARAMETERS(pairs), ENTRIES_PARAMETERS(found)) {
    extern __shared__ float odds[];  // (models, CODES, CODES)
    const Models models = MODELS_OF(given);
    const Pairs work = PAIRS_OF(pairs);
    const Entries out = ENTRIES_OF(found);
    for (int at = threadIdx.x; at < models.count * CODES * CODES; at += blockDim.x) odds[at] = models.odds[at];
    __syncthreads();
    const int lane = threadIdx.x % LANES, warp = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    float* room = work.room + warp * work.warp_room;
    const long long cells = work.most_cells;
    const int most = work.longest + 1, most_width = work.widest;
    Own own;
    own.entered = room, own.squares = room + cells;
    own.exponents = reinterpret_cast<int*>(room + 2 * cells);
    own.border = room + 2 * cells + cells / PER;
    own.border_exponents = reinterpret_cast<int*>(own.border + 4 * most);
    own.last = own.border + 5 * most;
    own.last_exponents = reinterpret_cast<int*>(own.last + most_width);
    while (true) {
        unsigned long long number = 0;
        if (lane == 0) number = atomicAdd(work.ticket, 1ull);
        number = __shfl_sync(WARP, number, 0);
        if (number >= static_cast<unsigned long long>(work.count)) return;
        const int a = work.pairs[2 * number], b = work.pairs[2 * number + 1];
        const unsigned char *x = work.letters + work.starts[a], *y = work.letters + work.starts[b];
        const int m = static_cast<int>(work.starts[a + 1] - work.starts[a]);
        const int n = static_cast<int>(work.starts[b + 1] - work.starts[b]);
        const int width = (n + STRIP - 1) / STRIP * STRIP;
        for (int model = 0; model < models.count; model++) {
            const float *forward = models.weights + 16 * model, *backward = forward + 8;
            const int at = 2 * model * models.stride;
            const float *ends = models.ends + at, *tails = ends + models.stride;
            const int *end_exponents = models.end_exponents + at, *tail_exponents = end_exponents + models.stride;
            const float* own_odds = odds + model * CODES * CODES;
            const bool two = forward[2] != 0.0f;
            const Scaled inverse = sweep<false>(x, m, y, n, own_odds, forward, ends, end_exponents, tails,
                                                tail_exponents, two, model == 0, own, width, {0.0f, 0});
            __syncwarp();
            sweep<true>(x, m, y, n, own_odds, backward, tails, tail_exponents, ends, end_exponents, two, model == 0,
                        own, width, inverse);
            __syncwarp();
        }
        const float share = 1.0f / models.count;
        const int count = collect(own, m, n, share, out.limit, 0, out, 0, false);
        unsigned long long begin = 0;
        if (lane == 0) {
            begin = atomicAdd(out.cursor, static_cast<unsigned long long>(count));
            out.totals[number] = count;
        }
        begin = __shfl_sync(WARP, begin, 0);
        if (begin + count <= static_cast<unsigned long long>(out.capacity))
            collect(own, m, n, share, out.limit, begin, out, out.first_rows[number], true);
        __syncwarp();
    }
}
