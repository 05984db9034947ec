// The path back through the rows, a warp a piece of `length` letters.
//
// At letter k, the state that leads to state `next` of letter k + 1 is the smallest one with the least row + emission +
// transition. Pieces begin with a guess: as if no letter followed. Then those whose successor's first state was not the
// one they assumed go back again, but only until they meet the state that is there already: below it nothing changes.


// What is told of the path: its states in 16 bits, how often each pair of neighbouring states is in it, and how often each
// state has each symbol: counts[states][states], then [symbols][states]. Of a state that is none, nothing is counted. Blocks
// count in shared memory, as `in_block` says, where all counts fit, and add up what they have.
extern "C" __global__ void tell_path(const int* path, const unsigned char* seen, int letters, int states, int size,
                                     int in_block, unsigned short* told, int* counts) {
    extern __shared__ __align__(16) unsigned char memory[];
    int* own = in_block ? reinterpret_cast<int*>(memory) : counts;
    if (in_block) {
        for (int at = threadIdx.x; at < size; at += blockDim.x) own[at] = 0;
        __syncthreads();
    }
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < letters; k += gridDim.x * blockDim.x) {
        const int state = path[k], before = k > 0 ? path[k - 1] : NONE;
        told[k] = (unsigned short)state;
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
