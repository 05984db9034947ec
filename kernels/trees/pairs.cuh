// Pairs of sequences for warps: tiles of side x side pairs, pair `number` being cell number % (side x side) of its tile.

struct Task {
    unsigned long long number;
    int row, column;   // row < column
};

// The next pair of a warp, by an ordered ticket; false when there is none. All lanes call this.
__device__ inline bool next_pair(const int* tiles, int side, long long pairs, int sequences, unsigned long long* ticket,
                                 Task* task) {
    for (;;) {
        unsigned long long number = threadIdx.x % LANES ? 0 : atomicAdd(ticket, 1ull);
        number = __shfl_sync(WARP, number, 0);
        if ((long long)number >= pairs) return false;
        const int* tile = tiles + 2 * (number / (side * side));
        const int in_tile = number % (side * side), row = tile[0] + in_tile / side, column = tile[1] + in_tile % side;
        *task = {number, row, column};
        if (row < column && column < sequences) return true;
    }
}
