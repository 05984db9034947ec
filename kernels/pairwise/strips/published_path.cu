// Phases 2 and 3 as published (Li et al. 2012, sections V.A to V.C), for strips of any width.
//
// Recurrence: that of published_strip.cuh, with directions. As in striped_path.cu a sub-path is computed again from true
//     values, or from its local start state, beside which everything is minus infinity.
//
// Threads: phase 2 is one thread, which follows the start states from the best cell back. Phase 3 has a block for each strip
//     or chunk that the path crosses, all in parallel, by antidiagonals; one thread then walks back.
//
// Memory: a direction is a byte in global memory, as the paper has it, [row + column][column] for each sub-path: H came from
//     0 a new start, 1 the diagonal, 2 above, 3 the left; 4: the gap from here downwards opens here; 8: the gap from here to
//     the right opens here. The left boundary is read into shared memory, LEFT_ROWS rows at a time.
//
// Needs published_strip.cuh without STATES, and states.cuh. Compile-time: LOCAL; TOP_FREE, LEFT_FREE; CHUNKS, 0, 1 or 2.

constexpr int LEFT_ROWS = 256;
constexpr int NO_FLOOR = -2147483647 - 1;
constexpr unsigned NEW_START = 0, DIAGONAL = 1, ABOVE = 2, LEFT = 3, OPENS_DOWN = 4, OPENS_RIGHT = 8;

// Phase 2; writes the sub-paths from the last to the first. `again` says whether phase 3 starts from true values rather than
// from the start state.
extern "C" __global__ void link_published(
    const int2* boundary_states, const int2* chunk_states, int height, int width, int m, int strip, int end_row,
    int end_column, int end_in, int state, int again, SubPath* paths, int* count, int s) {
    int found = 0;
    while (true) {
        const int kind = kind_of(state), place = place_of(state);
        const bool from_top = kind == TOP_H || kind == TOP_G;
        const int chunk_top = (end_row - 1) / height * height, start_row = from_top ? chunk_top : place;
        const int above = CHUNKS == 0 ? 0 : CHUNKS == 2 ? chunk_top : (start_row - (kind == FROM_K)) / height * height;
        paths[found++] = {strip, kind, start_row, end_row, end_column, end_in,
                          from_top ? place : 0, again ? above + 1 : 0};
        if (kind == NEW_PATH || (!from_top && (strip == 0 || (place == 0 && TOP_FREE)))) break;
        end_row = start_row;
        if (from_top) {
            end_column = place, end_in = kind == TOP_G ? IN_G : IN_H;
            const int2 pair = chunk_states[static_cast<long long>(chunk_top / height - 1) * width + strip * s + place - 1];
            state = kind == TOP_G ? pair.y : pair.x;
        } else {
            --strip;
            end_column = s, end_in = kind == FROM_K ? IN_K : IN_H;
            const int2 pair = place ? boundary_states[static_cast<long long>(strip) * m + place - 1]
                                    : make_int2(start_state(FROM_K, 0), start_state(FROM_K, 0));
            state = kind == FROM_K ? pair.y : pair.x;
        }
    }
    *count = found;
}

// The values from which a sub-path is recomputed, see Recurrence above.
struct Entry {
    const Strip& problem;
    const SubPath& path;
    const unsigned long long* boundary;                  // H and K on the left, from row 1 on
    const int2* chunk_values;        // H and G of the row above the first, from the first column of all strips
    int left_column;                 // columns left of the strip
    int first;                       // first row computed
    int floor;

    __device__ Entry(const Strip& problem, const SubPath& path, const unsigned long long* boundaries, const int2* values,
                     int height, int width, int s)
        : problem(problem), path(path), left_column(path.strip * s) {
        boundary = boundaries + static_cast<long long>(max(path.strip - 1, 0)) * problem.m;
        first = path.first ? path.first : path.start_row + !from_left();
        floor = path.first && LOCAL ? 0 : NO_FLOOR;
        chunk_values = path.first > 1 ? values + static_cast<long long>((first - 1) / height - 1) * width : nullptr;
    }

    // Whether the sub-path enters from the left boundary, else from the row above its first one.
    __device__ bool from_left() const { return path.kind == FROM_H || path.kind == FROM_K; }

    // H and G above the first row, in a column counted from 1.
    __device__ Edge top(int column) const {
        if (chunk_values) return {chunk_values[column - 1].x, chunk_values[column - 1].y};
        if (path.first) return {top_border(problem, column), top_border(problem, column)};
        const bool here = column == left_column + path.start_column;
        return {path.kind == NEW_PATH || (here && path.kind == TOP_H) ? 0 : MINUS_INFINITY,
                (!LOCAL && path.kind == NEW_PATH) || (here && path.kind == TOP_G) ? 0 : MINUS_INFINITY};
    }

    // H and K on the left boundary; H of the row above the first one is the corner.
    __device__ Edge left(int row) const {
        if (row < first) return {corner(), MINUS_INFINITY};
        return cell_on_left(row);
    }

private:
    __device__ Edge cell_on_left(int row) const {
        if (!path.first) {
            const bool start = row == path.start_row;
            return {start && path.kind == FROM_H ? 0 : MINUS_INFINITY, start && path.kind == FROM_K ? 0 : MINUS_INFINITY};
        }
        if (path.strip == 0) return {left_border(problem, row), left_border(problem, row)};
        const unsigned long long cell = boundary[row - 1];
        return {static_cast<int>(cell >> 32), static_cast<int>(cell)};
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
        return row < kept ? LEFT | OPENS_DOWN : *place(row, column - 1);     // row 0: one gap to the left boundary
    }
};

__device__ int walk(const Entry& entry, const Directions& directions, unsigned char* operations) {
    const SubPath& path = entry.path;
    int row = path.end_row, column = path.end_column, count = 0;
    unsigned in = DIAGONAL;
    if (path.end_in == IN_K && !(directions.at(row, column) & OPENS_RIGHT)) in = LEFT;
    if (path.end_in == IN_G && !(directions.at(row, column) & OPENS_DOWN)) in = ABOVE;
    while (column > 0 && (entry.from_left() || row > path.start_row)) {
        if (in == DIAGONAL) {
            in = directions.at(row, column) & 3u;
            if (in == NEW_START) break;
            if (in != DIAGONAL) continue;
            operations[count++] = OPERATION_DIAGONAL, --row, --column;
        } else if (in == ABOVE) {
            operations[count++] = OPERATION_UP, --row;
            if (directions.at(row, column) & OPENS_DOWN) in = DIAGONAL;
        } else {
            operations[count++] = OPERATION_LEFT, --column;
            if (column > 0 && directions.at(row, column) & OPENS_RIGHT) in = DIAGONAL;
        }
    }
    return count;
}

// A cell of column c, counted from 0; the direction that it has.
__device__ __forceinline__ unsigned compute(
    const Strip& problem, const Letters& letters, const Diagonals& at, int diagonal, int k, int row, int c, int floor) {
    int g = at.g[c], t = diagonal + letters.score(row, c);
    unsigned from = DIAGONAL;
    const int up = g - problem.open_extend;
    if (up > t) t = up, from = ABOVE;
    if (t <= floor) t = floor, from = NEW_START;
    const int left = k - problem.open_extend;
    int here = t;
    if (left > t) here = left, from = LEFT;
    if (t >= k - problem.extend) k = t, from |= OPENS_RIGHT;
    else k -= problem.extend;
    if (here >= g - problem.extend) g = here, from |= OPENS_DOWN;
    else g -= problem.extend;
    at.h[c] = here, at.k[c] = k, at.g[c] = g;
    return from;
}

// Operations are written backwards, from the end of the sub-path, at operation_starts; and their number.
extern "C" __global__ void __launch_bounds__(1024) published_path(
    STRIP_PARAMETERS(pair), const unsigned long long* boundaries, const int2* chunk_values, int height, int width, int s,
    SUB_PATHS_PARAMETERS(all), Event* log) {
    extern __shared__ __align__(16) int memory[];
    const Strip problem = STRIP_OF(pair);
    const int index = blockIdx.x;
    const SubPath path = all_paths[index];
    const Entry entry(problem, path, boundaries, chunk_values, height, width, s);
    const long long began = nanoseconds();
    Diagonals at;
    int *left_h = at.place(memory, s), *left_k = left_h + LEFT_ROWS + 1;     // place r is row r after the one before them
    Letters letters;
    letters.load_table(problem, left_k + LEFT_ROWS + 1);
    letters.load_columns(problem, entry.left_column, path.end_column);
    for (int c = threadIdx.x; c < path.end_column; c += blockDim.x) at.g[c] = entry.top(entry.left_column + c + 1).k;
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
            const unsigned from =
                compute(problem, letters, at, diagonal, c == 0 ? left_k[slot] : at.k_before[c - 1], row, c, entry.floor);
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
