// Columns of two sequences side by side, as search.cu streams them.
//
// Computes: words with twice the letter of both sequences in their halves, PADDING behind the shorter one, up to a multiple
//   of four; the last word is 2 number + 1, the mark at which scores are stored.
// Threads: a warp takes two sequences, a lane every 32nd column.
// Memory: part p of the database has the letters begins[p] to begins[p] + lengths[p] of `codes`; two `parts` belong
//   together, or one and none (PARTS = 1). Neighbouring lanes write neighbouring words.

extern "C" __global__ void arrange_columns(const unsigned char* codes, const long long* begins, const int* lengths,
                                           unsigned parts, const unsigned* starts, unsigned twos, unsigned* columns) {
    const unsigned lane = threadIdx.x % LANES, warps = gridDim.x * (blockDim.x / LANES);
    for (unsigned two = (blockIdx.x * blockDim.x + threadIdx.x) / LANES; two < twos; two += warps) {
        const unsigned own = PARTS * two, other = own + 1;
        const bool has_other = PARTS == 2 && other < parts;
        const unsigned char *first = codes + begins[own], *second = has_other ? codes + begins[other] : first;
        const unsigned length = lengths[own], length_of_second = has_other ? lengths[other] : 0;
        const unsigned long long end = 4ull * starts[two + 1];
        for (unsigned long long at = 4ull * starts[two] + lane, j = lane; at < end; at += LANES, j += LANES) {
            const unsigned low = j < length ? first[j] : PADDING, high = j < length_of_second ? second[j] : PADDING;
            columns[at] = at == end - 1 ? 2 * two + 1 : 2 * low | 2 * high << 16;
        }
    }
}
