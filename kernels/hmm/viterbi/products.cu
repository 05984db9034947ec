// The product of the matrices of all letters, as published (Hanif 2014, algorithm 5.3).
//
// Recurrence: rows = rows x S[k]   over (min, +),   S[k][before][s] = T[before][s] + E[before][letter k]   for every letter k
//
// Threads:    a block of 256 threads takes GROUPS x PER rows of the product, which need no other row, through all letters. A
//             group of LINE threads has PER rows, and a thread a column of S[k] (or every LINE-th one), so that a number of S
//             that was loaded serves PER rows. One barrier per slab.
// Memory:     shared: slabs of S [2][DEPTH][LINE]; rows [2][GROUPS][pitch][PER], where pitch is `states` in whole slabs. All
//             threads put a slab together: from T and E, or (with TEXTURE) from a texture that holds S of every letter of the
//             alphabet, while the slab before is multiplied. From each new row the least number of the row before is
//             subtracted, so that it fits 32 bits and nothing is below 0; rows are compared only with themselves.

constexpr int THREADS = 256, GROUPS = THREADS / LINE, DEPTH = 16;
constexpr int IN_WARP = LINE < LANES ? LINE : LANES, WARPS = LINE / IN_WARP;    // of a group
constexpr int SLAB = DEPTH * LINE, EACH = (SLAB + THREADS - 1) / THREADS;

struct __align__(PER * sizeof(Number) < 16 ? PER * sizeof(Number) : 16) Together { Number of[PER]; };

#if TEXTURE
typedef cudaTextureObject_t Sums;

// A number of S, as it lies in the texture.
__device__ __forceinline__ Number sum_at(Sums sums, const Number*, const Number*, int letter, int states, int before, int s) {
    const int at = (letter * states + before) * states + s;
#if ELEMENT == 1
    const int2 words = tex1Dfetch<int2>(sums, at);
    return __hiloint2double(words.y, words.x);
#else
    return tex1Dfetch<int>(sums, at);
#endif
}
#else
typedef unsigned long long Sums;                 // not used

__device__ __forceinline__ Number sum_at(
    Sums, const Number* transitions, const Number* emissions, int letter, int states, int before, int s) {
    return min(transitions[(long long)before * states + s] + emissions[(long long)letter * states + before], infinite());
}
#endif

// A slab: letter, the columns from `turn` LINE on, the rows from `top` on.
struct Place {
    int letter, turn, top;

    __device__ __forceinline__ Place next(int turns, int states) const {
        if (top + DEPTH < states) return {letter, turn, top + DEPTH};
        return turn + 1 < turns ? Place{letter, turn + 1, 0} : Place{letter + 1, 0, 0};
    }
};

// Store the least number of each row of a group, from the threads' own ones; to be read after a barrier.
__device__ __forceinline__ void leave_least(Number (&leasts)[GROUPS][WARPS][PER], int group, int x, Number (&own)[PER]) {
#pragma unroll
    for (int q = 0; q < PER; q++) {
        for (int apart = IN_WARP / 2; apart > 0; apart /= 2) own[q] = min(own[q], __shfl_xor_sync(WARP, own[q], apart));
        if (x % IN_WARP == 0) leasts[group][x / IN_WARP][q] = own[q];
        own[q] = infinite();
    }
}

// Letters `first` to `last` - 1. `current` holds the rows, at first the initial costs and the identity. The first row is
// stored in `stored` after every letter.
extern "C" __global__ void __launch_bounds__(THREADS)
multiply_matrices(Sums sums, const Number* transitions, const Number* emissions, const unsigned char* seen,
                  Number* current, Number* stored, int states, int rows, int first, int last) {
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ Number leasts[2][GROUPS][WARPS][PER];
    Number* slabs = reinterpret_cast<Number*>(memory);
    const int pitch = (states + DEPTH - 1) / DEPTH * DEPTH, turns = (states + LINE - 1) / LINE;
    const int x = threadIdx.x % LINE, group = threadIdx.x / LINE, first_row = (blockIdx.x * GROUPS + group) * PER;
    Together* row = reinterpret_cast<Together*>(slabs + 2 * SLAB) + group * pitch;
    Together* next = row + GROUPS * pitch;
    Number fetched[EACH], best[PER], least[PER];
#pragma unroll
    for (int q = 0; q < PER; q++) best[q] = least[q] = infinite();
    for (int s = x; s < pitch; s += LINE)
#pragma unroll
        for (int q = 0; q < PER; q++) {
            const bool there = first_row + q < rows && s < states;
            row[s].of[q] = there ? current[(long long)(first_row + q) * states + s] : infinite();
            next[s].of[q] = infinite();
            least[q] = min(least[q], row[s].of[q]);
        }
    leave_least(leasts[first & 1], group, x, least);

    auto fetch = [&](Place at) {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int number = threadIdx.x + e * THREADS, before = at.top + number / LINE, s = at.turn * LINE + number % LINE;
            const bool inside = number < SLAB && before < states && s < states;
            fetched[e] = inside ? sum_at(sums, transitions, emissions, seen[at.letter], states, before, s) : infinite();
        }
    };
    auto keep = [&](int buffer) {
#pragma unroll
        for (int e = 0; e < EACH; e++)
            if (SLAB % THREADS == 0 || threadIdx.x < SLAB) slabs[buffer * SLAB + threadIdx.x + e * THREADS] = fetched[e];
    };
    Place at = {first, 0, 0};
    fetch(at);
    keep(0);
    __syncthreads();
    for (int buffer = 0; at.letter < last; buffer ^= 1) {
        const Place after = at.next(turns, states);
        if (after.letter < last) fetch(after);
        const Number* slab = slabs + buffer * SLAB + x;
#pragma unroll
        for (int before = 0; before < DEPTH; before++) {
            const Together costs = row[at.top + before];
            const Number sum = slab[before * LINE];
#pragma unroll
            for (int q = 0; q < PER; q++) best[q] = step(best[q], costs.of[q], sum);
        }
        if (after.top == 0) {                    // these columns are done
            const int s = at.turn * LINE + x;
#pragma unroll
            for (int q = 0; q < PER; q++) {
                Number base = leasts[at.letter & 1][group][0][q];
                for (int warp = 1; warp < WARPS; warp++) base = min(base, leasts[at.letter & 1][group][warp][q]);
                const Number value = best[q] < infinite() ? best[q] - base : best[q];
                best[q] = infinite();
                if (s >= states) continue;
                next[s].of[q] = value;
                least[q] = min(least[q], value);
                if (first_row + q == 0) stored[(long long)(at.letter + 1) * states + s] = value;
            }
            if (after.turn == 0) {
                leave_least(leasts[after.letter & 1], group, x, least);
                Together* before = row;
                row = next, next = before;
            }
        }
        keep(buffer ^ 1);
        __syncthreads();
        at = after;
    }
    for (int s = x; s < states; s += LINE)
#pragma unroll
        for (int q = 0; q < PER; q++)
            if (first_row + q < rows) current[(long long)(first_row + q) * states + s] = row[s].of[q];
}
