// Warp-wide operations, barriers and fences.
#pragma once

#include "runtime.h"

namespace cuda_on_cpu {

template <class T>
inline uint64_t to_bits(T value) {
    static_assert(sizeof(T) <= 8, "lanes exchange at most 8 bytes");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <class T>
inline T from_bits(uint64_t bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}

}  // namespace cuda_on_cpu

#define SHUFFLE_OF_CUDA(name, operation)                                                                               \
    template <class T>                                                                                                 \
    inline T name(unsigned mask, T value, int argument, int width = 32) {                                              \
        using namespace cuda_on_cpu;                                                                                   \
        return from_bits<T>(meet(mask, operation, to_bits(value), argument, width));                                   \
    }
SHUFFLE_OF_CUDA(__shfl_sync, SHUFFLE)
SHUFFLE_OF_CUDA(__shfl_up_sync, SHUFFLE_UP)
SHUFFLE_OF_CUDA(__shfl_down_sync, SHUFFLE_DOWN)
SHUFFLE_OF_CUDA(__shfl_xor_sync, SHUFFLE_XOR)
#undef SHUFFLE_OF_CUDA

inline void __syncwarp(unsigned mask = 0xffffffffu) { cuda_on_cpu::meet(mask, cuda_on_cpu::SYNC, 0, 0, 32); }
inline unsigned __ballot_sync(unsigned mask, int predicate) {
    return cuda_on_cpu::meet(mask, cuda_on_cpu::BALLOT, predicate != 0, 0, 32);
}
inline int __any_sync(unsigned mask, int predicate) {
    return cuda_on_cpu::meet(mask, cuda_on_cpu::ANY, predicate != 0, 0, 32) != 0;
}
inline int __all_sync(unsigned mask, int predicate) {
    return cuda_on_cpu::meet(mask, cuda_on_cpu::ALL, predicate != 0, 0, 32) != 0;
}
// The hardware promises no more than the lane itself.
inline unsigned __activemask() { return 1u << (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32; }

template <class T>
inline unsigned __match_any_sync(unsigned mask, T value) {
    return cuda_on_cpu::meet(mask, cuda_on_cpu::MATCH_ANY, cuda_on_cpu::to_bits(value), 0, 32);
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int* predicate) {
    unsigned same = cuda_on_cpu::meet(mask, cuda_on_cpu::MATCH_ALL, cuda_on_cpu::to_bits(value), 0, 32);
    *predicate = same != 0;
    return same;
}

#define REDUCTION_OF_CUDA(name, type, operation)                                                                       \
    inline type name(unsigned mask, type value) {                                                                      \
        return static_cast<type>(cuda_on_cpu::meet(mask, cuda_on_cpu::operation, static_cast<unsigned>(value), 0, 32)); \
    }
REDUCTION_OF_CUDA(__reduce_add_sync, int, REDUCE_ADD)
REDUCTION_OF_CUDA(__reduce_add_sync, unsigned, REDUCE_ADD)
REDUCTION_OF_CUDA(__reduce_min_sync, int, REDUCE_MIN)
REDUCTION_OF_CUDA(__reduce_min_sync, unsigned, REDUCE_MIN_UNSIGNED)
REDUCTION_OF_CUDA(__reduce_max_sync, int, REDUCE_MAX)
REDUCTION_OF_CUDA(__reduce_max_sync, unsigned, REDUCE_MAX_UNSIGNED)
REDUCTION_OF_CUDA(__reduce_and_sync, unsigned, REDUCE_AND)
REDUCTION_OF_CUDA(__reduce_or_sync, unsigned, REDUCE_OR)
REDUCTION_OF_CUDA(__reduce_xor_sync, unsigned, REDUCE_XOR)
#undef REDUCTION_OF_CUDA

inline void __syncthreads() { cuda_on_cpu::barrier(cuda_on_cpu::PLAIN, 0); }
inline int __syncthreads_count(int predicate) { return cuda_on_cpu::barrier(cuda_on_cpu::COUNT, predicate); }
inline int __syncthreads_and(int predicate) { return cuda_on_cpu::barrier(cuda_on_cpu::AND, predicate); }
inline int __syncthreads_or(int predicate) { return cuda_on_cpu::barrier(cuda_on_cpu::OR, predicate); }

inline void __threadfence() { cuda_on_cpu::show_all(), cuda_on_cpu::yield(); }
inline void __threadfence_block() { cuda_on_cpu::yield(); }
inline void __threadfence_system() { __threadfence(); }
inline void __nanosleep(unsigned) { cuda_on_cpu::yield(); }
