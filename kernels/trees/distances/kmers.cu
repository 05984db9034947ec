// Words that pairs of sequences share: 6-mers as MAFFT counts them (common_words), k-tuples as ClustalW chains them
// (chain_words). The CPU does the same in cpu_kmers.py and cpu_single_chains.py.
//
// Recurrence: of k-tuples, for a word at (i, j) on a marked diagonal, over the chains that end before it: chain(i,
//   j) = max(k, chain on the same diagonal + new letters, best chain that ends before (i, j) - gap + k). Of 6-mers:
//   common(a, b) = sum over words w of min(a[w], b[w]).
// Threads: for 6-mers a block takes a row, and each of its warps a column at a time. For k-tuples a warp takes a
//   pair; its lanes look at 32 chains, or 32 places of a word, together.
// Memory: words of all sequences lie one after another from `starts`. The counts of a row are bytes in shared
//   memory, or numbers in global memory where a word occurs more than 255 times. Diagonals and chains are in global
//   memory, a part for each warp (or for each pair that takes several launches).

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

__device__ inline void swap_numbers(int* numbers, int i, int j) {
    const int kept = numbers[i];
    numbers[i] = numbers[j];
    numbers[j] = kept;
}

// Bring the greatest counts to the places from `first` on, and what is in `order` with them, all but the last place: by
// the parts of a quicksort that decide this, step by step as in cpu_single_chains.py, for they decide among equals. One lane
// calls this.
__device__ inline void select_greatest(int* counts, int* order, int size, int first) {
    for (int low = 0, high = size - 2; low < first && first <= high;) {
        const int pivot = counts[high];
        int i = low - 1, j = high;
        while (i < j) {
            do ++i;
            while (counts[i] < pivot);
            do --j;
            while (j > i && counts[j] > pivot);
            const int other = i < j ? j : high;
            swap_numbers(counts, i, other);
            swap_numbers(order, i, other);
        }
        if (i < first) low = i + 1;
        else high = i - 1;
    }
}

// Mark the diagonals with the most words and those beside them: `latest` (scores) is 0 there and -1 elsewhere. One of
// the `top` is always the last diagonal, if it has a word; `order` is room for as many numbers. All lanes call this.
__device__ inline void mark_diagonals(int* counts, int* latest, int* order, int diagonals, const Chain& options) {
    const int lane = threadIdx.x % LANES, first = max(diagonals - max(options.top, 2), 0);
    for (int d = lane; d < diagonals; d += LANES) {
        latest[d] = -1;
        order[d] = d;
    }
    __syncwarp();
    if (lane == 0) select_greatest(counts, order, diagonals, first);
    __syncwarp();
    for (int at = first; at < diagonals; ++at) {
        if (!counts[at]) continue;
        const int low = max(order[at] - options.window, 0), high = min(order[at] + options.window, diagonals - 1);
        for (int d = low + lane; d <= high; d += LANES) latest[d] = 0;
    }
    __syncwarp();
}

// The score of a word at (i, j) behind the best chain that it fits, 32 of which are looked at together; see
// cpu_single_chains.py: chains are by ascending score, of equals the latest last. All lanes call this, and have it.
__device__ inline int chain_score(const End* chains, int used, int i, int j, int own_score, int own_row,
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
__device__ inline void insert_chain(End* chains, int used, const End& end) {
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

// The words of a pair: those of the rows in order, -1 where there is none, and the columns where each word is: word w is
// at there[from[w]] .. there[from[w + 1]]. m and n words of k letters are in the sequences. Diagonals are those of the
// letters: the first and the last k - 1 have no word.
struct Pair {
    const int *own, *from, *there;
    int m, n, k;

    __device__ int diagonal(int i, int j) const { return i - j + n + k - 2; }
    __device__ int diagonals() const { return m + n + 2 * k - 3; }
};

// Count the words of some rows on their diagonals. All lanes call this.
__device__ inline void count_words(const Pair& pair, int first, int last, int* counts) {
    for (int i = first + threadIdx.x % LANES; i < min(last, pair.m); i += LANES) {
        const int word = pair.own[i];
        if (word < 0) continue;
        for (int at = pair.from[word]; at < pair.from[word + 1]; ++at)
            atomicAdd(&counts[pair.diagonal(i, pair.there[at])], 1);
    }
    __syncwarp();
}

// Put the words of some rows behind the `used` chains that there are; how many there are then. `latest` and `latest_row`
// are the score and row of the latest chain of each diagonal. All lanes call this.
__device__ inline int chain_rows(const Pair& pair, const Chain& options, int first, int last, int* latest, int* latest_row,
                                 End* chains, int used) {
    const int lane = threadIdx.x % LANES;
    for (int i = first; i < min(last, pair.m); ++i) {
        const int word = pair.own[i];
        if (word < 0) continue;
        const int from = pair.from[word];
        for (int end = pair.from[word + 1]; end > from; end -= LANES) {
            const int at = end - 1 - lane, j = at >= from ? pair.there[at] : 0;
            unsigned marked = __ballot_sync(WARP, at >= from && latest[pair.diagonal(i, j)] >= 0);
            for (; marked; marked &= marked - 1) {
                const int place = __shfl_sync(WARP, j, __ffs(marked) - 1), d = pair.diagonal(i, place);
                const int score = chain_score(chains, used, i, place, latest[d], latest_row[d], options);
                __syncwarp();
                if (lane == 0) {
                    latest[d] = score;
                    latest_row[d] = i;
                }
                insert_chain(chains, used++, {score, i, place, 0});
            }
        }
    }
    return used;
}

// k-tuples: a warp takes a pair. The words of a sequence are at `words` from `starts`, their places at `places`, and where
// the places of each word begin in its row of `word_starts`. There is room for `room` chains a pair, and for 3 x
// `diagonals` numbers in `counts`: words, then the score and row of the latest chain of each diagonal. Pairs of more than
// `most` cells are left out. These are done some rows a launch, first all rows of COUNT_WORDS, then those of CHAIN_WORDS:
// then `carried` has the number of chains of each pair, and each pair has its room; else each warp has.
extern "C" __global__ void chain_words(TUPLES_PARAMETERS(all), PAIRS_PARAMETERS(all), CHAINS_PARAMETERS(room)) {
    const Chain options = {all_k, all_top, all_window, all_gap};
    const int lane = threadIdx.x % LANES;
    const long long warp = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    for (Task task; next_pair(PAIRS_OF(all), all_sequences, &task);) {
        const auto [number, row, column] = task;
        const long long own = all_starts[row], other = all_starts[column];
        const Pair pair = {all_words + own, all_word_starts + (long long)column * (all_bins + 1), all_places + other,
                           (int)(all_starts[row + 1] - own), (int)(all_starts[column + 1] - other), all_k};
        if ((pair.m + all_k - 1) * (pair.n + all_k - 1ll) > room_most) continue;
        const long long place = room_carried ? (long long)number : warp;
        int *own_counts = room_counts + 3 * room_diagonals * place, *latest = own_counts + room_diagonals;
        End* own_chains = room_chains + room_room * place;
        if (room_stages & COUNT_WORDS) {
            if (room_first_row == 0)
                for (int d = lane; d < pair.diagonals(); d += LANES) own_counts[d] = 0;
            __syncwarp();
            count_words(pair, room_first_row, room_last_row, own_counts);
        }
        if (room_stages & CHAIN_WORDS) {
            if (room_first_row == 0)
                mark_diagonals(own_counts, latest, latest + room_diagonals, pair.diagonals(), options);
            int used = room_first_row ? room_carried[number] : 0;
            used = chain_rows(pair, options, room_first_row, room_last_row, latest, latest + room_diagonals, own_chains,
                              used);
            if (lane == 0) {
                if (room_carried) room_carried[number] = used;
                room_found[number] = used ? own_chains[used - 1].score : 0;
            }
        }
        __syncwarp();
    }
}
