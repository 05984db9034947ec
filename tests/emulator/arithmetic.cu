// Every intrinsic on three words, a result a row, for comparison with NumPy; and kernels that poll no volatile word.

extern "C" __global__ void in_words(const int* a, const int* b, const int* c, int* results, int count) {
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= count) return;
    const int x = a[index], y = b[index], z = c[index];
    auto keep = [&](int result) { results[index] = result, results += count; };
    keep(__viaddmax_s32(x, y, z)), keep(__viaddmax_s32_relu(x, y, z)), keep(__viaddmin_s32(x, y, z));
    keep(__vimax3_s32(x, y, z)), keep(__vimin3_s32(x, y, z)), keep(__vimax3_s32_relu(x, y, z));
    keep(__popc(x)), keep(__clz(x)), keep(__ffs(x)), keep(__byte_perm(x, y, 0x5410)), keep(signed_byte<2>(x));
    keep(__mulhi(x, y)), keep(__funnelshift_l(x, y, 8)), keep(__brev(x));
}

extern "C" __global__ void in_halves(const int* a, const int* b, const int* c, int* results, int count) {
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= count) return;
    const unsigned x = a[index], y = b[index], z = c[index];
    auto keep = [&](unsigned result) { results[index] = result, results += count; };
    keep(__vadd2(x, y)), keep(__vsub2(x, y)), keep(__vmaxs2(x, y)), keep(__vmins2(x, y)), keep(__vmaxu2(x, y));
    keep(__vimax3_s16x2(x, y, z)), keep(__vimin3_s16x2(x, y, z)), keep(__vimax3_s16x2_relu(x, y, z));
    keep(__viaddmax_s16x2(x, y, z)), keep(__viaddmax_s16x2_relu(x, y, z)), keep(__viaddmin_s16x2(x, y, z));
    keep(__vaddss2(x, y)), keep(__vsubus2(x, y)), keep(__vcmpgts2(x, y)), keep(__vseteq2(x & 1, y & 1));
    keep(__vabsdiffu2(x, y));
}

extern "C" __global__ void atomics(unsigned* values) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(values, thread), atomicMax(values + 1, thread), atomicMin(values + 2, thread);
    atomicOr(values + 3, 1u << thread % 32), atomicInc(values + 4, 9u);
    for (unsigned seen = values[5], expected; ; seen = expected) {       // a sum by compare and swap
        expected = atomicCAS(values + 5, seen, seen + thread);
        if (expected == seen) break;
    }
}

extern "C" __global__ void fetch(cudaTextureObject_t texture, int* results) {
    results[threadIdx.x] = tex1Dfetch<int>(texture, static_cast<int>(threadIdx.x) - 1);
}

extern "C" __global__ void loop_for_ever(int* word) {
    while (*word == 0) {}
}
