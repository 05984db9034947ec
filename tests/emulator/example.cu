// Kernels for the tests of the emulator.

extern "C" __global__ void sum_by_shuffles(const int* values, int* sums) {
    int sum = values[threadIdx.x];
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(WARP, sum, distance);
    if (threadIdx.x % LANES == 0) sums[threadIdx.x / LANES] = sum;
}

// Results of every exchange between lanes, a row each; half warps and an ended lane take part.
extern "C" __global__ void exchanges(const int* values, unsigned* results) {
    const int lane = threadIdx.x, value = values[lane];
    if (lane == 31) return;
    auto keep = [&](unsigned result) { results[lane] = result, results += LANES; };
    const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
    keep(__shfl_sync(WARP, value, 3));
    keep(__shfl_sync(WARP, value, 3, 8));
    keep(__shfl_up_sync(WARP, value, 2, 16));
    keep(__shfl_xor_sync(half, value, 1));
    keep(__ballot_sync(WARP, value % 2));
    keep(__any_sync(half, value == 5) + 2 * __all_sync(half, value < 16));
    keep(__match_any_sync(WARP, value % 3));
    keep(__reduce_add_sync(half, value));
    keep(__reduce_max_sync(WARP, -value));
}

__device__ __forceinline__ int* reversed_by_block(const int* values) {
    __shared__ int shared[256], spare;
    if (threadIdx.x == 0) spare = 1;
    shared[threadIdx.x] = values[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    return shared + blockDim.x - spare - threadIdx.x;
}

extern "C" __global__ void reverse(const int* values, int* reversed, int* negative) {
    extern __shared__ __align__(16) int dynamic[];
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    dynamic[threadIdx.x] = *reversed_by_block(values);
    const int count = __syncthreads_count(dynamic[threadIdx.x] < 0);
    reversed[index] = dynamic[threadIdx.x];
    if (threadIdx.x == 0) negative[blockIdx.x] = count;
}

// Each block waits for the one that took the ticket before its own, and adds its ticket to what that one has left.
extern "C" __global__ void chain(unsigned* ticket, unsigned long long* sums) {
    __shared__ unsigned own;
    if (threadIdx.x == 0) own = atomicAdd(ticket, 1u);
    __syncthreads();
    unsigned long long before = 0;
    if (own > 0)
        while ((before = load_shared_by_all(sums + own - 1)) == 0) __nanosleep(20);
    __syncthreads();
    if (threadIdx.x == 0) store_shared_by_all(sums + own, before + own + 1);
}

extern "C" __global__ void wait_for_the_next_block(volatile int* done) {
    if (blockIdx.x + 1 < gridDim.x)
        while (!done[blockIdx.x + 1]) {}
    done[blockIdx.x] = 1;
}

// Wrong without a barrier between the write and the read.
extern "C" __global__ void race(int* results) {
    __shared__ int shared[LANES];
    shared[threadIdx.x] = threadIdx.x;
    results[threadIdx.x] = shared[(threadIdx.x + 1) % LANES];
}

extern "C" __global__ void deadlock() {
    if (threadIdx.x < 5) __syncthreads();
    else __shfl_sync(WARP, 1, 0);
}

// One block leaves a number and says so; the other one waits for the word, and takes what it finds.
extern "C" __global__ void hand_over(unsigned long long* number, unsigned long long* said, unsigned long long* found, int fence) {
    if (blockIdx.x == 0) {
        store_shared_by_all(number, 7);
        if (fence) __threadfence();
        store_shared_by_all(said, 1);
    } else {
        while (load_shared_by_all(said) == 0) {}
        *found = load_shared_by_all(number);
    }
}

extern "C" __global__ void poll_for_ever(unsigned long long* word) {
    while (load_shared_by_all(word) == 0) {}
}

extern "C" __global__ void different_operations() {
    if (threadIdx.x < 5) __syncwarp();
    else __any_sync(WARP, 1);
}

extern "C" __global__ void read(const int* values, int* result, int index) { *result = values[index]; }

extern "C" __global__ void write(int* values, int index) { values[index] = 1; }

extern "C" __global__ void write_shared(int index) {
    extern __shared__ int memory[];
    memory[index] = 1;
}

extern "C" __global__ void read_four(const int* values, int4* result) {
    *result = *reinterpret_cast<const int4*>(values);
}

extern "C" __global__ void divide(int* values) { values[0] /= values[1]; }

extern "C" __global__ void shift(int* values) { values[0] <<= values[1]; }

extern "C" __global__ void fail_to_assert(int limit) { assert(threadIdx.x < limit); }

__device__ int depth(int* values, int level) {
    int own[256];
    own[level % 256] = values[level % 4];
    return level < 0 ? 0 : depth(own, level + 1) + own[level % 7];
}

extern "C" __global__ void recurse(int* values) { values[0] = depth(values, 0); }

extern "C" __global__ void take(int whole, float part, long long large, const int* pointer, double* result) {
    *result = whole + part + large + pointer[0];
}
