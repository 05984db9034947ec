// The path back through the rows, and the counts of its steps.
//
// Recurrence: path[k] = the smallest state with the least  row[k][s] + emission[letter k][s] + T[s][path[k + 1]]
// Threads:    trace_back: a warp per piece of `length` letters, a lane per state (or every 32nd state). Pieces begin with a
//             guess: as if no letter followed. Pieces whose guess was wrong go back again, but only until they meet the state
//             that is there already: before it nothing changes. count_path: a thread per letter, or every so many letters.
// Memory:     rows are [letter][state], path [letter]. Counts are [states][states] of neighbouring states, then
//             [symbols][states]; blocks count in shared memory where all counts fit (`in_block`), and add up at the end.

// Copy the path in 16 bits, and count its pairs of states and its symbols. NONE is not counted.
extern "C" __global__ void count_path(const int* path, const unsigned char* seen, int letters, int states, int size,
                                      int in_block, unsigned short* copied, int* counts) {
    extern __shared__ __align__(16) unsigned char memory[];
    int* own = in_block ? reinterpret_cast<int*>(memory) : counts;
    if (in_block) {
        for (int at = threadIdx.x; at < size; at += blockDim.x) own[at] = 0;
        __syncthreads();
    }
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < letters; k += gridDim.x * blockDim.x) {
        const int state = path[k], before = k > 0 ? path[k - 1] : NONE;
        copied[k] = (unsigned short)state;
        if (size == 0 || state < 0) continue;
        if (before >= 0) atomicAdd(own + before * states + state, 1);
        atomicAdd(own + (states + seen[k]) * states + state, 1);
    }
    if (!in_block) return;
    __syncthreads();
    for (int at = threadIdx.x; at < size; at += blockDim.x)
        if (own[at]) atomicAdd(counts + at, own[at]);
}

extern "C" __global__ void trace_back(const Number* columns, const Number* emissions, const unsigned char* seen,
                                      const Number* rows, int* path, const int* entries, int* new_entries, int* used,
                                      int* changed, int states, int letters, int length, int pieces) {
    int p = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    if (p >= pieces) return;
    int first = p * length, last = min(first + length, letters);
    bool again = used[p] != UNKNOWN;
    int next = again && p + 1 < pieces ? entries[p + 1] : NONE;
    int entry = entries[p];
    bool stays = again && next == used[p];
    __syncwarp();
    if (lane == 0) used[p] = next;
    for (int k = last - 1; k >= first && !stays; k--) {
        Number best = infinite();
        int winner = NONE;
        const Number *row = rows + (long long)k * states, *emission = emissions + (long long)seen[k] * states;
        for (int s = lane; s < states; s += LANES) {
            Number way = min(row[s] + emission[s], infinite());
            if (next >= 0) way = min(way + columns[(long long)next * states + s], infinite());
            if (way < best) best = way, winner = s;
        }
        for (int apart = LANES / 2; apart > 0; apart /= 2) {
            Number other = __shfl_xor_sync(WARP, best, apart);
            int others = __shfl_xor_sync(WARP, winner, apart);
            bool better = other < best || (other == best && others >= 0 && (winner < 0 || others < winner));
            best = better ? other : best;
            winner = better ? others : winner;
        }
        stays = again && path[k] == winner;
        __syncwarp();
        if (lane == 0) path[k] = winner;
        if (k == first && !stays) {
            entry = winner;
            if (lane == 0) atomicAdd(changed, 1);
        }
        next = winner;
    }
    if (lane == 0) new_entries[p] = entry;
}
