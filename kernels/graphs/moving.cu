// A matrix between the host, where n x n numbers lie close together, and whole tiles, `side` numbers to a row: a thread a
// number, in turns. With NARROW it travels as whole numbers of 16 bits, of which the largest stands for infinity.

#if NARROW
typedef short Code;
constexpr Code NONE = 32767;
__device__ __forceinline__ Number number_of(Code code) { return code == NONE ? infinite() : Number(code); }
__device__ __forceinline__ bool fits(Number number) {
    return number >= Number(-32768) && number < Number(NONE) && Number(Code(number)) == number;
}
#else
typedef Number Code;
__device__ __forceinline__ Number number_of(Code code) { return code; }
#endif

// What stands for infinity may have lost what negative weights took from it: from `limit` on it is infinite.
extern "C" __global__ void settle(Number* matrix, long long count, Number limit) {
    long long threads = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += threads)
        if (matrix[at] >= limit) matrix[at] = zero();
}

// A matrix of `side` x `side` numbers; beyond n, nothing leads anywhere.
extern "C" __global__ void lay_out(const Code* codes, int n, Number* matrix, int side) {
    long long end = (long long)side * side, threads = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < end; at += threads) {
        long long i = at / side, j = at % side;
        matrix[at] = i < n && j < n ? number_of(codes[i * n + j]) : infinite();
    }
}

#if NARROW
// Some numbers, and the same once more.
extern "C" __global__ void spread(const Code* codes, Number* numbers, Number* again, long long count) {
    long long threads = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += threads)
        numbers[at] = again[at] = number_of(codes[at]);
}

// Numbers from `limit` on are infinite. *outside is set where a number does not fit.
extern "C" __global__ void gathered(const Number* numbers, Code* codes, long long count, Number limit, int* outside) {
    long long threads = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += threads) {
        Number number = numbers[at];
        bool there = number < limit, inside = there && fits(number);
        if (there && !inside) *outside = 1;
        codes[at] = inside ? Code(number) : NONE;
    }
}

// Numbers from `limit` on are infinite. *outside is set where a number does not fit.
extern "C" __global__ void take_out(const Number* matrix, Code* codes, int side, int n, Number limit, int* outside) {
    long long end = (long long)n * n, threads = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < end; at += threads) {
        Number number = matrix[at / n * side + at % n];
        bool there = number < limit, inside = there && fits(number);
        if (there && !inside) *outside = 1;
        codes[at] = inside ? Code(number) : NONE;
    }
}
#endif
