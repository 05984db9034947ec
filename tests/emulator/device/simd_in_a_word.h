// Two 16-bit or four 8-bit numbers in a word: the s16x2 forms of DPX and the SIMD intrinsics. Sums wrap unless the
// name says that they saturate.
#pragma once

#include "arithmetic.h"

namespace cuda_on_cpu {

template <class Part, class Each, class... Words>
inline unsigned each_part(Each&& each, Words... words) {
    constexpr int BITS = 8 * sizeof(Part);
    constexpr unsigned MASK = (1u << BITS) - 1u;
    unsigned found = 0;
    for (int shift = 0; shift < 32; shift += BITS)
        found |= (static_cast<unsigned>(each(static_cast<long>(static_cast<Part>(words >> shift))...)) & MASK) << shift;
    return found;
}

template <class Part>
inline long wrapped(long value) { return static_cast<Part>(value); }

template <class Part>
inline long clamped(long value) {
    constexpr bool SIGNED = static_cast<Part>(-1) < 0;
    constexpr int BITS = 8 * sizeof(Part) - SIGNED;
    constexpr long HIGHEST = (1l << BITS) - 1, LOWEST = SIGNED ? -(1l << BITS) : 0;
    return min(max(value, LOWEST), HIGHEST);
}

inline long relu(long value) { return max(value, 0l); }

}  // namespace cuda_on_cpu

#define THREE_OF_CUDA(name, part, result)                                                                              \
    inline unsigned name(unsigned first, unsigned second, unsigned third) {                                            \
        using namespace cuda_on_cpu;                                                                                   \
        return each_part<part>([](long a, long b, long c) { return result; }, first, second, third);                   \
    }
#define TWO_OF_CUDA(name, part, result)                                                                                \
    inline unsigned name(unsigned first, unsigned second) {                                                            \
        using namespace cuda_on_cpu;                                                                                   \
        return each_part<part>([](long a, long b) -> long { return result; }, first, second);                          \
    }
#define ONE_OF_CUDA(name, part, result)                                                                                \
    inline unsigned name(unsigned first) {                                                                             \
        using namespace cuda_on_cpu;                                                                                   \
        return each_part<part>([](long a) -> long { return result; }, first);                                          \
    }

THREE_OF_CUDA(__vimax3_s16x2, short, max(max(a, b), c))
THREE_OF_CUDA(__vimin3_s16x2, short, min(min(a, b), c))
THREE_OF_CUDA(__vimax3_u16x2, unsigned short, max(max(a, b), c))
THREE_OF_CUDA(__vimin3_u16x2, unsigned short, min(min(a, b), c))
THREE_OF_CUDA(__vimax3_s16x2_relu, short, relu(max(max(a, b), c)))
THREE_OF_CUDA(__vimin3_s16x2_relu, short, relu(min(min(a, b), c)))
THREE_OF_CUDA(__viaddmax_s16x2, short, max(wrapped<short>(a + b), c))
THREE_OF_CUDA(__viaddmin_s16x2, short, min(wrapped<short>(a + b), c))
THREE_OF_CUDA(__viaddmax_u16x2, unsigned short, max(wrapped<unsigned short>(a + b), c))
THREE_OF_CUDA(__viaddmin_u16x2, unsigned short, min(wrapped<unsigned short>(a + b), c))
THREE_OF_CUDA(__viaddmax_s16x2_relu, short, relu(max(wrapped<short>(a + b), c)))
THREE_OF_CUDA(__viaddmin_s16x2_relu, short, relu(min(wrapped<short>(a + b), c)))
TWO_OF_CUDA(__vimax_s16x2_relu, short, relu(max(a, b)))
TWO_OF_CUDA(__vimin_s16x2_relu, short, relu(min(a, b)))

// Every SIMD intrinsic in its forms for two halves and four bytes.
#define BOTH_OF_CUDA(name, suffix, sign, result)                                                                       \
    TWO_OF_CUDA(name##suffix##2, sign short, result(sign short))                                                       \
    TWO_OF_CUDA(name##suffix##4, sign char, result(sign char))
#define SUM(part) a + b
#define DIFFERENCE(part) a - b
#define SATURATED_SUM(part) clamped<part>(a + b)
#define SATURATED_DIFFERENCE(part) clamped<part>(a - b)
#define LOWER(part) min(a, b)
#define HIGHER(part) max(a, b)
#define DISTANCE(part) a > b ? a - b : b - a
#define MEAN(part) (a + b + 1) >> 1
BOTH_OF_CUDA(__vadd, , unsigned, SUM)
BOTH_OF_CUDA(__vsub, , unsigned, DIFFERENCE)
BOTH_OF_CUDA(__vadd, ss, signed, SATURATED_SUM)
BOTH_OF_CUDA(__vadd, us, unsigned, SATURATED_SUM)
BOTH_OF_CUDA(__vsub, ss, signed, SATURATED_DIFFERENCE)
BOTH_OF_CUDA(__vsub, us, unsigned, SATURATED_DIFFERENCE)
BOTH_OF_CUDA(__vmin, s, signed, LOWER)
BOTH_OF_CUDA(__vmin, u, unsigned, LOWER)
BOTH_OF_CUDA(__vmax, s, signed, HIGHER)
BOTH_OF_CUDA(__vmax, u, unsigned, HIGHER)
BOTH_OF_CUDA(__vabsdiff, s, signed, DISTANCE)
BOTH_OF_CUDA(__vabsdiff, u, unsigned, DISTANCE)
BOTH_OF_CUDA(__vavg, s, signed, MEAN)
BOTH_OF_CUDA(__vavg, u, unsigned, MEAN)
#undef SUM
#undef DIFFERENCE
#undef SATURATED_SUM
#undef SATURATED_DIFFERENCE
#undef LOWER
#undef HIGHER
#undef DISTANCE
#undef MEAN
#undef BOTH_OF_CUDA

// Comparisons: all bits of a part for __vcmp, its lowest one for __vset.
#define COMPARE_OF_CUDA(name, sign, operator)                                                                          \
    TWO_OF_CUDA(__vcmp##name##2, sign short, a operator b ? -1 : 0)                                                    \
    TWO_OF_CUDA(__vcmp##name##4, sign char, a operator b ? -1 : 0)                                                     \
    TWO_OF_CUDA(__vset##name##2, sign short, a operator b ? 1 : 0)                                                     \
    TWO_OF_CUDA(__vset##name##4, sign char, a operator b ? 1 : 0)
COMPARE_OF_CUDA(eq, unsigned, ==)
COMPARE_OF_CUDA(ne, unsigned, !=)
COMPARE_OF_CUDA(gts, signed, >)
COMPARE_OF_CUDA(gtu, unsigned, >)
COMPARE_OF_CUDA(ges, signed, >=)
COMPARE_OF_CUDA(geu, unsigned, >=)
COMPARE_OF_CUDA(lts, signed, <)
COMPARE_OF_CUDA(ltu, unsigned, <)
COMPARE_OF_CUDA(les, signed, <=)
COMPARE_OF_CUDA(leu, unsigned, <=)
#undef COMPARE_OF_CUDA

ONE_OF_CUDA(__vneg2, signed short, -a)
ONE_OF_CUDA(__vneg4, signed char, -a)
ONE_OF_CUDA(__vabs2, signed short, a < 0 ? -a : a)
ONE_OF_CUDA(__vabs4, signed char, a < 0 ? -a : a)
ONE_OF_CUDA(__vabsss2, signed short, clamped<short>(a < 0 ? -a : a))
ONE_OF_CUDA(__vabsss4, signed char, clamped<signed char>(a < 0 ? -a : a))

#undef THREE_OF_CUDA
#undef TWO_OF_CUDA
#undef ONE_OF_CUDA

namespace cuda_on_cpu {

template <class Part, class Each>
inline int sum_of_parts(unsigned first, unsigned second, int sum, Each&& each) {
    for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(Part))
        sum += each(static_cast<Part>(first >> shift), static_cast<Part>(second >> shift));
    return sum;
}

}  // namespace cuda_on_cpu

inline unsigned __vsadu4(unsigned a, unsigned b) {
    return cuda_on_cpu::sum_of_parts<unsigned char>(a, b, 0, [](int x, int y) { return x > y ? x - y : y - x; });
}
inline unsigned __vsads4(unsigned a, unsigned b) {
    return cuda_on_cpu::sum_of_parts<signed char>(a, b, 0, [](int x, int y) { return x > y ? x - y : y - x; });
}
inline unsigned __vsadu2(unsigned a, unsigned b) {
    return cuda_on_cpu::sum_of_parts<unsigned short>(a, b, 0, [](int x, int y) { return x > y ? x - y : y - x; });
}
inline int __dp4a(int a, int b, int sum) {
    return cuda_on_cpu::sum_of_parts<signed char>(a, b, sum, [](int x, int y) { return x * y; });
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
    return cuda_on_cpu::sum_of_parts<unsigned char>(a, b, sum, [](int x, int y) { return x * y; });
}
