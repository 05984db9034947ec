// Arithmetic that CUDA has beyond C++: minima and maxima, bits, DPX in 32 bits, rounding modes, clocks.
#pragma once

#include <math.h>

#include "runtime.h"

#define PAIR_OF_CUDA(result, first, second)                                                                            \
    inline result min(first a, second b) { return static_cast<result>(a) < static_cast<result>(b) ? a : b; }           \
    inline result max(first a, second b) { return static_cast<result>(a) > static_cast<result>(b) ? a : b; }
PAIR_OF_CUDA(int, int, int)
PAIR_OF_CUDA(unsigned, unsigned, unsigned)
PAIR_OF_CUDA(unsigned, int, unsigned)
PAIR_OF_CUDA(unsigned, unsigned, int)
PAIR_OF_CUDA(long, long, long)
PAIR_OF_CUDA(unsigned long, unsigned long, unsigned long)
PAIR_OF_CUDA(unsigned long, long, unsigned long)
PAIR_OF_CUDA(unsigned long, unsigned long, long)
PAIR_OF_CUDA(long long, long long, long long)
PAIR_OF_CUDA(unsigned long long, unsigned long long, unsigned long long)
PAIR_OF_CUDA(unsigned long long, long long, unsigned long long)
PAIR_OF_CUDA(unsigned long long, unsigned long long, long long)
#undef PAIR_OF_CUDA
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }

// DPX in 32 bits; sums wrap (-fwrapv).
inline int __vimax3_s32(int a, int b, int c) { return max(max(a, b), c); }
inline int __vimin3_s32(int a, int b, int c) { return min(min(a, b), c); }
inline unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c) { return max(max(a, b), c); }
inline unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c) { return min(min(a, b), c); }
inline int __vimax3_s32_relu(int a, int b, int c) { return max(__vimax3_s32(a, b, c), 0); }
inline int __vimin3_s32_relu(int a, int b, int c) { return max(__vimin3_s32(a, b, c), 0); }
inline int __vimax_s32_relu(int a, int b) { return max(max(a, b), 0); }
inline int __vimin_s32_relu(int a, int b) { return max(min(a, b), 0); }
inline int __viaddmax_s32(int a, int b, int c) { return max(a + b, c); }
inline int __viaddmin_s32(int a, int b, int c) { return min(a + b, c); }
inline unsigned __viaddmax_u32(unsigned a, unsigned b, unsigned c) { return max(a + b, c); }
inline unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c) { return min(a + b, c); }
inline int __viaddmax_s32_relu(int a, int b, int c) { return max(max(a + b, c), 0); }
inline int __viaddmin_s32_relu(int a, int b, int c) { return max(min(a + b, c), 0); }
inline int __vibmax_s32(int a, int b, bool* first) { return (*first = a >= b) ? a : b; }
inline int __vibmin_s32(int a, int b, bool* first) { return (*first = a <= b) ? a : b; }
inline unsigned __vibmax_u32(unsigned a, unsigned b, bool* first) { return (*first = a >= b) ? a : b; }
inline unsigned __vibmin_u32(unsigned a, unsigned b, bool* first) { return (*first = a <= b) ? a : b; }

inline int __popc(unsigned value) { return __builtin_popcount(value); }
inline int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
inline int __clz(int value) { return value ? __builtin_clz(value) : 32; }
inline int __clzll(long long value) { return value ? __builtin_clzll(value) : 64; }
inline int __ffs(int value) { return __builtin_ffs(value); }
inline int __ffsll(long long value) { return __builtin_ffsll(value); }
inline unsigned __brev(unsigned value) {
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; ++bit) reversed |= (value >> bit & 1u) << (31 - bit);
    return reversed;
}
inline unsigned long long __brevll(unsigned long long value) {
    return static_cast<unsigned long long>(__brev(static_cast<unsigned>(value))) << 32 | __brev(value >> 32);
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
    uint64_t bytes = static_cast<uint64_t>(high) << 32 | low;
    unsigned found = 0;
    for (int place = 0; place < 4; ++place)
        found |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * place & 7u) & 0xffu) << 8 * place;
    return found;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (static_cast<uint64_t>(high) << 32 | low) << (shift & 31u) >> 32;
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (static_cast<uint64_t>(high) << 32 | low) >> (shift & 31u);
}
inline int __mulhi(int a, int b) { return static_cast<int64_t>(a) * b >> 32; }
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<uint64_t>(a) * b >> 32; }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned __int128>(a) * b >> 64;
}
inline long long __mul64hi(long long a, long long b) { return static_cast<__int128>(a) * b >> 64; }
inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
inline unsigned __sad(int a, int b, unsigned sum) { return sum + (a > b ? a - b : b - a); }
inline unsigned __usad(unsigned a, unsigned b, unsigned sum) { return sum + (a > b ? a - b : b - a); }

inline float __saturatef(float value) { return value > 0 ? value < 1 ? value : 1.0f : 0.0f; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fadd_rd(float a, float b) {
    const double exact = static_cast<double>(a) + b;
    const float nearest = static_cast<float>(exact);
    return nearest > exact ? nextafterf(nearest, -INFINITY) : nearest;
}
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fdividef(float a, float b) { return a / b; }
inline float __fsqrt_rn(float value) { return sqrtf(value); }
inline float __frcp_rn(float value) { return 1.0f / value; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float rsqrtf(float value) { return 1.0f / sqrtf(value); }
inline float __expf(float value) { return expf(value); }
inline float __exp10f(float value) { return powf(10.0f, value); }
inline float __logf(float value) { return logf(value); }
inline float __log2f(float value) { return log2f(value); }
inline float __log10f(float value) { return log10f(value); }
inline float __powf(float a, float b) { return powf(a, b); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double value) { return sqrt(value); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

template <class To, class From>
inline To reinterpreted(From value) {
    static_assert(sizeof(To) == sizeof(From), "of one size");
    To other;
    __builtin_memcpy(&other, &value, sizeof(To));
    return other;
}
inline int __float_as_int(float value) { return reinterpreted<int>(value); }
inline unsigned __float_as_uint(float value) { return reinterpreted<unsigned>(value); }
inline float __int_as_float(int value) { return reinterpreted<float>(value); }
inline float __uint_as_float(unsigned value) { return reinterpreted<float>(value); }
inline long long __double_as_longlong(double value) { return reinterpreted<long long>(value); }
inline double __longlong_as_double(long long value) { return reinterpreted<double>(value); }
inline int __double2hiint(double value) { return __double_as_longlong(value) >> 32; }
inline int __double2loint(double value) { return __double_as_longlong(value); }
inline double __hiloint2double(int high, int low) {
    return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned>(low));
}
// The device saturates where C++ leaves the result open.
inline int saturated(double value) {
    return value != value ? 0 : value >= 2147483647.0 ? 2147483647 : value <= -2147483648.0 ? -2147483647 - 1 : value;
}
inline int __float2int_rn(float value) { return saturated(rintf(value)); }
inline int __float2int_rz(float value) { return saturated(truncf(value)); }
inline int __float2int_rd(float value) { return saturated(floorf(value)); }
inline int __float2int_ru(float value) { return saturated(ceilf(value)); }
inline int __double2int_rn(double value) { return saturated(rint(value)); }
inline int __double2int_rz(double value) { return saturated(trunc(value)); }
inline float __int2float_rn(int value) { return static_cast<float>(value); }
inline float __uint2float_rn(unsigned value) { return static_cast<float>(value); }
inline float __double2float_rn(double value) { return static_cast<float>(value); }

inline long long clock64() { return cuda_on_cpu::clock_ns(); }
inline long long clock() { return cuda_on_cpu::clock_ns(); }

namespace cuda_on_cpu {

// The lower and the upper 16 bits of a word as floating-point numbers: whole ones, or 0, in normal form.
inline float half_of(unsigned word, int upper) {
    unsigned bits = (upper ? word >> 16 : word) & 0xffff, exponent = bits >> 10 & 31;
    float value = exponent ? ldexpf(1024 + (bits & 1023), static_cast<int>(exponent) - 25) : ldexpf(bits & 1023, -24);
    return bits & 0x8000 ? -value : value;
}

// The bits of the half-precision number that is nearest to a value; of two, the even one.
inline unsigned bits_of_half(double value) {
    const unsigned sign = signbit(value) ? 0x8000u : 0u;
    const double size = fabs(value);
    if (size >= 65520.0) return sign | 0x7c00u;
    int exponent = -14;
    while (exponent < 15 && size >= ldexp(2.0, exponent)) ++exponent;
    const unsigned units = static_cast<unsigned>(rint(ldexp(size, 10 - exponent)));
    return sign | (units + (exponent > -14 ? static_cast<unsigned>(exponent + 14) << 10 : 0u));
}

}  // namespace cuda_on_cpu
