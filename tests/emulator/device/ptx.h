// Twins, in C++, of device functions that are written in PTX; the definition in the CUDA source is left out.
#pragma once

#include "memory.h"

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
