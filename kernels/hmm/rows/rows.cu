// Rows of a hidden Markov model, for many pieces of the sequence at a time.
//
// Recurrence: row[k + 1] = (row[k] x E[letter k]) x T   over (min, +) of costs, or over (+, x) of probabilities
//
// Threads:    A team of WIDTH threads works on PER pieces together, a thread per state (or every WIDTH-th state), so that a
//             number of T that was loaded serves PER pieces. Two barriers per letter. Piece p belongs to group p / repeat, which
//             has the letters from (p / repeat) length on. A launch does letters `offset` to `offset + count` of every piece.
// Memory:     Shared: row and what is multiplied, [state][piece]; then the first `height` rows of T. The other rows of T are
//             read through the read-only cache. The rows of the first piece of every group are stored, [letter][state].
//
// Rows are kept up to a factor of the semiring. With NORMALISE 1 it is the sum of what was multiplied: the least cost, or the
// sum of the probabilities. Two rows that differ by a factor then have the same successor, which is how `correct` detects that
// the rest of a piece is right already: costs are equal, number for number; probabilities, which are rounded, agree within a
// share 2^-40. No later row moves farther apart, because a product with numbers that are not negative brings rows together (in
// Hilbert's metric). With NORMALISE 2 the factor is a power of two, whose exponent is added to `exponents`: rows of a product
// of matrices are compared with each other later. With NORMALISE 0 rows are not scaled.
//
// Sums of probabilities are kept near 2^RAISED instead of 1: that leaves room below for an emission and a transition that are
// each as small as a number can be. Where another of several sequences begins, the whole row goes into the initial
// probabilities: there T is the product of a column `seam` and a row `seam` + states. Backward rows run over the reversed
// sequence with T transposed; `reached` holds the forward rows then: unreachable states are left out, because their numbers
// could be so large that nothing of the rest remained.

constexpr int IN_WARP = WIDTH < LANES ? WIDTH : LANES, WARPS = WIDTH / IN_WARP;
constexpr int MOST_TEAMS = WIDTH < 256 ? 256 / WIDTH : 1;

struct __align__(PER * sizeof(Number) < 16 ? PER * sizeof(Number) : 16) Together { Number of[PER]; };

struct Letters { int first, last; };       // of a piece, in this launch

__device__ __forceinline__ Together nothing() {
    Together none;
#pragma unroll
    for (int q = 0; q < PER; q++) none.of[q] = zero();
    return none;
}

__device__ __forceinline__ void collect(Together& total, const Together& other) {
#pragma unroll
    for (int q = 0; q < PER; q++) total.of[q] = plus(total.of[q], other.of[q]);
}

// The semiring's sum over a warp's part of a team, in all lanes.
__device__ __forceinline__ Together total_of_lanes(Together own) {
#pragma unroll
    for (int apart = IN_WARP / 2; apart > 0; apart /= 2) {
        Together other;
#pragma unroll
        for (int q = 0; q < PER; q++) other.of[q] = __shfl_xor_sync(WARP, own.of[q], apart);
        collect(own, other);
    }
    return own;
}

// best plus what is ready for the states `from` to `to`, times as many numbers of a column of T.
template <bool SHARED>
__device__ __forceinline__ void multiply(Together& best, const Together* ready, const Number* column, int from, int to,
                                         int states) {
    column += (long long)from * states;
#pragma unroll 8
    for (int before = from; before < to; before++, column += states) {
        Number cost = SHARED ? *column : __ldg(column);
        Together left = ready[before];
#pragma unroll
        for (int q = 0; q < PER; q++) best.of[q] = step(best.of[q], left.of[q], cost);
    }
}

// The power of two by which a row of this total is too large; a row of zeros weighs less than any other.
__device__ __forceinline__ long long excess(Number total) {
#if SEMIRING == 2
    return total > 0 ? ilogb(total) - RAISED : -(1LL << 36);
#else
    return 0;
#endif
}

// A number of a new row, up to the factor that the row's `total` gives.
__device__ __forceinline__ Number normalised(Number value, Number total) {
#if !NORMALISE
    return value;
#elif SEMIRING != 2
    return value < infinite() ? value - total : value;
#elif NORMALISE == 1
    return total > 0 ? value / total * __longlong_as_double((1023LL + RAISED) << 52) : value;
#else
    return total > 0 ? ldexp(value, (int)-excess(total)) : value;
#endif
}

__device__ __forceinline__ bool differs(Number before, Number now) {
#if SEMIRING == 2
    return fabs(before - now) > now * 0x1p-40;
#else
    return before != now;
#endif
}

extern "C" __global__ void __launch_bounds__(WIDTH > 256 ? WIDTH : 256)
advance(ADVANCE_PARAMETERS(of)) {
    const Advance of = ADVANCE_OF(of);
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ Together totals[MOST_TEAMS][WARPS];
    __shared__ int same[2][MOST_TEAMS][PER];
    int teams = blockDim.x / WIDTH, team = threadIdx.x / WIDTH, x = threadIdx.x % WIDTH;
    int piece = (blockIdx.x * teams + team) * PER;
    Together *row = reinterpret_cast<Together*>(memory) + team * of.states, *ready = row + teams * of.states;
    Number* kept_rows = reinterpret_cast<Number*>(reinterpret_cast<Together*>(memory) + 2 * teams * of.states);
    Letters letters[PER];
    long long raised[PER] = {};
#pragma unroll
    for (int q = 0; q < PER; q++) {
        int p = piece + q, begin = p / of.repeat * of.length, first = begin + of.offset;
        int last = min(min(begin + of.length, of.steps), first + of.count);
        bool works = p < of.pieces && first < last && of.active[p];
        letters[q] = {first, works ? last : first};
#pragma unroll 1
        for (int s = x; s < of.states; s += WIDTH)
            row[s].of[q] = works ? of.current[(long long)p * of.states + s] : zero();
    }
    for (int at = threadIdx.x; at < of.height * of.states; at += blockDim.x) kept_rows[at] = of.transitions[at];

    for (int done = 0; done < of.count; done++) {
        bool more = false;
        Together total = nothing();
#pragma unroll
        for (int q = 0; q < PER; q++) {
            int k = letters[q].first + done;
            bool now = k < letters[q].last;
            const Number* emission = of.emissions + (now ? (long long)of.seen[k] * of.states : 0);
            bool masked = SEMIRING == 2 && of.reached != nullptr && now;
            const Number* mask = masked ? of.reached + (long long)(of.steps - k) * of.states : nullptr;
#pragma unroll 1
            for (int s = x; s < of.states; s += WIDTH) {
                bool counts = now && (mask == nullptr || mask[s] > 0);
                Number value = counts ? times(row[s].of[q], emission[s]) : zero();
                ready[s].of[q] = value;
                total.of[q] = plus(total.of[q], value);
            }
            more |= now;
            if (x == 0) same[done & 1][team][q] = 1;
        }
        if (NORMALISE) {
            total = total_of_lanes(total);
            if (x % IN_WARP == 0) totals[team][x / IN_WARP] = total;
        }
        if (!__syncthreads_or(more)) break;
        if (NORMALISE) {
            total = totals[team][0];
            for (int warp = 1; warp < WARPS; warp++) collect(total, totals[team][warp]);
        }
        if (NORMALISE == 2) {
#pragma unroll
            for (int q = 0; q < PER; q++)
                if (letters[q].first + done < letters[q].last) raised[q] += excess(total.of[q]);
        }

        for (int turn = 0; turn < of.states; turn += WIDTH) {
            int s = turn + x;
            if (s >= of.states) break;
            Together best = nothing();
            multiply<true>(best, ready, kept_rows + s, 0, of.height, of.states);
            multiply<false>(best, ready, of.transitions + s, of.height, of.states, of.states);
#pragma unroll
            for (int q = 0; q < PER; q++) {
                int k = letters[q].first + done;
                if (k >= letters[q].last) continue;
                if (SEMIRING == 2 && of.starts != nullptr && of.starts[of.reached == nullptr ? k + 1 : of.steps - k]) {
                    best.of[q] = zero();
                    for (int before = 0; before < of.states; before++)
                        best.of[q] = step(best.of[q], ready[before].of[q], of.seam[before]);
                    best.of[q] = times(best.of[q], of.seam[of.states + s]);
                }
                Number value = normalised(best.of[q], total.of[q]);
                row[s].of[q] = value;
                if (of.rows != nullptr && (piece + q) % of.repeat == 0) {
                    Number* kept = of.rows + (long long)(k + 1) * of.states + s;
                    if (of.correct && differs(*kept, value)) same[done & 1][team][q] = 0;
                    *kept = value;
                }
            }
        }
        __syncthreads();
        if (of.correct) {
#pragma unroll
            for (int q = 0; q < PER; q++)
                if (letters[q].first + done < letters[q].last && same[done & 1][team][q]) {
                    letters[q].last = letters[q].first;
                    if (x == 0) of.active[piece + q] = 0;
                }
        }
    }
#pragma unroll
    for (int q = 0; q < PER; q++)
        if (letters[q].first < letters[q].last) {
#pragma unroll 1
            for (int s = x; s < of.states; s += WIDTH) of.current[(long long)(piece + q) * of.states + s] = row[s].of[q];
            if (NORMALISE == 2 && x == 0) of.exponents[piece + q] += raised[q];
        }
}
