// Longest common subsequences of many pairs, and of every sequence the nearest one of another component
// (cuda_linkage.py).
//
// Recurrence: V = (V + (V & M)) | (V & ~M), the word of a row behind a letter whose places in the sequence are M
//   (Hyyro 2004), for every word with the carry of the one before; zeros of V count the common letters.
// Threads: a warp has 32 query sequences, a lane each, and compares them with texts one after another.
// Memory: masks of 21 symbols x words, a lane beside another, in shared memory, or in global memory where they are
//   large. With WORDS words a lane has its row in registers; with WORDS = 0 behind its masks, for as many as there
//   are.

constexpr float FAR = 1e6f;
constexpr int SYMBOLS_OF_LCS = 21;   // the last equals nothing

// ``codes``: four letters a word, sequence s from starts[s] on, filled up with the last symbol. ``queries`` are `count`
// sequences whose nearest one is sought, in order of their lengths. ``nearest`` is the least of (bits of the distance,
// number) of each sequence. Where `memory` is not null it has masks and rows of every block.
extern "C" __global__ void find_nearest(const unsigned* codes, const long long* starts, const int* lengths,
                                      const int* component, const int* queries, int count, int sequences, int part,
                                      int words, unsigned* memory, unsigned long long* nearest) {
    extern __shared__ unsigned own_masks[];
    const int lane = threadIdx.x, most = WORDS ? WORDS : words;
    unsigned* masks = own_masks;
    if (memory) masks = memory + ((long long)blockIdx.y * gridDim.x + blockIdx.x) * (SYMBOLS_OF_LCS + 1) * most * LANES;
    unsigned* row = masks + (long long)SYMBOLS_OF_LCS * most * LANES + lane;
    const int at = blockIdx.x * LANES + lane, query = at < count ? queries[at] : -1;
    for (int place = 0; place < SYMBOLS_OF_LCS * most; ++place) masks[place * LANES + lane] = 0;
    const int length = query < 0 ? 0 : lengths[query], mine = query < 0 ? -1 : component[query];
    for (int place = 0; place < length; ++place) {
        const int code = codes[starts[query] + place / 4] >> (8 * (place % 4)) & 0xff;
        if (code < SYMBOLS_OF_LCS - 1) masks[(code * most + place / 32) * LANES + lane] |= 1u << (place % 32);
    }
    unsigned long long best = ~0ull;
    const int first = blockIdx.y * part, last = min(first + part, sequences);
    for (int other = first; other < last; ++other) {
        const bool wanted = query >= 0 && component[other] != mine;
        if (!__any_sync(WARP, wanted)) continue;
        const int size = lengths[other];
        const unsigned* text = codes + starts[other];
        int shared = 0;
#if WORDS
        unsigned v[WORDS];
        for (int word = 0; word < WORDS; ++word) v[word] = ~0u;
        for (int from = 0; from < size; from += 4) {
            unsigned four = text[from / 4];
#pragma unroll
            for (int letter = 0; letter < 4; ++letter, four >>= 8) {
                const unsigned* there = masks + (four & 0xff) * WORDS * LANES + lane;
                unsigned long long carry = 0;
#pragma unroll
                for (int word = 0; word < WORDS; ++word) {
                    const unsigned both = v[word] & there[word * LANES];
                    carry += (unsigned long long)v[word] + both;
                    v[word] = (unsigned)carry | (v[word] - both);
                    carry >>= 32;
                }
            }
        }
        for (int word = 0; word < WORDS; ++word) shared += __popc(~v[word]);
#else
        for (int word = 0; word < most; ++word) row[word * LANES] = ~0u;
        for (int from = 0; from < size; ++from) {
            const unsigned* there = masks + (long long)(text[from / 4] >> (8 * (from % 4)) & 0xff) * most * LANES + lane;
            unsigned long long carry = 0;
            for (int word = 0; word < most; ++word) {
                const unsigned v = row[word * LANES], both = v & there[word * LANES];
                carry += (unsigned long long)v + both;
                row[word * LANES] = (unsigned)carry | (v - both);
                carry >>= 32;
            }
        }
        for (int word = 0; word < most; ++word) shared += __popc(~row[word * LANES]);
#endif
        const float away = shared ? __fdiv_rn((float)(length + size - 2 * shared), (float)shared) : FAR;
        const unsigned long long key = (unsigned long long)__float_as_uint(away) << 32 | (unsigned)other;
        if (wanted && key < best) best = key;
    }
    if (query >= 0 && best != ~0ull) atomicMin(nearest + query, best);
}
