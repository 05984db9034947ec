// Computes: entries of pairs, whose rows lie anywhere, as compressed rows of (x, y) and of (y, x).
//
// Threads: a warp has a pair; a lane copies a row of (x, y). The transpose goes row after row, so that its rows rise as well.
//
// Memory: compressed rows as in `SparsePosteriors`. While a transpose is made, the pointer of the row after j is first the
// number of entries of j, then the place of the next entry of j, and at last the end of j.

// The sum of what the lanes before this one have; `sum` grows by that of all.
__device__ __forceinline__ int before_lane(int value, int& sum) {
    const int lane = threadIdx.x % LANES;
    int through = value;
    for (int step = 1; step < LANES; step *= 2) {
        const int other = __shfl_up_sync(WARP, through, step);
        if (lane >= step) through += other;
    }
    const int before = sum + through - value;
    sum += __shfl_sync(WARP, through, LANES - 1);
    return before;
}

extern "C" __global__ void lay_out(POSTERIORS_PARAMETERS(into), ENTRIES_PARAMETERS(from), const int* pairs,
                                   long long count) {
    const Posteriors P = POSTERIORS_OF(into);
    const Entries found = ENTRIES_OF(from);
    const int lane = threadIdx.x % LANES;
    const long long warps = static_cast<long long>(gridDim.x) * blockDim.x / LANES;
    for (long long number = (blockIdx.x * blockDim.x + threadIdx.x) / LANES; number < count; number += warps) {
        const long long x = pairs[2 * number], y = pairs[2 * number + 1], n = P.sequences;
        const int m = P.lengths[x], width = P.lengths[y];
        const long long first_row = found.first_rows[number];
        int *row = P.pointers + P.rows[x * n + y], *transposed = P.pointers + P.rows[y * n + x] + 1;
        unsigned *words = P.words + P.entries[x * n + y], *other = P.words + P.entries[y * n + x];
        int sum = 0;
        for (int i = lane; i - lane < m; i += LANES) {
            const int there = i < m ? found.counts[first_row + i] : 0;
            const int place = before_lane(there, sum);
            if (i < m) row[i] = place;
            const unsigned* own = found.words + (there ? found.begins[first_row + i] : 0);
            for (int e = 0; e < there; e++) {
                words[place + e] = own[e];
                atomicAdd(transposed + column_of(own[e]), 1);
            }
        }
        if (lane == 0) row[m] = sum;
        __syncwarp();
        sum = 0;
        for (int j = lane; j - lane < width; j += LANES) {
            const int place = before_lane(j < width ? transposed[j] : 0, sum);
            if (j < width) transposed[j] = place;
        }
        __syncwarp();
        for (int i = 0; i < m; i++) {
            for (int e = row[i] + lane; e < row[i + 1]; e += LANES) {
                const unsigned word = words[e];
                other[transposed[column_of(word)]++] = word_of(i, units_of(word));
            }
            __syncwarp();
        }
    }
}
