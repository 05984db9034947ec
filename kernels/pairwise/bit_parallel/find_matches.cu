// Computes: the match words of all strips: which columns have a letter that equals a row letter.
//
// Threads: a thread a word of 32 columns.
//
// Memory: `equal` (WordPair, cuda_sources.py). Columns before column 1 match every row where column 0 is free, else none,
//     so that they equal column 0.
//
// Compile-time: R, words of a lane; LEFT_FREE.

extern "C" __global__ void find_matches(
    const unsigned char* columns, const unsigned char* matches, int letters, int strips, int padding, unsigned* equal) {
    constexpr int WORDS = LANES * R;
    const long long word = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (word >= static_cast<long long>(strips) * WORDS) return;
    const long long first = word * 32 - padding;
    unsigned* found = equal + word / WORDS * letters * WORDS + word % WORDS;
    for (int letter = 0; letter < letters; ++letter) {
        unsigned bits = 0;
        for (int bit = 0; bit < 32; ++bit) {
            const long long column = first + bit;
            const bool is_equal = column < 0 ? LEFT_FREE : matches[letter * letters + columns[column]];
            bits |= static_cast<unsigned>(is_equal) << bit;
        }
        found[static_cast<long long>(letter) * WORDS] = bits;
    }
}
