// Columns in which two rows of an alignment both have a letter, differ, and differ by a transition.
//
// Computes: for each pair of rows, sums over columns of (both letters), (both and different), (different, one
//   class).
// Threads: a block takes a row; each of its warps takes another row at a time, a lane every 32nd word of four
//   columns.
// Memory: rows are bytes, four to a 32-bit word, 0 for a gap, with the class of a nucleotide in the two highest
//   bits; the three counts of each pair go to matrices of 32-bit numbers.

extern "C" __global__ void compare_rows(const unsigned* letters, int words, int rows, int first, int last, int* common,
                                        int* differ, int* transitions) {
    constexpr unsigned CLASS = 0xc0c0c0c0u;
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    for (int row = first + blockIdx.x; row < last; row += gridDim.x) {
        const unsigned* own = letters + (long long)row * words;
        for (int other = row + 1 + warp; other < rows; other += warps) {
            const unsigned* theirs = letters + (long long)other * words;
            int sums[3] = {0, 0, 0};
            for (int word = lane; word < words; word += LANES) {
                const unsigned a = own[word], b = theirs[word];
                const unsigned both = __vcmpne4(a, 0) & __vcmpne4(b, 0), unlike = both & __vcmpne4(a, b);
                const unsigned alike = __vcmpeq4(a & CLASS, b & CLASS) & __vcmpne4(a & CLASS, 0);
                sums[0] += __popc(both);
                sums[1] += __popc(unlike);
                sums[2] += __popc(unlike & alike);
            }
            for (int half = LANES / 2; half; half /= 2)
                for (int& sum : sums) sum += __shfl_xor_sync(WARP, sum, half);
            if (lane == 0) {
                const long long place = (long long)(row - first) * rows + other;
                common[place] = sums[0] / 8;
                differ[place] = sums[1] / 8;
                transitions[place] = sums[2] / 8;
            }
        }
    }
}
