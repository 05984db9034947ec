// Phase 1 of the bit-parallel methods: all cells, a row of 1,024 R columns of a strip at a step.
//
// Recurrence: that of word_rows.cuh.
//
// Threads: a warp a strip; lane l is DELAY l rows behind lane 0, so that the value which a lane takes from the one before it
//     was computed a step earlier than needed, and the shuffle is in nobody's chain. Strips are handed out in order by a ticket, so a strip's left neighbour is always running or
//     done. A launch is one slice: strip k advances over steps [slice.start - k skew, slice.end - k skew), cut to its own.
//
// Memory: match words in shared memory; a boundary column passes to the next strip through global memory, a word of 64
//     bits for 32 rows. Without KEEP the words of a strip are a ring that spans a slice, and who has read a word marks it
//     as not written. With KEEP all words stay, and plus and minus of every `tile`-th row.
//
// Needs word_rows.cuh. Compile-time: R, TOP_FREE, LEFT_FREE, KEEP, DELAY (2; with 1 a lane would take what was just computed).

constexpr int PLACES = (DELAY + 1) * LANES;
constexpr int STORING_STEP = (DELAY * (LANES - 1) - 1) % LANES;  // of 32: the last lane ends a boundary word

struct SweepLane {
    WordRow row;
    Crossing out, taken, collected;  // of the last row; from the lane before; of 32 rows of the last lane, the latest in bit 0
    int id;

    template <class F>
    __device__ __forceinline__ void visit(F&& keep_value) {
        for (int r = 0; r < R; ++r) keep_value(row.plus[r]), keep_value(row.minus[r]);
        keep_value(out.rise), keep_value(out.fall), keep_value(taken.rise), keep_value(taken.fall);
        keep_value(collected.rise), keep_value(collected.fall);
    }
};

struct SweepShared {
    int places[PLACES + 2];          // of the match words of the rows of all lanes in 32 steps; two more are read
};

// 32 steps from step t. MASKED where some lanes are above row 1 or below row m, ENDING where one reaches a kept row.
template <bool MASKED, bool ENDING>
__device__ __forceinline__ void compute_steps(
    SweepLane& lane, const WordPair& pair, const KeptRows& kept, const SweepShared& shared, const unsigned* matches,
    Crossing entering, int strip, int t, unsigned long long* right) {
    const int* places = shared.places + DELAY * (LANES - lane.id);
    const unsigned* own = matches + lane.id * R;
    unsigned equal[R];               // what a step reads is fetched a step ahead, and its place two
    read_words(own + places[0], equal);
    int place = places[1];
    const int kept_row = ENDING ? (t + LANES) / kept.tile * kept.tile : 0;
#pragma unroll 4
    for (int u = 0; u < LANES; ++u) {
        const Crossing in = lane.id == 0 ? entering : lane.taken;
        lane.taken = {__shfl_up_sync(WARP, lane.out.rise, 1), __shfl_up_sync(WARP, lane.out.fall, 1)};
        entering.rise <<= 1, entering.fall <<= 1;
        unsigned ahead[R];
        read_words(own + place, ahead);
        place = places[u + 2];
        const int row = t + u - DELAY * lane.id;
        if (!MASKED || (row >= 0 && row < pair.m)) {
            lane.out = lane.row.advance(equal, in, [](int, unsigned, unsigned) {});
            if (ENDING && row + 1 == kept_row && row + 1 < pair.m) {
                const long long all = static_cast<long long>(pair.strips) * WORDS;
                unsigned* to = kept.words + (kept_row / kept.tile - 1) * 2 * all + strip * WORDS + lane.id * R;
#pragma unroll
                for (int r = 0; r < R; ++r) to[r] = lane.row.plus[r], to[all + r] = lane.row.minus[r];
            }
        }
#pragma unroll
        for (int r = 0; r < R; ++r) equal[r] = ahead[r];
        lane.collected.rise = __funnelshift_l(lane.out.rise, lane.collected.rise, 1);
        lane.collected.fall = __funnelshift_l(lane.out.fall, lane.collected.fall, 1);
        if (u == STORING_STEP && lane.id == LANES - 1 && t >= DELAY * LANES) store_shared_by_all(right, pack(lane.collected));
    }
}

__device__ __forceinline__ void keep_lane(SweepLane& lane, unsigned* state, bool save) {
    int field = 0;
    lane.visit([&](unsigned& value) {
        unsigned* place = state + field++ * LANES + lane.id;
        if (save) *place = value;
        else value = *place;
    });
}

__device__ __forceinline__ void keep_last_row(const SweepLane& lane, const WordPair& pair, const KeptRows& kept, int strip) {
    unsigned* to = kept.last + static_cast<long long>(strip) * WORDS + lane.id * R;
#pragma unroll
    for (int r = 0; r < R; ++r)
        to[r] = lane.row.plus[r], to[static_cast<long long>(pair.strips) * WORDS + r] = lane.row.minus[r];
}

extern "C" __global__ void bit_sweep(
    WORD_PAIR_PARAMETERS(pair), CROSSINGS_PARAMETERS(crossings), KEPT_ROWS_PARAMETERS(kept), unsigned* state, Event* log,
    unsigned* ticket, WORD_SLICE_PARAMETERS(slice)) {
    extern __shared__ __align__(16) unsigned char memory[];
    const WordPair pair = WORD_PAIR_OF(pair);
    const Crossings crossings = CROSSINGS_OF(crossings);
    const KeptRows kept = KEPT_ROWS_OF(kept);
    const WordSlice slice = WORD_SLICE_OF(slice);
    SweepLane lane;
    lane.id = threadIdx.x % LANES;
    const int match_bytes = pair.letters * WORDS * 4;
    unsigned char* own = memory + threadIdx.x / LANES * (match_bytes + (sizeof(SweepShared) + 15) / 16 * 16);
    unsigned* matches = reinterpret_cast<unsigned*>(own);
    SweepShared& shared = *reinterpret_cast<SweepShared*>(own + match_bytes);
    while (true) {
        int strip = lane.id == 0 ? slice.first_strip + static_cast<int>(atomicAdd(ticket, 1u)) : 0;
        strip = __shfl_sync(WARP, strip, 0);
        if (strip >= slice.end_strip) return;
        const long long began = nanoseconds();
        const long long shift = static_cast<long long>(strip) * slice.skew;
        const int start = static_cast<int>(max(0ll, slice.start - shift));
        const int end = static_cast<int>(min(static_cast<long long>(slice.steps), slice.end - shift));
        unsigned* own_state = state + static_cast<long long>(strip) * (2 * R + STATE_FIELDS) * LANES;
        if (start == 0) {
            lane.row.begin(strip, lane.id, pair.padding);
            lane.out = lane.taken = lane.collected = {0u, 0u};
        } else {
            keep_lane(lane, own_state, false);
        }
        load_matches(pair, strip, lane.id, matches);
        if (lane.id < 2) shared.places[PLACES + lane.id] = 0;
        const bool is_last = strip == pair.strips - 1;
        unsigned long long* left = crossings.words + static_cast<long long>(max(strip - 1, 0)) * crossings.capacity;
        unsigned long long* right =
            is_last ? crossings.last : crossings.words + static_cast<long long>(strip) * crossings.capacity;
        const int right_capacity = is_last ? 1 << 30 : crossings.capacity;
        int places[DELAY + 1];           // of the lane's rows in each 32 rows of the window
#pragma unroll
        for (int part = 0; part <= DELAY; ++part) places[part] = match_place(pair, start + (part - DELAY) * LANES + lane.id);
        auto reads = [&](int t) { return strip > 0 && lane.id == 0 && t < pair.m; };
        unsigned long long early = NOT_WRITTEN;
        if (reads(start)) early = load_shared_by_all(left + start / LANES % crossings.capacity);
        int waited = 0;
        for (int t = start; t < end; t += LANES) {
            Crossing entering = left_border();
            if (reads(t)) {
                unsigned long long* place = left + t / LANES % crossings.capacity;
                if (early == NOT_WRITTEN) {
                    const int wait_began = static_cast<int>(nanoseconds());
                    while (early == NOT_WRITTEN) early = load_shared_by_all(place);
                    waited += static_cast<int>(nanoseconds()) - wait_began;
                }
                entering = unpack(early);
                if (!KEEP) store_shared_by_all(place, NOT_WRITTEN);
            }
            if (reads(t + LANES)) early = load_shared_by_all(left + (t / LANES + 1) % crossings.capacity);
#pragma unroll
            for (int part = 0; part <= DELAY; ++part) {
                shared.places[part * LANES + lane.id] = places[part];
                places[part] = part < DELAY ? places[part + 1] : match_place(pair, t + LANES + lane.id);
            }
            __syncwarp();
            const bool masked = t < DELAY * LANES || t + LANES > pair.m;
            const bool ending = KEEP && (t + LANES) / kept.tile * kept.tile > t - DELAY * LANES;
            unsigned long long* to = right + max(t / LANES - DELAY, 0) % right_capacity;
            if (masked && ending) compute_steps<true, KEEP>(lane, pair, kept, shared, matches, entering, strip, t, to);
            else if (masked) compute_steps<true, false>(lane, pair, kept, shared, matches, entering, strip, t, to);
            else if (ending) compute_steps<false, KEEP>(lane, pair, kept, shared, matches, entering, strip, t, to);
            else compute_steps<false, false>(lane, pair, kept, shared, matches, entering, strip, t, to);
            __syncwarp();
        }
        if (end == slice.steps) keep_last_row(lane, pair, kept, strip);
        else keep_lane(lane, own_state, true);
        if (lane.id == 0) {
            const bool first = log[strip].end == 0;              // a log spans several slices
            if (first) log[strip].start = began;
            log[strip].end = nanoseconds();
            log[strip].worker = multiprocessor();
            log[strip].waited = waited + (first ? 0 : log[strip].waited);
        }
    }
}
