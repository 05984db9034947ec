// Pairs of sequences handed out to warps.
//
// Computes: the next pair (row, column), row < column, of a list of tiles of side x side pairs; pair `number` is
//   cell number % (side x side) of its tile.
// Threads: all lanes of a warp call next_pair; lane 0 draws an ordered ticket for them.
// Memory: tiles are (row, column) of their first pair; the ticket is one counter in global memory.

struct Task {
    unsigned long long number;
    int row, column;   // row < column
};

// The next pair of a warp, by an ordered ticket; false when there is none. All lanes call this.
__device__ inline bool next_pair(const Pairs& of, int sequences, Task* task) {
    for (;;) {
        unsigned long long number = threadIdx.x % LANES ? 0 : atomicAdd(of.ticket, 1ull);
        number = __shfl_sync(WARP, number, 0);
        if ((long long)number >= of.pairs) return false;
        const int* tile = of.tiles + 2 * (number / (of.side * of.side));
        const int in_tile = number % (of.side * of.side);
        const int row = tile[0] + in_tile / of.side, column = tile[1] + in_tile % of.side;
        *task = {number, row, column};
        if (row < column && column < sequences) return true;
    }
}
