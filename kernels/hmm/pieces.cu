// Between the passes over the rows: what pieces start from.

// At first, a block a piece: the first starts from the first row, of the others it is guessed that all states are equal.
extern "C" __global__ void guess(const Number* first, Number one, Number* used, Number* current, int states) {
    int p = blockIdx.x;
    for (int s = threadIdx.x; s < states; s += blockDim.x)
        used[(long long)p * states + s] = current[(long long)p * states + s] = p > 0 ? one : first[s];
}

// Before a round of corrections, a block a piece: a piece starts again where the end of the piece before is not what it
// started from.
extern "C" __global__ void prepare(const Number* ends, Number* used, Number* current, int* active, int states) {
    int p = blockIdx.x;
    long long own = (long long)p * states;
    bool differs = false;
    if (p > 0)
        for (int s = threadIdx.x; s < states; s += blockDim.x) {
            Number start = ends[own - states + s];
            differs |= start != used[own + s];
            used[own + s] = current[own + s] = start;
        }
    differs = __syncthreads_or(differs);
    if (threadIdx.x == 0) active[p] = differs;
}

// After a round: the new ends of the pieces that were changed to their end; `changed` counts them.
extern "C" __global__ void settle(const Number* current, const int* active, Number* ends, int* changed, int states) {
    int p = blockIdx.x;
    if (!active[p]) return;
    for (int s = threadIdx.x; s < states; s += blockDim.x)
        ends[(long long)p * states + s] = current[(long long)p * states + s];
    if (threadIdx.x == 0) atomicAdd(changed, 1);
}

// A level of the tree of products, block (node, row): products of pairs; the last one without a partner goes up as it is.
extern "C" __global__ void join(const Number* below, Number* above, int nodes, int states) {
    long long size = (long long)states * states;
    int node = blockIdx.x, r = blockIdx.y;
    const Number* left = below + 2 * node * size + (long long)r * states;
    const Number* right = below + (2 * node + 1) * size;
    for (int s = threadIdx.x; s < states; s += blockDim.x) {
        Number best = infinite();
        if (2 * node + 1 < nodes)
            for (int k = 0; k < states; k++) best = step(best, left[k], right[(long long)k * states + s]);
        else
            best = left[s];
        above[node * size + (long long)r * states + s] = best;
    }
}

// Down the tree, a block a node of the lower level: a left child starts where its parent does, a right one after its
// left sibling.
extern "C" __global__ void descend(const Number* starts, const Number* level, Number* below, int states) {
    int node = blockIdx.x;
    long long size = (long long)states * states;
    const Number* start = starts + (long long)(node / 2) * states;
    for (int s = threadIdx.x; s < states; s += blockDim.x) {
        Number best = infinite();
        if (node % 2)
            for (int k = 0; k < states; k++)
                best = step(best, start[k], level[(node - 1) * size + (long long)k * states + s]);
        else
            best = start[s];
        below[(long long)node * states + s] = best;
    }
}
