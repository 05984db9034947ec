// NJ-pruned: rows are read only where a bound says that the best pair may be there (see cpu_pruned.py).
//
// Recurrence: that of joins.cuh. With u = S / (r - 2), row i is bounded from below by H(i) - growth of u since the
//   snapshot, and by T(i) - growth of u since the row was read, less u(i): H is the minimum of d - snapshot(j), T
//   that of d - u(j) when the row was last read, plus the growth summed until then.
// Threads: `search_rows` reads the rows whose bound is not beyond the best known pair, a block a row; `join_clusters` has a
//   thread for each cluster and makes distances, sums, u and its growth, and the best pair of each row with its
//   best known partner, which the next search begins with; `renew_bounds` computes H anew, a block a row.
// Memory: row rows[i] of the square matrix D stands for the pairs of place i with j < i, so that a new cluster gets
//   a row of its own and no row moves. Sums are kept twice, read and written in turns of joins: `sums` + taxa x
//   (step mod 2).

constexpr double FAR = 1e300;
constexpr int AHEAD = 8;   // pairs that a thread loads before it looks at them

__device__ __forceinline__ double rounding_slack(const State& state) {
    return state.greatest * (sizeof(REAL) == 4 ? 1.0 / (1 << 19) : 1.0 / (1ll << 47));
}

extern "C" __global__ void start_bounds(const double* S, REAL* u, REAL* snapshot, double* H, double* T, int* partners, int r) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < r; i += gridDim.x * blockDim.x) {
        u[i] = snapshot[i] = (REAL)(S[i] / (r - 2));
        H[i] = T[i] = -FAR;
        partners[i] = i ? i - 1 : 1;
    }
}

// The greatest distance, and less the best criterion of the first pair of each row; two numbers a block.
extern "C" __global__ void survey_matrix(const REAL* D, long long stride, const double* S, int r, double* of_blocks) {
    double most[2] = {0.0, -FAR};
    for (int row = blockIdx.x; row < r; row += gridDim.x) {
        for (int column = threadIdx.x; column < row; column += blockDim.x)
            most[0] = max(most[0], (double)D[row * stride + column]);
        if (threadIdx.x == 0 && row)
            most[1] = max(most[1], -criterion((double)D[row * stride + row - 1], S[row], S[row - 1], r));
    }
    greatest_of_block(most);
    if (threadIdx.x == 0)
        for (int n = 0; n < 2; ++n) of_blocks[2 * blockIdx.x + n] = most[n];
}

// H of every row, with u as it is now for the new snapshot.
extern "C" __global__ void renew_bounds(const REAL* D, long long stride, const int* rows, const REAL* u, REAL* snapshot,
                                 double* H, State* state) {
    const int r = state->r;
    for (int place = blockIdx.x; place < r; place += gridDim.x) {
        const REAL* distances = D + rows[place] * stride;
        double most[1] = {-FAR};
        for (int first = threadIdx.x; first < place; first += AHEAD * blockDim.x) {
            REAL values[AHEAD];
#pragma unroll
            for (int a = 0; a < AHEAD; ++a) {
                const int j = first + a * blockDim.x < place ? first + a * blockDim.x : first;
                values[a] = u[j] - distances[j];
            }
#pragma unroll
            for (int a = 0; a < AHEAD; ++a) most[0] = max(most[0], (double)values[a]);
        }
        greatest_of_block(most);
        if (threadIdx.x == 0) {
            H[place] = -most[0];
            snapshot[place] = u[place];
        }
    }
    if (last_block(state) && threadIdx.x == 0) state->total_growth = 0.0;
}

// Read a row: its bounds, its best partner, and the best of its pairs whose d - u is at most `threshold`.
__device__ inline Pair read_row(const REAL* distances, int place, const double* S, const REAL* u, const REAL* snapshot,
                                const int* slots, double* H, double* T, int* partners, const State& state,
                                double threshold, Pair best) {
    double then[1] = {-FAR};
    Pair nearest = no_pair();
    const double sum = S[place];
    for (int first = threadIdx.x; first < place; first += AHEAD * blockDim.x) {
        REAL apart[AHEAD], values[AHEAD], thens[AHEAD];
#pragma unroll
        for (int a = 0; a < AHEAD; ++a) {
            const int j = first + a * blockDim.x < place ? first + a * blockDim.x : first;
            apart[a] = distances[j];
            values[a] = u[j];
            thens[a] = snapshot[j];
        }
#pragma unroll
        for (int a = 0; a < AHEAD; ++a) {
            const int j = first + a * blockDim.x < place ? first + a * blockDim.x : first;
            const double value = (double)(apart[a] - values[a]);
            then[0] = max(then[0], (double)(thens[a] - apart[a]));
            if (value < nearest.criterion) nearest = {value, (unsigned long long)j, 0};
            if (value <= threshold) {
                const Pair pair = pair_of(criterion((double)apart[a], sum, S[j], state.r), place, j, slots);
                if (is_better(pair, best)) best = pair;
            }
        }
    }
    greatest_of_block(then);
    nearest = best_of_block(nearest);
    if (threadIdx.x == 0) {
        H[place] = -then[0];
        T[place] = place ? state.step_growth + nearest.criterion : FAR;
        if (nearest.slots != ~0ull) partners[place] = (int)nearest.slots;
    }
    return best;
}

extern "C" __global__ void search_rows(BOUNDED_PARAMETERS(all), Pair* found, int* joins, double* records) {
    const Bounded all = BOUNDED_OF(all);
    __shared__ int chosen[1024];
    __shared__ int count;
    const State state = *all.state;
    const double* S = all.sums + (long long)(state.step & 1) * all.taxa;
    const double limit = state.limit / (state.r - 2) + rounding_slack(state);
    Pair best = no_pair();
    for (long long base = 0; base * gridDim.x < state.r; base += blockDim.x) {
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
        const long long i = (base + threadIdx.x) * gridDim.x + blockIdx.x;
        if (i < state.r && max(all.H[i] - state.total_growth, all.T[i] - state.step_growth) - (double)all.u[i] <= limit)
            chosen[atomicAdd(&count, 1)] = (int)i;
        __syncthreads();
        for (int at = 0; at < count; ++at) {
            const int place = chosen[at];
            best = read_row(all.D + all.rows[place] * all.stride, place, S, all.u, all.snapshot, all.slots, all.H, all.T, all.partners, state,
                            limit + (double)all.u[place] + rounding_slack(state), best);
        }
        __syncthreads();
    }
    best = best_of_block(best);
    if (threadIdx.x == 0) found[blockIdx.x] = best;
    if (!last_block(all.state)) return;
    best = best_of_grid(found);
    if (threadIdx.x == 0) {
        const int a = best.places >> 32, b = best.places & 0xffffffffu;
        all.state->row_a = all.rows[a];
        all.state->row_b = all.rows[b];
        record_join(all.state, best, (double)all.D[all.rows[a] * all.stride + b], S, all.nodes, joins, records);
    }
}

__device__ __forceinline__ void update_bounds(double* H, double* T, int row, REAL d, REAL u, REAL snapshot, double grown) {
    H[row] = min(H[row], (double)(d - snapshot));
    T[row] = min(T[row], (double)(d - u) + grown);
}

// The distance of a cluster to the new one, and its sum after the join.
struct After {
    REAL d;
    double sum;
};

__device__ __forceinline__ After after_join(const REAL* one, const REAL* other, const double* S, int place,
                                            double between) {
    const double both = __dadd_rn((double)one[place], (double)other[place]);
    const REAL d = distance_to_new(both, between);
    return {d, __dadd_rn(__dsub_rn(S[place], both), (double)d)};
}

// The new cluster takes the place of a, or of b where a was the last; the last cluster takes the place that is free.
// Rows a and b of D are only read, and of the others only the columns of these two places are written.
extern "C" __global__ void join_clusters(BOUNDED_PARAMETERS(all), double* of_blocks) {
    const Bounded all = BOUNDED_OF(all);
    const State state = *all.state;
    const double* S = all.sums + (long long)(state.step & 1) * all.taxa;
    double* next_S = all.sums + (long long)(~state.step & 1) * all.taxa;
    const int a = state.a, b = state.b, last = state.r - 1, to = a == last ? b : a;
    const bool moves = last != a && last != b;
    const REAL *one = all.D + state.row_a * all.stride, *other = all.D + state.row_b * all.stride;
    const double scale = 1.0 / (state.r - 3), new_sum = sum_of_new(state);
    const REAL new_u = (REAL)(new_sum * scale), last_u = all.u[last], last_snapshot = all.snapshot[last];
    // Growth of all.u at this join, growth since the all.snapshot, greatest distance, less the best criterion.
    double most[4] = {0.0, -FAR, 0.0, -FAR};
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < last; k += gridDim.x * blockDim.x) {
        // Place k after the join: who comes there, and from where.
        const int from = k == b && moves ? last : k;
        if (k == to) {
            next_S[k] = new_sum;
            all.u[k] = all.snapshot[k] = new_u;
            all.H[k] = all.T[k] = -FAR;
            if (k != a) all.slots[k] = all.slots[a];
            all.nodes[k] = all.taxa + state.step;
            all.rows[k] = state.spare;
            all.partners[k] = k ? k - 1 : 1;
            most[1] = max(most[1], 0.0);
            continue;
        }
        REAL* distances = all.D + all.rows[from] * all.stride;
        const After own = after_join(one, other, S, from, state.between);
        const REAL before = from == last ? last_u : all.u[k], then = from == last ? last_snapshot : all.snapshot[k];
        const REAL after = (REAL)(own.sum * scale);
        const int partner = all.partners[from];
        double known;
        if (partner == a || partner == b) {
            known = criterion((double)own.d, own.sum, new_sum, state.r - 1);
            all.partners[k] = to;
        } else {
            const After beside = after_join(one, other, S, partner, state.between);
            known = criterion((double)distances[partner], own.sum, beside.sum, state.r - 1);
            all.partners[k] = partner == last ? b : partner;
        }
        next_S[k] = own.sum;
        all.u[k] = after;
        if (from == last) {
            all.snapshot[k] = then;
            all.H[k] = all.H[last];
            all.T[k] = all.T[last];
            all.slots[k] = all.slots[last];
            all.nodes[k] = all.nodes[last];
            all.rows[k] = all.rows[last];
        } else if (moves) {
            const REAL moved = distances[last];
            distances[b] = moved;
            if (k > b) update_bounds(all.H, all.T, k, moved, last_u, last_snapshot, state.step_growth);
        }
        distances[to] = all.D[state.spare * all.stride + k] = own.d;
        if (k > to) update_bounds(all.H, all.T, k, own.d, new_u, new_u, state.step_growth);
        most[0] = max(most[0], (double)(after - before));
        most[1] = max(most[1], (double)(after - then));
        most[2] = max(most[2], fabs((double)own.d));
        most[3] = max(most[3], -known);
    }
    greatest_of_block(most);
    if (threadIdx.x == 0)
        for (int n = 0; n < 4; ++n) of_blocks[4 * blockIdx.x + n] = most[n];
    if (!last_block(all.state)) return;
    for (int n = 0; n < 4; ++n) most[n] = -FAR;
    for (int block = threadIdx.x; block < (int)gridDim.x; block += blockDim.x)
        for (int n = 0; n < 4; ++n) most[n] = max(most[n], of_blocks[4 * block + n]);
    greatest_of_block(most);
    if (threadIdx.x == 0) {
        all.state->step_growth = state.step_growth + most[0];
        all.state->total_growth = most[1];
        all.state->greatest = max(state.greatest, most[2]);
        all.state->limit = -most[3];
        all.state->spare = state.row_a;
        all.state->r = state.r - 1;
        all.state->step = state.step + 1;
    }
}
