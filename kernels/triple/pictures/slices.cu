// H' of the cube (encoding.py), and the planes of it that are to be seen. Compile-time: AFFINE.
//
// Recurrence: H'(i, j, k) = max over the seven cells before it; with affine gaps seven values per cell (page.md)
// Threads:    a launch per antidiagonal plane i + j + k = d; a thread of (x, y) has the cell (d - j - k, j, k) with
//             j = first_j + y, k = first_k + x.
// Memory:     four planes take turns, each [j][k]: a cell reads three planes back. With affine gaps a cell is eight words: at m
//             what a next move m takes of it, and word 0 is not used; otherwise it is one word. A cell in a wanted plane stores H
//             there: with affine gaps what a column of three letters takes, after which any gap opens. H is H' less
//             shift (i + j + k).

constexpr int WORDS = AFFINE ? 8 : 1;
constexpr int LETTERS_3 = 7;                     // the move that takes a letter of each sequence

__device__ __forceinline__ int* cell_of(const Cube& cube, int* planes, int plane, int j, int k) {
    return planes + (((long long)(plane & 3) * cube.nj + j) * cube.nk + k) * WORDS;
}

// What a move takes of the cell before (i, j, k), or minus infinity where there is none.
__device__ __forceinline__ int taken(const Cube& cube, int* planes, int i, int j, int k, int move) {
    const int di = move >> 2, dj = move >> 1 & 1, dk = move & 1;
    if (i < di || j < dj || k < dk) return MINUS_INFINITY;
    return cell_of(cube, planes, i + j + k - di - dj - dk, j - dj, k - dk)[AFFINE ? move : 0];
}

// One plane.
extern "C" __global__ void cube_plane(CUBE_PARAMETERS(of), WANTED_PARAMETERS(to), int* planes, int shift, int d, int first_j, int first_k) {
    const Cube cube = CUBE_OF(of);
    const Wanted wanted = WANTED_OF(to);
    const int k = first_k + blockIdx.x * blockDim.x + threadIdx.x, j = first_j + blockIdx.y * blockDim.y + threadIdx.y;
    const int i = d - j - k;
    if (j >= cube.nj || k >= cube.nk || i < 0 || i >= cube.ni) return;
    const int a = cube.is[i], b = cube.js[j], c = cube.ks[k];
    const int ij = cube.table[a * cube.letters + b], ik = cube.table[a * cube.letters + c], jk = cube.table[b * cube.letters + c];
    int values[8];                               // by the last move
#pragma unroll
    for (int move = 1; move < 8; ++move) {
        const int pairs = ((move & 6) == 6 ? ij : 0) + ((move & 5) == 5 ? ik : 0) + ((move & 3) == 3 ? jk : 0);
        values[move] = taken(cube, planes, i, j, k, move) + pairs;
    }
    if (d == 0) values[LETTERS_3] = 0;
    int* own = cell_of(cube, planes, d, j, k);
    int* kept = wanted.all ? wanted.all + (((long long)i * cube.nj + j) * cube.nk + k) * WORDS : nullptr;
    int h = MINUS_INFINITY;
#pragma unroll
    for (int after = AFFINE ? 1 : LETTERS_3; after < 8; ++after) {
        int best = MINUS_INFINITY;
#pragma unroll
        for (int move = 1; move < 8; ++move) best = max(best, values[move] - (AFFINE ? cube.openings[move * 8 + after] : 0));
        own[after & (WORDS - 1)] = best;
        if (kept) kept[after & (WORDS - 1)] = best;
        h = best;
    }
    h -= shift * d;
    if (wanted.across_i && i == wanted.i) wanted.across_i[(long long)j * cube.nk + k] = h;
    if (wanted.across_j && j == wanted.j) wanted.across_j[(long long)i * cube.nk + k] = h;
    if (wanted.across_k && k == wanted.k) wanted.across_k[(long long)i * cube.nj + j] = h;
}
