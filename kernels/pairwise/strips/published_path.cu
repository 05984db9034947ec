// Phases 2 and 3 as published (Li et al. 2012, sections V.A to V.C), for strips of any width.
//
// Recurrence: that of published_strip.cuh, with directions. As in striped_path.cu a sub-path is computed again from true
//     values, or from its local start state, beside which everything is minus infinity.
//
// Threads: phase 2 is one thread, which follows the start states from the best cell back. Phase 3 has a block for each strip
//     or chunk that the path crosses, all in parallel, by antidiagonals; one thread then walks back.
//
// Memory: a direction is a byte in global memory, as the paper has it, [row + column][column] for each sub-path: H came from
//     which way (direction_bits.cuh). The left boundary is read into shared memory, LEFT_ROWS rows at a time.
//
// Needs published_strip.cuh without STATES, states.cuh and direction_bits.cuh. Compile-time: LOCAL; TOP_FREE, LEFT_FREE; CHUNKS, 0, 1 or 2.

constexpr int LEFT_ROWS = 256;
constexpr int NO_FLOOR = -2147483647 - 1;

// Phase 2; writes the sub-paths from the last to the first. `again` says whether phase 3 starts from true values rather than
// from the start state.
extern "C" __global__ void link_published(
    const Values* boundary_states, const Values* chunk_states, int height, int width, int m, int strip, int end_row,
    int end_column, int end_in, int state, int again, SubPath* paths, int* count, int s) {
    int found = 0;
    while (true) {
        const int kind = kind_of(state), place = place_of(state);
        const bool from_top = is_from_top(kind);
        const int chunk_top = (end_row - 1) / height * height, start_row = from_top ? chunk_top : place;
        const int above = CHUNKS == 0 ? 0 : CHUNKS == 2 ? chunk_top : (start_row - is_in_row(kind)) / height * height;
        paths[found++] = {strip, kind, start_row, end_row, end_column, end_in,
                          from_top ? place : 0, again ? above + 1 : 0};
        if (kind == NEW_PATH || (!from_top && (strip == 0 || (place == 0 && TOP_FREE)))) break;
        end_row = start_row;
        if (from_top) {
            end_column = place, end_in = end_before(kind);
            const long long chunk = chunk_top / height - 1;
            state = state_of_end(chunk_states[chunk * width + strip * s + place - 1], end_in);
        } else {
            --strip;
            end_column = s, end_in = end_before(kind);
            const Values states = place ? boundary_states[static_cast<long long>(strip) * m + place - 1]
                                        : values_of(even_edge(start_state(FROM_K, 0)));
            state = state_of_end(states, end_in);
        }
    }
    *count = found;
}

// The values from which a sub-path is recomputed, see Recurrence above.
struct Entry {
    const Strip& problem;
    const SubPath& path;
    const unsigned long long* boundary;                  // H and K on the left, from row 1 on
    const Values* chunk_values;      // H and G of the row above the first, from the first column of all strips
    int left_column;                 // columns left of the strip
    int first;                       // first row computed
    int floor;

    __device__ Entry(const Strip& problem, const SubPath& path, const unsigned long long* boundaries, const Values* values,
                     int height, int width, int s)
        : problem(problem), path(path), left_column(path.strip * s) {
        boundary = boundaries + static_cast<long long>(max(path.strip - 1, 0)) * problem.m * BOUNDARY_WORDS;
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
        return start_on_top(path.kind, column == left_column + path.start_column);
    }

    // H and K on the left boundary; H of the row above the first one is the corner.
    __device__ Edge left(int row) const {
        if (row < first) {
            Edge edge = even_edge(MINUS_INFINITY);
            edge.h = corner();
            return edge;
        }
        return cell_on_left(row);
    }

private:
    __device__ Edge cell_on_left(int row) const {
        if (!path.first) return start_on_left(problem, path, row, left_column);
        if (path.strip == 0) return even_edge(left_border(problem, row));
        const unsigned long long* cell = boundary + (row - 1) * static_cast<long long>(BOUNDARY_WORDS);
        return boundary_edge(cell[0], TWO_PIECES ? cell[1] : 0);
    }

    __device__ int corner() const {
        if (chunk_values) return cell_on_left(first - 1).h;
        return left_column || !path.first ? top(left_column).h : 0;
    }
};

// The directions of a sub-path; `kept` is the first row that has some.
struct Directions {
    unsigned char* bytes;
    int kept, s;

    __device__ __forceinline__ unsigned char* place(int row, int c) const {
        return bytes + static_cast<long long>(row - kept + c) * s + c;
    }
    __device__ __forceinline__ unsigned at(int row, int column) const {
        return row < kept ? ON_ROW_0 : *place(row, column - 1);
    }
};

__device__ int walk(const Entry& entry, const Directions& directions, unsigned char* operations) {
    const SubPath& path = entry.path;
    int row = path.end_row, column = path.end_column, count = 0;
    unsigned in = path.end_in == IN_H ? DIAGONAL : continued_gap(path.end_in, directions.at(row, column));
    while (column > 0 && (entry.from_left() || row > path.start_row)) {
        if (in == DIAGONAL) {
            in = directions.at(row, column) & REACHED;
            if (in == NEW_START) break;
            if (in != DIAGONAL) continue;
            operations[count++] = OPERATION_DIAGONAL, --row, --column;
        } else if (is_vertical(in)) {
            operations[count++] = OPERATION_UP, --row;
            if (directions.at(row, column) & opening_bit(in)) in = DIAGONAL;
        } else {
            operations[count++] = OPERATION_LEFT, --column;
            if (column > 0 && directions.at(row, column) & opening_bit(in)) in = DIAGONAL;
        }
    }
    return count;
}

// A cell of column c, counted from 0; the direction that it has.
__device__ __forceinline__ unsigned compute(
    const Strip& problem, const Letters& letters, const Diagonals& at, int diagonal, Edge beside, int row, int c, int floor) {
    int k = beside.k, g = at.g[c], t = diagonal + letters.score(row, c);
    unsigned from = DIAGONAL;
    const int up = g - problem.open_extend;
    if (up > t) t = up, from = ABOVE;
#if TWO_PIECES
    int k2 = beside.k2, g2 = at.g2[c];
    const int up2 = g2 - problem.open_extend2, left2 = k2 - problem.open_extend2;
    if (up2 > t) t = up2, from = ABOVE2;
#endif
    if (t <= floor) t = floor, from = NEW_START;
    const int left = k - problem.open_extend;
    int here = t;
    if (left > t) here = left, from = LEFT;
#if TWO_PIECES
    if (left2 > here) here = left2, from = LEFT2;
    if (t >= k2 - problem.extend2) k2 = t, from |= OPENS_RIGHT2;
    else k2 -= problem.extend2;
    if (here >= g2 - problem.extend2) g2 = here, from |= OPENS_DOWN2;
    else g2 -= problem.extend2;
    at.k2[c] = k2, at.g2[c] = g2;
#endif
    if (t >= k - problem.extend) k = t, from |= OPENS_RIGHT;
    else k -= problem.extend;
    if (here >= g - problem.extend) g = here, from |= OPENS_DOWN;
    else g -= problem.extend;
    at.h[c] = here, at.k[c] = k, at.g[c] = g;
    return from;
}

// Operations are written backwards, from the end of the sub-path, at operation_starts; and their number.
extern "C" __global__ void __launch_bounds__(1024) published_path(
    STRIP_PARAMETERS(pair), const unsigned long long* boundaries, const Values* chunk_values, int height, int width, int s,
    SUB_PATHS_PARAMETERS(all), Event* log) {
    extern __shared__ __align__(16) int memory[];
    const Strip problem = STRIP_OF(pair);
    const int index = blockIdx.x;
    const SubPath path = all_paths[index];
    const Entry entry(problem, path, boundaries, chunk_values, height, width, s);
    const long long began = nanoseconds();
    Diagonals at;
    int *left_h = at.place(memory, s), *left_k = left_h + LEFT_ROWS + 1;     // place r is row r after the one before them
    int* end = left_k + LEFT_ROWS + 1;
#if TWO_PIECES
    int* left_k2 = end;
    end += LEFT_ROWS + 1;
#endif
    Letters letters;
    letters.load_table(problem, end);
    letters.load_columns(problem, entry.left_column, path.end_column);
    for (int c = threadIdx.x; c < path.end_column; c += blockDim.x) {
        const Edge above = entry.top(entry.left_column + c + 1);
        at.g[c] = above.k;
#if TWO_PIECES
        at.g2[c] = above.k2;
#endif
    }
    const Directions directions = {
        reinterpret_cast<unsigned char*>(all_directions + all_direction_starts[index]), max(entry.first, path.start_row), s};
    const int first = entry.first, steps = path.end_row - first + path.end_column;
    __syncthreads();
    for (int t = 0; t < steps; ++t) {
        if (t % LEFT_ROWS == 0 && first + t <= path.end_row) {
            const int above = first + t - 1;
            for (int r = threadIdx.x; r <= LEFT_ROWS && above + r <= path.end_row; r += blockDim.x) {
                const Edge edge = entry.left(above + r);
                left_h[r] = edge.h, left_k[r] = edge.k;
#if TWO_PIECES
                left_k2[r] = edge.k2;
#endif
            }
            __syncthreads();
        }
#pragma unroll
        for (int own = 0; own < OWN; ++own) {
            const int c = threadIdx.x + own * blockDim.x, row = first + t - c;
            if (c >= path.end_column || row < first || row > path.end_row) continue;
            const int slot = t % LEFT_ROWS + 1;
            const int diagonal = c == 0 ? left_h[slot - 1]
                                 : row == first ? entry.top(entry.left_column + c).h : at.h_two[c - 1];
            Edge beside = even_edge(c == 0 ? left_k[slot] : at.k_before[c - 1]);
#if TWO_PIECES
            beside.k2 = c == 0 ? left_k2[slot] : at.k2_before[c - 1];
#endif
            const unsigned from = compute(problem, letters, at, diagonal, beside, row, c, entry.floor);
            if (row >= directions.kept) *directions.place(row, c) = static_cast<unsigned char>(from);
        }
        __syncthreads();
        at.next();
    }
    if (threadIdx.x == 0) {
        all_operation_counts[index] = walk(entry, directions, all_operations + all_operation_starts[index]);
        log[index].start = began;
        log[index].end = nanoseconds();
        log[index].worker = multiprocessor();
    }
}
