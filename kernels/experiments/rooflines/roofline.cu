// Computes: the limits of a GPU on all multiprocessors: operations repeats a fused add-and-maximum,
// triad computes result = one + factor * other over device memory.
//
// Threads: in operations each thread runs CHAINS independent chains of add_max, so that no instruction waits for the
// one before it; in triad each thread does 16 bytes a step, and neighbouring threads read neighbouring bytes.
//
// Memory: operations keeps its chains in registers; triad reads two arrays of device memory and writes a third.

constexpr int CHAINS = 8;

extern "C" __global__ void operations(int* results, int step, int least, int loops) {
    int chains[CHAINS];
    for (int k = 0; k < CHAINS; ++k) chains[k] = threadIdx.x + k;
    for (int i = 0; i < loops; ++i) {
#pragma unroll
        for (int k = 0; k < CHAINS; ++k) chains[k] = add_max(chains[k], step, least);
    }
    int sum = 0;
    for (int k = 0; k < CHAINS; ++k) sum += chains[k];
    results[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void triad(float4* result, const float4* one, const float4* other, float factor, long long count) {
    long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        float4 a = one[i], b = other[i];
        result[i] = make_float4(a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z, a.w + factor * b.w);
    }
}
