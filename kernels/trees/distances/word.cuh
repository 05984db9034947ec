// The words of identities.cu, in which score, tie rule and count are packed.
//
// Computes: max(a + b, c) and the greatest of three words.
// Threads: each thread by itself.
// Memory: words have 32 bits, or 64 bits where WIDE is set at compile time; they stay in registers.

#if WIDE
using WORD = long long;
__device__ __forceinline__ WORD add_max(WORD a, WORD b, WORD c) { return max(a + b, c); }
__device__ __forceinline__ WORD greatest(WORD a, WORD b, WORD c) { return max(max(a, b), c); }
#else
using WORD = int;
__device__ __forceinline__ WORD greatest(WORD a, WORD b, WORD c) { return __vimax3_s32(a, b, c); }
#endif
