// H of the cube with linear gaps, all of it in passes over tiles, and what is to be seen of it.
//
//     H'(i, j, k) = max of the seven cells before it and the letters that meet (encoding.py); H = H' - shift (i + j + k)
//
// A block has TILE x TILE places (j, k), a thread each, and goes through all i on the sloped plane step = i + j + k: what a
// thread takes from its neighbours they had one step ago, two at the corner. Tiles of an antidiagonal J + K are a launch.
// Faces between tiles stay in global memory, in rows of one step, so that they are read and written together: ``below``
// (tiles of k, rows, TILE) has the last row of places of the tile above, ``beside`` (tiles of j, rows, TILE + 1) the last column
// of the tile before, with the place at the corner first. Row n has what a tile takes in step n - 1; TILE rows are read at once.
// Compile-time: TILE, LETTERS.

constexpr int SIDE = TILE + 1;

extern "C" __global__ void __launch_bounds__(TILE * TILE) cube_tiles(
    CUBE_PARAMETERS(of), WANTED_PARAMETERS(to), int* below, int* beside, int shift, int diagonal, int first_tile) {
    const Cube cube = CUBE_OF(of);
    const Wanted wanted = WANTED_OF(to);
    __shared__ int front[2][TILE * TILE];        // what the threads have, of even and of odd steps
    __shared__ int above[TILE * TILE], before[TILE * SIDE];
    __shared__ int scores[LETTERS * LETTERS];
    const int x = threadIdx.x, y = threadIdx.y, own = y * TILE + x;
    const int tile_j = first_tile + blockIdx.x, tile_k = diagonal - tile_j;
    const int j = tile_j * TILE + y, k = tile_k * TILE + x, rows = cube.ni + TILE;
    const bool inside = j < cube.nj && k < cube.nk;
    int* face_j = below + (long long)tile_k * rows * TILE;
    int* face_k = beside + (long long)tile_j * rows * SIDE;
    for (int at = own; at < LETTERS * LETTERS; at += TILE * TILE) scores[at] = cube.table[at];
    const int b = inside ? cube.js[j] : 0, c = inside ? cube.ks[k] : 0;
    __syncthreads();
    const int jk = scores[b * LETTERS + c];
    const bool at_j = inside && wanted.across_j && j == wanted.j, at_k = inside && wanted.across_k && k == wanted.k;

    // Where a thread finds its neighbours: in ``front``, or in what was read of the faces.
    const int* up = y ? front[0] + own - TILE : above + x;
    const int* left = x ? front[0] + own - 1 : before + y + 1;
    const int* corner = x && y ? front[0] + own - SIDE : y ? before + y : x ? above + x - 1 : before;
    const int up_step = y ? 0 : TILE, left_step = x ? 0 : SIDE, corner_step = x && y ? 0 : y || !x ? SIDE : TILE;
    const int up_turn = y ? TILE * TILE : 0, left_turn = x ? TILE * TILE : 0, corner_turn = x && y ? TILE * TILE : 0;

    int h = MINUS_INFINITY;                      // of the cell before in i
    int last_up = MINUS_INFINITY, last_left = MINUS_INFINITY, last_corner = MINUS_INFINITY, older_corner = MINUS_INFINITY;
    const int steps = cube.ni + 2 * TILE - 1;
    int next_above = MINUS_INFINITY, next_before = MINUS_INFINITY, next_corner = MINUS_INFINITY;
    for (int n = 0; n < steps; ++n) {
        const int row = n & (TILE - 1);
        if (row == 0) {
            if (n == 0) {
                if (tile_j) next_above = face_j[y * TILE + x];
                if (tile_k) next_before = face_k[y * SIDE + x + 1];
                if (tile_k && x == 0) next_corner = face_k[y * SIDE];
            }
            above[own] = next_above;
            before[y * SIDE + x + 1] = next_before;
            if (x == 0) before[y * SIDE] = next_corner;
            const int coming = n + TILE + y;
            if (coming < rows) {
                if (tile_j) next_above = face_j[coming * TILE + x];
                if (tile_k) next_before = face_k[coming * SIDE + x + 1];
                if (tile_k && x == 0) next_corner = face_k[coming * SIDE];
            }
            __syncthreads();
        }
        const int turn = n & 1, i = n - 1 - y - x;
        const int from_up = up[row * up_step + turn * up_turn], from_left = left[row * left_step + turn * left_turn];
        const int from_corner = corner[row * corner_step + turn * corner_turn];
        const bool there = inside && i >= 0 && i < cube.ni;
        if (there) {
            const int a = cube.is[i], ij = scores[a * LETTERS + b], ik = scores[a * LETTERS + c];
            int best = max(max(from_left, from_up), last_corner + jk);
            if (i) best = max(max(max(best, h), max(last_left + ik, last_up + ij)), older_corner + ij + ik + jk);
            if (i + j + k == 0) best = 0;
            h = best;
            if (y == TILE - 1) face_j[(n - TILE + 1) * TILE + x] = h;
            if (x == TILE - 1) face_k[(n - TILE + 1) * SIDE + y + 1] = h;
            const int seen = h - shift * (i + j + k);
            if (wanted.across_i && i == wanted.i) wanted.across_i[(long long)j * cube.nk + k] = seen;
            if (at_j) wanted.across_j[(long long)i * cube.nk + k] = seen;
            if (at_k) wanted.across_k[(long long)i * cube.nj + j] = seen;
        }
        if (y == 0 && x == TILE - 1 && i >= 0 && i < cube.ni) face_k[i * SIDE] = from_up;
        front[turn ^ 1][own] = h;
        last_up = from_up;
        last_left = from_left;
        older_corner = last_corner;
        last_corner = from_corner;
        __syncthreads();
    }
}
