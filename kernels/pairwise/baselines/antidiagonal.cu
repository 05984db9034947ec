// Antidiagonal (Li et al. 2012, section III): a launch computes one antidiagonal d = i + j.
//
// Recurrence:
//     E(i, j) = max(E(i-1, j) - extend, H(i-1, j) - open - extend)
//     F(i, j) = max(F(i, j-1) - extend, H(i, j-1) - open - extend)
//     H(i, j) = max(H(i-1, j-1) + score, E, F, floor)
//
//     With TWO_PIECES there are E2 and F2 of the second piece of gap costs as well.
//
// Threads: one a cell. Thread k of the launch computes row low + k, where low is the first row of the antidiagonal.
//
// Memory: H, E and F of the preceding antidiagonals are in global memory, the cell of row i at index i - 1. `values`
//     holds H of antidiagonals d, d-1, d-2 (in turn, m each), E of d and d-1 (m each), and F (m), where a thread reads
//     and then writes its own element. `last_row` (n) and `last_column` (m) get H of these. H(i-1, j-1) stood at index i - 2 two antidiagonals ago. Neighbouring threads
//     read neighbouring words; about 32 bytes go to and from memory for each cell.
//
//     With TWO_PIECES `values` goes on with E2 of d and d-1, and F2.
//
// Needs levels.cuh.

extern "C" __global__ void antidiagonal(
    PROBLEM_PARAMETERS(pair), int* values, int* last_row, int* last_column, Best* best, Busy* log, int d) {
    const long long began = nanoseconds();
    const Problem problem = PROBLEM_OF(pair);
    const int m = problem.m, n = problem.n;
    const size_t length = m;
    int* h = values + d % 3 * length;
    const int* h1 = values + (d + 2) % 3 * length;
    const int* h2 = values + (d + 1) % 3 * length;
    int* e = values + (3 + d % 2) * length;
    const int* e1 = values + (4 - d % 2) * length;
    int* f = values + 5 * length;
#if TWO_PIECES
    int* second_e = values + (6 + d % 2) * length;
    const int* second_e1 = values + (7 - d % 2) * length;
    int* second_f = values + 8 * length;
#endif

    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = max(1, d - n) + index, j = d - i;
    const bool inside = i <= min(m, d - 1);
    Best mine = {0, i, j};
    if (inside) {
        int up = i == 1 ? border(problem, 0, j) : h1[i - 2];
        int up_gap = i == 1 ? MINUS_INFINITY : e1[i - 2];
        int left = j == 1 ? border(problem, i, 0) : h1[i - 1];
        int left_gap = j == 1 ? MINUS_INFINITY : f[i - 1];
        int diagonal = i == 1 || j == 1 ? border(problem, i - 1, j - 1) : h2[i - 2];
        int vertical = add_max(up, -problem.open_extend, up_gap - problem.extend);
        int horizontal = add_max(left, -problem.open_extend, left_gap - problem.extend);
        mine.score = max(max(diagonal + score_at(problem, i, j), problem.floor), max(vertical, horizontal));
#if TWO_PIECES
        const int second_up = i == 1 ? MINUS_INFINITY : second_e1[i - 2];
        const int second_left = j == 1 ? MINUS_INFINITY : second_f[i - 1];
        second_e[i - 1] = add_max(up, -problem.open_extend2, second_up - problem.extend2);
        second_f[i - 1] = add_max(left, -problem.open_extend2, second_left - problem.extend2);
        mine.score = max(mine.score, max(second_e[i - 1], second_f[i - 1]));
#endif
        h[i - 1] = mine.score, e[i - 1] = vertical, f[i - 1] = horizontal;
        if (i == m) last_row[j - 1] = mine.score;
        if (j == n) last_column[i - 1] = mine.score;
    }
    if (problem.floor == 0) keep_best(best + index / LANES, mine, inside);
    note(log, began);
}
