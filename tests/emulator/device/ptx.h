// Twins, in C++, of device functions that are written in PTX; the definition in the CUDA source is left out.
#pragma once

#include "arithmetic.h"
#include "memory.h"
#include "warp.h"

template <int BYTE>
inline int signed_byte(unsigned word) {
    return static_cast<signed char>(word >> 8 * BYTE);
}

template <int BYTE>
inline int signed_bytes(unsigned low, unsigned high) {
    return (signed_byte<BYTE>(low) & 0xffff) | static_cast<int>(static_cast<unsigned>(signed_byte<BYTE>(high)) << 16);
}

inline long long nanoseconds() { return cuda_on_cpu::clock_ns(); }

inline int multiprocessor() {
    const uint3& block = blockIdx;
    return (block.x + gridDim.x * (block.y + gridDim.y * block.z)) % cuda_on_cpu::multiprocessors;
}

// In PTX they are there for words of 8 bytes, alone and in twos, and for four of 4 bytes.
template <class T>
inline T load_shared_by_all(const T* address) {
    cuda_on_cpu::yield();
    cuda_on_cpu::show_some();
    return *address;
}

template <class T>
inline void store_shared_by_all(T* address, cuda_on_cpu::Plain<T> value) {
    cuda_on_cpu::store_later(address, &value, sizeof(T), sizeof(T) < 8 ? sizeof(T) : 8);
}
inline void store_shared_by_all(int4* address, int4 value) { cuda_on_cpu::store_later(address, &value, 16, 4); }

inline int kept_in_register(int value) { return value; }

// mma.m16n8k8 of 16-bit factors: lane 4 g + t has factors 2 t and 2 t + 1 of rows g and g + 8 and of column g, and sums of
// columns 2 t and 2 t + 1 of both rows.
inline void multiply_halves(float* sums, unsigned upper, unsigned lower, unsigned columns) {
    const int lane = threadIdx.x % 32, row = lane / 4 * 4, column = lane % 4 * 8;
    const uint64_t rows = upper | static_cast<uint64_t>(lower) << 32;
    for (int pair = 0; pair < 4; ++pair) {
        const uint64_t two = __shfl_sync(0xffffffffu, rows, row + pair);
        const unsigned left = __shfl_sync(0xffffffffu, columns, column + pair);
        const unsigned right = __shfl_sync(0xffffffffu, columns, column + 4 + pair);
        for (int at = 0; at < 2; ++at)
            for (int half = 0; half < 2; ++half) {
                const float one = cuda_on_cpu::half_of(half ? two >> 32 : two, at);
                sums[2 * half] += one * cuda_on_cpu::half_of(left, at);
                sums[2 * half + 1] += one * cuda_on_cpu::half_of(right, at);
            }
    }
}

// Up to some units of the last place too small or too large, as the instruction is.
inline float rough_root(float value) { return sqrtf(value) * (1 + ((static_cast<int>(value) & 2) - 1) * 0x1p-23f); }

// Sums of half-precision numbers, rounded to the nearest, of ties to the even one.
inline unsigned multiply_add_halves(unsigned a, unsigned b, unsigned c) {
    using cuda_on_cpu::half_of;
    unsigned word = 0;
    for (int upper = 0; upper < 2; ++upper)
        word |= cuda_on_cpu::bits_of_half(static_cast<double>(half_of(a, upper)) * half_of(b, upper) + half_of(c, upper))
                << 16 * upper;
    return word;
}

template <int HALF, int TO>
inline unsigned add_float_half(unsigned sum, unsigned score) {
    const double added = static_cast<double>(cuda_on_cpu::half_of(sum, TO)) + cuda_on_cpu::half_of(score, HALF);
    return (sum & (TO ? 0xffffu : 0xffff0000u)) | cuda_on_cpu::bits_of_half(added) << 16 * TO;
}

// An addition that carries on from the one before it; a thread makes all of its additions without a change of threads.
inline unsigned& addition_carry() {
    static unsigned carry;
    return carry;
}

inline unsigned add_words_with(unsigned a, unsigned b, unsigned carry_in) {
    const uint64_t sum = static_cast<uint64_t>(a) + b + carry_in;
    addition_carry() = static_cast<unsigned>(sum >> 32);
    return static_cast<unsigned>(sum);
}

inline unsigned add_first_word(unsigned a, unsigned b) { return add_words_with(a, b, 0); }
inline unsigned add_next_word(unsigned a, unsigned b) { return add_words_with(a, b, addition_carry()); }
