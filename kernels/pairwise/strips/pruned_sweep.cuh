// The sweep over all strips with pruning: batches of rows of a strip that cannot lie on a best alignment are skipped.
//
// Recurrence: that of the lane type. A batch is skipped where every value on its border (what the lanes hold, and what
//     comes from the left) plus the most that can be gained behind it is less than `least`; why the answer stays the
//     same says kernels/pairwise/pruning/cpu_blocks.py.
//
// Threads: as in sweep.cuh. Skipped batches would still cost a wait and a store each, and there are far more of them
//     than of others, so whole runs of them pass at once. In a launch the batches of a strip are: skipped ones at the
//     beginning, of which nothing is stored but how many there are; then batches with boundary cells, which are marked
//     where a batch is skipped; then skipped ones to the end, of which it is stored where they begin. A strip whose left
//     neighbour has ended, and that holds nothing of interest, ends, too. Strips take part in a launch from the first to
//     the last one that held something of interest when the launch before it ended, and right of these as far as
//     something of interest arrives; the first strip without any says so to all behind it.
//
//     Several GPUs take groups of strips in turn (DealtStrips), so that all of them work where the path is. A group is
//     a launch behind the one on its left: what comes from there was stored by a launch that has ended.
//
// Memory: a boundary cell is H, K - H (0 to the opening cost) and the number of the launch that stored it, so that cells
//     of other launches are never taken for its own. Two words a strip, used in turn, say which batches were skipped.
//     The last strip of a group stores both where the GPU of the next group reads them. Of a launch that has ended, every
//     cell that was not stored was skipped.
//
// Needs strip.cuh, sweep.cuh and a lane type that has, beside what sweep.cuh names,
//     greatest()                        the greatest of the values it holds, gap states included
//     restart(most, row)                forgets all values before `row`; the true ones lie near `most`

#if PRUNED
constexpr int MARK = MINUS_INFINITY / 2;                 // stands for a value that was not computed
constexpr int NEVER = (1 << 24) - 1;                     // a batch that no launch has
constexpr unsigned WAIT_NS = 200;
constexpr int LIVES = 2, DEAD = 1;                       // what a strip was when a launch ended; 0: it has not begun

// Groups of strips are dealt to the GPUs in turn. Each GPU counts its own strips, and has a column of boundary cells for
// what comes from the left of each of its groups, before those of the strips in it.
struct DealtStrips {
    int group, cards, card;

    explicit __device__ __forceinline__ DealtStrips(const Pruning& pruning)
        : group(pruning.group), cards(pruning.cards), card(pruning.card) {}

    __device__ __forceinline__ int strip(int number) const {
        return (number / group * cards + card) * group + number % group;
    }

    // The number of the GPU's first strip at or behind another.
    __device__ __forceinline__ int number_from(int strip) const {
        const int turn = strip / (group * cards);
        return turn * group + min(max(strip - (turn * cards + card) * group, 0), group);
    }

    __device__ __forceinline__ bool begins_group(int strip) const { return strip > 0 && strip % group == 0; }

    __device__ __forceinline__ long long delay(int strip, int length) const {
        return static_cast<long long>(strip / group) * length;
    }

    // The column of cells on the left of a strip; that on its right is the next one.
    __device__ __forceinline__ int left_column(int strip) const {
        return strip / (group * cards) * (group + 1) + strip % group;
    }
};

__device__ __forceinline__ unsigned long long pack_cell(int h, int k, int launch) {
    unsigned low = static_cast<unsigned>(k - h) << 16 | static_cast<unsigned>(launch);
    return static_cast<unsigned long long>(static_cast<unsigned>(h)) << 32 | low;
}

__device__ __forceinline__ Edge unpack_cell(unsigned long long cell) {
    int h = static_cast<int>(cell >> 32);
    return {h, h + static_cast<int>(static_cast<unsigned>(cell) >> 16)};
}

// Which batches of a strip were skipped in a launch: all before one, and all from another on.
struct Extent {
    int launch, before, from;

    explicit __device__ __forceinline__ Extent(unsigned long long word)
        : launch(static_cast<int>(word >> 48)), before(static_cast<int>(word) & NEVER),
          from(static_cast<int>(word >> 24) & NEVER) {}

    static __device__ __forceinline__ unsigned long long pack(int launch, int before, int from) {
        return static_cast<unsigned long long>(launch) << 48 | static_cast<unsigned long long>(from) << 24 | before;
    }

    __device__ __forceinline__ bool skips(int batch) const { return batch < before || batch >= from; }
};

// What a path can gain at most behind cells of rows `row` .. `last` and of columns `column` .. `end`, of which `by_column`
// are gained behind the first one.
__device__ __forceinline__ int most_gain(
    const Pruning& pruning, const Strip& problem, int row, int last, int by_column, int column, int end) {
    const int by_row = pruning.row_gains[min(row, problem.m) / LANES];
    const int columns_over = max(problem.n - end - (problem.m - row), 0);
    const int rows_over = max(problem.m - min(last, problem.m) - (problem.n - column), 0);
    return min(by_row - pruning.column_cost * columns_over, by_column - pruning.row_cost * rows_over);
}

// The strips of a launch: see above. `stop` is the first strip behind which nothing is of interest.
struct Participants {
    int first_number, first, last, group;
    int* stop;

    __device__ __forceinline__ Participants(const Pruning& pruning, const Slice& slice, const DealtStrips& dealt) {
        int* range = pruning.ranges + RANGE_FIELDS * pruning.launch;
        const int* arriving = pruning.left_ranges + RANGE_FIELDS * pruning.launch + NEXT_GROUPS;
        first = min(min(range[0], arriving[0]), pruning.first_begun);
        last = max(max(range[1], arriving[1]), pruning.last_begun);
        first_number = dealt.number_from(min(max(first, slice.first_strip), pruning.strips));
        first = dealt.strip(first_number), group = dealt.group;
        stop = range + STOP;
    }

    // Nothing arrives in a group behind the last strip: it would be known from the launch before.
    __device__ __forceinline__ bool excludes(int strip) const {
        return strip > last && (strip / group * group > last || strip > *reinterpret_cast<volatile int*>(stop));
    }
};

__device__ __forceinline__ void include(int* range, int strip) { atomicMin(range, strip), atomicMax(range + 1, strip); }

// What comes from the left for the next batch.
struct Arrival {
    Edge edge;
    bool is_skipped;                 // the lane's cell was not computed
    bool to_end;                     // nor will any later one be, in this launch
    int skipped;                     // batches from here on that are known to be skipped, where the warp's cells are
};

template <class Lane>
__device__ __forceinline__ void pruned_sweep(
    Lane& lane, const Strip& problem, const Boundary& boundary, const Slice& slice, const Pruning& pruning, int* state,
    Event* log, unsigned* ticket) {
    extern __shared__ __align__(16) unsigned char memory[];
    using Store = Shared<Lane>;
    constexpr int SPREAD = Lane::SPREAD, DELAY = Lane::DELAY;
    const int id = threadIdx.x % LANES, launch = pruning.launch;
    const int bytes = problem.letters * PROFILE_STRIDE;
    unsigned char* profile = memory + threadIdx.x / LANES * (bytes + sizeof(Store));
    Store& shared = *reinterpret_cast<Store*>(profile + bytes);
    const DealtStrips dealt(pruning);
    const Participants taking_part(pruning, slice, dealt);
    if (taking_part.first > taking_part.last) return;
    const int length = static_cast<int>(slice.end - slice.start);
    while (true) {
        int strip = id == 0 ? dealt.strip(taking_part.first_number + static_cast<int>(atomicAdd(ticket, 1u))) : 0;
        strip = __shfl_sync(WARP, strip, 0);
        if (strip >= slice.end_strip || taking_part.excludes(strip)) return;
        const bool begins_group = dealt.begins_group(strip);
        const bool ends_group = dealt.begins_group(strip + 1) && strip + 1 < pruning.strips;
        const long long shift = static_cast<long long>(strip) * slice.skew + dealt.delay(strip, length);
        const int start = static_cast<int>(max(0ll, slice.start - shift));
        const int end = static_cast<int>(min(static_cast<long long>(slice.steps), slice.end - shift));
        int* own_state = state + static_cast<long long>(strip) * Lane::FIELDS * LANES;
        unsigned long long* own_extent =
            (ends_group ? pruning.next_extents : pruning.extents) + (launch & 1) * pruning.strips + strip;
        const unsigned long long* left = cells_of(boundary, dealt.left_column(strip));
        unsigned long long* right =
            ends_group ? pruning.next_cells + static_cast<long long>(dealt.left_column(strip + 1)) * boundary.capacity
                       : cells_of(boundary, dealt.left_column(strip) + 1);
        const int left_shift = static_cast<int>(shift) - slice.skew - (begins_group ? length : 0);
        const int life = pruning.lives[strip], first_column = strip * LANES * R, end_column = first_column + LANES * R;
        bool holds = start == 0 || life == LIVES;        // the lanes hold values that may be of interest
        bool is_loaded = false, is_fresh = false;        // ... have been loaded; and the letters of this batch
        int before = 0;                                  // batches skipped at the beginning
        bool stores = false;                             // boundary cells are being stored
        int computed = 0, last_computed = -1, block = -1;
        long long began = 0;
        int waited = 0, previous[DELAY], now = 0, kept_row = 0;
        lane.place(strip, id);
        Place incoming(boundary, start + id + SPREAD - 1), outgoing(boundary, start + id);
        auto wants = [&](int row) { return strip > 0 && id < BATCH && row <= problem.m; };
        unsigned long long early = wants(start + id + 1) ? load_shared_by_all(left + incoming.index) : 0;
        for (int t = start; t < end; t += BATCH) {
            const int row = t + id + 1;
            Arrival in = {{MARK, MARK}, true, true, 0};
            if (strip == 0) {
                in = {beside(problem, row), row > problem.m, t >= pruning.left_rows, 0};
            } else {
                const int at = row + SPREAD - 2;         // the step of the left strip at which the cell leaves it
                const int cell_launch = (left_shift + at) / length + 1;
                const int left_start = max(0, (cell_launch - 1) * length - left_shift);
                const int batch = (at - left_start) / BATCH;
                const bool is_earlier = cell_launch < launch - begins_group, has_ended = is_earlier || begins_group;
                const bool is_outside = !has_ended && strip == taking_part.first;
                const bool wanted = wants(row);
                unsigned long long cell = early;
                long long waits_since = 0;
                while (true) {
                    bool is_open = false;
                    if (wanted && (cell & 0xffffu) != static_cast<unsigned>(cell_launch)) {
                        Extent extent(load_shared_by_all(
                            pruning.extents + (cell_launch & 1) * pruning.strips + strip - 1));
                        const bool is_told = extent.launch == cell_launch;
                        in.is_skipped = is_outside || (is_told ? extent.skips(batch) : has_ended);
                        in.to_end = is_outside || (!is_earlier && (is_told ? batch >= extent.from : has_ended));
                        in.skipped = is_told && !is_earlier ? max(extent.before - batch, 0) : 0;
                        is_open = !in.is_skipped;
                    } else if (wanted) {
                        in = {unpack_cell(cell), false, false, 0};
                    }
                    if (!__any_sync(WARP, is_open)) break;
                    if (taking_part.excludes(strip)) in.skipped = -1;
                    if (__any_sync(WARP, in.skipped < 0)) {
                        if (id == 0) store_shared_by_all(own_extent, Extent::pack(launch, 0, 0));
                        return;
                    }
                    if (waits_since == 0) waits_since = nanoseconds();
                    if (!stores) __nanosleep(WAIT_NS);   // far from the path: leave the machine to those on it
                    if (is_open) cell = load_shared_by_all(left + incoming.index);
                }
                if (waits_since) waited += static_cast<int>(nanoseconds() - waits_since);
                incoming.advance(boundary, BATCH);
                early = wants(row + BATCH) ? load_shared_by_all(left + incoming.index) : 0;
            }
            // Is anything of interest here?
            const int beside_gain = most_gain(
                pruning, problem, t, t + BATCH, pruning.column_gains[strip * LANES], first_column, first_column);
            int most = in.is_skipped ? MARK : in.edge.k + beside_gain;
            if (holds) {
                if (!is_loaded && life == 0) lane.begin(problem);
                if (!is_loaded && life != 0) keep(lane, own_state, id, false);
                const int gain = most_gain(
                    pruning, problem, max(t - SPREAD, 0), t + 1, pruning.column_gains[strip * LANES + id], lane.left,
                    lane.left + R);
                most = max(most, max(lane.greatest(), LOCAL ? 0 : MARK) + gain);
            }
            if (__reduce_max_sync(WARP, most) < pruning.least) {
                is_loaded = is_loaded || holds;
                holds = is_fresh = false;
                const bool to_end = __all_sync(WARP, in.to_end);
                if (to_end) {
                    const int from = (t - start) / BATCH;
                    if (id == 0) store_shared_by_all(own_extent, Extent::pack(launch, before, stores ? from : 0));
                    break;
                }
                if (stores) {
                    const int done = t + id - SPREAD + 2;
                    if (id < BATCH && done >= 1 && done <= problem.m)
                        store_shared_by_all(right + outgoing.index, pack_cell(MARK, MARK, launch));
                    outgoing.advance(boundary, BATCH);
                    continue;
                }
                // The cells of the next batches are known to be skipped, too: pass them at once.
                int more = in.is_skipped && strip > 0 ? in.skipped - 1 : 0;
                more = max(0, min(__reduce_min_sync(WARP, wants(row) ? more : NEVER), (end - t) / BATCH - 1));
                if (!__any_sync(WARP, wants(row))) more = 0;
                t += more * BATCH;
                outgoing.advance(boundary, (more + 1) * BATCH), incoming.advance(boundary, more * BATCH);
                if (more) early = wants(t + id + 1 + BATCH) ? load_shared_by_all(left + incoming.index) : 0;
                before = (t - start) / BATCH + 1;
                if (id == 0) store_shared_by_all(own_extent, Extent::pack(launch, before, NEVER));
                continue;
            }
            const bool restarts = !holds;
            if (!computed) {
                began = nanoseconds();
                if (restarts && !is_loaded && life == 0) lane.begin(problem);
                if (restarts && !is_loaded && life != 0) keep(lane, own_state, id, false);
                __syncwarp();
                build_profile(problem, first_column, id, profile);
            }
            is_loaded = holds = stores = true;
            if (restarts) lane.restart(__reduce_max_sync(WARP, in.is_skipped ? MARK : in.edge.h), t - DELAY * id + 1);
            if (!is_fresh) {
                const int group = t / LANES * LANES;
                for (int d = 0; d < DELAY; ++d)
                    shared.letters[d * LANES + id] = profile_offset(problem, group + (d - DELAY) * LANES + id + 1);
                for (int d = 0; d < DELAY; ++d)
                    previous[d] = profile_offset(problem, group + (d + 1 - DELAY) * LANES + id + 1);
                shared.letters[SPREAD + id] = previous[DELAY - 1];
                now = profile_offset(problem, group + LANES + id + 1);
                if (id < 2) shared.letters[SPREAD + LANES + id] = 0;
                if (Lane::KEEPS) kept_row = lane.kept_after(t - SPREAD);
                lane.settle();
                is_fresh = true;
            } else if (t % LANES == 0) {
                for (int d = 0; d < DELAY; ++d) shared.letters[d * LANES + id] = previous[d];
                shared.letters[SPREAD + id] = now;
                for (int d = 0; d + 1 < DELAY; ++d) previous[d] = previous[d + 1];
                previous[DELAY - 1] = now;
                now = profile_offset(problem, row + LANES);
                lane.settle();
            }
            if (id < BATCH) shared.inbox[id] = lane.arrive(in.edge, row);
            __syncwarp();
            const bool masked = t < SPREAD || t + BATCH > problem.m;
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
            const int done = t + id - SPREAD + 2;
            if (id < BATCH && done >= 1 && done <= problem.m) {
                auto out = shared.outbox[id];
                Edge edge = lane.depart(out);
                store_shared_by_all(right + outgoing.index, pack_cell(edge.h, edge.k, launch));
                lane.leave(strip, done, out);
            }
            outgoing.advance(boundary, BATCH);
            ++computed, last_computed = t;
            for (int b = max(t - SPREAD, 0) / pruning.block_rows; b <= (t + BATCH - 1) / pruning.block_rows; ++b) {
                if (b <= block || b >= pruning.blocks) continue;
                if (id == 0) pruning.computed[static_cast<long long>(strip) * pruning.blocks + b] = 1;
                block = b;
            }
        }
        if (is_loaded) {
            lane.finish();
            keep(lane, own_state, id, true);
        }
        if (id == 0) {
            if (!stores && strip > taking_part.last) atomicMin(taking_part.stop, strip);
            int* next = pruning.ranges + RANGE_FIELDS * (launch + 1);
            if (is_loaded) pruning.lives[strip] = holds ? LIVES : DEAD;
            if (holds && end < slice.steps) include(next, strip);
            // Cells that the right neighbour has not read yet: in this launch, or at the end of the next one.
            const bool is_late = computed && last_computed >= end - slice.skew - SPREAD - BATCH;
            if (ends_group && computed) include(next + NEXT_GROUPS, strip + 1);
            if (ends_group && is_late) include(next + RANGE_FIELDS + NEXT_GROUPS, strip + 1);
            if (!ends_group && is_late && strip + 1 < pruning.strips) include(next, strip + 1);
            pruning.steps[strip] += computed * BATCH;
            if (computed) {
                const bool first = log[strip].end == 0;          // a log may span several slices
                if (first) log[strip].start = began;
                log[strip].end = nanoseconds();
                log[strip].worker = multiprocessor();
                log[strip].waited = waited + (first ? 0 : log[strip].waited);
            }
        }
    }
}
#endif
