// All alignments of a level of a guide tree, a block for two profiles (cuda.py).
//
// Recurrence: H(i, j) = max(H(i-1, j-1) + S(i, j), E(i, j), F(i, j)) with affine gaps, where S(i, j) = sum over
//   symbols b of scores_A[i, b] counts_B[j, b] / (rows_A rows_B). Every product and sum is rounded by itself and
//   comes in the order of cpu_profiles.py, so that both find the same path.
// Threads: a warp takes a strip of 32 columns of A, a lane a column, and goes through the columns of B, each lane
//   one behind its neighbour. The warp of the next strip is two chunks of 32 steps behind; all warps meet after
//   every chunk.
// Columns: those with hardly a letter are left out, as in cpu_profiles.py: a block first packs the others, in the
//   workspace, and writes the path through all of them in the end.
// Memory: a profile is counts of 16 bits, SYMBOLS a column; that of a leaf is its letters. What a strip leaves
//   below goes through global memory; scores of the strip's columns are in shared memory; directions are a byte a
//   cell.

constexpr float NEVER = -1e30f;
constexpr int DIAGONAL = 0, UP = 1, LEFT = 2;
constexpr int FROM_UP = 1, FROM_LEFT = 2, UP_OPENS = 4, LEFT_OPENS = 8;

struct Profile {
    const void* counts;      // or the letters of a leaf
    int columns, rows;
    bool leaf;

    __device__ int symbol(int column) const {
        const int code = static_cast<const unsigned char*>(counts)[column];
        return code < LETTERS ? code : UNKNOWN;
    }
    __device__ int count(int column, int symbol_of) const {
        if (leaf) return symbol(column) == symbol_of;
        return static_cast<const unsigned short*>(counts)[(long long)column * SYMBOLS + symbol_of];
    }
    __device__ int occupied(int column) const {
        return leaf ? 1 : rows - count(column, OPENS) - count(column, EXTENDS) - count(column, ENDS);
    }
    // Rows that end just before a place; those outside of their letters at it.
    __device__ int ending(int place) const { return leaf ? 0 : max(count(place, ENDS) - count(place - 1, ENDS), 0); }
    __device__ int outside(int place) const { return leaf ? 0 : max(count(place - 1, ENDS), count(place, ENDS)); }
    __device__ bool keeps(int column) const {
        return leaf || occupied(column) * ROWS_PER_LETTER > rows - count(column, ENDS);
    }
};

__device__ inline Profile first_profile(const Join& join) { return {join.a, join.m, join.rows_a, join.leaf_a != 0}; }
__device__ inline Profile second_profile(const Join& join) { return {join.b, join.n, join.rows_b, join.leaf_b != 0}; }

// The places of what two profiles need while they are aligned, in words of 4 bytes from join.room on, which is a
// multiple of 16 bytes.
struct Room {
    unsigned short *packed_a, *packed_b;
    float *letters_a, *letters_b, *open_a, *open_b, *extend_a, *extend_b, *h, *e;
    int *runs, *all_runs, *gaps_a, *gaps_b, *map_a, *map_b, *kept_a, *kept_b, *widths;

    __device__ explicit Room(const Join& join) {
        const int m = join.m, n = join.n, both = m + n;
        packed_a = reinterpret_cast<unsigned short*>(join.room), packed_b = packed_a + m * SYMBOLS;
        letters_a = reinterpret_cast<float*>(packed_b + n * SYMBOLS);
        letters_b = letters_a + m, open_a = letters_b + n, open_b = open_a + m + 1, extend_a = open_b + n + 1;
        extend_b = extend_a + m + 1, h = extend_b + n + 1, e = h + n + 1;
        runs = reinterpret_cast<int*>(e + n), all_runs = runs + both;
        gaps_a = all_runs + both, gaps_b = gaps_a + both + 2, map_a = gaps_b + both + 2, map_b = map_a + both;
        kept_a = map_b + both, kept_b = kept_a + m + 1, widths = kept_b + n + 1;
    }
};

// The numbers of the columns of a profile that are aligned, and then that of all columns; a warp finds them.
__device__ void list_kept(const Profile& of, int* kept, int* width) {
    const int lane = threadIdx.x % LANES;
    int found = 0;
    for (int from = 0; from < of.columns; from += LANES) {
        const int column = from + lane;
        const bool keeps = column < of.columns && of.keeps(column);
        const unsigned all = __ballot_sync(WARP, keeps);
        if (keeps) kept[found + __popc(all & ((1u << lane) - 1))] = column;
        found += __popc(all);
    }
    if (found == 0) {
        for (int column = lane; column < of.columns; column += LANES) kept[column] = column;
        found = of.columns;
    }
    if (lane == 0) kept[found] = of.columns, *width = found;
}

// The kept columns of a profile as a profile. A gap behind columns that are left out opens in the rows that have more of
// it than the column before.
__device__ Profile pack(const Profile& of, const int* kept, int width, unsigned short* packed) {
    if (of.leaf) return of;
    for (int at = threadIdx.x; at < width * SYMBOLS; at += blockDim.x) {
        const int number = at / SYMBOLS, symbol = at % SYMBOLS, column = kept[number];
        int count = of.count(column, symbol);
        const int last = number ? kept[number - 1] : column - 1;
        if (last + 1 < column && (symbol == OPENS || symbol == EXTENDS)) {
            const int gaps = of.count(column, OPENS) + of.count(column, EXTENDS);
            const int before = of.count(last, OPENS) + of.count(last, EXTENDS);
            count = symbol == OPENS ? max(gaps - before, 0) : min(gaps, before);
        }
        packed[at] = count;
    }
    return {packed, width, of.rows, false};
}

// Of a profile: the share of rows that have a letter in a column, and what opening and extending a gap behind so many
// columns costs.
__device__ void gap_costs(const Profile& of, float opening, float extension, float end, float* letters, float* open,
                          float* extend) {
    const float rows = of.rows, less = __fsub_rn(extension, end);
    for (int column = threadIdx.x; column < of.columns; column += blockDim.x) {
        letters[column] = __fdiv_rn((float)of.occupied(column), rows);
        if (column) {
            const float there = __fdiv_rn((float)of.occupied(column - 1), rows);
            const int last = of.ending(column) + (of.leaf ? 0 : of.count(column, OPENS));
            const float both = fmaxf(__fsub_rn(there, __fdiv_rn((float)last, rows)), 0.0f);
            const float outside = __fdiv_rn((float)of.outside(column), rows);
            extend[column] = __fsub_rn(extension, __fmul_rn(outside, less));
            open[column] = __fadd_rn(extend[column], __fmul_rn(both, __fsub_rn(opening, extension)));
        }
    }
    if (threadIdx.x == 0) open[0] = open[of.columns] = extend[0] = extend[of.columns] = end;
}

// Of each lane: first - cost of lane 0 - ... - its own, one after another.
__device__ inline float running_costs(float first, float cost) {
    float mine = first;
    for (int lane = 0; lane < LANES; ++lane) {
        first = __fsub_rn(first, __shfl_sync(WARP, cost, lane));
        if (threadIdx.x % LANES == lane) mine = first;
    }
    return mine;
}

// The row above the first strip: all columns of B before A.
__device__ void first_row(const Room& room, int n, float end) {
    const int lane = threadIdx.x % LANES;
    float last = 0;
    if (lane == 0) room.h[0] = 0;
    for (int from = 0; from < n; from += LANES) {
        const int j = from + lane;
        const float mine = running_costs(last, j < n ? __fmul_rn(room.letters_b[j], end) : 0.0f);
        if (j < n) room.h[j + 1] = mine, room.e[j] = NEVER;
        last = __shfl_sync(WARP, mine, LANES - 1);
    }
}

// What a lane knows of its column of A.
struct Column {
    float letter, opens, extends, first_left, corner, left, e, f, up_before;
    int i;
};

// What a column of A scores against each symbol.
__device__ inline void score_column(const Profile& a, int i, const float* table, float* scores) {
    for (int symbol = 0; symbol < SYMBOLS; ++symbol) scores[symbol] = 0;
    if (i >= a.columns) return;
    for (int symbol = 0; symbol < SYMBOLS; ++symbol) {
        const int count = a.count(i, symbol);
        if (count == 0) continue;
        const float times = count;
        for (int other = 0; other < SYMBOLS; ++other)
            scores[other] = __fadd_rn(scores[other], __fmul_rn(times, table[symbol * SYMBOLS + other]));
    }
}

// S before it is divided: ``own`` are the scores in shared memory, LANES apart.
__device__ inline float score_pair(const Profile& b, int j, const float* own) {
    if (b.leaf) return own[b.symbol(j) * LANES];
    float value = 0;
    const uint4* halves = reinterpret_cast<const uint4*>(b.counts) + (long long)j * (SYMBOLS / 8);
    for (int part = 0; part < SYMBOLS / 8; ++part) {
        const uint4 eight = halves[part];
        const unsigned pairs[4] = {eight.x, eight.y, eight.z, eight.w};
        for (int pair = 0; pair < 4; ++pair) {
            const float* at = own + (8 * part + 2 * pair) * LANES;
            // 2^23 + count, less 2^23: exact.
            const float low = __int_as_float(0x4b000000u | (pairs[pair] & 0xffffu)) - 8388608.0f;
            const float high = __int_as_float(0x4b000000u | (pairs[pair] >> 16)) - 8388608.0f;
            value = __fadd_rn(value, __fmul_rn(at[0], low));
            value = __fadd_rn(value, __fmul_rn(at[LANES], high));
        }
    }
    return value;
}

__device__ inline int ways_at(const unsigned char* ways, int n, int i, int j) {
    const int lane = i % LANES;
    return ways[((long long)(i / LANES) * (n + LANES - 1) + j + lane) * LANES + lane];
}

// The path, the last operation first, as runs: 4 length + operation. All lanes look at once at the next cells of the way
// that the operation goes. Returns how many.
__device__ int trace_path(const unsigned char* ways, int m, int n, int* runs) {
    const int lane = threadIdx.x % LANES;
    int i = m, j = n, state = DIAGONAL, count = 0, last = -1, run = 0;
    while (i > 0 || j > 0) {
        int operation = state, steps;
        if (i == 0 || j == 0) {
            operation = i == 0 ? LEFT : UP, steps = i + j;
        } else {
            const int at_i = i - 1 - (operation == LEFT ? 0 : lane), at_j = j - 1 - (operation == UP ? 0 : lane);
            const bool inside = at_i >= 0 && at_j >= 0;
            const int way = inside ? ways_at(ways, n, at_i, at_j) : 0;
            const bool ends = operation == DIAGONAL ? (way & 3) != DIAGONAL
                                                    : (way & (operation == UP ? UP_OPENS : LEFT_OPENS)) != 0;
            const unsigned out = __ballot_sync(WARP, !inside), stops = __ballot_sync(WARP, inside && ends);
            const int until = out ? __ffs(out) - 1 : LANES, stop = stops ? __ffs(stops) - 1 : LANES;
            if (operation == DIAGONAL) {
                steps = min(until, stop);
                if (stop < until) state = __shfl_sync(WARP, way, stop) & 3;
            } else {
                steps = min(until, stop + 1);
                if (stop < until) state = DIAGONAL;
            }
        }
        i -= operation == LEFT ? 0 : steps, j -= operation == UP ? 0 : steps;
        if (steps == 0) continue;
        if (operation == last) {
            run += steps;
        } else {
            if (run && lane == 0) runs[count] = 4 * run + last;
            count += run != 0;
            last = operation, run = steps;
        }
    }
    if (run && lane == 0) runs[count] = 4 * run + last;
    return count + (run != 0);
}

// How many of the next ``most`` kept columns follow each other with none between them that was left out; a warp looks.
__device__ int unbroken(const int* kept, int first, int most) {
    const int lane = threadIdx.x % LANES;
    for (int from = 1; from < most; from += LANES) {
        const int at = first + from + lane;
        const bool breaks = from + lane < most && kept[at] != kept[at - 1] + 1;
        const unsigned all = __ballot_sync(WARP, breaks);
        if (all) return from + __ffs(all) - 1;
    }
    return most;
}

// A path, the first operation first, to which all lanes append alike.
struct Runs {
    int *runs, count = 0, last = -1, run = 0;

    __device__ void append(int operation, int length) {
        if (length == 0) return;
        if (operation == last) {
            run += length;
        } else {
            finish();
            last = operation, run = length;
        }
    }
    __device__ void finish() {
        if (run && threadIdx.x % LANES == 0) runs[count] = 4 * run + last;
        count += run != 0, run = 0;
    }
};

// Columns of both profiles side by side, then what is more of one.
__device__ void append_beside(Runs& all, int steps_a, int steps_b) {
    all.append(DIAGONAL, min(steps_a, steps_b));
    all.append(UP, max(steps_a - steps_b, 0));
    all.append(LEFT, max(steps_b - steps_a, 0));
}

// The path through all columns, from that through the kept ones: those left out stand before the next one kept, beside
// columns of the other profile that have no partner there.
__device__ int unpack_runs(const Room& room, int packed) {
    Runs all = {room.all_runs};
    int i = 0, j = 0, at_a = 0, at_b = 0;
    for (int at = packed - 1; at >= 0; --at) {
        const int operation = room.runs[at] & 3;
        for (int left = room.runs[at] >> 2; left > 0;) {
            int steps = left, steps_a = room.kept_a[i] - at_a, steps_b = room.kept_b[j] - at_b;
            if (operation != LEFT) steps = unbroken(room.kept_a, i, steps);
            if (operation != UP) steps = unbroken(room.kept_b, j, steps);
            if (operation == UP) steps_a += steps, steps_b = min(steps_a, steps_b);
            if (operation == LEFT) steps_b += steps, steps_a = min(steps_a, steps_b);
            append_beside(all, steps_a, steps_b);
            at_a += steps_a, at_b += steps_b;
            if (operation == DIAGONAL) all.append(DIAGONAL, steps), at_a += steps, at_b += steps;
            i += operation == LEFT ? 0 : steps, j += operation == UP ? 0 : steps, left -= steps;
        }
    }
    append_beside(all, room.kept_a[i] - at_a, room.kept_b[j] - at_b);
    all.finish();
    return all.count;
}

// The gaps of both sides as (columns of it before, length), and the number of columns, from the runs.
__device__ void note_gaps(const Room& room, int runs, Path* found) {
    int a = 0, b = 0, gaps_a = 0, gaps_b = 0, columns = 0;
    for (int at = 0; at < runs; ++at) {
        const int operation = room.all_runs[at] & 3, steps = room.all_runs[at] >> 2;
        if (operation == LEFT) room.gaps_a[2 * gaps_a] = a, room.gaps_a[2 * gaps_a + 1] = steps, ++gaps_a;
        if (operation == UP) room.gaps_b[2 * gaps_b] = b, room.gaps_b[2 * gaps_b + 1] = steps, ++gaps_b;
        a += operation == LEFT ? 0 : steps, b += operation == UP ? 0 : steps, columns += steps;
    }
    found->columns = columns, found->runs = runs, found->gaps_a = gaps_a, found->gaps_b = gaps_b;
}

extern "C" __global__ void align_profiles(const Join* joins, const float* table, float opening, float extension, float end,
                                   Path* found) {
    extern __shared__ float shared[];   // the table, and of every warp SYMBOLS x LANES scores
    const Join join = joins[blockIdx.x];
    const Room room(join);
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    if (warp == 0) list_kept(first_profile(join), room.kept_a, room.widths);
    if (warp == warps - 1) list_kept(second_profile(join), room.kept_b, room.widths + 1);
    __syncthreads();
    const int m = room.widths[0], n = room.widths[1];
    const Profile a = pack(first_profile(join), room.kept_a, m, room.packed_a);
    const Profile b = pack(second_profile(join), room.kept_b, n, room.packed_b);
    float* own = shared + SYMBOLS * SYMBOLS + warp * SYMBOLS * LANES + lane;
    for (int at = threadIdx.x; at < SYMBOLS * SYMBOLS; at += blockDim.x) shared[at] = table[at];
    __syncthreads();
    gap_costs(a, opening, extension, end, room.letters_a, room.open_a, room.extend_a);
    gap_costs(b, opening, extension, end, room.letters_b, room.open_b, room.extend_b);
    __syncthreads();
    if (warp == 0) first_row(room, n, end);
    __syncthreads();
    const int strips = (m + LANES - 1) / LANES, chunks = (n + 2 * LANES - 2) / LANES;
    const int rounds = (strips + warps - 1) / warps, apart = max(chunks, 2 * warps);
    const int phases = (rounds - 1) * apart + 2 * (warps - 1) + chunks;
    Column of = {};
    for (int phase = 0; phase < phases; ++phase) {
        const int since = phase - 2 * warp, round = since / apart, chunk = since % apart;
        const int strip = round * warps + warp;
        if (since >= 0 && round < rounds && chunk < chunks && strip < strips) {
            if (chunk == 0) {
                float scores[SYMBOLS];
                of.i = strip * LANES + lane;
                const bool inside = of.i < m;
                score_column(a, of.i, shared, scores);
                for (int symbol = 0; symbol < SYMBOLS; ++symbol) own[symbol * LANES] = scores[symbol];
                of.letter = inside ? room.letters_a[of.i] : 0.0f;
                of.opens = inside ? room.open_a[of.i + 1] : 0.0f;
                of.extends = inside ? room.extend_a[of.i + 1] : 0.0f;
                const float before = room.h[0];
                of.first_left = running_costs(before, __fmul_rn(of.letter, end));
                const float above = __shfl_up_sync(WARP, of.first_left, 1);
                of.corner = lane ? above : before;
                of.left = of.first_left, of.e = NEVER, of.f = NEVER;
                if (lane == LANES - 1) room.h[0] = of.first_left;
                __syncwarp();
            }
            const int here = chunk * LANES + lane;
            const float h_above = here < n ? room.h[here + 1] : 0.0f, e_above = here < n ? room.e[here] : NEVER;
            __syncwarp();
            for (int step = 0; step < LANES; ++step) {
                const int j = chunk * LANES + step - lane;
                float up = __shfl_up_sync(WARP, of.left, 1), e = __shfl_up_sync(WARP, of.e, 1);
                const float h_first = __shfl_sync(WARP, h_above, step), e_first = __shfl_sync(WARP, e_above, step);
                if (lane == 0) up = h_first, e = e_first;
                if (j < 0 || j >= n || of.i >= m) continue;
                int way = 0;
                const float letter_b = room.letters_b[j];
                float opened = __fsub_rn(up, __fmul_rn(of.letter, room.open_b[j + 1]));
                float extended = __fsub_rn(e, __fmul_rn(of.letter, room.extend_b[j + 1]));
                if (opened >= extended) extended = opened, way = UP_OPENS;
                e = extended;
                opened = __fsub_rn(of.left, __fmul_rn(letter_b, of.opens));
                float f = __fsub_rn(of.f, __fmul_rn(letter_b, of.extends));
                if (opened >= f) f = opened, way |= LEFT_OPENS;
                float best = __fadd_rn(of.corner, __fmul_rn(score_pair(b, j, own), join.pairs));
                if (e > best) best = e, way |= FROM_UP;
                if (f > best) best = f, way = (way & 12) | FROM_LEFT;
                join.ways[((long long)strip * (n + LANES - 1) + j + lane) * LANES + lane] = way;
                of.corner = up, of.left = best, of.e = e, of.f = f;
                if (lane == LANES - 1) room.h[j + 1] = best, room.e[j] = e;
            }
        }
        __syncthreads();
    }
    if (warp == 0) {
        const int packed = trace_path(join.ways, m, n, room.runs);
        __syncwarp();
        const int runs = unpack_runs(room, packed);
        if (lane == 0) note_gaps(room, runs, &found[blockIdx.x]);
    }
}

// What a side adds to a symbol of a column: ``map`` says which of its columns is there, or -1 - those before a gap.
__device__ inline int side_count(const Profile& of, const int* map, int column, int symbol) {
    const int place = map[column];
    const bool opened = column > 0 && map[column - 1] < 0;
    if (place >= 0) {
        int count = of.count(place, symbol);
        if (opened && place > 0 && !of.leaf) {   // what opened a gap here goes on with the new one
            if (symbol == OPENS) count = 0;
            if (symbol == EXTENDS) count += of.count(place, OPENS);
        }
        return count;
    }
    if (symbol != OPENS && symbol != EXTENDS && symbol != ENDS) return 0;
    const int taken = -1 - place;
    if (taken == 0 || taken == of.columns) return symbol == ENDS ? of.rows : 0;
    const int ends = of.outside(taken);
    const int opening = opened ? 0 : of.occupied(taken - 1) - of.ending(taken);
    return symbol == ENDS ? ends : symbol == OPENS ? opening : of.rows - ends - opening;
}

// The counts of all aligned pairs, each where join.target says, and their gaps, from places[2 pair] on.
extern "C" __global__ void merge_profiles(const Join* joins, const Path* found, const long long* places, int2* gaps) {
    const Join join = joins[blockIdx.x];
    const Path own = found[blockIdx.x];
    const Profile a = first_profile(join), b = second_profile(join);
    const Room room(join);
    int column = 0, at_a = 0, at_b = 0;
    for (int at = 0; at < own.runs; ++at) {
        const int operation = room.all_runs[at] & 3, steps = room.all_runs[at] >> 2;
        for (int step = threadIdx.x; step < steps; step += blockDim.x) {
            room.map_a[column + step] = operation == LEFT ? -1 - at_a : at_a + step;
            room.map_b[column + step] = operation == UP ? -1 - at_b : at_b + step;
        }
        at_a += operation == LEFT ? 0 : steps, at_b += operation == UP ? 0 : steps, column += steps;
    }
    const long long first = places[2 * blockIdx.x], second = places[2 * blockIdx.x + 1];
    for (int at = threadIdx.x; at < own.gaps_a; at += blockDim.x)
        gaps[first + at] = make_int2(room.gaps_a[2 * at], room.gaps_a[2 * at + 1]);
    for (int at = threadIdx.x; at < own.gaps_b; at += blockDim.x)
        gaps[second + at] = make_int2(room.gaps_b[2 * at], room.gaps_b[2 * at + 1]);
    __syncthreads();
    for (long long at = threadIdx.x; at < (long long)own.columns * SYMBOLS; at += blockDim.x) {
        const int where = at / SYMBOLS, symbol = at % SYMBOLS;
        const int count = side_count(a, room.map_a, where, symbol) + side_count(b, room.map_b, where, symbol);
        join.target[at] = count;
    }
}

// Profiles to their new places, in units of 16 bytes.
extern "C" __global__ void move_profiles(const long long* from, const long long* to, const long long* sizes, const uint4* source,
                                 uint4* target) {
    for (long long at = threadIdx.x; at < sizes[blockIdx.x]; at += blockDim.x)
        target[to[blockIdx.x] + at] = source[from[blockIdx.x] + at];
}
