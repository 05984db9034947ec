// A strip as published (Li et al. 2012, section IV): a block computes it, antidiagonal by antidiagonal, in shared memory.
//
// Recurrence: that of strip.cuh: T = max(diagonal + score, G - open - extend, [0]), H = max(T, K - open - extend),
//     K = max(K - extend, T), G = max(G - extend, H).
//
// Threads: a strip is up to s columns wide. In step t column c, counted from 0, is at row t - c + 1; thread x has columns x
//     and x + blockDim.x. A barrier ends every step.
//
// Memory: shared: H of the last three antidiagonals, K of the last two, and G, a place a column; with STATES their local
//     start states beside them; the scores of the letters that occur, and the letters of the columns.
//
// Needs the struct Strip. Compile-time: LOCAL (floor at 0); the free borders as in strip.cuh; STATES.

constexpr int OWN = 2;               // columns of a thread at most

struct __align__(8) Edge { int h, k; };                  // what crosses a boundary

// H, and the gap state, of the matrix border: row 0 at a column, column 0 at a row. Borders that are not free are gaps.
__device__ __forceinline__ int gap_cost(const Strip& problem, int length) {
    return length == 0 ? 0 : -(problem.open_extend + (length - 1) * problem.extend);
}
__device__ __forceinline__ int top_border(const Strip& problem, int column) {
    return TOP_FREE ? 0 : gap_cost(problem, column);
}
__device__ __forceinline__ int left_border(const Strip& problem, int row) {
    return LEFT_FREE ? 0 : gap_cost(problem, row);
}

// One antidiagonal array a pointer; `next` turns them, so that what was written last is read next.
struct Diagonals {
    int *h, *h_before, *h_two, *k, *k_before, *g;        // written in this step; one step before; two steps before
#if STATES
    int *h_state, *h_state_before, *h_state_two, *k_state, *k_state_before, *g_state;
#endif

    __device__ __forceinline__ int* place(int* memory, int s) {
        h = memory, h_before = h + s, h_two = h_before + s, k = h_two + s, k_before = k + s, g = k_before + s;
#if STATES
        h_state = g + s, h_state_before = h_state + s, h_state_two = h_state_before + s;
        k_state = h_state_two + s, k_state_before = k_state + s, g_state = k_state_before + s;
        return g_state + s;
#else
        return g + s;
#endif
    }

    __device__ __forceinline__ void next() {
        int* oldest = h_two;
        h_two = h_before, h_before = h, h = oldest;
        oldest = k_before, k_before = k, k = oldest;
#if STATES
        oldest = h_state_two;
        h_state_two = h_state_before, h_state_before = h_state, h_state = oldest;
        oldest = k_state_before, k_state_before = k_state, k_state = oldest;
#endif
    }
};

// Scores [row letter][column letter], and the letters of a strip's columns; the caller waits before they are used.
struct Letters {
    int* table;
    unsigned char* columns;
    const unsigned char* rows;
    int letters;

    __device__ __forceinline__ void load_table(const Strip& problem, int* memory) {
        table = memory, letters = problem.letters, rows = problem.rows;
        columns = reinterpret_cast<unsigned char*>(table + letters * letters);
        for (int place = threadIdx.x; place < letters * letters; place += blockDim.x) table[place] = problem.table[place];
    }
    __device__ __forceinline__ void load_columns(const Strip& problem, int first, int width) {
        for (int c = threadIdx.x; c < width; c += blockDim.x) columns[c] = problem.columns[first + c];
    }
    // Rows are counted from 1; row 0, which a path along the border has, scores as any letter.
    __device__ __forceinline__ int score(int row, int c) const {
        return table[(row ? __ldg(rows + row - 1) : 0) * letters + columns[c]];
    }
};
