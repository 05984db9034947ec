// BlockedAntidiagonal and EnhancedBA (Li et al. 2012, section III): a launch computes one antidiagonal of S x S blocks.
//
// Recurrence:
//     E(i, j) = max(E(i-1, j) - extend, H(i-1, j) - open - extend)
//     F(i, j) = max(F(i, j-1) - extend, H(i, j-1) - open - extend)
//     H(i, j) = max(H(i-1, j-1) + score, E, F, floor)
//
//     With TWO_PIECES there are E2 and F2 of the second piece of gap costs as well: in two more matrices, and in a third row
//     of `above` and `beside`.
//
// Threads: a thread block of S threads computes block (p, q) of the matrix, counted from 0, p + q = level. Thread r
//     computes row r of the block; in step t it is at column t - r, so that the block is computed by antidiagonals,
//     with a barrier after each. One more kernel traces the path over the whole matrices, on one thread.
//
// Memory: H and E of the row above the current cells are in shared memory, one element a column: thread r finds there
//     what thread r - 1 left one step ago. H and F on the left and H on the diagonal stay in registers.
//     BlockedAntidiagonal reads what surrounds a block from the whole matrices, and writes all of H, E and F (each m x
//     n, row by row) to them: 12 bytes a cell, collected in shared memory first.
//     EnhancedBA keeps borders only: `above` (2 x n) H and E of the last finished row of every column, `beside` (2 x m)
//     H and F of the last finished column of every row, and `corners`, H of the last corner on each diagonal of blocks.
//     Each element has one reader and one writer in a launch, the same thread block.
//
// Needs levels.cuh. Compile-time: S.

constexpr unsigned THREADS_OF_WARP = S < LANES ? (1u << S % LANES) - 1u : WARP;

// All threads of a block; up to a warp they need no barrier in hardware.
__device__ __forceinline__ void synchronise() {
    if (S <= LANES) __syncwarp(THREADS_OF_WARP);
    else __syncthreads();
}

struct Place {                       // one block of the matrix, and the row of this thread in it
    int p, q, top, left;             // cells above and on the left of the block
    int r, i;                        // row in the block, from 0; row in the matrix, from 1
    bool inside;

    __device__ Place(const Problem& problem, int level, int first) {
        p = first + blockIdx.x, q = level - p;
        top = p * S, left = q * S;
        r = threadIdx.x, i = top + r + 1;
        inside = i <= problem.m;
    }
};

#if TWO_PIECES
struct Edge { int diagonal, h, f, f2; };             // left of a row
struct Column { int h, e, e2; };                     // above a column
struct Computed { int h, e, f, e2, f2; };            // a cell
#else
struct Edge { int diagonal, h, f; };                 // left of a row
struct Column { int h, e; };                         // above a column
struct Computed { int h, e, f; };                    // a cell
#endif
constexpr int MATRICES = sizeof(Computed) / sizeof(int);

// Computes a block; `above` and `edge` become its last row and column. each(c, cell) sees every cell.
template <class Each>
__device__ __forceinline__ Best compute_block(
    const Problem& problem, const Place& place, Column* above, Edge& edge, Each&& each) {
    const int width = min(S, problem.n - place.left);
    const int* scores = problem.table + (place.inside ? problem.rows[place.i - 1] * problem.letters : 0);
    Best best = {0, place.i, 0};
    for (int t = 0; t < 2 * S - 1; ++t) {
        const int c = t - place.r;
        if (place.inside && c >= 0 && c < width) {
            Column up = above[c];
            int e = add_max(up.h, -problem.open_extend, up.e - problem.extend);
            int f = add_max(edge.h, -problem.open_extend, edge.f - problem.extend);
            int matched = edge.diagonal + __ldg(scores + problem.columns[place.left + c]);
            int h = max(max(matched, problem.floor), max(e, f));
#if TWO_PIECES
            const int e2 = add_max(up.h, -problem.open_extend2, up.e2 - problem.extend2);
            const int f2 = add_max(edge.h, -problem.open_extend2, edge.f2 - problem.extend2);
            h = max(h, max(e2, f2));
            edge = {up.h, h, f, f2};
            above[c] = {h, e, e2};
            each(c, Computed{h, e, f, e2, f2});
#else
            edge = {up.h, h, f};
            above[c] = {h, e};
            each(c, Computed{h, e, f});
#endif
            if (h > best.score) best.score = h, best.column = place.left + c + 1;
        }
        synchronise();
    }
    return best;
}

// Merges the best cells of all threads into the record of this row of blocks, which has one block a launch.
__device__ __forceinline__ void keep_best_of_block(const Problem& problem, Best* record, Best mine) {
    __shared__ Best cells[S];
    if (problem.floor != 0) return;
    Best found = *record;
    if (!__syncthreads_or(beats(mine, found))) return;
    cells[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int r = 0; r < S; ++r)
        if (beats(cells[r], found)) found = cells[r];
    *record = found;
}

extern "C" __global__ void blocked_antidiagonal(
    PROBLEM_PARAMETERS(pair), int* H, int* E, int* F,
#if TWO_PIECES
    int* E2, int* F2,
#endif
    Best* best, Busy* log, int level, int first) {
    const long long began = nanoseconds();
    const Problem problem = PROBLEM_OF(pair);
    __shared__ Column above[S];
    extern __shared__ int values[];                  // H, E and F of the block, S x S each; E2 and F2
    const Place at(problem, level, first);
    const int m = problem.m, n = problem.n, r = at.r, i = at.i, left = at.left;
    auto cell = [&](int row, int column) { return static_cast<size_t>(row - 1) * n + (column - 1); };

    if (left + r < n) {
        int column = left + r + 1;
#if TWO_PIECES
        above[r] = at.p == 0 ? Column{border(problem, 0, column), MINUS_INFINITY, MINUS_INFINITY}
                             : Column{H[cell(at.top, column)], E[cell(at.top, column)], E2[cell(at.top, column)]};
#else
        above[r] = at.p == 0 ? Column{border(problem, 0, column), MINUS_INFINITY}
                             : Column{H[cell(at.top, column)], E[cell(at.top, column)]};
#endif
    }
    Edge edge = {};
    if (at.inside) {
        edge.h = at.q == 0 ? border(problem, i, 0) : H[cell(i, left)];
        edge.f = at.q == 0 ? MINUS_INFINITY : F[cell(i, left)];
#if TWO_PIECES
        edge.f2 = at.q == 0 ? MINUS_INFINITY : F2[cell(i, left)];
#endif
        edge.diagonal = i == 1 || at.q == 0 ? border(problem, i - 1, left) : H[cell(i - 1, left)];
    }
    synchronise();
    Best mine = compute_block(problem, at, above, edge, [&](int c, const Computed& computed) {
        int place = r * S + c;
        values[place] = computed.h, values[S * S + place] = computed.e, values[2 * S * S + place] = computed.f;
#if TWO_PIECES
        values[3 * S * S + place] = computed.e2, values[4 * S * S + place] = computed.f2;
#endif
    });
    if (left + r < n)
        for (int row = 0; row < min(S, m - at.top); ++row) {
            size_t target = cell(at.top + row + 1, left + r + 1);
            int place = row * S + r;
            H[target] = values[place], E[target] = values[S * S + place], F[target] = values[2 * S * S + place];
#if TWO_PIECES
            E2[target] = values[3 * S * S + place], F2[target] = values[4 * S * S + place];
#endif
        }
    keep_best_of_block(problem, best + at.p, mine);
    note(log, began);
}

extern "C" __global__ void enhanced_ba(
    PROBLEM_PARAMETERS(pair), int* above_borders, int* beside_borders, int* corners, Best* best,
    Busy* log, int level, int first) {
    const long long began = nanoseconds();
    const Problem problem = PROBLEM_OF(pair);
    __shared__ Column above[S];
    const Place at(problem, level, first);
    const int m = problem.m, n = problem.n, r = at.r, left = at.left, column = left + r;
    int* corner = corners + ((m + S - 1) / S - 1 - at.p + at.q);

    Edge edge = {};
#if TWO_PIECES
    if (column < n) above[r] = {above_borders[column], above_borders[n + column], above_borders[2 * n + column]};
    if (at.inside)
        edge = {r == 0 ? *corner : beside_borders[at.i - 2], beside_borders[at.i - 1], beside_borders[m + at.i - 1],
                beside_borders[2 * m + at.i - 1]};
#else
    if (column < n) above[r] = {above_borders[column], above_borders[n + column]};
    if (at.inside)
        edge = {r == 0 ? *corner : beside_borders[at.i - 2], beside_borders[at.i - 1], beside_borders[m + at.i - 1]};
#endif
    __syncthreads();                                 // all borders are read before any is written
    Best mine = compute_block(problem, at, above, edge, [](int, const Computed&) {});
    if (column < n) above_borders[column] = above[r].h, above_borders[n + column] = above[r].e;
    if (at.inside) beside_borders[at.i - 1] = edge.h, beside_borders[m + at.i - 1] = edge.f;
#if TWO_PIECES
    if (column < n) above_borders[2 * n + column] = above[r].e2;
    if (at.inside) beside_borders[2 * m + at.i - 1] = edge.f2;
#endif
    if (r == S - 1) *corner = above[r].h;            // not read where the matrix cuts the block
    keep_best_of_block(problem, best + at.p, mine);
    note(log, began);
}

// Traces the path over the whole matrices for at most `most` steps, on one thread. Diagonal before E before F, the first
// piece of gap costs before the second, opening
// a gap before extending it. The path ends at the border, or, in a local alignment, where H is 0.
extern "C" __global__ void walk_back(
    PROBLEM_PARAMETERS(pair), const int* H, const int* E, const int* F,
#if TWO_PIECES
    const int* E2, const int* F2,
#endif
    Walk* walk, unsigned char* operations, int most) {
    const Problem problem = PROBLEM_OF(pair);
    const int n = problem.n;
    int i = walk->row, j = walk->column, in = walk->in, count = walk->count;
    bool over = false;
    auto h_at = [&](int row, int column) {
        if (row == 0 || column == 0) return border(problem, row, column);
        return H[static_cast<size_t>(row - 1) * n + (column - 1)];
    };
    for (int step = 0; step < most && !over; ++step) {
        if (i == 0 || j == 0) {
            over = true;
            break;
        }
        size_t here = static_cast<size_t>(i - 1) * n + (j - 1);
        int h = H[here], e = E[here], f = F[here];
        int diagonal = h_at(i - 1, j - 1), up = h_at(i - 1, j), left = h_at(i, j - 1);
        if (in == IN_H && problem.floor == 0 && h == 0) {
            over = true;
        } else if (in == IN_H && h == diagonal + score_at(problem, i, j)) {
            operations[count++] = DIAGONAL, --i, --j;
        } else {
#if TWO_PIECES
            const int e2 = E2[here], f2 = F2[here];
            if (in == IN_H) in = h == e ? IN_E : h == e2 ? IN_E2 : h == f ? IN_F : IN_F2;
            const bool vertical = in == IN_E || in == IN_E2;
            const bool opens = in == IN_E    ? e == up - problem.open_extend
                               : in == IN_E2 ? e2 == up - problem.open_extend2
                               : in == IN_F  ? f == left - problem.open_extend
                                             : f2 == left - problem.open_extend2;
            operations[count++] = vertical ? UP : LEFT;
            if (vertical) --i;
            else --j;
#else
            if (in == IN_H) in = h == e ? IN_E : IN_F;
            bool opens = in == IN_E ? e == up - problem.open_extend : f == left - problem.open_extend;
            operations[count++] = in == IN_E ? UP : LEFT;
            if (in == IN_E) --i;
            else --j;
#endif
            if (opens) in = IN_H;
        }
    }
    *walk = {i, j, in, count, over};
}
