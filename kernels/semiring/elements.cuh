// Computes: the numbers and operations of a semiring, which compile-time constants choose:
//
//   ELEMENT   0 float, 1 double, 2 int, 3 long long         SEMIRING  0 min-plus, 1 max-plus, 2 plus-times
//
// An infinite int is 2^30 - 1, an infinite long long 2^62 - 1: the sum of two infinities does not overflow.
//
// Threads: every function works on the values of the thread that calls it.
//
// Memory: a Pack has 16 bytes, which one instruction loads or stores.

#if ELEMENT == 0
typedef float Number;
#elif ELEMENT == 1
typedef double Number;
#elif ELEMENT == 2
typedef int Number;
#else
typedef long long Number;
#endif

__device__ __forceinline__ Number infinite() {
#if ELEMENT == 0
    return __int_as_float(0x7f800000);
#elif ELEMENT == 1
    return __longlong_as_double(0x7ff0000000000000LL);
#elif ELEMENT == 2
    return (1 << 30) - 1;
#else
    return (1LL << 62) - 1;
#endif
}

// The neutral element of the addition.
__device__ __forceinline__ Number zero() { return SEMIRING == 0 ? infinite() : SEMIRING == 1 ? -infinite() : Number(0); }

// total plus a times b, as the semiring means them: one DPX instruction on integers.
__device__ __forceinline__ Number step(Number total, Number a, Number b) {
#if SEMIRING == 2
    return total + a * b;
#elif ELEMENT == 2
    return SEMIRING == 0 ? __viaddmin_s32(a, b, total) : __viaddmax_s32(a, b, total);
#else
    return SEMIRING == 0 ? min(total, a + b) : max(total, a + b);
#endif
}

// The semiring's addition and multiplication by themselves; a sum of costs stays at infinity.
__device__ __forceinline__ Number plus(Number a, Number b) {
    return SEMIRING == 0 ? min(a, b) : SEMIRING == 1 ? max(a, b) : a + b;
}
__device__ __forceinline__ Number times(Number a, Number b) {
    return SEMIRING == 0 ? min(a + b, infinite()) : SEMIRING == 1 ? a + b : a * b;
}

// Numbers that one instruction of 16 bytes loads or stores.
constexpr int PACK = 16 / sizeof(Number);
struct __align__(16) Pack { Number of[PACK]; };
