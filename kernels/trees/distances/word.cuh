// The words of identities.cu. Compile-time: WIDE, 64 bits instead of 32.

#if WIDE
using WORD = long long;
__device__ __forceinline__ WORD add_max(WORD a, WORD b, WORD c) { return max(a + b, c); }
__device__ __forceinline__ WORD greatest(WORD a, WORD b, WORD c) { return max(max(a, b), c); }
#else
using WORD = int;
__device__ __forceinline__ WORD greatest(WORD a, WORD b, WORD c) { return __vimax3_s32(a, b, c); }
#endif
