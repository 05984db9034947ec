// A strip as published (Li et al. 2012, section IV): a block computes it, antidiagonal by antidiagonal, in shared memory.
//
// Recurrence: that of strip.cuh: T = max(diagonal + score, G - open - extend, [0]), H = max(T, K - open - extend),
//     K = max(K - extend, T), G = max(G - extend, H).
//
// Threads: a strip is up to s columns wide. In step t column c, counted from 0, is at row t - c + 1; thread x has columns x
//     and x + blockDim.x. A barrier ends every step.
//
// Memory: shared: H of the last three antidiagonals, K of the last two, and G, a place a column; with TWO_PIECES K2 and G2
//     as well; with STATES their local start states beside them; the scores of the letters that occur, and the letters of the columns.
//
// Needs gap_pieces.cuh. Compile-time: LOCAL (floor at 0); the free borders as in strip.cuh; STATES.

constexpr int OWN = 2;               // columns of a thread at most

// One antidiagonal array a pointer; `next` turns them, so that what was written last is read next.
struct Diagonals {
    int *h, *h_before, *h_two, *k, *k_before, *g;        // written in this step; one step before; two steps before
#if STATES
    int *h_state, *h_state_before, *h_state_two, *k_state, *k_state_before, *g_state;
#endif
#if TWO_PIECES
    int *k2, *k2_before, *g2;
#if STATES
    int *k2_state, *k2_state_before, *g2_state;
#endif
#endif

    __device__ __forceinline__ int* place(int* memory, int s) {
        h = memory, h_before = h + s, h_two = h_before + s, k = h_two + s, k_before = k + s, g = k_before + s;
        int* end = g + s;
#if STATES
        h_state = end, h_state_before = h_state + s, h_state_two = h_state_before + s;
        k_state = h_state_two + s, k_state_before = k_state + s, g_state = k_state_before + s;
        end = g_state + s;
#endif
#if TWO_PIECES
        k2 = end, k2_before = k2 + s, g2 = k2_before + s, end = g2 + s;
#if STATES
        k2_state = end, k2_state_before = k2_state + s, g2_state = k2_state_before + s, end = g2_state + s;
#endif
#endif
        return end;
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
#if TWO_PIECES
        oldest = k2_before, k2_before = k2, k2 = oldest;
#if STATES
        oldest = k2_state_before, k2_state_before = k2_state, k2_state = oldest;
#endif
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

// A cell of the left boundary in global memory: H above K, in one word; with TWO_PIECES K2 in a second one.
constexpr int BOUNDARY_WORDS = TWO_PIECES ? 2 : 1;

__device__ __forceinline__ Edge boundary_edge(unsigned long long first, unsigned long long second) {
#if TWO_PIECES
    return {static_cast<int>(first >> 32), static_cast<int>(first), static_cast<int>(second)};
#else
    return {static_cast<int>(first >> 32), static_cast<int>(first)};
#endif
}
