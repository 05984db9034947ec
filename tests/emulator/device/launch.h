// From a kernel to a function that Python can call: parameters are described, arguments come as pointers.
#pragma once

#include <type_traits>
#include <utility>

#include "runtime.h"

namespace cuda_on_cpu {

template <class P>
constexpr Parameter described() {
    return {static_cast<int>(sizeof(P)), std::is_pointer_v<P>          ? 'p'
                                         : std::is_floating_point_v<P> ? 'f'
                                         : std::is_integral_v<P>       ? 'i'
                                                                       : 's'};
}

template <class... P>
struct Kernel {
    static constexpr Parameter parameters[] = {described<P>()..., {0, 0}};

    template <void (*FUNCTION)(P...), size_t... I>
    static void call_with(void* const* arguments, std::index_sequence<I...>) {
        FUNCTION(*static_cast<std::remove_reference_t<P>*>(arguments[I])...);
    }

    template <void (*FUNCTION)(P...)>
    static void call(void* const* arguments) {
        call_with<FUNCTION>(arguments, std::index_sequence_for<P...>());
    }
};

template <class... P>
constexpr Kernel<P...> kernel_of(void (*)(P...)) { return {}; }

}  // namespace cuda_on_cpu

// translate.py writes one for every kernel behind the source.
#define EMULATED_KERNEL(name)                                                                                          \
    extern "C" const cuda_on_cpu::Parameter* parameters_of_##name() {                                                  \
        return decltype(cuda_on_cpu::kernel_of(name))::parameters;                                                     \
    }                                                                                                                  \
    extern "C" void call_##name(void* const* arguments) {                                                              \
        decltype(cuda_on_cpu::kernel_of(name))::template call<name>(arguments);                                        \
    }
