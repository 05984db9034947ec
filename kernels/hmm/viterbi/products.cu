// The product of the matrices of all letters, as the thesis makes it (003, algorithm 5.3): for every letter,
//
//   rows = rows x S[k]   over (min, +),   S[k][before][s] = T[before][s] + E[before][letter k]
//
// A block of 256 threads has ROWS rows of the product, which no other row needs, and takes them through all letters. A
// line of LINE threads has a row, and of each slab of S[k] two columns. A slab, DEPTH x 2 LINE numbers of S[k], is put
// together in shared memory by all threads: from T and E, or (with TEXTURE) moved there from a texture that holds S of
// every letter of the alphabet. Two slabs take turns, so that there is one barrier a slab.
//
// Shared memory: rows [2][ROWS][pitch], where pitch is `states` in whole slabs. After each letter a row is lessened by its
// least number, so that 32 bits hold it; rows are compared with themselves alone.

constexpr int THREADS = 256, ROWS = THREADS / LINE, ACROSS = 2 * LINE, DEPTH = 16;

#if TEXTURE
typedef cudaTextureObject_t Sums;

// A number of S, as it lies in the texture.
__device__ __forceinline__ Number sum_at(Sums sums, const Number*, const Number*, int letter, int states, int before, int s) {
    const int at = (letter * states + before) * states + s;
#if ELEMENT == 1
    const int2 words = tex1Dfetch<int2>(sums, at);
    return __hiloint2double(words.y, words.x);
#else
    return tex1Dfetch<int>(sums, at);
#endif
}
#else
typedef unsigned long long Sums;                 // not used

__device__ __forceinline__ Number sum_at(
    Sums, const Number* transitions, const Number* emissions, int letter, int states, int before, int s) {
    return min(transitions[(long long)before * states + s] + emissions[(long long)letter * states + before], infinite());
}
#endif

// Letters `first` to `last` - 1. `current`: the rows, at first the initial costs and the identity, and what has become of
// them; what becomes of the first one is stored in `stored`, a row a letter.
extern "C" __global__ void __launch_bounds__(THREADS)
multiply_matrices(Sums sums, const Number* transitions, const Number* emissions, const unsigned char* seen,
                  Number* current, Number* stored, int states, int rows, int first, int last) {
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ Number slabs[2][DEPTH][ACROSS];
    const int pitch = (states + DEPTH - 1) / DEPTH * DEPTH, x = threadIdx.x % LINE, own = threadIdx.x / LINE;
    const int row_number = blockIdx.x * ROWS + own;
    Number* row = reinterpret_cast<Number*>(memory) + own * pitch;
    Number* next = row + ROWS * pitch;
    for (int s = x; s < pitch; s += LINE) {
        const bool there = row_number < rows && s < states;
        row[s] = there ? current[(long long)row_number * states + s] : infinite();
        next[s] = infinite();
    }
    int buffer = 0;
    for (int k = first; k < last; k++) {
        const int letter = seen[k];
        Number least = infinite();
        for (int turn = 0; turn < states; turn += ACROSS) {
            Number best[2] = {infinite(), infinite()};
            for (int top = 0; top < states; top += DEPTH, buffer ^= 1) {
                for (int at = threadIdx.x; at < DEPTH * ACROSS; at += THREADS) {
                    const int before = top + at / ACROSS, s = turn + at % ACROSS;
                    const bool inside = before < states && s < states;
                    slabs[buffer][at / ACROSS][at % ACROSS] =
                        inside ? sum_at(sums, transitions, emissions, letter, states, before, s) : infinite();
                }
                __syncthreads();
#pragma unroll
                for (int before = 0; before < DEPTH; before++) {
                    const Number cost = row[top + before];
                    best[0] = step(best[0], cost, slabs[buffer][before][x]);
                    best[1] = step(best[1], cost, slabs[buffer][before][x + LINE]);
                }
            }
#pragma unroll
            for (int n = 0; n < 2; n++) {
                const int s = turn + x + n * LINE;
                if (s < states) next[s] = best[n];
                least = min(least, best[n]);
            }
        }
        for (int apart = LINE / 2; apart > 0; apart /= 2) least = min(least, __shfl_xor_sync(WARP, least, apart));
        for (int s = x; s < states; s += LINE) {
            const Number value = next[s] < infinite() ? next[s] - least : next[s];
            next[s] = value;
            if (row_number == 0) stored[(long long)(k + 1) * states + s] = value;
        }
        __syncwarp();                            // a row belongs to threads of one warp
        Number* before = row;
        row = next, next = before;
    }
    for (int s = x; s < states && row_number < rows; s += LINE) current[(long long)row_number * states + s] = row[s];
}
