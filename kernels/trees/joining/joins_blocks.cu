// NJ-basic and NJ-compact (Liu, Schmidt and Maskell 2009, sections 4.2 and 4.3): every pair is compared at every
// join.
//
// Recurrence: that of joins.cuh.
// Threads: the upper triangle of r x r pairs is cut into cell blocks of SIDE x SIDE; a block of THREADS threads
//   takes cell blocks in turns. WIDTH neighbouring threads read neighbouring columns, and each thread goes down its
//   rows, some of which it loads before it compares them. In `join_clusters` a thread takes a cluster.
// Memory: a square of n + 1 rows, or with FOLDED half of it: the pair (x, y), x > y, of a row y beyond the middle
//   is kept at (n + 1 - x, n + 1 - y), places counted from 1 as in figure 6.
//
// Needs joins.cuh and cell_blocks.cuh.

constexpr int WIDTH = SIDE < LANES ? SIDE : LANES;
constexpr int COLUMNS = SIDE / WIDTH;
constexpr int DOWN = THREADS / WIDTH;
constexpr int ROWS = SIDE > DOWN ? SIDE / DOWN : 1;
constexpr int AHEAD = ROWS * COLUMNS <= 16 ? ROWS : COLUMNS < 16 ? 16 / COLUMNS : 1;

// Rows first .. last of a square matrix (which has only them) into the cells.
extern "C" __global__ void fill_cells(const REAL* values, REAL* cells, int taxa, int first, int last) {
    for (int y = first + blockIdx.x; y < last; y += gridDim.x)
        for (int x = y + 1 + threadIdx.x; x < taxa; x += blockDim.x)
            cells[cell_place(y, x, taxa)] = values[(long long)(y - first) * taxa + x];
}

// The best of a thread's pairs in a cell block. WAY is 1 or -1 where all of its pairs are there, and from one to the next
// the place grows or falls; 0 where some are not, or where its rows are on both sides of the middle.
template <int WAY>
__device__ inline Pair scan_block(const REAL* cells, const double* S, const int* slots, int taxa, int r, int top, int left,
                                  Pair best) {
    const int own_column = left + threadIdx.x % WIDTH, own_row = top + threadIdx.x / WIDTH, wide = taxa + 1;
    double sums[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) sums[c] = WAY || own_column + c * WIDTH < r ? S[own_column + c * WIDTH] : 0.0;
    for (int first = own_row; first < top + SIDE; first += AHEAD * DOWN) {
        REAL values[AHEAD][COLUMNS];
        double sums_down[AHEAD];
        const REAL* own = WAY ? cells + cell_place(first, own_column, taxa) : cells;
#pragma unroll
        for (int a = 0; a < AHEAD; ++a) {
            const int y = first + a * DOWN;
            const bool there = WAY || (y < r && y < top + SIDE);
            sums_down[a] = there ? S[y] : 0.0;
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) {
                const int x = own_column + c * WIDTH;
                if (WAY) values[a][c] = own[WAY * (a * DOWN * wide + c * WIDTH)];
                else values[a][c] = there && x > y && x < r ? cells[cell_place(y, x, taxa)] : (REAL)NO_DISTANCE;
            }
        }
#pragma unroll
        for (int a = 0; a < AHEAD; ++a)
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) {
                const double value = criterion((double)values[a][c], sums[c], sums_down[a], r);
                if (value > best.criterion || (!WAY && values[a][c] == (REAL)NO_DISTANCE)) continue;
                const Pair pair = pair_of(value, own_column + c * WIDTH, first + a * DOWN, slots);
                if (is_better(pair, best)) best = pair;
            }
    }
    return best;
}

extern "C" __global__ void __launch_bounds__(THREADS)
scan_blocks(CLUSTERS_PARAMETERS(all), Pair* found, int* joins, double* records) {
    const int r = all_state->r, blocks = (r + SIDE - 1) / SIDE, total = blocks * (blocks + 1) / 2;
    Pair best = no_pair();
    for (int number = blockIdx.x; number < total; number += gridDim.x) {
        int row, column;
        block_place(number, blocks, &row, &column);
        const int top = row * SIDE, left = column * SIDE;
        const bool inside = SIDE % DOWN == 0 && row < column && left + SIDE <= r;
        // Row p is mirrored where p + 1 > (all_taxa + 1) / 2.
        const int middle = FOLDED ? (all_taxa + 1) / 2 : all_taxa;
        if (inside && top + SIDE <= middle) best = scan_block<1>(all_cells, all_S, all_slots, all_taxa, r, top, left, best);
        else if (inside && top >= middle) best = scan_block<-1>(all_cells, all_S, all_slots, all_taxa, r, top, left, best);
        else best = scan_block<0>(all_cells, all_S, all_slots, all_taxa, r, top, left, best);
    }
    best = best_of_block(best);
    if (threadIdx.x == 0) found[blockIdx.x] = best;
    if (!last_block(all_state)) return;
    best = best_of_grid(found);
    if (threadIdx.x == 0) {
        const int a = best.places >> 32, b = best.places & 0xffffffffu;
        record_join(all_state, best, (double)all_cells[cell_place(a, b, all_taxa)], all_S, all_nodes, joins, records);
    }
}

// Distances to the new cluster, the sums of the others, and the last cluster into the free place: a thread a cluster.
extern "C" __global__ void join_clusters(CLUSTERS_PARAMETERS(all)) {
    const Clusters all = CLUSTERS_OF(all);
    const State state = *all.state;
    const int a = state.a, b = state.b, last = state.r - 1, to = a == last ? b : a;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < state.r; k += gridDim.x * blockDim.x) {
        const int kept = k == last ? b : k;
        if (k == a) {
            all.S[to] = sum_of_new(state);
            all.slots[to] = all.slots[a];
            all.nodes[to] = all.taxa + state.step;
        } else if (k != b) {
            const double to_a = all.cells[cell_place(a, k, all.taxa)], to_b = all.cells[cell_place(b, k, all.taxa)];
            const double both = __dadd_rn(to_a, to_b);
            const REAL distance = distance_to_new(both, state.between);
            if (last != a && last != b && k != last)
                all.cells[cell_place(b, k, all.taxa)] = all.cells[cell_place(last, k, all.taxa)];
            all.cells[cell_place(to, kept, all.taxa)] = distance;
            all.S[kept] = __dadd_rn(__dsub_rn(all.S[k], both), (double)distance);
            if (k == last) {
                all.slots[b] = all.slots[last];
                all.nodes[b] = all.nodes[last];
            }
        }
    }
    if (last_block(all.state) && threadIdx.x == 0) {
        all.state->r = state.r - 1;
        all.state->step = state.step + 1;
    }
}

// The distances of the clusters that are left, square.
extern "C" __global__ void remaining_distances(const REAL* cells, int taxa, int left, double* apart) {
    const int i = threadIdx.x / left, j = threadIdx.x % left;
    if (i < left) apart[threadIdx.x] = i == j ? 0.0 : (double)cells[cell_place(i, j, taxa)];
}
