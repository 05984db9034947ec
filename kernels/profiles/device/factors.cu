// Computes: factors of products for tensor cores: 16-bit numbers, one profile column after another, in the order of threads.
// PLAIN: factors as they are. DOUBLED: twice, where the other side has them as sums of two numbers (HALVED), a multiple of 4
// and the rest, each of which 16 bits hold. ROWS, COLUMNS: factors of distances with the squares, each as 2048 a + b.
//
// Threads: a block has an alignment, a thread one column after another.
//
// Memory: `Pairs.upload_pairs` sets where each alignment begins, and its length with padding, which becomes zeros. Step s
// multiplies eight factors, two for each of four threads. Of columns they lie in word s mod 4 of the 16 bytes of each thread
// in load s / 4. Of rows a thread has two, eight apart, whose factors of two steps are one load: of sixteen rows the first
// loads of all threads of a warp, then the second ones.

// A whole number that 16 bits hold as a floating-point number.
__device__ __forceinline__ unsigned half_of(int value) {
    if (value == 0) return 0;
    const unsigned bits = __float_as_int((float)value);
    return (bits >> 16 & 0x8000) | (((bits >> 23 & 255) - 112) << 10) | (bits >> 13 & 1023);
}

struct Column {
    const short* values;
    long long apart;
    int symbols, how, squares;

    __device__ __forceinline__ int symbol(int at) const { return values[at * apart]; }

    __device__ __forceinline__ int factor(int at) const {
        const int rest = at - symbols;
        if (how == HALVED || how == DOUBLED) {
            if (rest >= symbols) return 0;
            const int value = symbol(rest < 0 ? at : rest), left = how == HALVED ? (value + 2 & 3) - 2 : 0;
            return how == DOUBLED ? value : rest < 0 ? value - left : left;
        }
        if (rest < 0) return how == ROWS ? -2 * symbol(at) : symbol(at);
        if (how == PLAIN || rest > 3) return 0;
        if ((rest < 2) == (how == ROWS)) return rest % 2 ? squares % UNITS : squares / UNITS;
        return rest % 2 ? 1 : UNITS;
    }
};

extern "C" __global__ void factors(const short* values, const long long* starts, const long long* lengths,
                                   const long long* into, int symbols, int how, int of_rows, int words,
                                   unsigned* target) {
    const long long pair = blockIdx.x, length = lengths[pair], padded = into[pair + 1] - into[pair];
    for (long long at = threadIdx.x; at < padded; at += blockDim.x) {
        Column column = {values + starts[pair] + at, length + 1, symbols, how, 0};
        const bool real = at < length;
        if (real && (how == ROWS || how == COLUMNS))
            for (int x = 0; x < symbols; ++x) column.squares += column.symbol(x) * column.symbol(x);
        for (int word = 0; word < words; ++word) {
            const int step = word / 16 * 4 + word % 4, first = 8 * step + word % 16 / 4 * 2;
            const long long place = into[pair] + at, four = word % 16 / 4;
            target[of_rows ? place / 16 * 16 * words + (step / 2 * 32 + place % 8 * 4 + four) * 4 + step % 2 * 2 + place % 16 / 8
                           : place * words + word] =
                real ? half_of(column.factor(first)) | half_of(column.factor(first + 1)) << 16 : 0;
        }
    }
}
