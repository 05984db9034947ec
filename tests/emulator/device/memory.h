// Atomics, loads and stores with cache hints, and textures. One thread of the CPU runs all threads of the device, so
// that plain operations are atomic; each gives way to other threads first.
#pragma once

#include "runtime.h"

namespace cuda_on_cpu {

template <class T, class New>
inline T exchange(T* address, New&& next) {
    yield();
    T old = *address, value = next(old);
    *address = value;
    if (__builtin_memcmp(&old, &value, sizeof(T))) wrote();
    return old;
}

template <class T>
struct Same {
    using type = T;
};
template <class T>
using Plain = typename Same<T>::type;      // no deduction from this argument, as with CUDA's overloads

}  // namespace cuda_on_cpu

#define ATOMIC_OF_CUDA(name, next)                                                                                     \
    template <class T>                                                                                                 \
    inline T name(T* address, cuda_on_cpu::Plain<T> value) {                                                           \
        return cuda_on_cpu::exchange(address, [&](T old) -> T { return next; });                                       \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    inline T name##_block(T* address, cuda_on_cpu::Plain<T> value) { return name(address, value); }                    \
    template <class T>                                                                                                 \
    inline T name##_system(T* address, cuda_on_cpu::Plain<T> value) { return name(address, value); }
ATOMIC_OF_CUDA(atomicAdd, old + value)
ATOMIC_OF_CUDA(atomicSub, old - value)
ATOMIC_OF_CUDA(atomicExch, (void(old), value))
ATOMIC_OF_CUDA(atomicMin, value < old ? value : old)
ATOMIC_OF_CUDA(atomicMax, value > old ? value : old)
ATOMIC_OF_CUDA(atomicAnd, old & value)
ATOMIC_OF_CUDA(atomicOr, old | value)
ATOMIC_OF_CUDA(atomicXor, old ^ value)
ATOMIC_OF_CUDA(atomicInc, old >= value ? 0 : old + 1)
ATOMIC_OF_CUDA(atomicDec, old == 0 || old > value ? value : old - 1)
#undef ATOMIC_OF_CUDA

template <class T>
inline T atomicCAS(T* address, cuda_on_cpu::Plain<T> compare, cuda_on_cpu::Plain<T> value) {
    return cuda_on_cpu::exchange(address, [&](T old) -> T { return old == compare ? value : old; });
}

#define LOAD_OF_CUDA(name, before)                                                                                     \
    template <class T>                                                                                                 \
    inline T name(const T* address) {                                                                                  \
        before;                                                                                                        \
        return *address;                                                                                               \
    }
LOAD_OF_CUDA(__ldg, )
LOAD_OF_CUDA(__ldca, )
LOAD_OF_CUDA(__ldcs, )
LOAD_OF_CUDA(__ldlu, )
LOAD_OF_CUDA(__ldcg, cuda_on_cpu::yield())
LOAD_OF_CUDA(__ldcv, cuda_on_cpu::yield())
#undef LOAD_OF_CUDA

#define STORE_OF_CUDA(name)                                                                                            \
    template <class T>                                                                                                 \
    inline void name(T* address, cuda_on_cpu::Plain<T> value) {                                                        \
        *address = value;                                                                                              \
        cuda_on_cpu::wrote();                                                                                \
    }
STORE_OF_CUDA(__stwb)
STORE_OF_CUDA(__stcg)
STORE_OF_CUDA(__stcs)
STORE_OF_CUDA(__stwt)
#undef STORE_OF_CUDA

// A texture is linear memory; fake_cupy makes the object.
using cudaTextureObject_t = unsigned long long;

namespace cuda_on_cpu {
struct Texture {
    const unsigned char* data;
    unsigned long long bytes;
};
}  // namespace cuda_on_cpu

template <class T>
inline T tex1Dfetch(cudaTextureObject_t object, int index) {
    const auto* texture = reinterpret_cast<const cuda_on_cpu::Texture*>(object);
    T value = {};
    if (index >= 0 && (index + 1ull) * sizeof(T) <= texture->bytes)
        __builtin_memcpy(&value, texture->data + index * sizeof(T), sizeof(T));
    return value;
}
