// Words that pairs of sequences share: 6-mers as MAFFT counts them, k-tuples as ClustalW chains them (cpu_words.py).

// 6-mers: a block takes a row, keeps how often each word is in it in a table, and each of its warps takes columns: the
// sum of the smaller counts. The table is of bytes in shared memory, or, where a word is there more than 255 times,
// of numbers in global memory. `words` and `counts` are those of all sequences, one after another from `starts`.
extern "C" __global__ void common_words(const int* words, const int* counts, const long long* starts, int sequences,
                                        int bins, int first, int last, int* tables, int* common) {
    extern __shared__ unsigned char bytes[];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    int* table = tables ? tables + (long long)blockIdx.x * bins : nullptr;
    for (int row = first + blockIdx.x; row < last; row += gridDim.x) {
        if (table) {
            for (int word = threadIdx.x; word < bins; word += blockDim.x) table[word] = 0;
        } else {
            for (int four = threadIdx.x; 4 * four < bins; four += blockDim.x) reinterpret_cast<int*>(bytes)[four] = 0;
        }
        __syncthreads();
        for (long long at = starts[row] + threadIdx.x; at < starts[row + 1]; at += blockDim.x) {
            if (table) table[words[at]] = counts[at];
            else bytes[words[at]] = (unsigned char)counts[at];
        }
        __syncthreads();
        for (int column = row + 1 + warp; column < sequences; column += warps) {
            int sum = 0;
            for (long long at = starts[column] + lane; at < starts[column + 1]; at += LANES)
                sum += min(counts[at], table ? table[words[at]] : (int)bytes[words[at]]);
            for (int half = LANES / 2; half; half /= 2) sum += __shfl_xor_sync(WARP, sum, half);
            if (lane == 0) common[(long long)(row - first) * sequences + column] = sum;
        }
        __syncthreads();
    }
}

// The end of a chain of k-tuples: its score, and where its last word is.
struct __align__(16) End {
    int score, row, column, unused;
};

// What a pair has in common with all: lengths and options.
struct Chain {
    int k, top, window, gap;
};

// Mark the diagonals with the most words and those beside them: `latest` (scores) is 0 there and -1 elsewhere. Of equal ones the
// later diagonals are taken. All lanes call this.
__device__ inline void mark_diagonals(int* counts, int* latest, int diagonals, const Chain& options) {
    const int lane = threadIdx.x % LANES;
    for (int d = lane; d < diagonals; d += LANES) latest[d] = -1;
    __syncwarp();
    for (int round = 0; round < options.top; ++round) {
        long long best = -1;
        for (int d = lane; d < diagonals; d += LANES)
            if (counts[d] > 0) best = max(best, (long long)counts[d] << 32 | d);
        for (int half = LANES / 2; half; half /= 2) best = max(best, __shfl_xor_sync(WARP, best, half));
        if (best < 0) break;
        const int middle = (int)(best & 0x7fffffff);
        if (lane == 0) counts[middle] = 0;
        for (int d = max(middle - options.window, 0) + lane; d <= min(middle + options.window, diagonals - 1); d += LANES)
            latest[d] = 0;
        __syncwarp();
    }
}

// The score of a word at (i, j) behind the best chain that it fits, 32 of which are looked at together; see
// cpu_words.py: chains are by ascending score, of equals the latest last. All lanes call this, and have it.
__device__ inline int chained(const End* chains, int used, int i, int j, int own_score, int own_row,
                              const Chain& options) {
    const int lane = threadIdx.x % LANES, k = options.k;
    for (int first = 0; first < used; first += LANES) {
        End end = {};
        bool same = false, before = false;
        if (first + lane < used) {
            end = chains[used - 1 - first - lane];
            same = i - j == end.row - end.column && end.row < i;
            before = end.row + k - 1 < i && end.column + k - 1 < j;
        }
        const unsigned fits = __ballot_sync(WARP, same || before);
        if (!fits) continue;
        const int alone = own_score ? own_score + min(i - own_row, k) : k;
        const int score = same ? end.score + min(i - end.row, k) : max(end.score - options.gap + k, alone);
        return __shfl_sync(WARP, score, __ffs(fits) - 1);
    }
    return k;
}

// Put a chain behind those that do not score more; the others move by one, the last ones first.
__device__ inline void insert(End* chains, int used, const End& end) {
    const int lane = threadIdx.x % LANES;
    int low = 0, high = used;   // what does not score more ends between them
    while (low < high) {
        const int width = (high - low + LANES - 1) / LANES, at = min(low + (lane + 1) * width, high) - 1;
        const int more = __popc(__ballot_sync(WARP, chains[at].score <= end.score));
        if (more == LANES) {
            low = high;
            break;
        }
        const int end_of_part = min(low + (more + 1) * width, high) - 1;
        low = min(low + more * width, high);
        high = end_of_part;
    }
    for (int last = used; last > low; last -= LANES) {
        const int at = last - 1 - lane;
        End moved = {};
        if (at >= low) moved = chains[at];
        __syncwarp();
        if (at >= low) chains[at + 1] = moved;
        __syncwarp();
    }
    if (lane == 0) chains[low] = end;
    __syncwarp();
}

// k-tuples: a warp takes a pair. The words of a sequence are at `words` from `starts`, -1 where there is none; places of
// word w of a sequence are places[from] .. places[to] with from and to in its row of `word_starts`. Each warp has room for
// `room` chains, and 3 x `diagonals` numbers in `counts`: words, then the score and row of the latest chain of each.
extern "C" __global__ void chain_words(const int* words, const long long* starts, const int* places,
                                       const int* word_starts, int bins, int sequences, int k, int top, int window,
                                       int gap, const int* tiles, int side, long long pairs, unsigned long long* ticket,
                                       int* counts, long long diagonals, End* chains, long long room, int* found) {
    const Chain options = {k, top, window, gap};
    const int lane = threadIdx.x % LANES;
    const long long warp = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    counts += 3 * diagonals * warp;
    chains += room * warp;
    int *latest = counts + diagonals, *latest_row = latest + diagonals;
    for (Task task; next_pair(tiles, side, pairs, sequences, ticket, &task);) {
        const auto [number, row, column] = task;
        const int m = (int)(starts[row + 1] - starts[row]), n = (int)(starts[column + 1] - starts[column]);
        const int *own = words + starts[row], *there = places + starts[column];
        const int* from = word_starts + (long long)column * (bins + 1);
        for (int d = lane; d < m + n - 1; d += LANES) counts[d] = 0;
        __syncwarp();
        for (int i = lane; i < m; i += LANES)
            if (own[i] >= 0)
                for (int at = from[own[i]]; at < from[own[i] + 1]; ++at) atomicAdd(&counts[i - there[at] + n - 1], 1);
        __syncwarp();
        mark_diagonals(counts, latest, m + n - 1, options);
        int used = 0;
        for (int i = 0; i < m; ++i) {
            const int word = own[i];
            if (word < 0) continue;
            for (int last = from[word + 1]; last > from[word]; last -= LANES) {
                const int at = last - 1 - lane, j = at >= from[word] ? there[at] : 0;
                unsigned marked = __ballot_sync(WARP, at >= from[word] && latest[i - j + n - 1] >= 0);
                for (; marked; marked &= marked - 1) {
                    const int place = __shfl_sync(WARP, j, __ffs(marked) - 1), d = i - place + n - 1;
                    const int score = chained(chains, used, i, place, latest[d], latest_row[d], options);
                    __syncwarp();
                    if (lane == 0) {
                        latest[d] = score;
                        latest_row[d] = i;
                    }
                    insert(chains, used++, {score, i, place, 0});
                }
            }
        }
        if (lane == 0) found[number] = used ? chains[used - 1].score : 0;
        __syncwarp();
    }
}
