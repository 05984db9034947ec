// Kernels of the guidelines that are measured (measured.py): each guideline has several that compute the same.
//
// A launch has whole blocks of THREADS threads; thread number t of all writes results[t].

constexpr int TABLE = 1024;                      // numbers of a table that is looked up in

__device__ __forceinline__ int number_of_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Memory layout: thread i goes through row i of a table, antidiagonal after antidiagonal, as a wavefront does. `size` is
// a power of two; antidiagonals go around the table's edge, so that all have as many cells.

__device__ __forceinline__ int cell_of(int i, int j) { return i * 31 + j * 17; }

extern "C" __global__ void fill_rows(int* table, int size) {
    const int j = number_of_thread();
    for (int i = 0; i < size; ++i) table[(long long)i * size + j] = cell_of(i, j);
}

extern "C" __global__ void fill_diagonals(int* table, int size) {
    const int i = number_of_thread();
    for (int d = 0; d < size; ++d) table[(long long)d * size + i] = cell_of(i, (d - i) & (size - 1));
}

extern "C" __global__ void read_rows(const int* table, int size, int* results) {
    const int i = number_of_thread();
    int sum = 0;
#pragma unroll 8
    for (int d = 0; d < size; ++d) sum += table[(long long)i * size + ((d - i) & (size - 1))];
    results[i] = sum;
}

extern "C" __global__ void read_diagonals(const int* table, int size, int* results) {
    const int i = number_of_thread();
    int sum = 0;
#pragma unroll 8
    for (int d = 0; d < size; ++d) sum += table[(long long)d * size + i];
    results[i] = sum;
}

// Constant memory: lookups in a table, at one place for all lanes (spread 0) or at places of their own. The tables hold
// number k at place k, but for constant memory, which the host fills.

__constant__ int constant_table[TABLE];

__device__ __forceinline__ int place_of(int step, int spread) {
    return (step * 7 + (threadIdx.x % LANES) * spread) & (TABLE - 1);
}

extern "C" __global__ void look_up_constant(const int*, int steps, int spread, int* results) {
    int sum = 0;
#pragma unroll 8
    for (int step = 0; step < steps; ++step) sum += constant_table[place_of(step, spread)];
    results[number_of_thread()] = sum;
}

extern "C" __global__ void look_up_global(const int* table, int steps, int spread, int* results) {
    int sum = 0;
#pragma unroll 8
    for (int step = 0; step < steps; ++step) sum += table[place_of(step, spread)];
    results[number_of_thread()] = sum;
}

extern "C" __global__ void look_up_shared(const int* table, int steps, int spread, int* results) {
    __shared__ int own[TABLE];
    for (int place = threadIdx.x; place < TABLE; place += blockDim.x) own[place] = table[place];
    __syncthreads();
    int sum = 0;
#pragma unroll 8
    for (int step = 0; step < steps; ++step) sum += own[place_of(step, spread)];
    results[number_of_thread()] = sum;
}

// Texture memory: lanes read neighbours (spread 1), or places far from each other. `size` is a power of two.

__device__ __forceinline__ int far_place(int step, int spread, int size) {
    const unsigned lane = threadIdx.x % LANES, warp = number_of_thread() / LANES;
    return (warp * 4096u + lane * static_cast<unsigned>(spread) + step * LANES) & (size - 1);
}

extern "C" __global__ void read_texture(cudaTextureObject_t texture, int size, int steps, int spread, int* results) {
    int sum = 0;
#pragma unroll 8
    for (int step = 0; step < steps; ++step) sum += tex1Dfetch<int>(texture, far_place(step, spread, size));
    results[number_of_thread()] = sum;
}

extern "C" __global__ void read_global(const int* table, int size, int steps, int spread, int* results) {
    int sum = 0;
#pragma unroll 8
    for (int step = 0; step < steps; ++step) sum += table[far_place(step, spread, size)];
    results[number_of_thread()] = sum;
}

// Built-in functions: a chain of least sums, as dynamic programming has them, and one of powers of e.

#define LEAST(a, b) ((a) < (b) ? (a) : (b))

extern "C" __global__ void least_by_branch(int steps, int* results) {
    int best = 1 << 20, cost = threadIdx.x;
#pragma unroll 8
    for (int step = 0; step < steps; ++step) {
        cost = cost * 5 + 1 & 0xffff;
        if (best + (cost & 3) > cost + 7) best = cost + 7;
        else best = best + (cost & 3);
    }
    results[number_of_thread()] = best;
}

extern "C" __global__ void least_by_macro(int steps, int* results) {
    int best = 1 << 20, cost = threadIdx.x;
#pragma unroll 8
    for (int step = 0; step < steps; ++step) {
        cost = cost * 5 + 1 & 0xffff;
        best = LEAST(best + (cost & 3), cost + 7);
    }
    results[number_of_thread()] = best;
}

extern "C" __global__ void least_by_function(int steps, int* results) {
    int best = 1 << 20, cost = threadIdx.x;
#pragma unroll 8
    for (int step = 0; step < steps; ++step) {
        cost = cost * 5 + 1 & 0xffff;
        best = min(best + (cost & 3), cost + 7);
    }
    results[number_of_thread()] = best;
}

extern "C" __global__ void least_by_dpx(int steps, int* results) {
    int best = 1 << 20, cost = threadIdx.x;
#pragma unroll 8
    for (int step = 0; step < steps; ++step) {
        cost = cost * 5 + 1 & 0xffff;
        best = __viaddmin_s32(best, cost & 3, cost + 7);
    }
    results[number_of_thread()] = best;
}

extern "C" __global__ void power_exact(int steps, float* results) {
    float value = threadIdx.x * 0.001f;
#pragma unroll 8
    for (int step = 0; step < steps; ++step) value = expf(-value);
    results[number_of_thread()] = value;
}

extern "C" __global__ void power_fast(int steps, float* results) {
    float value = threadIdx.x * 0.001f;
#pragma unroll 8
    for (int step = 0; step < steps; ++step) value = __expf(-value);
    results[number_of_thread()] = value;
}

// Dynamic parallelism: a small kernel, each of whose launches needs the one before.

extern "C" __global__ void small_step(int* numbers) { numbers[number_of_thread()] = numbers[number_of_thread()] * 3 + 1; }
