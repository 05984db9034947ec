// A tree of products of matrices of probabilities.
//
// Recurrence: product[node] = product[2 node] x product[2 node + 1]; a node without a partner goes up unchanged.
//             start[2 node] = start[node];  start[2 node + 1] = start[node] x product[2 node].
// Threads:    join: a block per (node, row); descend: a block per node of the lower level. Within a block, a thread per state,
//             or every blockDim.x-th state.
// Memory:     matrices are [node][row][state]; each row holds numbers times 2 to the power of its own exponent, [node][row],
//             since rows of one product may be farther apart than numbers of 64 bits reach. A row of zeros has an exponent far
//             below all others. Starts are [node][state].

constexpr long long LOWEST = -(1LL << 61);

// The exponent of the largest of left[k] 2^exponents[k].
__device__ __forceinline__ long long largest(const double* left, const long long* exponents, int states) {
    long long found = LOWEST;
    for (int k = 0; k < states; k++)
        if (left[k] > 0) found = max(found, exponents[k] + ilogb(left[k]));
    return found;
}

// Number s of left[k] 2^exponents[k] times the matrix `right`, over 2^raised.
__device__ __forceinline__ double number_of(const double* left, const long long* exponents, long long raised,
                                            const double* right, int states, int s) {
    double total = 0;
    for (int k = 0; k < states; k++)
        if (left[k] > 0) {
            int exponent = (int)max(exponents[k] - raised, -4096LL);
            total += ldexp(left[k], exponent) * right[(long long)k * states + s];
        }
    return total;
}

// One level up the tree.
extern "C" __global__ void join(const double* below, const long long* below_exponents, double* above,
                                long long* above_exponents, int nodes, int states) {
    long long node = blockIdx.x, size = (long long)states * states;
    int r = blockIdx.y;
    const double* left = below + 2 * node * size + (long long)r * states;
    const long long* exponents = below_exponents + (2 * node + 1) * states;
    bool alone = 2 * node + 1 >= nodes;
    long long raised = alone ? 0 : largest(left, exponents, states);
    for (int s = threadIdx.x; s < states; s += blockDim.x)
        above[node * size + (long long)r * states + s] =
            alone ? left[s] : number_of(left, exponents, raised, below + (2 * node + 1) * size, states, s);
    if (threadIdx.x == 0)
        above_exponents[node * states + r] = max(below_exponents[2 * node * states + r] + raised, LOWEST);
}

// One level down the tree. Numbers below 10^-300 of the rest are lost, as they are where rows are computed in sequence.
extern "C" __global__ void descend(const double* starts, const double* level, const long long* level_exponents,
                                   double* below, int states) {
    long long node = blockIdx.x, size = (long long)states * states;
    const double* start = starts + node / 2 * states;
    const long long* exponents = level_exponents + (node - 1) * states;
    long long raised = node % 2 ? largest(start, exponents, states) : 0;
    for (int s = threadIdx.x; s < states; s += blockDim.x) {
        double number = start[s];
        if (node % 2) number = number_of(start, exponents, raised, level + (node - 1) * size, states, s);
        below[node * states + s] = number < __longlong_as_double((1023LL + RAISED - 1000) << 52) ? 0 : number;
    }
}
