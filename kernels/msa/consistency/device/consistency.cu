// Computes: one round of consistency, rows of P(x, y) as the weighted mean over z of P(x, z) P(z, y).
// Every sum runs in rising order of z and of letters k of z, as on the CPU.
//
// Threads: GROUP lanes have a row. They go over z and over the entries k of row i of P(x, z), and add the entries of row k
// of P(z, y). The groups of a warp have neighbouring rows of one pair (a tile): they go over z in step, so that none waits
// for another and all read the same lines. A block takes a tile for each of its warps by a ticket.
//
// Memory: a group keeps the sums of its row in shared memory, float32, one for each letter of y. Entries of a row that reach
// the limit go to the next free place; `begins` and `counts` tell where.

// The pair to which a tile belongs.
__device__ __forceinline__ int pair_of(const Round round, long long tile) {
    int low = 0, high = round.count;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        (round.first_tiles[middle] <= tile ? low : high) = middle;
    }
    return low;
}

// Adds products of P(x, z), of which the row has the entries `begin` to `end`, and P(z, y). All groups of a warp meet here.
__device__ __forceinline__ void add_products(const unsigned* words, int begin, int end, const unsigned* next,
                                             const int* next_rows, float weight, float* sums, unsigned mask) {
    const int lane = threadIdx.x % GROUP;
    for (int chunk = begin; __any_sync(mask, chunk < end); chunk += GROUP) {
        // A lane reads an entry, and where the row it leads to is; then all lanes go over these rows.
        int k_begin = 0, k_end = 0;
        float k_value = 0.0f;
        const bool own = chunk + lane < end;
        if (own) {
            const unsigned word = words[chunk + lane];
            k_begin = next_rows[column_of(word)], k_end = next_rows[column_of(word) + 1];
            k_value = __fmul_rn(weight, static_cast<float>(units_of(word)));
        }
        unsigned there = __ballot_sync(mask, own);
        for (int by = LANES / 2; by >= GROUP; by /= 2) there |= there >> by;
        const int most = LANES - __clz(there & ((1u << GROUP) - 1));
        const bool longer = __any_sync(mask, k_end - k_begin > GROUP);
        // What these rows begin with is asked for at once, and added in its order.
        unsigned ahead[GROUP];
#pragma unroll
        for (int of = 0; of < GROUP; of++) {
            const int e = __shfl_sync(mask, k_begin, of, GROUP) + lane;
            ahead[of] = e < __shfl_sync(mask, k_end, of, GROUP) ? next[e] : 0;
        }
#pragma unroll
        for (int of = 0; of < GROUP; of++) {
            if (of >= most) break;
            const float value = __shfl_sync(mask, k_value, of, GROUP);
            if (ahead[of]) {
                float& sum = sums[column_of(ahead[of])];
                sum = __fadd_rn(sum, __fmul_rn(value, static_cast<float>(units_of(ahead[of]))));
            }
            if (longer) {
                const int until = __shfl_sync(mask, k_end, of, GROUP);
                for (int e = __shfl_sync(mask, k_begin, of, GROUP) + lane + GROUP; e < until; e += GROUP) {
                    float& sum = sums[column_of(next[e])];
                    sum = __fadd_rn(sum, __fmul_rn(value, static_cast<float>(units_of(next[e]))));
                }
            }
            __syncwarp(mask);
        }
    }
}

__device__ void consistent_tile(const Posteriors P, const Round round, const Entries out, long long tile, float* sums,
                                unsigned mask) {
    const int lane = threadIdx.x % GROUP, group = threadIdx.x % LANES / GROUP;
    const int number = pair_of(round, tile);
    const int i = static_cast<int>(tile - round.first_tiles[number]) * round.tile_rows + group;
    const int x = round.pairs[2 * number], y = round.pairs[2 * number + 1];
    const long long n = P.sequences, pair = x * n + y;
    const int width = P.lengths[y];
    const bool there = i < P.lengths[x];
    float total = round.own[number];
    if (there) {
        const int* row = P.pointers + P.rows[pair] + i;
        const unsigned* words = P.words + P.entries[pair];
        for (int e = row[0] + lane; e < row[1]; e += GROUP)
            sums[column_of(words[e])] =
                __fmul_rn(__fmul_rn(round.own[number], static_cast<float>(units_of(words[e]))), 65536.0f);
    }
    __syncwarp(mask);
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
        const int begin = there ? row[0] : 0, end = there ? row[1] : 0;
        add_products(P.words + P.entries[to], begin, end, P.words + P.entries[from], P.pointers + P.rows[from], weight,
                     sums, mask);
    }
    const float share = __fdiv_rn(1.0f, __fmul_rn(total, 65536.0f));
    // First how many stand out, then they are written in the order of columns.
    const unsigned own_lanes = (1u << GROUP) - 1, before = (1u << lane) - 1;
    int count = 0;
    for (int first = 0; first < width; first += GROUP) {
        const int j = first + lane;
        const int units = j < width ? static_cast<int>(__fadd_rn(__fmul_rn(sums[j], share), 0.5f)) : 0;
        count += __popc(__ballot_sync(mask, units >= out.limit) >> (group * GROUP) & own_lanes);
    }
    unsigned long long begin = 0;
    if (lane == 0 && there) {
        const long long row = out.first_rows[number] + i;
        begin = atomicAdd(out.cursor, static_cast<unsigned long long>(count));
        out.begins[row] = static_cast<long long>(begin);
        out.counts[row] = count;
        atomicAdd(out.totals + number, count);
    }
    begin = __shfl_sync(mask, begin, 0, GROUP);
    const bool room = there && begin + count <= static_cast<unsigned long long>(out.capacity);
    for (int first = 0; first < width; first += GROUP) {
        const int j = first + lane;
        const int units = j < width ? static_cast<int>(__fadd_rn(__fmul_rn(sums[j], share), 0.5f)) : 0;
        const unsigned standing = __ballot_sync(mask, units >= out.limit) >> (group * GROUP) & own_lanes;
        if (units >= out.limit && room) out.words[begin + __popc(standing & before)] = word_of(j, units);
        begin += __popc(standing);
        if (j < width) sums[j] = 0.0f;
    }
    __syncwarp(mask);
}

extern "C" __global__ void consistent_rows(POSTERIORS_PARAMETERS(given), ROUND_PARAMETERS(of),
                                           ENTRIES_PARAMETERS(found)) {
    extern __shared__ float all_sums[];
    __shared__ unsigned long long ticket;
    const Round round = ROUND_OF(of);
    const int warps = (blockDim.x + LANES - 1) / LANES;
    const unsigned mask = blockDim.x < LANES ? (1u << blockDim.x) - 1 : WARP;
    float* sums = all_sums + threadIdx.x / GROUP * round.width;
    for (int j = threadIdx.x % GROUP; j < round.width; j += GROUP) sums[j] = 0.0f;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) ticket = atomicAdd(round.ticket, static_cast<unsigned long long>(warps));
        __syncthreads();
        const long long tile = static_cast<long long>(ticket) + threadIdx.x / LANES;
        if (static_cast<long long>(ticket) >= round.tiles) return;
        if (tile < round.tiles) consistent_tile(POSTERIORS_OF(given), round, ENTRIES_OF(found), tile, sums, mask);
    }
}
