// CUDA C++ as plain C++: what the language adds, for kernels whose text `translate.py` has prepared.
#pragma once

#include <math.h>

#include "runtime.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)
#define __restrict__ __restrict
#define __trap() cuda_on_cpu::fail("__trap() was called")
#define assert(condition) ((condition) ? void() : cuda_on_cpu::fail("assertion failed: " #condition))

#define threadIdx (cuda_on_cpu::current->index)
#define blockIdx (cuda_on_cpu::current->block)
#define blockDim cuda_on_cpu::block_size
#define gridDim cuda_on_cpu::grid_size
constexpr int warpSize = 32;

extern "C" int printf(const char* format, ...);

#include "arithmetic.h"
#include "memory.h"
#include "simd_in_a_word.h"
#include "warp.h"

