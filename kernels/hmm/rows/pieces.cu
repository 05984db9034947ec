// Starts and ends of pieces between the passes over their rows (rows.cu), and a tree of (min, +) products of matrices.
//
// Recurrence: start[p] = end[p - 1]; a piece is computed again while its start changes.
//             product[node] = product[2 node] x product[2 node + 1] over (min, +); a node without a partner goes up unchanged.
//             start[2 node] = start[node];  start[2 node + 1] = start[node] x product[2 node] over (min, +).
// Threads:    guess, prepare, settle: a block per piece; join: a block per (node, row); descend: a block per node of the lower
//             level. Within a block, a thread per state, or every blockDim.x-th state.
// Memory:     starts, ends and current rows are [piece][state]; matrices are [node][row][state].

// The first piece starts from the first row; for the others the guess is that all states are equal.
extern "C" __global__ void guess(const Number* first, Number one, Number* used, Number* current, int states) {
    int p = blockIdx.x;
    for (int s = threadIdx.x; s < states; s += blockDim.x)
        used[(long long)p * states + s] = current[(long long)p * states + s] = p > 0 ? one : first[s];
}

// Before a round of corrections: a piece is active where the end of the piece before is not what it started from.
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

// After a round: store the ends of the pieces that were changed up to their end; `changed` counts them.
extern "C" __global__ void settle(const Number* current, const int* active, Number* ends, int* changed, int states) {
    int p = blockIdx.x;
    if (!active[p]) return;
    for (int s = threadIdx.x; s < states; s += blockDim.x)
        ends[(long long)p * states + s] = current[(long long)p * states + s];
    if (threadIdx.x == 0) atomicAdd(changed, 1);
}

// One level up the tree of products.
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

// One level down the tree: a left child starts where its parent does, a right one behind its left sibling.
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
