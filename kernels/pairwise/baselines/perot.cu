// PerotRecurrence (Li et al. 2012, section III, after Khajeh-Saeed, Poole and Perot): all cells of a row together.
//
// Recurrence: the gap along a row is taken out and put back by a prefix maximum, in three steps:
//     1.  E(i, j)  = max(E(i-1, j) - extend, H(i-1, j) - open - extend)
//         H'(i, j) = max(H(i-1, j-1) + score, E(i, j), floor)
//     2.  P(j)     = max over k < j of H'(i, k) + k extend               H'(i, 0) is the border
//     3.  H(i, j)  = max(H'(i, j), P(j) - j extend - open)
//     A gap may start at H' instead of H: where H came from a gap itself, opening another one gains nothing.
//     With TWO_PIECES, E, the scan and step 3 occur once for each piece of the gap costs.
//
// Threads: a thread has ITEMS neighbouring columns, a block ITEMS x blockDim.x. The scan has two levels: within a block
//     by shuffles and shared memory, across blocks by the maxima of all blocks on the left. Launch `intermediate` does
//     step 1 and the scan within blocks; launch `finish` the rest of the scan and step 3.
//
// Memory: rows of `stride` ints in global memory, a multiple of ITEMS, column j at index j - 1: H, H', E, P; read and
//     written as 16-byte words. 36 bytes go to and from memory for each cell. `totals`: the maximum of every block; `last_column`: H of that.
//
// Needs levels.cuh.

constexpr int MOST_WARPS = 32;

__device__ __forceinline__ void load(const int* source, int (&items)[ITEMS]) {
    int4 four = *reinterpret_cast<const int4*>(source);
    items[0] = four.x, items[1] = four.y, items[2] = four.z, items[3] = four.w;
}

__device__ __forceinline__ void store(int* target, const int (&items)[ITEMS]) {
    *reinterpret_cast<int4*>(target) = make_int4(items[0], items[1], items[2], items[3]);
}

// Returns the greatest value of all threads with a lower number, or minus infinity; `total`: of the whole block. All
// threads of whole warps must call it, once per kernel and PIECE.
template <int PIECE = 0>
__device__ __forceinline__ int maximum_before(int value, int& total) {
    __shared__ int of_warps[MOST_WARPS];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    int upto = value;
#pragma unroll
    for (int distance = 1; distance < LANES; distance *= 2) {
        int other = __shfl_up_sync(WARP, upto, distance);
        if (lane >= distance) upto = max(upto, other);
    }
    if (lane == LANES - 1) of_warps[warp] = upto;
    __syncthreads();
    int before = __shfl_up_sync(WARP, upto, 1);
    if (lane == 0) before = MINUS_INFINITY;
    total = MINUS_INFINITY;
    for (int other = 0; other < warps; ++other) {
        if (other == warp) before = max(before, total);
        total = max(total, of_warps[other]);
    }
    return before;
}

extern "C" __global__ void intermediate(
    PROBLEM_PARAMETERS(pair), const int* H, int* E, int* intermediate_H, int* scan, int* totals,
#if TWO_PIECES
    int* second_E, int* second_scan, int* second_totals,
#endif
    Busy* log, int i) {
    const long long began = nanoseconds();
    const Problem problem = PROBLEM_OF(pair);
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;     // place of the first column
    const int n = problem.n;
    const int* scores = problem.table + problem.rows[i - 1] * problem.letters;
    int h[ITEMS], e[ITEMS], opened[ITEMS], greatest = MINUS_INFINITY;
    if (first == 0) greatest = border(problem, i, 0);
    const int own = greatest;
#if TWO_PIECES
    int second_e[ITEMS], second_opened[ITEMS], second_greatest = greatest;
    if (first < n) load(second_E + first, second_e);
#endif
    if (first < n) {
        load(H + first, h);
        load(E + first, e);
        int diagonal = first == 0 ? border(problem, i - 1, 0) : H[first - 1];
#pragma unroll
        for (int c = 0; c < ITEMS; ++c) {
            bool inside = first + c < n;
            int matched = diagonal + (inside ? __ldg(scores + problem.columns[first + c]) : 0);
            diagonal = h[c];
            e[c] = add_max(h[c], -problem.open_extend, e[c] - problem.extend);
#if TWO_PIECES
            second_e[c] = add_max(h[c], -problem.open_extend2, second_e[c] - problem.extend2);
            matched = max(matched, second_e[c]);
#endif
            h[c] = max(max(matched, problem.floor), e[c]);
            opened[c] = inside ? h[c] + (first + c + 1) * problem.extend : MINUS_INFINITY;
            greatest = max(greatest, opened[c]);
#if TWO_PIECES
            second_opened[c] = inside ? h[c] + (first + c + 1) * problem.extend2 : MINUS_INFINITY;
            second_greatest = max(second_greatest, second_opened[c]);
#endif
        }
    }
    int total;
    int before = max(maximum_before(greatest, total), own);
    if (first < n) {
        store(E + first, e);
        store(intermediate_H + first, h);
#pragma unroll
        for (int c = 0; c < ITEMS; ++c) {
            int next = max(before, opened[c]);
            opened[c] = before;
            before = next;
        }
        store(scan + first, opened);
    }
    if (threadIdx.x == 0) totals[blockIdx.x] = total;
#if TWO_PIECES
    before = max(maximum_before<1>(second_greatest, total), own);
    if (first < n) {
        store(second_E + first, second_e);
#pragma unroll
        for (int c = 0; c < ITEMS; ++c) {
            int next = max(before, second_opened[c]);
            second_opened[c] = before;
            before = next;
        }
        store(second_scan + first, second_opened);
    }
    if (threadIdx.x == 0) second_totals[blockIdx.x] = total;
#endif
    note(log, began);
}

extern "C" __global__ void finish(
    PROBLEM_PARAMETERS(pair), int* H, const int* intermediate_H, const int* scan, const int* totals,
#if TWO_PIECES
    const int* second_scan, const int* second_totals,
#endif
    int* last_column, Best* best, Busy* log, int i) {
    const long long began = nanoseconds();
    const Problem problem = PROBLEM_OF(pair);
    const int n = problem.n;
    const int index = blockIdx.x * blockDim.x + threadIdx.x, first = index * ITEMS;
    int greatest = MINUS_INFINITY, before;
    for (int block = threadIdx.x; block < blockIdx.x; block += blockDim.x) greatest = max(greatest, totals[block]);
    maximum_before(greatest, before);
#if TWO_PIECES
    int second_greatest = MINUS_INFINITY, second_before;
    for (int block = threadIdx.x; block < blockIdx.x; block += blockDim.x)
        second_greatest = max(second_greatest, second_totals[block]);
    maximum_before<1>(second_greatest, second_before);
#endif
    Best mine = {0, i, 0};
    if (first < n) {
        int h[ITEMS], gap[ITEMS];
        load(intermediate_H + first, h);
        load(scan + first, gap);
#if TWO_PIECES
        int second_gap[ITEMS];
        load(second_scan + first, second_gap);
#endif
#pragma unroll
        for (int c = 0; c < ITEMS; ++c) {
            int opened = max(gap[c], before) - (first + c + 1) * problem.extend - (problem.open_extend - problem.extend);
            h[c] = max(h[c], opened);
#if TWO_PIECES
            const int length = first + c + 1, second_open = problem.open_extend2 - problem.extend2;
            h[c] = max(h[c], max(second_gap[c], second_before) - length * problem.extend2 - second_open);
#endif
            if (first + c + 1 == n) last_column[i - 1] = h[c];
            if (first + c < n && h[c] > mine.score) mine.score = h[c], mine.column = first + c + 1;
        }
        store(H + first, h);
    }
    if (problem.floor == 0) keep_best(best + index / LANES, mine, mine.column > 0);
    note(log, began);
}
