// Rows of Viterbi, many pieces of the sequence at a time:
//
//   row[k + 1] = (row[k] + E[letter k]) x T   over (min, +)
//
// A team of WIDTH threads works on PER pieces together, a thread a state (or every WIDTH-th state), so that a number of T
// that was loaded serves PER pieces. What is multiplied lies in shared memory as [state][piece], and is read by all
// threads of the team at once. Two barriers a letter. The first `height` rows of T are kept in shared memory, the others
// are read through the read-only cache (the texture path).
//
// Rows are kept up to a constant: with NORMALISE, the least number of what was multiplied is taken from the new row.
// Two rows that differ by a constant then have the same successor, number for number, which is how `correct` sees that
// the rest of a piece is right already.
//
// Piece p belongs to group p / repeat, which has letters (p / repeat) length and on; the rows of the first piece of
// every group are stored. A launch does letters `offset` to `offset + count` of every piece.

constexpr int IN_WARP = WIDTH < LANES ? WIDTH : LANES, WARPS = WIDTH / IN_WARP;
constexpr int MOST_TEAMS = WIDTH < 256 ? 256 / WIDTH : 1;

struct __align__(PER * sizeof(Number) < 16 ? PER * sizeof(Number) : 16) Together { Number of[PER]; };

struct Letters { int first, last; };       // of a piece, in this launch

__device__ __forceinline__ Number bounded(Number sum) { return min(sum, infinite()); }

__device__ __forceinline__ Together nothing() {
    Together none;
#pragma unroll
    for (int q = 0; q < PER; q++) none.of[q] = infinite();
    return none;
}

__device__ __forceinline__ void take_least(Together& least, const Together& other) {
#pragma unroll
    for (int q = 0; q < PER; q++) least.of[q] = min(least.of[q], other.of[q]);
}

// The least over a warp's part of a team, in all lanes.
__device__ __forceinline__ Together least_of_lanes(Together own) {
#pragma unroll
    for (int apart = IN_WARP / 2; apart > 0; apart /= 2) {
        Together other;
#pragma unroll
        for (int q = 0; q < PER; q++) other.of[q] = __shfl_xor_sync(WARP, own.of[q], apart);
        take_least(own, other);
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

extern "C" __global__ void __launch_bounds__(WIDTH > 256 ? WIDTH : 256)
advance(const Number* transitions, const Number* emissions, const unsigned char* seen, Number* current, int* active,
        Number* rows, int correct, int states, int pieces, int steps, int length, int repeat, int offset, int count,
        int height) {
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ Together leasts[MOST_TEAMS][WARPS];
    __shared__ int same[2][MOST_TEAMS][PER];
    int teams = blockDim.x / WIDTH, team = threadIdx.x / WIDTH, x = threadIdx.x % WIDTH;
    int piece = (blockIdx.x * teams + team) * PER;
    Together *row = reinterpret_cast<Together*>(memory) + team * states, *ready = row + teams * states;
    Number* kept_rows = reinterpret_cast<Number*>(reinterpret_cast<Together*>(memory) + 2 * teams * states);
    Letters letters[PER];
#pragma unroll
    for (int q = 0; q < PER; q++) {
        int p = piece + q, begin = p / repeat * length, first = begin + offset;
        int last = min(min(begin + length, steps), first + count);
        bool works = p < pieces && first < last && active[p];
        letters[q] = {first, works ? last : first};
#pragma unroll 1
        for (int s = x; s < states; s += WIDTH)
            row[s].of[q] = works ? current[(long long)p * states + s] : infinite();
    }
    for (int at = threadIdx.x; at < height * states; at += blockDim.x) kept_rows[at] = transitions[at];

    for (int done = 0; done < count; done++) {
        bool more = false;
        Together least = nothing();
#pragma unroll
        for (int q = 0; q < PER; q++) {
            int k = letters[q].first + done;
            bool now = k < letters[q].last;
            const Number* emission = emissions + (now ? (long long)seen[k] * states : 0);
#pragma unroll 1
            for (int s = x; s < states; s += WIDTH) {
                Number cost = now ? bounded(row[s].of[q] + emission[s]) : infinite();
                ready[s].of[q] = cost;
                least.of[q] = min(least.of[q], cost);
            }
            more |= now;
            if (x == 0) same[done & 1][team][q] = 1;
        }
        if (NORMALISE) {
            least = least_of_lanes(least);
            if (x % IN_WARP == 0) leasts[team][x / IN_WARP] = least;
        }
        if (!__syncthreads_or(more)) break;
        if (NORMALISE)
            for (int warp = 0; warp < WARPS; warp++) take_least(least, leasts[team][warp]);

        for (int turn = 0; turn < states; turn += WIDTH) {
            int s = turn + x;
            if (s >= states) break;
            Together best = nothing();
            multiply<true>(best, ready, kept_rows + s, 0, height, states);
            multiply<false>(best, ready, transitions + s, height, states, states);
#pragma unroll
            for (int q = 0; q < PER; q++) {
                int k = letters[q].first + done;
                if (k >= letters[q].last) continue;
                Number value = NORMALISE && best.of[q] < infinite() ? best.of[q] - least.of[q] : best.of[q];
                row[s].of[q] = value;
                if (rows != nullptr && (piece + q) % repeat == 0) {
                    Number* kept = rows + (long long)(k + 1) * states + s;
                    if (correct && *kept != value) same[done & 1][team][q] = 0;
                    *kept = value;
                }
            }
        }
        __syncthreads();
        if (correct) {
#pragma unroll
            for (int q = 0; q < PER; q++)
                if (letters[q].first + done < letters[q].last && same[done & 1][team][q]) {
                    letters[q].last = letters[q].first;
                    if (x == 0) active[piece + q] = 0;
                }
        }
    }
#pragma unroll
    for (int q = 0; q < PER; q++)
        if (letters[q].first < letters[q].last)
#pragma unroll 1
            for (int s = x; s < states; s += WIDTH) current[(long long)(piece + q) * states + s] = row[s].of[q];
}
