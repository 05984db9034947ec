// The sweep over all strips, sliced into launches.
//
// Recurrence: that of the lane type (see below).
//
// Threads: a warp computes one strip. Strips are handed out in order by a ticket, so a strip's left neighbour is always
//     running or done. A launch is one slice: strip k advances over steps [slice.start - k skew, slice.end - k skew),
//     cut to its own range. The skew keeps every left neighbour far enough ahead, so that no strip waits at a slice's
//     start.
//
// Memory: a strip leaves the registers of its lanes in `state`, in global memory, for the next slice; boundary cells
//     pass from strip to strip through global memory, and through shared memory within a batch.
//
// Needs strip.cuh and a lane type.
//
// A lane type is a OneRow or a TwoRows, and has
//     out                               last column's values, on their way to the next lane
//     place(strip, lane)                which columns it has
//     begin(problem)                    row 0
//     settle(), finish()                called every 32 steps, and first of all; at the end of a slice
//     arrive(Edge, row), next(out)      a boundary cell as it enters; the shuffle to the next lane
//     compute<MASKED, ENDING>(problem, scores, in, row); MASKED: not all of its rows may be in the matrix;
//                                       ENDING: a row may be one that is kept
//     KEEPS, kept_after(row)            whether rows are kept, and the first one below another row
//     visit(f)                          f(int&) for every value kept between slices
//     depart(out)                       the boundary cell that goes to the next strip
//     leave(strip, row, out)            stores what else phase 1 keeps of the right boundary

// The first row below another that is a multiple of `interval`.
__device__ __forceinline__ int multiple_after(int interval, int row) { return interval * (1 + max(row, 0) / interval); }

struct OneRow {                      // a lane is at row t - lane + 1 at step t
    static constexpr int DELAY = 1, SPREAD = LANES;      // rows between two lanes, and that a warp is at

    static __device__ __forceinline__ bool inside(int row, int m) { return row >= 1 && row <= m; }
};

struct TwoRows {                     // the second half of its columns is a row behind the first
    static constexpr int DELAY = 2, SPREAD = 2 * LANES;

    static __device__ __forceinline__ bool inside(int row, int m) { return row >= 1 && row <= m + 1; }
};

template <class Lane>
struct __align__(16) Shared {        // of one warp, behind its profile
    using Crossing = decltype(Lane::out);
    int letters[Lane::SPREAD + LANES + 2];               // profile offsets of the warp's rows in this batch; 2 are read past it
    Crossing inbox[BATCH + 1];       // one more is read
    Crossing outbox[BATCH];
};

// BATCH steps from step t. MASKED where some lanes are above row 1 or below row m, ENDING where some lane
// reaches a kept row, which needs a branch. What a step reads from
// shared memory is fetched a step ahead (the address of its scores two steps), because a lone warp on a
// scheduler would otherwise wait for it.
template <bool MASKED, bool ENDING, class Lane, class Store>
__device__ __forceinline__ void compute_batch(
    Lane& lane, const Strip& problem, Store& shared, const unsigned char* profile, int id, int t) {
    const int* letters = shared.letters + Lane::SPREAD + t % LANES - Lane::DELAY * id;
    auto entering = shared.inbox[0];
    Scores scores;
    scores.load(profile, letters[0], letters[-1], id);
    int before = letters[0], offset = letters[1];
    // Strips wait for each other along the first row, and along kept ones, so such batches matter as all others do.
    // A lone warp waits for its instructions too: where rows are kept, short loops for the rare batches leave the
    // cache to the common one (7 % on an H200).
    constexpr bool SHORT = LOCAL && Lane::KEEPS;
    constexpr int UNROLLED = MASKED && ENDING ? 1 : !SHORT ? 4 : ENDING ? 1 : MASKED ? 2 : 8;
#pragma unroll UNROLLED
    for (int u = 0; u < BATCH; ++u) {
        auto in = Lane::next(lane.out);
        if (id == 0) in = entering;
        Scores ahead;
        ahead.load(profile, offset, before, id);
        before = offset, offset = letters[u + 2];
        entering = shared.inbox[u + 1];
        int row = t + u - Lane::DELAY * id + 1;
        if (!MASKED || Lane::inside(row, problem.m)) lane.template compute<MASKED, ENDING>(problem, scores, in, row);
        if (id == LANES - 1) shared.outbox[u] = lane.out;
        scores = ahead;
    }
}

template <class Lane>
__device__ void keep(Lane& lane, int* state, int id, bool save) {
    int field = 0;
    lane.visit([&](int& value) {
        int* place = state + field++ * LANES + id;
        if (save) *place = value;
        else value = *place;
    });
}

template <class Lane>
__device__ __forceinline__ void sweep(
    Lane& lane, const Strip& problem, const Boundary& boundary, const Slice& slice, int* state, Event* log,
    unsigned* ticket) {
    extern __shared__ __align__(16) unsigned char memory[];
    using Store = Shared<Lane>;
    constexpr int SPREAD = Lane::SPREAD, DELAY = Lane::DELAY;
    const int id = threadIdx.x % LANES;
    const int bytes = problem.letters * PROFILE_STRIDE;
    unsigned char* profile = memory + threadIdx.x / LANES * (bytes + sizeof(Store));
    Store& shared = *reinterpret_cast<Store*>(profile + bytes);
    while (true) {
        int strip = id == 0 ? slice.first_strip + static_cast<int>(atomicAdd(ticket, 1u)) : 0;
        strip = __shfl_sync(WARP, strip, 0);
        if (strip >= slice.end_strip) return;
        long long began = nanoseconds();
        long long shift = static_cast<long long>(strip) * slice.skew;
        int start = static_cast<int>(max(0ll, slice.start - shift));
        int end = static_cast<int>(min(static_cast<long long>(slice.steps), slice.end - shift));
        int* own_state = state + static_cast<long long>(strip) * Lane::FIELDS * LANES;
        lane.place(strip, id);
        if (start == 0) lane.begin(problem);
        else keep(lane, own_state, id, false);
        __syncwarp();
        build_profile(problem, strip * LANES * R, id, profile);
        int previous[DELAY];         // profile offsets of the last rows, and of the next 32
        for (int d = 0; d < DELAY; ++d) previous[d] = profile_offset(problem, start + (d - DELAY) * LANES + id + 1);
        int now = profile_offset(problem, start + id + 1);
        if (id < 2) shared.letters[SPREAD + LANES + id] = 0;
        const unsigned long long* left = cells_of(boundary, max(strip - 1, 0));
        unsigned long long* right = cells_of(boundary, strip);
        Place incoming(boundary, start + id + SPREAD - 1), outgoing(boundary, start + id);
        auto wants = [&](int row) { return strip > 0 && id < BATCH && row <= problem.m; };
        BoundaryCell early = wants(start + id + 1) ? load_cell(left, incoming.index) : BoundaryCell{};
        int kept_row = 0;            // the next row that is kept, at or below the last lane's
        if (Lane::KEEPS) kept_row = lane.kept_after(start - SPREAD);
        int awaited = 0;             // rows known to be complete, where batches are longer than BATCH
        int waited = 0;              // nanoseconds
        for (int t = start; t < end; t += BATCH) {
            int row = t + id + 1;
            if (t % LANES == 0) {
                for (int d = 0; d < DELAY; ++d) shared.letters[d * LANES + id] = previous[d];
                shared.letters[SPREAD + id] = now;
                for (int d = 0; d + 1 < DELAY; ++d) previous[d] = previous[d + 1];
                previous[DELAY - 1] = now;
                now = profile_offset(problem, row + LANES);
                lane.settle();
            }
            if (slice.batch > BATCH && strip > 0 && t >= awaited) {
                awaited = min(t + slice.batch, end);
                Place last(boundary, min(awaited, problem.m) + SPREAD - 2);
                receive(left, last, true, load_cell(left, last.index), waited);
            }
            Edge edge = receive(left, incoming, wants(row), early, waited);
            if (strip == 0) edge = beside(problem, row);
            if (id < BATCH) shared.inbox[id] = lane.arrive(edge, row);
            incoming.advance(boundary, BATCH);
            early = wants(row + BATCH) ? load_cell(left, incoming.index) : BoundaryCell{};
            __syncwarp();
            bool masked = t < SPREAD || t + BATCH > problem.m;
            bool ending = false;
            if (Lane::KEEPS) {
                while (kept_row < t + 2 - SPREAD) kept_row = lane.kept_after(kept_row);
                ending = kept_row <= t + BATCH;
            }
            if (masked && ending) compute_batch<true, Lane::KEEPS>(lane, problem, shared, profile, id, t);
            else if (masked) compute_batch<true, false>(lane, problem, shared, profile, id, t);
            else if (ending) compute_batch<false, Lane::KEEPS>(lane, problem, shared, profile, id, t);
            else compute_batch<false, false>(lane, problem, shared, profile, id, t);
            __syncwarp();
            int done = t + id - SPREAD + 2;
            if (id < BATCH && done <= problem.m) {
                // Also above row 1: an element with its initial fill would look like a cell of the second round.
                auto out = shared.outbox[id];
                Edge edge = lane.depart(out);
                store_cell(right, outgoing.index, edge, outgoing.round);
                if (done >= 1) lane.leave(strip, done, out);
            }
            outgoing.advance(boundary, BATCH);
        }
        lane.finish();
        keep(lane, own_state, id, true);
        if (id == 0) {
            const bool first = log[strip].end == 0;              // a log may span several slices
            if (first) log[strip].start = began;
            log[strip].end = nanoseconds();
            log[strip].worker = multiprocessor();
            log[strip].waited = waited + (first ? 0 : log[strip].waited);
        }
    }
}
