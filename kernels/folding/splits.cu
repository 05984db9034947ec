// Fills a table over all intervals of a sequence, tile by tile. Cell (i, j) stands for the interval from border i to
// border j.
//
// Recurrence:
//     SPLITS 0, Nussinov:      D[i, j] = max(D[i + 1, j - 1] + 1 if i and j - 1 pair,  max over k of D[i, k] + D[k, j])
//     SPLITS 1, matrix chain:  D[i, j] = min over k of D[i, k] + D[k, j] + p[i] p[k] p[j]                    i < k < j
//     Between borders, both are products over a semiring.
//
// Threads: a launch computes the tiles that are `apart` tiles right of the diagonal, one block a tile. Where k lies in
//     tiles between tile row I and tile column J, all threads compute a product of finished tiles. Where k lies in I or
//     J itself, cells of the tile need each other: GROUP threads a cell follow the tile's antidiagonals from the lower
//     left.
//
// Memory: the table is in global memory, row by row, with a stride of whole tiles; the tile that is computed is in
//     shared memory, and is written back when it is complete.

constexpr int GROUP = THREADS / TILE;

struct Parts {
    const unsigned char *codes, *pairing;   // Nussinov: a code 0 to 4 a letter, 5 x 5 whether two pair
    const Number* sizes;                    // chain: p, with zeros up to a whole tile
    int borders, min_loop;                  // borders: letters or matrices + 1
};

__device__ __forceinline__ Number better(Number a, Number b) { return SEMIRING == 0 ? min(a, b) : max(a, b); }

// The cost of joining the two intervals of (i, j) that is split at k.
__device__ __forceinline__ Number joint(const Parts& parts, int i, int k, int j) {
    return SPLITS == 1 ? parts.sizes[i] * parts.sizes[k] * parts.sizes[j] : Number(0);
}

__device__ __forceinline__ Number split(const Parts& parts, Number best, Number left, Number right, int i, int k, int j) {
    return better(best, left + right + joint(parts, i, k, j));
}

// The best split at k between tile row I and tile column J.
__device__ __forceinline__ void between(Slabs& slabs, const Number* table, int stride, const Parts& parts, int I, int J,
                                        Number (&best)[PER][PER]) {
    int top = I * TILE, left = J * TILE, middle = top + TILE;
    over_depth(slabs, table + (long long)top * stride + middle, stride, table + (long long)middle * stride + left, stride,
               left - middle, [&](int i, int j, int k, Number a, Number b) {
                   int row = top + place(threadIdx.x / SIDE, i), column = left + place(threadIdx.x % SIDE, j);
                   best[i][j] = SPLITS == 0 ? step(best[i][j], a, b)
                                            : split(parts, best[i][j], a, b, row, middle + k, column);
               });
}

extern "C" __global__ void __launch_bounds__(THREADS)
fill(Number* table, int stride, int apart, const unsigned char* codes, const unsigned char* pairing, const Number* sizes,
     int borders, int min_loop) {
    __shared__ Slabs slabs;
    __shared__ Number own[TILE][TILE + 1];
    Parts parts = {codes, pairing, sizes, borders, min_loop};
    int I = blockIdx.x, J = I + apart, top = I * TILE, left = J * TILE;
    Number* corner = table + (long long)top * stride + left;
    Number best[PER][PER];
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j++) best[i][j] = zero();
    if (apart > 1) between(slabs, table, stride, parts, I, J, best);
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j++) own[place(threadIdx.x / SIDE, i)][place(threadIdx.x % SIDE, j)] = best[i][j];
    __syncthreads();

    const Number *above = table + (long long)top * stride + top, *below = table + (long long)left * stride + left;
    int c = threadIdx.x / GROUP, share = threadIdx.x % GROUP, j = left + c;
    for (int wave = apart ? 0 : TILE; wave < 2 * TILE - 1; wave++) {
        int r = c + TILE - 1 - wave, i = top + r;
        bool inside = r >= 0 && r < TILE && i < j && j < borders;
        Number most = inside ? own[r][c] : zero();
        if (inside && apart == 0)
            for (int k = r + 1 + share; k < c; k += GROUP)
                most = split(parts, most, own[r][k], own[k][c], i, top + k, j);
        if (inside && apart > 0) {
            for (int k = r + 1 + share; k < TILE; k += GROUP)
                most = split(parts, most, above[(long long)r * stride + k], own[k][c], i, top + k, j);
            for (int k = share; k < c; k += GROUP)
                most = split(parts, most, own[r][k], below[(long long)k * stride + c], i, left + k, j);
        }
#pragma unroll
        for (int apart_by = GROUP / 2; apart_by > 0; apart_by /= 2)
            most = better(most, __shfl_xor_sync(WARP, most, apart_by));
        if (inside && share == 0) {
            if (j - i == 1) most = 0;
            if (SPLITS == 0 && j - 1 - i > min_loop && pairing[5 * codes[i] + codes[j - 1]]) {
                bool here = r + 1 < TILE && c > 0;
                Number enclosed = j - i < 4 ? Number(0)
                                            : here ? own[r + 1][c - 1] : table[(long long)(i + 1) * stride + j - 1];
                most = better(most, enclosed + 1);
            }
            own[r][c] = most;
        }
        __syncthreads();
    }
    for (int at = threadIdx.x; at < TILE * TILE; at += THREADS)
        corner[(long long)(at / TILE) * stride + at % TILE] = own[at / TILE][at % TILE];
}
