// Phase 1 as published: StripedScore, and with STATES that of StripedAlignment, ChunkedAlignment1 and ChunkedAlignment2
// (Li et al. 2012, sections IV and V).
//
// Recurrence: that of published_strip.cuh. With STATES every H, G and K carries its local start state. Ties: a path stops
//     where it can, else goes diagonally, else up, else left; a gap is opened as late as possible.
//
// Threads: of p blocks, at most one a multiprocessor, block i computes all strips j with j mod p = i, one after another from
//     left to right. A block takes its i by a ticket, so that those that wait for others started after them. A launch is a
//     slice of steps, as in sweep.cuh: strip k does steps [start - k skew, end - k skew), cut to its own.
//
// Memory: a strip gathers H and K of its last column in shared memory, and writes T rows of them at a time to global
//     memory, where they stay. Then it raises its progress word, for which the right neighbour's first thread polls before it
//     reads a batch. Between slices the antidiagonals of a strip are in global memory (`kept`), [field][s] for each strip.
//     With STATES the states of all boundary cells are stored; with CHUNKS also H and G of each chunk's last row, and with
//     CHUNKS == 2, where states are local to chunks, the states of these.
//
// Needs published_strip.cuh, and with STATES states.cuh. Compile-time: LOCAL; the free borders; STATES; CHUNKS, 0, 1 or 2.

// The last column's values of up to T rows, and the left boundary's: place r is row b T + r, from the one before the batch.
struct Boxes {
    int *in_h, *in_k, *out_h, *out_k;
#if TWO_PIECES
    int *in_k2, *out_k2, *out_k2_state;
#endif
#if STATES
    int *out_h_state, *out_k_state;
#endif

    __device__ __forceinline__ int* place(int* memory, int batch) {
        in_h = memory, in_k = in_h + batch + 1, out_h = in_k + batch + 1, out_k = out_h + batch;
        int* end = out_k + batch;
#if STATES
        out_h_state = end, out_k_state = out_h_state + batch, end = out_k_state + batch;
#endif
#if TWO_PIECES
        in_k2 = end, out_k2 = in_k2 + batch + 1, end = out_k2 + batch;
#if STATES
        out_k2_state = end, end = out_k2_state + batch;
#endif
#endif
        return end;
    }
};

struct Best { int score, row, column, state; };          // column in the strip, from 0

// Of equal scores the one in the smallest row, then in the smallest column.
__device__ __forceinline__ bool is_better(const Best& one, const Best& other) {
    if (one.score != other.score) return one.score > other.score;
    return one.row < other.row || (one.row == other.row && one.column < other.column);
}

// The best cell of all threads, in the first one; every thread calls this.
__device__ Best best_of_block(Best mine) {
    __shared__ Best of_warps[LANES];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    for (int round = 0; round < 2; ++round) {
        for (int distance = LANES / 2; distance; distance /= 2) {
            const Best other = {__shfl_xor_sync(WARP, mine.score, distance), __shfl_xor_sync(WARP, mine.row, distance),
                                __shfl_xor_sync(WARP, mine.column, distance), __shfl_xor_sync(WARP, mine.state, distance)};
            if (is_better(other, mine)) mine = other;
        }
        if (round) break;
        __syncthreads();
        if (lane == 0) of_warps[warp] = mine;
        __syncthreads();
        mine = of_warps[lane < warps ? lane : 0];
    }
    return mine;
}

struct Sweep {
    const Strip& problem;
    const Published& all;
#if STATES
    const Buffers& kept;
#endif
    Letters letters;
    Diagonals at;
    Boxes boxes;
    int strip, first, width;         // columns left of the strip, and its columns
    Best best;
    int waited;                      // nanoseconds

    // Before row 1: G of the columns. H of row 0 is never stored, for it is the border.
    __device__ __forceinline__ void begin() {
        for (int c = threadIdx.x; c < width; c += blockDim.x) {
            at.g[c] = top_border(problem, first + c + 1);
#if STATES
            at.g_state[c] = state_of_border();
#endif
#if TWO_PIECES
            at.g2[c] = at.g[c];
#if STATES
            at.g2_state[c] = state_of_border();
#endif
#endif
        }
    }

#if STATES
    static __device__ __forceinline__ int state_of_border() {
        return TOP_FREE ? start_state(NEW_PATH, 0) : start_state(FROM_K, 0);
    }
#endif

    // Whether a path that is not local may end in a cell.
    __device__ __forceinline__ bool may_end(int row, int c) const {
        const bool in_last_row = row == problem.m, in_last_column = first + c + 1 == problem.n;
        return (in_last_row && in_last_column) || (BOTTOM_FREE && in_last_row) || (RIGHT_FREE && in_last_column);
    }

    // The antidiagonals from or to global memory, between two slices.
    __device__ __forceinline__ void keep(bool save) {
        int* arrays[] = {at.h_before, at.h_two, at.k_before, at.g,
#if STATES
                         at.h_state_before, at.h_state_two, at.k_state_before, at.g_state,
#endif
#if TWO_PIECES
                         at.k2_before, at.g2,
#if STATES
                         at.k2_state_before, at.g2_state,
#endif
#endif
        };
        constexpr int FIELDS = sizeof(arrays) / sizeof(arrays[0]);
        int* place = all.kept + static_cast<long long>(strip) * FIELDS * all.s;
#pragma unroll
        for (int field = 0; field < FIELDS; ++field)
            for (int c = threadIdx.x; c < width; c += blockDim.x) {
                if (save) place[field * all.s + c] = arrays[field][c];
                else arrays[field][c] = place[field * all.s + c];
            }
    }

    // The batch of boundary cells that has this row, from the row before the batch on.
    __device__ void receive(int row) {
        const int above = (row - 1) / all.batch * all.batch, last = min(above + all.batch, problem.m);
        if (strip > 0 && threadIdx.x == 0) {
            const unsigned long long* progress = all.progress + strip - 1;
            if (load_shared_by_all(progress) < static_cast<unsigned long long>(last)) {
                const int began = static_cast<int>(nanoseconds());
                while (load_shared_by_all(progress) < static_cast<unsigned long long>(last)) {}
                waited += static_cast<int>(nanoseconds()) - began;
            }
            __threadfence();
        }
        __syncthreads();
        const unsigned long long* left = all.boundary + static_cast<long long>(max(strip - 1, 0)) * problem.m * BOUNDARY_WORDS;
        for (int r = above + threadIdx.x; r <= last; r += blockDim.x) {
            Edge edge = even_edge(left_border(problem, r));
            if (strip > 0 && r == 0) edge.h = top_border(problem, first);
            if (strip > 0 && r > 0) {
                const unsigned long long* cell = left + (r - 1) * static_cast<long long>(BOUNDARY_WORDS);
                edge = boundary_edge(load_shared_by_all(cell), TWO_PIECES ? load_shared_by_all(cell + 1) : 0);
            }
            boxes.in_h[r - above] = edge.h, boxes.in_k[r - above] = edge.k;
#if TWO_PIECES
            boxes.in_k2[r - above] = edge.k2;
#endif
        }
        __syncthreads();
    }

    // Rows sent + 1 .. done of the last column to the right neighbour; the barrier before made them complete.
    __device__ void send(int sent, int done) {
        const long long place = static_cast<long long>(strip) * problem.m - 1;
        for (int row = sent + 1 + threadIdx.x; row <= done; row += blockDim.x) {
            const int slot = (row - 1) % all.batch;
            const unsigned long long h = static_cast<unsigned>(boxes.out_h[slot]);
            all.boundary[(place + row) * BOUNDARY_WORDS] = h << 32 | static_cast<unsigned>(boxes.out_k[slot]);
#if TWO_PIECES
            all.boundary[(place + row) * BOUNDARY_WORDS + 1] = static_cast<unsigned>(boxes.out_k2[slot]);
#if STATES
            kept.boundary_states[place + row] =
                make_int3(boxes.out_h_state[slot], boxes.out_k_state[slot], boxes.out_k2_state[slot]);
#endif
#elif STATES
            kept.boundary_states[place + row] = make_int2(boxes.out_h_state[slot], boxes.out_k_state[slot]);
#endif
        }
        __syncthreads();             // all rows are written, and their places free
        if (threadIdx.x == 0) {
            __threadfence();
            store_shared_by_all(all.progress + strip, static_cast<unsigned long long>(done));
        }
    }

    // The cell of a column in a row; `slot` is its row in the boxes of the left boundary, from 1.
    __device__ __forceinline__ void compute(int row, int c, int slot, int& chunk_end) {
        const bool leftmost = c == 0, topmost = row == 1, last = c + 1 == width;
        const int diagonal = leftmost ? boxes.in_h[slot - 1] : topmost ? top_border(problem, first + c) : at.h_two[c - 1];
        int k = leftmost ? boxes.in_k[slot] : at.k_before[c - 1], g = at.g[c];
#if TWO_PIECES
        int k2 = leftmost ? boxes.in_k2[slot] : at.k2_before[c - 1], g2 = at.g2[c];
        const int up2 = g2 - problem.open_extend2, left2 = k2 - problem.open_extend2;
#endif
        int t = diagonal + letters.score(row, c);
        const int up = g - problem.open_extend;
#if STATES
        int t_state = leftmost ? start_state(FROM_H, row - 1) : topmost ? state_of_border() : at.h_state_two[c - 1];
        int k_state = leftmost ? start_state(FROM_K, row) : at.k_state_before[c - 1], g_state = at.g_state[c];
        if (up > t) t = up, t_state = g_state;
#if TWO_PIECES
        int k2_state = leftmost ? start_state(FROM_K2, row) : at.k2_state_before[c - 1], g2_state = at.g2_state[c];
        if (up2 > t) t = up2, t_state = g2_state;
#endif
        if (LOCAL && t <= 0) t = 0, t_state = start_state(NEW_PATH, row);
        const int left = k - problem.open_extend;
        const bool gap = left > t;
        int here = gap ? left : t;
        int here_state = gap ? k_state : t_state;
#if TWO_PIECES
        if (left2 > here) here = left2, here_state = k2_state;
        if (t >= k2 - problem.extend2) k2 = t, k2_state = t_state;
        else k2 -= problem.extend2;
        if (here >= g2 - problem.extend2) g2 = here, g2_state = here_state;
        else g2 -= problem.extend2;
#endif
        if (t >= k - problem.extend) k = t, k_state = t_state;
        else k -= problem.extend;
        if (here >= g - problem.extend) g = here, g_state = here_state;
        else g -= problem.extend;
#else
        t = LOCAL ? max(max(t, up), 0) : max(t, up);
#if TWO_PIECES
        t = max(t, up2);
        const int u = max(t, left2), here = max(u, k - problem.open_extend), here_state = 0;
        k = max(k - problem.extend, u), g = max(g - problem.extend, here);
        k2 = max(k2 - problem.extend2, t), g2 = max(g2 - problem.extend2, here);
#else
        const int here = max(t, k - problem.open_extend), here_state = 0;
        k = max(k - problem.extend, t), g = max(g - problem.extend, here);
#endif
#endif
        if (LOCAL) {
            const Best found = {here, row, c, here_state};
            if (here > 0 && is_better(found, best)) best = found;
        } else if (may_end(row, c)) {
            const Best found = {here, row, c, here_state};
            if (is_better(found, best)) best = found;
        }
        if (last) {
            const int out = (row - 1) % all.batch;
            boxes.out_h[out] = here, boxes.out_k[out] = k;
#if STATES
            boxes.out_h_state[out] = here_state, boxes.out_k_state[out] = k_state;
#endif
#if TWO_PIECES
            boxes.out_k2[out] = k2;
#if STATES
            boxes.out_k2_state[out] = k2_state;
#endif
#endif
        }
#if CHUNKS
        if (row == chunk_end && row < problem.m) {
            const long long place = static_cast<long long>(row / kept.height - 1) * kept.width + first + c;
#if TWO_PIECES
            kept.values[place] = make_int3(here, g, g2);
#else
            kept.values[place] = make_int2(here, g);
#endif
            chunk_end += kept.height;
#if CHUNKS == 2
#if TWO_PIECES
            kept.states[place] = make_int3(here_state, g_state, g2_state);
            g2_state = start_state(TOP_G2, c + 1);
#else
            kept.states[place] = make_int2(here_state, g_state);
#endif
            here_state = start_state(TOP_H, c + 1), g_state = start_state(TOP_G, c + 1);
#endif
        }
#endif
        at.h[c] = here, at.k[c] = k, at.g[c] = g;
#if STATES
        at.h_state[c] = here_state, at.k_state[c] = k_state, at.g_state[c] = g_state;
#endif
#if TWO_PIECES
        at.k2[c] = k2, at.g2[c] = g2;
#if STATES
        at.k2_state[c] = k2_state, at.g2_state[c] = g2_state;
#endif
#endif
    }

    // Steps start .. end - 1 of the strip.
    __device__ void advance(int start, int end) {
        const int m = problem.m, batch = all.batch;
        const bool gives = first + width < problem.n;
        int chunk_ends[OWN] = {}, sent = min(max(start - width + 1, 0), m);
#if CHUNKS
#pragma unroll
        for (int own = 0; own < OWN; ++own) {
            const int row = max(start - static_cast<int>(threadIdx.x + own * blockDim.x) + 1, 1);
            chunk_ends[own] = ((row - 1) / kept.height + 1) * kept.height;
        }
#endif
        for (int t = start; t < end; ++t) {
            if (t < m && (t % batch == 0 || t == start)) receive(t + 1);
            const int slot = t % batch + 1;
#pragma unroll
            for (int own = 0; own < OWN; ++own) {
                const int c = threadIdx.x + own * blockDim.x, row = t - c + 1;
                if (c < width && row >= 1 && row <= m) compute(row, c, slot, chunk_ends[own]);
            }
            __syncthreads();
            at.next();
            const int done = t - width + 2;              // the row that the last column has finished
            if (gives && done >= 1 && done <= m && (done % batch == 0 || done == m || t + 1 == end)) {
                send(sent, done);
                sent = done;
            }
        }
    }
};

extern "C" __global__ void __launch_bounds__(1024) published_sweep(
    STRIP_PARAMETERS(pair), PUBLISHED_PARAMETERS(all), Event* log, unsigned* ticket, SLICE_PARAMETERS(slice)
#if STATES
    , BUFFERS_PARAMETERS(kept)
#endif
) {
    extern __shared__ __align__(16) int memory[];
    __shared__ int dealt;
    const Strip problem = STRIP_OF(pair);
    const Published all = PUBLISHED_OF(all);
    const Slice slice = SLICE_OF(slice);
#if STATES
    const Buffers kept = BUFFERS_OF(kept);
    Sweep sweep = {problem, all, kept};
#else
    Sweep sweep = {problem, all};
#endif
    if (threadIdx.x == 0) dealt = static_cast<int>(atomicAdd(ticket, 1u));
    sweep.letters.load_table(problem, sweep.boxes.place(sweep.at.place(memory, all.s), all.batch));
    __syncthreads();
    const int blocks = gridDim.x, first_strip = slice.first_strip;
    int strip = first_strip + ((dealt - first_strip) % blocks + blocks) % blocks;
    for (; strip < slice.end_strip; strip += blocks) {
        const long long began = nanoseconds(), shift = static_cast<long long>(strip) * slice.skew;
        const int start = static_cast<int>(max(0ll, slice.start - shift));
        const int end = static_cast<int>(min(static_cast<long long>(slice.steps), slice.end - shift));
        sweep.strip = strip, sweep.first = strip * all.s, sweep.width = min(all.s, problem.n - strip * all.s);
        sweep.best = {LOCAL ? 0 : MINUS_INFINITY, 0, 0, 0}, sweep.waited = 0;
        sweep.letters.load_columns(problem, sweep.first, sweep.width);
        if (start == 0) sweep.begin();
        else sweep.keep(false);
        __syncthreads();
        sweep.advance(start, end);
        if (end < slice.steps) sweep.keep(true);
        const Best best = best_of_block(sweep.best);
        if (threadIdx.x == 0) {
            const int4 before = all.best[strip];
            if (is_better(best, {before.x, before.y, before.z, before.w}))
                all.best[strip] = make_int4(best.score, best.row, best.column, best.state);
            const bool is_first = log[strip].end == 0;   // a log may span several slices
            if (is_first) log[strip].start = began;
            log[strip].end = nanoseconds();
            log[strip].worker = multiprocessor();
            log[strip].waited = sweep.waited + (is_first ? 0 : log[strip].waited);
        }
        __syncthreads();             // before the next strip's letters and values
    }
}
