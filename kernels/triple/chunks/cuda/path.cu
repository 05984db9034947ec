// Phases 2 and 3 (Li et al. 2014, section 5). Needs tiles.cuh or cells.cuh, compiled with MOVES.
//
// Computes:   link_parts follows the local starts from boundary cell to boundary cell. compute_parts computes the boxes on the
//             path again, from their true faces, with the move of every cell, and walks back.
// Threads:    link_parts: one thread. compute_parts: a block takes a part of the path by a ticket, and goes from box to box until
//             the part ends. Without local starts there is one part, the whole path.
// Memory:     moves of a box, [layer][S][S], for each block; the moves of a part, backwards, from its place on.

// Local start of a boundary cell, as `move` leaves it southwards, eastwards or down. With linear gaps the move is not
// known (7) and all faces hold the same, so the first one is read that the chunk has.
__device__ int stored_start(const Cube& cube, const Faces& faces, int i, int j, int k, int move) {
    int row = i / S, column = j / S;
    if (j % S == S - 1 && move & 2 && column + 1 < cube.columns) {
        int part = PARTS == 1 ? 0 : (move & 1) | (move & 4) >> 1;
        return faces.east_starts[(east_of(cube, row, column) * cube.nk + k) * EAST + part * (FACE + 4) + i % S];
    }
    if (i % S == S - 1 && move & 4 && row + 1 < cube.rows) {
        int part = PARTS == 1 ? 0 : move & 3;
        return faces.south_starts[(south_of(cube, row, column) * cube.nk + k) * SOUTH + part * FACE + j % S];
    }
    int part = PARTS == 1 ? 0 : move >> 1;
    long long bottom = bottom_of(cube, row, column, k / cube.h) * BOTTOM;
    return faces.bottom_starts[bottom + (part * S + i % S) * S + j % S];
}

extern "C" __global__ void link_parts(
    CUBE_PARAMETERS(of), FACES_PARAMETERS(of), const int* last_cell, Part* parts, int* count, int most) {
    const Cube cube = CUBE_OF(of);
    const Faces faces = FACES_OF(of);
    int i = cube.ni - 1, j = cube.nj - 1, k = cube.nk - 1, after = 7, code = last_cell[1], found = 0;
    while (found < most) {
        int row = i / S, column = j / S;
        int start_i = row * S + (code >> 7 & 127) - 1, start_j = column * S + (code & 127) - 1;
        int start_k = static_cast<int>(static_cast<unsigned>(code) >> 17) - 1;
        parts[found++] = {row, column, i, j, k, after, start_i, start_j, start_k, 0, 0, 0};
        if (start_k < 0 && start_i < 0 && start_j < 0) break;
        after = code >> 14 & 7;
        i = start_i, j = start_j, k = start_k;
        code = stored_start(cube, faces, i, j, k, after ? after : 7);
    }
    *count = found;
}

// Walk back inside a box; one thread calls.
__device__ void walk(const Chunk& chunk, int first_layer, const Move* moves, Part& part, unsigned char* found) {
    int i = part.i - chunk.row * S, j = part.j - chunk.column * S, k = part.k - first_layer, after = part.after;
    while (i >= 0 && j >= 0 && k >= 0) {
        int word = moves[(static_cast<long long>(k) * S + i) * S + j];
        int move = AFFINE ? word >> (3 * after) & 7 : word;
        found[part.count++] = static_cast<unsigned char>(move);
        i -= move >> 2, j -= move >> 1 & 1, k -= move & 1;
        after = move;
    }
    part.i = i + chunk.row * S, part.j = j + chunk.column * S, part.k = k + first_layer, part.after = after;
}

// A launch computes some boxes of each part, until it is done.
extern "C" __global__ void __launch_bounds__(THREADS) compute_parts(
    CUBE_PARAMETERS(of), FACES_PARAMETERS(of), PARTS_PARAMETERS(all), Event* log) {
    extern __shared__ __align__(16) int memory[];
    __shared__ int taken;
    __shared__ Part part;
    const Cube cube = CUBE_OF(of);
    const Faces faces = FACES_OF(of);
    const Store store = store_of(memory);
    Move* own = all_moves + blockIdx.x * all_box_cells;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) taken = static_cast<int>(atomicAdd(all_ticket, 1u));
        __syncthreads();
        const int index = taken;
        if (index >= all_count) return;
        if (threadIdx.x == 0) part = all_parts[index];
        __syncthreads();
        if (part.done) continue;                 // in an earlier launch, whose times stay in the log
        long long began = nanoseconds();
        for (int box_number = 0; box_number < all_most && !part.done; ++box_number) {
            const Chunk chunk = chunk_at(cube, faces, part.i / S, part.j / S);
            const int box = part.k / cube.h;
            box_moves(cube, faces, chunk, store, box, part.k, own);
            if (threadIdx.x == 0) {
                walk(chunk, box * cube.h, own, part, all_found + all_places[index]);
                bool left_chunk = part.i < chunk.row * S || part.j < chunk.column * S;
                bool at_start = part.i < 0 || part.j < 0 || part.k < 0;
                part.done = at_start || all_stop == STOP_BOX || (all_stop == STOP_CHUNK && left_chunk);
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            all_parts[index] = part;
            if (log[index].end == 0) log[index].start = began;
            log[index].end = nanoseconds();
            log[index].worker = multiprocessor();
        }
    }
}
