// The dot plot: buckets of words of k letters, and the matches of a window counted by pixel.
//
// Computes: the hash of a word is the sum of code x BASE^(places after it), which wraps around in 64 bits; words of a
//     bucket are compared letter by letter, as in cpu_dotplot.py.
//
// Threads: place_buckets has a thread for each word of the index, count_matches for each word of the queries. Few
//     places of a bucket are compared by the thread, many by its whole warp.
//
// Memory: codes, queries, bucket starts and places are read from global memory; matches are counted there by atomic
//     additions to pixels.
//
// Compile-time: BASE_LOW, BASE_HIGH, SPREAD_LOW, SPREAD_HIGH, halves of factors; UNKNOWN, COMPLEMENTS, FEW.

typedef unsigned long long Hash;
constexpr Hash BASE = (Hash)(unsigned)BASE_HIGH << 32 | (unsigned)BASE_LOW;
constexpr Hash SPREAD = (Hash)(unsigned)SPREAD_HIGH << 32 | (unsigned)SPREAD_LOW;

// Hashes of a word and of its reverse complement; false where a letter equals no other.
__device__ bool hashes(const unsigned char* codes, int k, Hash& forward, Hash& reverse) {
    Hash weight = 1;
    forward = 0, reverse = 0;
    for (int at = 0; at < k; ++at) {
        const int code = codes[at];
        if (code == UNKNOWN) return false;
        forward = forward * BASE + code;
        reverse += (Hash)(long long)(COMPLEMENTS - code) * weight;
        weight *= BASE;
    }
    return true;
}

__device__ __forceinline__ int bucket_of(Hash key, int unused) { return (int)(key * SPREAD >> unused); }

// Computes the bucket of every word at a step-th place; `none` where the word equals no other.
extern "C" __global__ void place_buckets(const unsigned char* codes, int k, int unused, int step, int count, int none, int* buckets) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count) return;
    Hash forward, reverse;
    buckets[at] = hashes(codes + (long long)at * step, k, forward, reverse) ? bucket_of(forward, unused) : none;
}

// Returns the index of the first of the sorted places[low..high) that is not below `place`.
__device__ int first_from(const int* places, int low, int high, int place) {
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (places[middle] < place) low = middle + 1;
        else high = middle;
    }
    return low;
}

__device__ __forceinline__ long long pixel_of(long long place, const Pixels& pixels) {
    return ((place - pixels.start + 1) * pixels.number - 1) / pixels.size;
}

__device__ bool same(const unsigned char* word, const unsigned char* query, int k, int strand) {
    for (int at = 0; at < k; ++at)
        if (strand ? word[at] + query[k - 1 - at] != COMPLEMENTS : word[at] != query[at]) return false;
    return true;
}

// Counts a query and a place if they match and are in the window.
__device__ void look(const Looked& in, const Pixels& down, int place, int query, int strand, unsigned* image) {
    if (place >= down.low && place < down.high && same(in.codes + place, in.queries + query, in.k, strand))
        atomicAdd(image + pixel_of(place, down), 1u);
}

// The queries first .. last - 1, of two strands where `both`.
extern "C" __global__ void count_matches(
    LOOKED_PARAMETERS(in), PIXELS_PARAMETERS(across), PIXELS_PARAMETERS(down), long long most, unsigned* images,
    unsigned long long* thinned, int first, int last, int both) {
    const Looked in = LOOKED_OF(in);
    const Pixels across = PIXELS_OF(across), down = PIXELS_OF(down);
    const int query = first + blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % LANES;
    Hash keys[2];
    const bool known = query < last && hashes(in.queries + query, in.k, keys[0], keys[1]);
    for (int strand = 0; strand <= both; ++strand) {
        int low = 0, high = 0, stride = 1;
        unsigned* image = nullptr;
        if (known) {
            const int bucket = bucket_of(keys[strand], in.unused);
            low = in.starts[bucket], high = in.starts[bucket + 1];
            if (high - low > FEW) {
                low = first_from(in.places, low, high, (int)down.low);
                high = first_from(in.places, low, high, (int)down.high);
            }
            if (high > low) {
                stride = (int)(1 + (high - low - 1) / most);
                if (stride > 1) atomicAdd(thinned, 1ull), low += query % stride;
                image = images + (strand * across.number + pixel_of(query, across)) * down.number;
            }
        }
        const bool many = high - low > FEW;
        if (!many)
            for (int number = low; number < high; number += stride) look(in, down, in.places[number], query, strand, image);
        // The whole warp compares the places of one such query after another.
        for (unsigned left = __ballot_sync(WARP, many); left; left &= left - 1) {
            const int owner = __ffs((int)left) - 1;
            const int from = __shfl_sync(WARP, low, owner), to = __shfl_sync(WARP, high, owner);
            const int apart = __shfl_sync(WARP, stride, owner), whose = __shfl_sync(WARP, query, owner);
            unsigned* where = images + (strand * across.number + pixel_of(whose, across)) * down.number;
            for (long long number = from + (long long)lane * apart; number < to; number += (long long)LANES * apart)
                look(in, down, in.places[number], whose, strand, where);
        }
    }
}
