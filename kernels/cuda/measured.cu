// Computes: the variants of the measured guidelines (guideline_timings.py). All variants of a guideline compute the same numbers; what
// differs is the memory that they read, or the instructions that they use.
//
// Threads: a launch has whole blocks of THREADS threads. Thread t of all threads writes results[t].
//
// Memory: tables in global, constant, shared or texture memory, as the comment of each guideline says.

constexpr int TABLE = 1024;                      // numbers of a table that is looked up in

__device__ __forceinline__ int number_of_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Memory layout: thread i of part p goes through row i of a table, over the antidiagonals of its part, as a wavefront
// does. `size` is a power of two; antidiagonals go around the table's edge, so that all have as many cells. blockIdx.y is
// the part.

__device__ __forceinline__ int cell_of(int i, int j) { return i * 31 + j * 17; }

extern "C" __global__ void fill_rows(int* table, int size) {
    const int j = number_of_thread();
    for (int i = blockIdx.y; i < size; i += gridDim.y) table[(long long)i * size + j] = cell_of(i, j);
}

extern "C" __global__ void fill_diagonals(int* table, int size) {
    const int i = number_of_thread();
    for (int d = blockIdx.y; d < size; d += gridDim.y) table[(long long)d * size + i] = cell_of(i, (d - i) & (size - 1));
}

extern "C" __global__ void read_rows(const int* table, int size, int* results) {
    const int i = number_of_thread(), span = size / gridDim.y, first = blockIdx.y * span;
    int sum = 0;
#pragma unroll 8
    for (int d = first; d < first + span; ++d) sum += table[(long long)i * size + ((d - i) & (size - 1))];
    results[blockIdx.y * size + i] = sum;
}

extern "C" __global__ void read_diagonals(const int* table, int size, int* results) {
    const int i = number_of_thread(), span = size / gridDim.y, first = blockIdx.y * span;
    int sum = 0;
#pragma unroll 8
    for (int d = first; d < first + span; ++d) sum += table[(long long)d * size + i];
    results[blockIdx.y * size + i] = sum;
}

// Constant memory: lookups in a table, at one place for all lanes or at a place for each. Number k is at place k.

__constant__ int constant_table[TABLE];

// Looks up(place) at each step; with APART lanes are at places of their own, else the compiler knows that they are not.
template <bool APART, class LookUp>
__device__ __forceinline__ void look_up(int steps, int* results, LookUp&& up) {
    const int own = APART ? threadIdx.x % LANES : 0;
    int sum = 0;
#pragma unroll 8
    for (int step = 0; step < steps; ++step) sum += up((step * 7 + own) & (TABLE - 1));
    results[number_of_thread()] = sum;
}

template <bool APART>
__device__ __forceinline__ void look_up_in_shared(const int* table, int steps, int* results) {
    __shared__ int own[TABLE];
    for (int place = threadIdx.x; place < TABLE; place += blockDim.x) own[place] = table[place];
    __syncthreads();
    look_up<APART>(steps, results, [&](int place) { return own[place]; });
}

extern "C" __global__ void constant_one(const int*, int steps, int* results) {
    look_up<false>(steps, results, [](int place) { return constant_table[place]; });
}
extern "C" __global__ void constant_each(const int*, int steps, int* results) {
    look_up<true>(steps, results, [](int place) { return constant_table[place]; });
}
extern "C" __global__ void global_one(const int* table, int steps, int* results) {
    look_up<false>(steps, results, [&](int place) { return table[place]; });
}
extern "C" __global__ void global_each(const int* table, int steps, int* results) {
    look_up<true>(steps, results, [&](int place) { return table[place]; });
}
extern "C" __global__ void shared_one(const int* table, int steps, int* results) {
    look_up_in_shared<false>(table, steps, results);
}
extern "C" __global__ void shared_each(const int* table, int steps, int* results) {
    look_up_in_shared<true>(table, steps, results);
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

// Built-in functions: a chain of least sums, as dynamic programming has them, and the greatest of some powers of e.

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

__device__ __forceinline__ float exponent_of(int step) { return threadIdx.x * 0.02f + (step & 15); }

extern "C" __global__ void power_exact(int steps, float* results) {
    float most = 0;
#pragma unroll 8
    for (int step = 0; step < steps; ++step) most = fmaxf(most, expf(exponent_of(step)));
    results[number_of_thread()] = most;
}

extern "C" __global__ void power_fast(int steps, float* results) {
    float most = 0;
#pragma unroll 8
    for (int step = 0; step < steps; ++step) most = fmaxf(most, __expf(exponent_of(step)));
    results[number_of_thread()] = most;
}

// Dynamic parallelism: a small kernel, each of whose launches needs the one before.

extern "C" __global__ void small_step(int* numbers) { numbers[number_of_thread()] = numbers[number_of_thread()] * 3 + 1; }
