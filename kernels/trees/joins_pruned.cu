// NJ-pruned: rows are read only where a bound says that the best pair may be there (see cpu_pruned.py).
//
// Row i of the square, symmetric matrix stands for its pairs with j < i. With u = S / (r - 2), `H` is the minimum of
// d - snapshot(j), and `T` that of d - u(j) when the row was last read, plus the growth summed until then. A join is
// three kernels: `estimate` (the best of the pairs that rows had as their best: an upper limit), `search` (rows whose
// bound is not beyond it, a block a row), `unite` (distances, sums, u and how much it grew). `renew` computes H anew.

constexpr double FAR = 1e300;
constexpr int AHEAD = 4;   // pairs that a thread loads before it looks at them

__device__ __forceinline__ double rounding(const State& state) {
    return state.greatest * (sizeof(REAL) == 4 ? 1.0 / (1 << 19) : 1.0 / (1ll << 47));
}

extern "C" __global__ void start(const double* S, REAL* u, REAL* snapshot, double* H, double* T, int* partners, int r) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < r; i += gridDim.x * blockDim.x) {
        u[i] = snapshot[i] = (REAL)(S[i] / (r - 2));
        H[i] = T[i] = -FAR;
        partners[i] = i ? i - 1 : 1;
    }
}

extern "C" __global__ void greatest_distance(const REAL* D, long long stride, int taxa, double* of_blocks) {
    double greatest = 0.0;
    for (int row = blockIdx.x; row < taxa; row += gridDim.x)
        for (int column = threadIdx.x; column < row; column += blockDim.x)
            greatest = max(greatest, (double)D[row * stride + column]);
    greatest = greatest_of_block(greatest);
    if (threadIdx.x == 0) of_blocks[blockIdx.x] = greatest;
}

// H of every row, with u as it is now for the new snapshot.
extern "C" __global__ void renew(const REAL* D, long long stride, const REAL* u, REAL* snapshot, double* H,
                                 State* state) {
    const int r = state->r;
    for (int row = blockIdx.x; row < r; row += gridDim.x) {
        double most = -FAR;
        for (int first = threadIdx.x; first < row; first += AHEAD * blockDim.x) {
            REAL values[AHEAD];
#pragma unroll
            for (int a = 0; a < AHEAD; ++a) {
                const int j = first + a * blockDim.x < row ? first + a * blockDim.x : first;
                values[a] = u[j] - D[row * stride + j];
            }
#pragma unroll
            for (int a = 0; a < AHEAD; ++a) most = max(most, (double)values[a]);
        }
        most = greatest_of_block(most);
        if (threadIdx.x == 0) {
            H[row] = -most;
            snapshot[row] = u[row];
        }
    }
    if (last_block(state) && threadIdx.x == 0) state->total_growth = 0.0;
}

extern "C" __global__ void estimate(const REAL* D, long long stride, const double* S, const int* slots,
                                    const int* partners, State* state, Pair* found) {
    const int r = state->r;
    Pair best = no_pair();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < r; i += gridDim.x * blockDim.x) {
        const int j = partners[i];
        if (j == i || j >= r) continue;
        const Pair pair = pair_of(criterion((double)D[i * stride + j], S[i], S[j], r), i, j, slots);
        if (better(pair, best)) best = pair;
    }
    best = best_of_block(best);
    if (threadIdx.x == 0) found[blockIdx.x] = best;
    if (!last_block(state)) return;
    best = best_of_grid(found);
    if (threadIdx.x == 0) state->limit = best.criterion;
}

// Read a row: its bounds, its best partner, and the best of its pairs whose d - u is at most `threshold`.
__device__ inline Pair read_row(const REAL* D, long long stride, int row, const double* S, const REAL* u,
                                const REAL* snapshot, const int* slots, double* H, double* T, int* partners,
                                const State& state, double threshold, Pair best) {
    double now = -FAR, then = -FAR;
    Pair nearest = no_pair();
    const double sum = S[row];
    for (int first = threadIdx.x; first < row; first += AHEAD * blockDim.x) {
        REAL distances[AHEAD], values[AHEAD], thens[AHEAD];
#pragma unroll
        for (int a = 0; a < AHEAD; ++a) {
            const int j = first + a * blockDim.x, at = j < row ? j : first;
            distances[a] = D[row * stride + at];
            values[a] = u[at];
            thens[a] = snapshot[at];
        }
#pragma unroll
        for (int a = 0; a < AHEAD; ++a) {
            const int j = first + a * blockDim.x < row ? first + a * blockDim.x : first;
            const double value = (double)(distances[a] - values[a]);
            now = max(now, -value);
            then = max(then, (double)(thens[a] - distances[a]));
            if (value < nearest.criterion) nearest = {value, (unsigned long long)j, 0};
            if (value <= threshold) {
                const Pair pair = pair_of(criterion((double)distances[a], sum, S[j], state.r), row, j, slots);
                if (better(pair, best)) best = pair;
            }
        }
    }
    now = greatest_of_block(now);
    then = greatest_of_block(then);
    nearest = best_of_block(nearest);
    if (threadIdx.x == 0) {
        H[row] = -then;
        T[row] = state.step_growth - now;
        if (nearest.slots != ~0ull) partners[row] = (int)nearest.slots;
    }
    return best;
}

extern "C" __global__ void search(const REAL* D, long long stride, const double* S, const REAL* u,
                                  const REAL* snapshot, const int* slots, const int* nodes, double* H, double* T,
                                  int* partners, State* shared_state, Pair* found, int* joins, double* records) {
    __shared__ int rows[1024];
    __shared__ int count;
    const State state = *shared_state;
    const double limit = state.limit / (state.r - 2) + rounding(state);
    Pair best = no_pair();
    for (long long base = 0; base * gridDim.x < state.r; base += blockDim.x) {
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
        const long long i = (base + threadIdx.x) * gridDim.x + blockIdx.x;
        if (i < state.r && max(H[i] - state.total_growth, T[i] - state.step_growth) - (double)u[i] <= limit)
            rows[atomicAdd(&count, 1)] = (int)i;
        __syncthreads();
        for (int at = 0; at < count; ++at) {
            const int row = rows[at];
            best = read_row(D, stride, row, S, u, snapshot, slots, H, T, partners, state,
                            limit + (double)u[row] + rounding(state), best);
        }
        __syncthreads();
    }
    best = best_of_block(best);
    if (threadIdx.x == 0) found[blockIdx.x] = best;
    if (!last_block(shared_state)) return;
    best = best_of_grid(found);
    if (threadIdx.x == 0) {
        const int a = best.places >> 32, b = best.places & 0xffffffffu;
        choose(shared_state, best, (double)D[a * stride + b], S, nodes, joins, records);
    }
}

__device__ __forceinline__ void include(double* H, double* T, int row, REAL d, REAL u, REAL snapshot, double grown) {
    H[row] = min(H[row], (double)(d - snapshot));
    T[row] = min(T[row], (double)(d - u) + grown);
}

// As in joins_blocks.cu, with both halves of the matrix and with u; `growth` takes three numbers a block.
extern "C" __global__ void unite(REAL* D, long long stride, double* S, REAL* u, REAL* snapshot, int* slots, int* nodes,
                                 double* H, double* T, int* partners, int taxa, State* shared_state, double* growth) {
    const State state = *shared_state;
    const int a = state.a, b = state.b, last = state.r - 1, to = a == last ? b : a;
    const bool moves = last != a && last != b;
    const double scale = 1.0 / (state.r - 3), new_sum = sum_of_new(state);
    const REAL new_u = (REAL)(new_sum * scale), last_u = u[last], last_snapshot = snapshot[last];
    double step = 0.0, total = -FAR, greatest = 0.0;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < last; k += gridDim.x * blockDim.x) {
        // Place k after the join: who comes there, and from where.
        const int from = k == b && moves ? last : k;
        if (k == to) {
            S[k] = new_sum;
            u[k] = snapshot[k] = new_u;
            H[k] = T[k] = -FAR;
            if (k != a) slots[k] = slots[a];
            nodes[k] = taxa + state.step;
            D[k * stride + k] = 0;
            total = max(total, 0.0);
            continue;
        }
        const double both = __dadd_rn((double)D[a * stride + from], (double)D[b * stride + from]);
        const REAL d = distance_to_new(both, state.between);
        const double sum = __dadd_rn(__dsub_rn(S[from], both), (double)d);
        const REAL before = from == last ? last_u : u[k], then = from == last ? last_snapshot : snapshot[k];
        const REAL after = (REAL)(sum * scale);
        S[k] = sum;
        u[k] = after;
        if (from == last) {
            snapshot[k] = then;
            H[k] = H[last];
            T[k] = T[last];
            partners[k] = partners[last];
            slots[k] = slots[last];
            nodes[k] = nodes[last];
        } else if (moves) {
            const REAL moved = D[last * stride + k];
            D[(long long)b * stride + k] = D[k * stride + b] = moved;
            if (k > b) include(H, T, k, moved, last_u, last_snapshot, state.step_growth);
        }
        D[to * stride + k] = D[k * stride + to] = d;
        if (k > to) include(H, T, k, d, new_u, new_u, state.step_growth);
        step = max(step, (double)(after - before));
        total = max(total, (double)(after - then));
        greatest = max(greatest, fabs((double)d));
    }
    step = greatest_of_block(step);
    total = greatest_of_block(total);
    greatest = greatest_of_block(greatest);
    if (threadIdx.x == 0) {
        growth[3 * blockIdx.x] = step;
        growth[3 * blockIdx.x + 1] = total;
        growth[3 * blockIdx.x + 2] = greatest;
    }
    if (!last_block(shared_state)) return;
    step = total = greatest = -FAR;
    for (int block = threadIdx.x; block < (int)gridDim.x; block += blockDim.x) {
        step = max(step, growth[3 * block]);
        total = max(total, growth[3 * block + 1]);
        greatest = max(greatest, growth[3 * block + 2]);
    }
    step = greatest_of_block(step);
    total = greatest_of_block(total);
    greatest = greatest_of_block(greatest);
    if (threadIdx.x == 0) {
        shared_state->step_growth = state.step_growth + step;
        shared_state->total_growth = total;
        shared_state->greatest = max(state.greatest, greatest);
        shared_state->r = state.r - 1;
        shared_state->step = state.step + 1;
    }
}
