// 6-mers of sequences, and the distances of references and sequences by shared 6-mers (cpu_encoding.py,
// cpu_shared_words.py).
//
// Computes: common(a, b) = sum over words w of min(a[w], b[w]), MAFFT's distance of it, and the nearest reference.
// Threads: `encode_words` gives a warp (which is a block) a sequence at a time. `measure_distances` gives a block a task, which is
//   a part of the members of a group; its warps count 32 / REFS members at a time, so that every lane makes one
//   distance.
// Memory: words of sequence s are at begins[s] .. ends[s], each once: which (kmers) and how often (counts). The
//   counts of REFS references lie side by side, a byte each, in a table of all words in shared memory.

constexpr unsigned MOST_IN_A_BYTE = 255;
constexpr int K = 6, FLUSH = 256;   // so many bytes fit 16 bits

// Counters of REFS references side by side, a byte each.
template <int N> struct CountersOf { typedef unsigned char type; };
template <> struct CountersOf<2> { typedef unsigned short type; };
template <> struct CountersOf<4> { typedef unsigned type; };
typedef CountersOf<REFS>::type COUNTERS;

// A warp (which is a block) takes sequences in turn. It first packs the letters that are in a group into `packed`, and then
// counts every word in a table of its own: in shared memory, or at `tables` where that is too small. Where a count rises
// from 0 the word is new. `heavy` says that a word is there more often than a byte can hold.
extern "C" __global__ void encode_words(WORDS_PARAMETERS(all), const unsigned char* letters, const signed char* codes, int base,
                                  int sequences, int bins, unsigned char* packed, int* tables) {
    extern __shared__ int own_table[];
    int* table = tables ? tables + (long long)blockIdx.x * bins : own_table;
    const int lane = threadIdx.x;
    for (int word = lane; word < bins; word += LANES) table[word] = 0;
    for (int sequence = blockIdx.x; sequence < sequences; sequence += gridDim.x) {
        const long long first = all_begins[sequence], last = all_begins[sequence + 1];
        long long kept = 0;
        for (long long at = first; at < last; at += LANES) {
            const int code = at + lane < last ? codes[letters[at + lane]] : -1;
            const unsigned some = __ballot_sync(WARP, code >= 0);
            if (code >= 0) packed[first + kept + __popc(some & ((1u << lane) - 1))] = code;
            kept += __popc(some);
        }
        __syncwarp();
        long long found = 0;
        for (long long at = 0; at < kept - K + 1; at += LANES) {
            int word = 0;
            bool is_new = false;
            if (at + lane < kept - K + 1) {
                for (int k = 0; k < K; ++k) word = word * base + packed[first + at + lane + k];
                is_new = atomicAdd(&table[word], 1) == 0;
            }
            const unsigned some = __ballot_sync(WARP, is_new);
            if (is_new) all_kmers[first + found + __popc(some & ((1u << lane) - 1))] = word;
            found += __popc(some);
        }
        __syncwarp();
        bool often = false;
        for (long long at = first + lane; at < first + found; at += LANES) {
            const int word = all_kmers[at], count = table[word];
            all_counts[at] = count;
            table[word] = 0;
            often |= count > MOST_IN_A_BYTE;
        }
        often = __ballot_sync(WARP, often) != 0;
        if (lane == 0) {
            all_ends[sequence] = first + found;
            all_totals[sequence] = max(kept - K + 1, 0ll);
            all_kept[sequence] = kept;
            all_heavy[sequence] = often;
        }
        __syncwarp();
    }
}

// The distance of two sequences that share so many words, in the same steps as on the CPU.
__device__ inline double distance_of(int common, long long total, long long other_total, long long kept,
                                     long long other_kept, double b) {
    const double longer = (double)max(kept, other_kept), shorter = (double)min(kept, other_kept);
    const double factor = 1.0 / (0.1 * shorter / fmax(longer, 1.0) + b / (longer + b) + 0.01);
    const double fewer = fmax((double)min(total, other_total), 1.0);
    return fmin((1.0 - common / fewer) * factor, 10.0);
}

// What words that both have more often than a byte holds add. All lanes call this, and each has a part of the sum.
__device__ inline int beyond_bytes(const Words& words, long long member, long long reference) {
    int more = 0;
    for (long long at = words.begins[member] + threadIdx.x % LANES; at < words.ends[member]; at += LANES) {
        if (words.counts[at] <= MOST_IN_A_BYTE) continue;
        for (long long other = words.begins[reference]; other < words.ends[reference]; ++other)
            if (words.kmers[other] == words.kmers[at])
                more += max(min(words.counts[at], words.counts[other]) - (int)MOST_IN_A_BYTE, 0);
    }
    return more;
}

__device__ inline int sum_of_warp(int value) {
    for (int half = LANES / 2; half; half /= 2) value += __shfl_xor_sync(WARP, value, half);
    return value;
}

// The words that a sequence shares with REFS references whose counts are side by side in `table`: all lanes have them.
__device__ inline void count_shared(const Words& words, long long member, const COUNTERS* table, int* common) {
    unsigned even = 0, odd = 0;   // of references 0 and 2, and of 1 and 3, in 16 bits each
    int steps = 0;
    for (int r = 0; r < 4; ++r) common[r] = 0;
    for (long long at = words.begins[member] + threadIdx.x % LANES; at < words.ends[member]; at += LANES) {
        const unsigned most = min((unsigned)words.counts[at], MOST_IN_A_BYTE) * 0x01010101u;
        const unsigned least = __vminu4(table[words.kmers[at]], most);
        even += least & 0x00ff00ffu;
        odd += (least >> 8) & 0x00ff00ffu;
        if (++steps == FLUSH) {
            common[0] += even & 0xffff, common[1] += odd & 0xffff, common[2] += even >> 16, common[3] += odd >> 16;
            even = odd = steps = 0;
        }
    }
    if (words.totals[member] < 0x10000) {   // so all sums fit 16 bits
        even = sum_of_warp(even), odd = sum_of_warp(odd);
        common[0] = even & 0xffff, common[1] = odd & 0xffff, common[2] = even >> 16, common[3] = odd >> 16;
    } else {
        common[0] += even & 0xffff, common[1] += odd & 0xffff, common[2] += even >> 16, common[3] += odd >> 16;
        for (int r = 0; r < REFS; ++r) common[r] = sum_of_warp(common[r]);
    }
}

// A task is a part of the members of a group, at most TASK. A block takes tasks by a ticket, and for each all references of
// the group, REFS at a time: their counts lie side by side, a byte each, in a table of `bins` words in shared memory. Of
// every member the nearest reference is kept in shared memory, of equal ones the first. A warp counts 32 / REFS members
// before it makes distances, so that every lane makes one.
extern "C" __global__ void measure_distances(WORDS_PARAMETERS(all), BATCH_PARAMETERS(of), FOUND_PARAMETERS(to), int first_task,
                                   int last_task, unsigned* ticket) {
    extern __shared__ __align__(16) COUNTERS table[];
    __shared__ double least[TASK];
    __shared__ int nearest[TASK];
    __shared__ unsigned number;
    const Words words = WORDS_OF(all);
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    unsigned char* bytes = reinterpret_cast<unsigned char*>(table);
    for (int word = threadIdx.x; word < of_bins; word += blockDim.x) table[word] = 0;
    for (;;) {
        if (threadIdx.x == 0) number = atomicAdd(ticket, 1u);
        __syncthreads();
        const unsigned taken = number;
        if (first_task + (long long)taken >= last_task) return;
        const long long* task = of_tasks + 3 * (first_task + (long long)taken);
        const long long group = task[0], first = task[1], refs = of_ref_starts[group];
        const int members = task[2] - first, references = of_ref_starts[group + 1] - refs;
        for (int at = threadIdx.x; at < members; at += blockDim.x) least[at] = 1e300;
        for (int chunk = 0; chunk < references; chunk += REFS) {
            const int many = min(REFS, references - chunk);
            for (int r = 0; r < many; ++r) {
                const long long reference = of_refs[refs + chunk + r];
                for (long long at = words.begins[reference] + threadIdx.x; at < words.ends[reference]; at += blockDim.x)
                    bytes[words.kmers[at] * REFS + r] = min((unsigned)words.counts[at], MOST_IN_A_BYTE);
            }
            __syncthreads();
            const int mine = lane % REFS;
            const long long my_reference = of_refs[refs + chunk + min(mine, many - 1)];
            for (int from = warp * (LANES / REFS); from < members; from += warps * (LANES / REFS)) {
                const int to_do = min(LANES / REFS, members - from);
                int shared = 0;
                for (int m = 0; m < to_do; ++m) {
                    const long long member = of_members[first + from + m];
                    int common[4];
                    count_shared(words, member, table, common);
                    if (words.heavy[member])
                        for (int r = 0; r < many; ++r)
                            if (words.heavy[of_refs[refs + chunk + r]])
                                common[r] += sum_of_warp(beyond_bytes(words, member, of_refs[refs + chunk + r]));
                    if (lane / REFS == m) {
                        shared = common[0];
                        for (int r = 1; r < REFS; ++r) shared = mine == r ? common[r] : shared;
                    }
                }
                const bool some = mine < many && lane / REFS < to_do;
                const int at = from + lane / REFS;
                double away = 1e300;
                if (some) {
                    const long long member = of_members[first + at];
                    away = distance_of(shared, words.totals[member], words.totals[my_reference], words.kept[member],
                                       words.kept[my_reference], of_b);
                    const long long place = (first + at - of_starts[group]) * references + chunk + mine;
                    if (to_everything) to_everything[to_places[group] + place] = away;
                }
                int which = mine;
                for (int half = 1; half < REFS; half *= 2) {
                    const double other = __shfl_xor_sync(WARP, away, half);
                    const int there = __shfl_xor_sync(WARP, which, half);
                    if (other < away || (other == away && there < which)) away = other, which = there;
                }
                if (mine == 0 && lane / REFS < to_do && away < least[at]) least[at] = away, nearest[at] = chunk + which;
            }
            __syncthreads();
            for (int r = 0; r < many; ++r) {
                const long long reference = of_refs[refs + chunk + r];
                for (long long at = words.begins[reference] + threadIdx.x; at < words.ends[reference]; at += blockDim.x)
                    table[words.kmers[at]] = 0;
            }
            __syncthreads();
        }
        for (int at = threadIdx.x; at < members && to_nearest; at += blockDim.x) {
            to_nearest[first + at] = nearest[at];
            to_least[first + at] = least[at];
        }
        __syncthreads();
    }
}
