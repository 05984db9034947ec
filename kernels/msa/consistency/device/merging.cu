// Computes: sums over the posteriors of many pairs of sequences, whole numbers in any order: scores of columns, support of
// columns, and the best sum of units of an alignment (a Fenwick tree of maxima).
//
// Threads: a warp has a pair of sequences; a lane has a letter of the first one, or an entry of a row.
//
// Memory: posteriors in compressed rows; scores and supports are 64-bit sums in global memory, added atomically. The Fenwick
// trees of `best_sums` are in shared memory, one for each warp.

__device__ __forceinline__ unsigned long long units_times(unsigned word, long long weight) {
    return static_cast<unsigned long long>(weight) * units_of(word);
}

// Scores of the columns of two groups: over their letters, posteriors times the weights of both sequences.
extern "C" __global__ void column_scores(POSTERIORS_PARAMETERS(given), ALIGNED_PARAMETERS(aligned), const int* members,
                                         const Merge* merges, int count, long long pairs, unsigned long long* scores) {
    const Posteriors P = POSTERIORS_OF(given);
    const Aligned places = ALIGNED_OF(aligned);
    const int lane = threadIdx.x % LANES;
    const long long warps = static_cast<long long>(gridDim.x) * blockDim.x / LANES;
    for (long long number = (blockIdx.x * blockDim.x + threadIdx.x) / LANES; number < pairs; number += warps) {
        int low = 0, high = count;
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            (merges[middle].pairs <= number ? low : high) = middle;
        }
        const Merge merge = merges[low];
        const long long own = number - merge.pairs;
        const long long x = members[merge.first + own / merge.seconds], y = members[merge.second + own % merge.seconds];
        const long long pair = x * P.sequences + y, weight = places.weights[x] * places.weights[y];
        const int m = P.lengths[x], turn = static_cast<int>(number * 7919 % max(m, 1));
        const int* own_places = places.places + merge.places;
        const int *of_x = own_places + places.starts[x], *of_y = own_places + places.starts[y];
        const int* rows = P.pointers + P.rows[pair];
        const unsigned* words = P.words + P.entries[pair];
        for (int of = lane; of < m; of += LANES) {
            const int i = of + turn < m ? of + turn : of + turn - m;  // pairs begin anywhere: fewer meet in one cell
            unsigned long long* line = scores + merge.scores + of_x[i] * merge.columns;
            for (int e = rows[i]; e < rows[i + 1]; e++)
                atomicAdd(line + of_y[column_of(words[e])], units_times(words[e], weight));
        }
    }
}

// For each column, over the pairs of letters in it: weights times units, and weights. Pairs are numbered x n + y.
extern "C" __global__ void column_support(POSTERIORS_PARAMETERS(given), ALIGNED_PARAMETERS(aligned),
                                          unsigned long long* supported, unsigned long long* possible) {
    const Posteriors P = POSTERIORS_OF(given);
    const Aligned places = ALIGNED_OF(aligned);
    const int lane = threadIdx.x % LANES;
    const long long n = P.sequences, warps = static_cast<long long>(gridDim.x) * blockDim.x / LANES;
    for (long long pair = (blockIdx.x * blockDim.x + threadIdx.x) / LANES; pair < n * n; pair += warps) {
        const long long x = pair / n, y = pair % n;
        if (x >= y) continue;
        const int m = P.lengths[x], width = P.lengths[y];
        const long long weight = places.weights[x] * places.weights[y];
        const int *of_x = places.places + places.starts[x], *of_y = places.places + places.starts[y];
        const int* rows = P.pointers + P.rows[pair];
        const unsigned* words = P.words + P.entries[pair];
        for (int of = lane; of < m; of += LANES) {
            const int i = static_cast<int>((of + pair * 7919) % m), column = of_x[i];
            int low = 0, high = width;  // the first letter of y that stands there or later
            while (low < high) {
                const int middle = (low + high) / 2;
                if (of_y[middle] < column) low = middle + 1;
                else high = middle;
            }
            if (low == width || of_y[low] != column) continue;
            atomicAdd(possible + column, static_cast<unsigned long long>(weight));
            for (int e = rows[i]; e < rows[i + 1]; e++)
                if (column_of(words[e]) == low) atomicAdd(supported + column, units_times(words[e], weight));
        }
    }
}

// The largest sum of units that an alignment of each pair can have. A warp keeps, in shared memory, a Fenwick tree of
// the best sums that end before a column; of a row the entries with the highest columns come first, since they must not
// follow each other.
extern "C" __global__ void best_sums(POSTERIORS_PARAMETERS(given), const int* pairs, long long count, int room,
                                     unsigned* best) {
    extern __shared__ unsigned all_trees[];
    const Posteriors P = POSTERIORS_OF(given);
    const int lane = threadIdx.x % LANES;
    unsigned* tree = all_trees + static_cast<long long>(threadIdx.x / LANES) * room;
    const long long warps = static_cast<long long>(gridDim.x) * blockDim.x / LANES;
    for (long long number = (blockIdx.x * blockDim.x + threadIdx.x) / LANES; number < count; number += warps) {
        const long long x = pairs[2 * number], y = pairs[2 * number + 1], pair = x * P.sequences + y;
        const int m = P.lengths[x], width = P.lengths[y];
        const int* rows = P.pointers + P.rows[pair];
        const unsigned* words = P.words + P.entries[pair];
        for (int j = lane; j <= width; j += LANES) tree[j] = 0;
        __syncwarp();
        for (int first = 0; first < m; first += LANES) {
            const int begin = rows[min(first + lane, m)], end = rows[min(first + lane + 1, m)];
            for (int of = 0; of < LANES && first + of < m; of++) {
                const int from = __shfl_sync(WARP, begin, of);
                for (int last = __shfl_sync(WARP, end, of); last > from; last -= LANES) {
                    const int e = last - 1 - lane;
                    unsigned sum = 0;
                    int column = width;
                    if (e >= from) {
                        column = column_of(words[e]);
                        for (int j = column; j > 0; j &= j - 1) sum = max(sum, tree[j]);
                        sum += units_of(words[e]);
                    }
                    __syncwarp();
                    for (int j = column + 1; j <= width; j += j & -j) atomicMax(tree + j, sum);
                    __syncwarp();
                }
            }
        }
        if (lane == 0) {
            unsigned sum = 0;
            for (int j = width; j > 0; j &= j - 1) sum = max(sum, tree[j]);
            best[number] = sum;
        }
        __syncwarp();
    }
}
