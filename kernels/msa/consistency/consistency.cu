// One round of consistency: rows of P(x, y) as the weighted mean over z of P(x, z) P(z, y), a group of GROUP lanes a row.
//
// A group keeps the sums of its row in shared memory, float32, one a letter of y. It goes over z, over the entries k of row
// i of P(x, z), and has its lanes add the entries of row k of P(z, y): so every sum is made in rising order of z and k, as
// on the CPU. Rows of a pair are handed out by a ticket. What stands out of a row goes to the next free place among the
// entries; `begins` and `counts` say where.

extern "C" __global__ void consistent_rows(POSTERIORS_PARAMETERS(given), ROUND_PARAMETERS(of), ROWS_PARAMETERS(found)) {
    extern __shared__ float all_sums[];
    const Posteriors P = POSTERIORS_OF(given);
    const Round round = ROUND_OF(of);
    const Rows out = ROWS_OF(found);
    const int group = threadIdx.x / GROUP, lane = threadIdx.x % GROUP;
    const unsigned members = ((1u << GROUP) - 1) << (threadIdx.x % LANES / GROUP * GROUP);
    float* sums = all_sums + group * round.width;
    for (int j = lane; j < round.width; j += GROUP) sums[j] = 0.0f;
    __syncwarp(members);
    while (true) {
        unsigned long long ticket = 0;
        if (lane == 0) ticket = atomicAdd(round.ticket, 1ull);
        ticket = __shfl_sync(members, ticket, 0, GROUP);
        if (ticket >= static_cast<unsigned long long>(round.rows)) return;
        const int number = round.pair_of[ticket], i = static_cast<int>(ticket - round.first_rows[number]);
        const int x = round.pairs[2 * number], y = round.pairs[2 * number + 1];
        const long long n = P.sequences, pair = x * n + y;
        const int width = P.lengths[y];
        float total = round.own[number];
        {
            const int* row = P.pointers + P.rows[pair] + i;
            const long long entry = P.entries[pair];
            for (int e = row[0] + lane; e < row[1]; e += GROUP)
                sums[P.columns[entry + e]] =
                    __fmul_rn(__fmul_rn(round.own[number], static_cast<float>(P.units[entry + e])), 65536.0f);
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
            const long long entry = P.entries[to], next = P.entries[from];
            const int* next_rows = P.pointers + P.rows[from];
            const int begin = row[0], end = row[1];
            for (int chunk = begin; chunk < end; chunk += GROUP) {
                // A lane reads an entry, and where the row it leads to is; then all lanes go over these rows.
                int k_begin = 0, k_end = 0;
                float k_value = 0.0f;
                if (chunk + lane < end) {
                    const int k = P.columns[entry + chunk + lane];
                    k_begin = next_rows[k], k_end = next_rows[k + 1];
                    k_value = __fmul_rn(weight, static_cast<float>(P.units[entry + chunk + lane]));
                }
                const int there = min(end - chunk, GROUP);
                for (int of = 0; of < there; of++) {
                    const int from_entry = __shfl_sync(members, k_begin, of, GROUP);
                    const int until = __shfl_sync(members, k_end, of, GROUP);
                    const float value = __shfl_sync(members, k_value, of, GROUP);
                    for (int e = from_entry + lane; e < until; e += GROUP) {
                        const int j = P.columns[next + e];
                        sums[j] = __fadd_rn(sums[j], __fmul_rn(value, static_cast<float>(P.units[next + e])));
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
            count += __popc(__ballot_sync(members, units >= round.limit) & members);
        }
        unsigned long long begin = 0;
        if (lane == 0) {
            begin = atomicAdd(out.cursor, static_cast<unsigned long long>(count));
            out.begins[ticket] = static_cast<long long>(begin);
            out.counts[ticket] = count;
        }
        begin = __shfl_sync(members, begin, 0, GROUP);
        const bool room = begin + count <= static_cast<unsigned long long>(out.capacity);
        for (int first = 0; first < width; first += GROUP) {
            const int j = first + lane;
            const int units = j < width ? static_cast<int>(__fadd_rn(__fmul_rn(sums[j], share), 0.5f)) : 0;
            const unsigned there = __ballot_sync(members, units >= round.limit) & members;
            if (units >= round.limit && room) {
                const unsigned long long place = begin + __popc(there & ((1u << (threadIdx.x % LANES)) - 1));
                out.columns[place] = static_cast<unsigned short>(j);
                out.units[place] = static_cast<unsigned short>(min(units, 65535));
            }
            begin += __popc(there);
            if (j < width) sums[j] = 0.0f;
        }
        __syncwarp(members);
    }
}
