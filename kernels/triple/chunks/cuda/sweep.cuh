// Phase 1: all chunks of a slice, each some layers behind its neighbours. Needs tiles.cuh or cells.cuh.
//
// Computes:   the last cell, and the faces, local starts and bottoms that the alignments keep.
// Threads:    a block takes chunks by a ticket until all are taken.
// Memory:     as in cube.cuh; the ticket's number is shared by a block.

__device__ __forceinline__ void sweep(
    const Cube& cube, const Faces& faces, Slice slice, unsigned* ticket, int* last_cell, Event* log) {
    extern __shared__ __align__(16) int memory[];
    __shared__ int taken;
    const Store store = store_of(memory);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) taken = slice.first + static_cast<int>(atomicAdd(ticket, 1u));
        __syncthreads();
        const int number = taken;
        if (number >= slice.last) return;
        int row, column;
        place_of(cube, number, row, column);
        chunk_layers(cube, faces, chunk_at(cube, faces, row, column), store, last_cell, log + number * PIECES);
    }
}
