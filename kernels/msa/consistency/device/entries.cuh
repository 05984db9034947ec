// Computes: the words of kept posteriors.
//
// Threads: any thread, by itself.
//
// Memory: a word has the column in its lower half, and units of 1 / 65,536 in its upper half.

__device__ __forceinline__ unsigned word_of(int column, int units) {
    return static_cast<unsigned>(column) | static_cast<unsigned>(min(units, 65535)) << 16;
}
__device__ __forceinline__ int column_of(unsigned word) { return word & 0xffff; }
__device__ __forceinline__ unsigned units_of(unsigned word) { return word >> 16; }
