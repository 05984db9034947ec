// CUDA's vector types, with its sizes and alignments, and their make_ functions.
#pragma once

#define VECTOR_TYPES(name, scalar, align2, align4)                                                                     \
    struct name##1 { scalar x; };                                                                                      \
    struct alignas(align2) name##2 { scalar x, y; };                                                                   \
    struct name##3 { scalar x, y, z; };                                                                                \
    struct alignas(align4) name##4 { scalar x, y, z, w; };                                                             \
    inline name##1 make_##name##1(scalar x) { return {x}; }                                                            \
    inline name##2 make_##name##2(scalar x, scalar y) { return {x, y}; }                                               \
    inline name##3 make_##name##3(scalar x, scalar y, scalar z) { return {x, y, z}; }                                  \
    inline name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }

VECTOR_TYPES(char, signed char, 2, 4)
VECTOR_TYPES(uchar, unsigned char, 2, 4)
VECTOR_TYPES(short, short, 4, 8)
VECTOR_TYPES(ushort, unsigned short, 4, 8)
VECTOR_TYPES(int, int, 8, 16)
VECTOR_TYPES(uint, unsigned, 8, 16)
VECTOR_TYPES(long, long, 16, 16)
VECTOR_TYPES(ulong, unsigned long, 16, 16)
VECTOR_TYPES(longlong, long long, 16, 16)
VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
VECTOR_TYPES(float, float, 8, 16)
VECTOR_TYPES(double, double, 16, 16)

#undef VECTOR_TYPES

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
