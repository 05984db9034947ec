// One round of consistency: rows of P(x, y) as the weighted mean over z of P(x, z) P(z, y), a group of GROUP lanes a row.
//
// A group keeps the sums of its row in shared memory, float32, one a letter of y. It goes over z, over the entries k of row
// i of P(x, z), and has its lanes add the entries of row k of P(z, y): so every sum is made in rising order of z and k, as
// on the CPU. A block takes as many rows as it has groups by a ticket: they follow each other, and so read the same lines.
// What stands out of a row goes to the next free place among the entries; `begins` and `counts` say where.

// The pair to which a row belongs.
__device__ __forceinline__ int pair_of(const Entries out, int pairs, long long row) {
    int low = 0, high = pairs;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        (out.first_rows[middle] <= row ? low : high) = middle;
    }
    return low;
}

__device__ void consistent_row(const Posteriors P, const Round round, const Entries out, long long row_number,
                               float* sums) {
    const int lane = threadIdx.x % GROUP;
    const unsigned members = ((1u << GROUP) - 1) << (threadIdx.x % LANES / GROUP * GROUP);
    const int number = pair_of(out, round.count, row_number), i = static_cast<int>(row_number - out.first_rows[number]);
    const int x = round.pairs[2 * number], y = round.pairs[2 * number + 1];
    const long long n = P.sequences, pair = x * n + y;
    const int width = P.lengths[y];
    float total = round.own[number];
    {
        const int* row = P.pointers + P.rows[pair] + i;
        const unsigned* words = P.words + P.entries[pair];
        for (int e = row[0] + lane; e < row[1]; e += GROUP)
            sums[column_of(words[e])] =
                __fmul_rn(__fmul_rn(round.own[number], static_cast<float>(units_of(words[e]))), 65536.0f);
        __syncwarp(members);
    }
    // The sequences z of x and those of y, in rising order, each once.
    const int *of_x = round.via + static_cast<long long>(x) * round.chosen, *end_x = of_x + round.chosen;
    const int *of_y = round.via + static_cast<long long>(y) * round.chosen, *end_y = of_y + round.chosen;
    while (of_x < end_x || of_y < end_y) {
        const int z = of_y == end_y || (of_x < end_x && *of_x <= *of_y) ? *of_x : *of_y;
        of_x += of_x < end_x && *of_x == z;
        of_y += of_y < end_y && *of_y == z;
        if (z == x || z == y) continue;
        const float weight = round.weights[z];
        total = __fadd_rn(total, weight);
        const long long to = x * n + z, from = z * n + y;
        const int* row = P.pointers + P.rows[to] + i;
        const unsigned *words = P.words + P.entries[to], *next = P.words + P.entries[from];
        const int* next_rows = P.pointers + P.rows[from];
        const int begin = row[0], end = row[1];
        for (int chunk = begin; chunk < end; chunk += GROUP) {
            // A lane reads an entry, and where the row it leads to is; then all lanes go over these rows.
            int k_begin = 0, k_end = 0;
            float k_value = 0.0f;
            if (chunk + lane < end) {
                const unsigned word = words[chunk + lane];
                k_begin = next_rows[column_of(word)], k_end = next_rows[column_of(word) + 1];
                k_value = __fmul_rn(weight, static_cast<float>(units_of(word)));
            }
            // What they have is asked for at once, and added in its order.
            const int there = min(end - chunk, GROUP);
            unsigned ahead[GROUP];
#pragma unroll
            for (int of = 0; of < GROUP; of++) {
                const int e = __shfl_sync(members, k_begin, of, GROUP) + lane;
                ahead[of] = e < __shfl_sync(members, k_end, of, GROUP) ? next[e] : 0;
            }
#pragma unroll
            for (int of = 0; of < GROUP; of++) {
                if (of >= there) break;
                const float value = __shfl_sync(members, k_value, of, GROUP);
                if (ahead[of]) {
                    float& sum = sums[column_of(ahead[of])];
                    sum = __fadd_rn(sum, __fmul_rn(value, static_cast<float>(units_of(ahead[of]))));
                }
                const int until = __shfl_sync(members, k_end, of, GROUP);
                for (int e = __shfl_sync(members, k_begin, of, GROUP) + lane + GROUP; e < until; e += GROUP) {
                    float& sum = sums[column_of(next[e])];
                    sum = __fadd_rn(sum, __fmul_rn(value, static_cast<float>(units_of(next[e]))));
                }
                __syncwarp(members);
            }
        }
    }
    const float share = __fdiv_rn(1.0f, __fmul_rn(total, 65536.0f));
    // First how many stand out, then they are written in the order of columns.
    int count = 0;
    for (int first = 0; first < width; first += GROUP) {
        const int j = first + lane;
        const int units = j < width ? static_cast<int>(__fadd_rn(__fmul_rn(sums[j], share), 0.5f)) : 0;
        count += __popc(__ballot_sync(members, units >= out.limit) & members);
    }
    unsigned long long begin = 0;
    if (lane == 0) {
        begin = atomicAdd(out.cursor, static_cast<unsigned long long>(count));
        out.begins[row_number] = static_cast<long long>(begin);
        out.counts[row_number] = count;
        atomicAdd(out.totals + number, count);
    }
    begin = __shfl_sync(members, begin, 0, GROUP);
    const bool room = begin + count <= static_cast<unsigned long long>(out.capacity);
    for (int first = 0; first < width; first += GROUP) {
        const int j = first + lane;
        const int units = j < width ? static_cast<int>(__fadd_rn(__fmul_rn(sums[j], share), 0.5f)) : 0;
        const unsigned there = __ballot_sync(members, units >= out.limit) & members;
        if (units >= out.limit && room)
            out.words[begin + __popc(there & ((1u << (threadIdx.x % LANES)) - 1))] = word_of(j, units);
        begin += __popc(there);
        if (j < width) sums[j] = 0.0f;
    }
    __syncwarp(members);
}

extern "C" __global__ void consistent_rows(POSTERIORS_PARAMETERS(given), ROUND_PARAMETERS(of),
                                           ENTRIES_PARAMETERS(found)) {
    extern __shared__ float all_sums[];
    __shared__ unsigned long long ticket;
    const Round round = ROUND_OF(of);
    const int groups = blockDim.x / GROUP;
    float* sums = all_sums + threadIdx.x / GROUP * round.width;
    for (int j = threadIdx.x % GROUP; j < round.width; j += GROUP) sums[j] = 0.0f;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) ticket = atomicAdd(round.ticket, static_cast<unsigned long long>(groups));
        __syncthreads();
        const long long row = static_cast<long long>(ticket) + threadIdx.x / GROUP;
        if (static_cast<long long>(ticket) >= round.rows) return;
        if (row < round.rows) consistent_row(POSTERIORS_OF(given), round, ENTRIES_OF(found), row, sums);
    }
}
