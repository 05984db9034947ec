// Phase 3 of StripedAlignment, ChunkedAlignment1 and ChunkedAlignment2 (Li et al. 2012, section V).
//
// Recurrence: that of strip.cuh, with directions. A sub-path begins in one of two ways, which give the same path. From
//     the local start state: only that state is alive, everything else is minus infinity; along the path such values
//     differ from the true ones by a constant, and no other candidate can gain, so every choice is the same. From true
//     values, as published: the boundary values that phase 1 kept, and above the first row the matrix border or a
//     chunk's last row.
//
// Threads: a warp for each strip or chunk that the path crosses, all in parallel. One lane then walks back through the
//     directions and writes the operations.
//
// Memory: directions are in global memory, four bits a cell, eight columns a word, [row + lane][word][lane]: H came
//     from 0 a new start, 1 the diagonal, 2 above, 3 the left; 4: the gap from here downwards opens here; 8: the gap
//     from here to the right opens here. A launch takes only sub-paths whose directions fit the buffer. With TWO_PIECES a
//     cell has eight bits (direction_bits.cuh).
//
// Needs strip.cuh, states.cuh and direction_bits.cuh.

constexpr int CELL_BITS = TWO_PIECES ? 8 : 4, WORD_CELLS = 32 / CELL_BITS;
constexpr int NIBBLE_WORDS = (R + WORD_CELLS - 1) / WORD_CELLS;
constexpr int NO_FLOOR = -2147483647 - 1;

struct Lane {
    int h[R], g[R], diagonal;
#if TWO_PIECES
    int g2[R];
#endif
    Edge out;

    __device__ __forceinline__ void compute(
        const Strip& problem, const Scores& scores, Edge in, int floor,
        unsigned (&directions)[NIBBLE_WORDS]) {
        int above_left = diagonal, k = in.k;
        diagonal = in.h;
#if TWO_PIECES
        int k2 = in.k2;
#endif
#pragma unroll
        for (int w = 0; w < NIBBLE_WORDS; ++w) directions[w] = 0;
#pragma unroll
        for (int c = 0; c < R; ++c) {
            int t = above_left + scores[c];
            unsigned from = DIAGONAL;
            int up = g[c] - problem.open_extend;
            if (up > t) t = up, from = ABOVE;
#if TWO_PIECES
            int up2 = g2[c] - problem.open_extend2;
            if (up2 > t) t = up2, from = ABOVE2;
#endif
            if (t <= floor) t = floor, from = NEW_START;
            int left = k - problem.open_extend, here = t;
            if (left > t) here = left, from = LEFT;
#if TWO_PIECES
            int left2 = k2 - problem.open_extend2;
            if (left2 > here) here = left2, from = LEFT2;
            if (t >= k2 - problem.extend2) k2 = t, from |= OPENS_RIGHT2;
            else k2 -= problem.extend2;
            if (here >= g2[c] - problem.extend2) g2[c] = here, from |= OPENS_DOWN2;
            else g2[c] -= problem.extend2;
#endif
            if (t >= k - problem.extend) k = t, from |= OPENS_RIGHT;
            else k -= problem.extend;
            if (here >= g[c] - problem.extend) g[c] = here, from |= OPENS_DOWN;
            else g[c] -= problem.extend;
            above_left = h[c];
            h[c] = here;
            directions[c / WORD_CELLS] |= from << (CELL_BITS * (c % WORD_CELLS));
        }
#if TWO_PIECES
        out = {h[R - 1], k, k2};
#else
        out = {h[R - 1], k};
#endif
    }
};

// The values from which a sub-path is recomputed, see Recurrence above.
struct Entry {
    const Strip& problem;
    const SubPath& path;
    const Boundary& boundary;        // values of phase 1; unused from the start state
    const Values* chunk_values;      // H and G of the row above the first, from the first column of all strips
    int first;                       // first row computed
    int floor;

    __device__ Entry(const Strip& problem, const SubPath& path, const Boundary& boundary, const Values* values,
                     int height, int width)
        : problem(problem), path(path), boundary(boundary) {
        first = path.first ? path.first : path.start_row + !from_left();
        floor = path.first && LOCAL ? 0 : NO_FLOOR;
        chunk_values = path.first > 1 ? values + static_cast<long long>((first - 1) / height - 1) * width : nullptr;
    }

    // Whether the sub-path enters from the left boundary, else from the row above its first one.
    __device__ bool from_left() const { return is_from_left(path.kind); }

    // H and G above the first row, in a column counted from 1.
    __device__ Edge top(int column) const {
        if (chunk_values) return edge_of(chunk_values[column - 1]);
        if (path.first) return even_edge(top_border(problem, column));
        bool here = column == path.strip * LANES * R + path.start_column;
        return start_on_top(path.kind, here);
    }

    __device__ Edge left(int row) const {
        if (!path.first) return start_on_left(problem, path, row, path.strip * LANES * R);
        if (path.strip == 0) return even_edge(left_border(problem, row));
        return row <= problem.m ? unpack(read_cell(cells_of(boundary, path.strip - 1), row + LANES - 2)) : Edge{};
    }

    // H diagonally above a lane's first column.
    __device__ int corner(int id) const {
        if (id == 0 && chunk_values) return left(first - 1).h;
        int column = path.strip * LANES * R + id * R;
        return column || !path.first ? top(column).h : 0;
    }
};

__device__ int walk(const Entry& entry, const unsigned* directions, int kept, unsigned char* operations) {
    const SubPath& path = entry.path;
    auto at = [&](int row, int column) {
        if (row < kept) return ON_ROW_0;
        int id = (column - 1) / R, c = (column - 1) % R;
        long long step = static_cast<long long>(row - kept) + id;
        const unsigned word = directions[(step * NIBBLE_WORDS + c / WORD_CELLS) * LANES + id];
        return word >> (CELL_BITS * (c % WORD_CELLS)) & ((1u << CELL_BITS) - 1);
    };
    int row = path.end_row, column = path.end_column, count = 0;
    unsigned in = path.end_in == IN_H ? DIAGONAL : continued_gap(path.end_in, at(row, column));
    while (column > 0 && (entry.from_left() || row > path.start_row)) {
        unsigned here = at(row, column);
        if (in == DIAGONAL) {
            in = here & REACHED;
            if (in == NEW_START) break;
            if (in != DIAGONAL) continue;
            operations[count++] = OPERATION_DIAGONAL, --row, --column;
        } else if (is_vertical(in)) {
            operations[count++] = OPERATION_UP, --row;
            if (at(row, column) & opening_bit(in)) in = DIAGONAL;
        } else {
            operations[count++] = OPERATION_LEFT, --column;
            if (column > 0 && at(row, column) & opening_bit(in)) in = DIAGONAL;
        }
    }
    return count;
}

// results: for every sub-path, count of operations and column where it begins; operations are written
// backwards, from the end of the sub-path, at operation_starts.
extern "C" __global__ void striped_path(
    STRIP_PARAMETERS(pair), BOUNDARY_PARAMETERS(boundary), const Values* chunk_values, int height, int width,
    SUB_PATHS_PARAMETERS(all), Event* log) {
    extern __shared__ __align__(16) unsigned char memory[];
    const int id = threadIdx.x % LANES;
    const int index = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    if (index >= all_count) return;
    const Strip problem = STRIP_OF(pair);
    const Boundary boundary = BOUNDARY_OF(boundary);
    unsigned char* profile = memory + threadIdx.x / LANES * problem.letters * PROFILE_STRIDE;
    const SubPath path = all_paths[index];
    const Entry entry(problem, path, boundary, chunk_values, height, width);
    long long began = nanoseconds();
    build_profile(problem, path.strip * LANES * R, id, profile);
    __syncwarp();
    Lane lane;
    int left_column = path.strip * LANES * R + id * R;
#pragma unroll
    for (int c = 0; c < R; ++c) {
        Edge above = entry.top(left_column + c + 1);
        lane.h[c] = above.h, lane.g[c] = above.k;
#if TWO_PIECES
        lane.g2[c] = above.k2;
#endif
    }
    lane.diagonal = entry.corner(id);
    lane.out = Edge{};
    unsigned* own = all_directions + all_direction_starts[index];
    int kept = max(entry.first, path.start_row);         // directions are needed from this row on
    int steps = path.end_row - entry.first + LANES;
    Edge ahead = {};                                     // left values of the next 32 rows, a lane a row
    for (int t = 0; t < steps; ++t) {
        if (t % LANES == 0) ahead = entry.left(entry.first + t + id);
        int row = entry.first + t - id;
        Edge passed = {__shfl_up_sync(WARP, lane.out.h, 1), __shfl_up_sync(WARP, lane.out.k, 1)};
        Edge entering = {__shfl_sync(WARP, ahead.h, t % LANES), __shfl_sync(WARP, ahead.k, t % LANES)};
#if TWO_PIECES
        passed.k2 = __shfl_up_sync(WARP, lane.out.k2, 1);
        entering.k2 = __shfl_sync(WARP, ahead.k2, t % LANES);
#endif
        Edge in = id == 0 ? entering : passed;
        if (row >= entry.first && row <= path.end_row) {
            unsigned nibbles[NIBBLE_WORDS];
            Scores scores;
            scores.load(profile, profile_offset(problem, row), 0, id);
            lane.compute(problem, scores, in, entry.floor, nibbles);
            if (row >= kept) {
                long long step = static_cast<long long>(row - kept) + id;
#pragma unroll
                for (int w = 0; w < NIBBLE_WORDS; ++w) own[(step * NIBBLE_WORDS + w) * LANES + id] = nibbles[w];
            }
        }
        __syncwarp();
    }
    if (id == 0) {
        all_operation_counts[index] = walk(entry, own, kept, all_operations + all_operation_starts[index]);
        log[index].start = began;
        log[index].end = nanoseconds();
        log[index].worker = multiprocessor();
    }
}
