// Recurrence: E, F and H of `profiles/reference.py`; SMwavefront k (Hanif 2014, section 4.2.2), one launch for the blocks of
// an antidiagonal, cells with their scores.
//
// Threads: a block of k threads has k x k cells, thread t row t. At wave w it computes column w - t: H and E of the row above
// come from thread t - 1, H and F on the left and the factors of the row stay in registers. A barrier ends each wave.
//
// Memory: the last row (H, E) and the last column (H, F) of each block go through global memory; directions are unsigned
// char, m x n. Shared: factors of the columns, float SYMBOLS x k; rows above, int2 2 x k in two halves; best cells, int4 k.

__device__ __forceinline__ void reduce(Best best, int4* all, int4* target, int k) {
    const int own = threadIdx.x;
    all[own] = make_int4(best.score, best.row, best.column, 0);
    int reach = 1;
    while (2 * reach < k) reach *= 2;
    for (; reach > 0; reach /= 2) {
        __syncthreads();
        if (own < reach && own + reach < k) {
            Best one = {all[own].x, all[own].y, all[own].z};
            Best other = {all[own + reach].x, all[own + reach].y, all[own + reach].z};
            if (before(other, one)) all[own] = all[own + reach];
        }
    }
    if (own == 0) *target = all[0];
}

extern "C" __global__ void wave(TABLE_PARAMETERS(given_table), WALLS_PARAMETERS(given_walls), int k, int number, int first) {
    const Table given = TABLE_OF(given_table);
    const Walls walls = WALLS_OF(given_walls);
    extern __shared__ int4 words[];
    const int row = first + blockIdx.x, column = number - row, top = row * k, left = column * k, own = threadIdx.x;
    const int m = given.m, n = given.n, height = min(k, m - top), width = min(k, n - left), i = top + own;
    int4* bests = words;
    int2* passed = (int2*)(bests + k);
    float* factors = (float*)(passed + 2 * k);
    for (int at = own; at < width * SYMBOLS; at += k)
        factors[at % SYMBOLS * k + at / SYMBOLS] = given.columns[(long long)left * SYMBOLS + at];
    const bool works = own < height;
    float row_factors[SYMBOLS];
#pragma unroll
    for (int x = 0; x < SYMBOLS; ++x) row_factors[x] = works ? given.rows[(long long)i * SYMBOLS + x] : 0;
    const Scored scored = scored_of(given);
    const int squares = works ? given.row_bias[i] : 0, row_open = works ? given.row_open[i] : 0;
    const int row_extend = works ? given.row_extend[i] : 0;
    const int* h_columns = walls.h_columns + (long long)column * (m + 1) + top;
    int h = 0, f = 0, diagonal = 0;
    if (works) {
        h = h_columns[own + 1], f = walls.f_columns[(long long)column * (m + 1) + i + 1];
        diagonal = own == 0 ? walls.h_rows[(long long)row * (n + 1) + left] : h_columns[own];
    }
    Best best = {MINUS_INFINITY, 0, 0};
    for (int wave = 0; wave < height + width - 1; ++wave) {
        __syncthreads();
        const int column_in = wave - own, j = left + column_in;
        if (works && column_in >= 0 && column_in < width) {
            int2 up;
            if (own == 0) {
                const long long at = (long long)row * (n + 1) + j + 1;
                up = make_int2(walls.h_rows[at], walls.e_rows[at]);
            } else {
                up = passed[(wave + 1) % 2 * k + own - 1];
            }
            float product = 0.0f;
#pragma unroll
            for (int x = 0; x < SYMBOLS; ++x) product = fmaf(row_factors[x], factors[x * k + column_in], product);
            if (KIND == ROOT) product = fmaf(-2.0f, product, (float)(squares + given.column_bias[j]));
            const int through = diagonal + finished(scored, given.table, product);
            int direction = 0, opened = up.x - row_open, e = up.y;
            if (opened >= e) e = opened, direction = E_OPENS;
            e -= row_extend;
            opened = h - given.column_open[j];
            if (opened >= f) f = opened, direction |= F_OPENS;
            f -= given.column_extend[j];
            h = through;
            if (e > h) h = e, direction = (direction & 12) | FROM_E;
            if (f > h) h = f, direction = (direction & 12) | FROM_F;
            if (MODE == LOCAL && h <= 0) h = 0, direction |= NOWHERE;
            diagonal = up.x;
            passed[wave % 2 * k + own] = make_int2(h, e);
            walls.directions[(long long)i * n + j] = direction;
            const bool ends = MODE == LOCAL || (MODE != GLOBAL && i == m - 1) || (MODE == SEMI_GLOBAL && j == n - 1);
            if ((ends || (i == m - 1 && j == n - 1)) && h > best.score) best = {h, i + 1, j + 1};
            if (own == height - 1) {
                const long long at = (row + 1LL) * (n + 1) + j + 1;
                walls.h_rows[at] = h, walls.e_rows[at] = e;
            }
        }
    }
    if (works) {
        const long long at = (column + 1LL) * (m + 1) + i + 1;
        walls.h_columns[at] = h, walls.f_columns[at] = f;
    }
    reduce(best, bests, walls.best + (long long)row * ((n + k - 1) / k) + column, k);
}
