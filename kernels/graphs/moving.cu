// A matrix between the host, where n x n numbers lie close together, and whole tiles, `stride` numbers to a row: a thread
// a number, in turns. With NARROW it travels as whole numbers of 16 bits, of which the largest stands for infinity.

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

// Rows `first` to `last`, half-open, of a matrix in whole tiles; beyond n, nothing leads anywhere.
extern "C" __global__ void lay_out(const Code* codes, int n, Number* matrix, int stride, int first, int last) {
    long long end = (long long)last * stride, threads = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)first * stride + (long long)blockIdx.x * blockDim.x + threadIdx.x; at < end; at += threads) {
        long long i = at / stride, j = at % stride;
        matrix[at] = i < n && j < n ? number_of(codes[i * n + j]) : infinite();
    }
}

#if NARROW
// Rows `first` to `last` of n; numbers from `limit` on are infinite. *outside is set where a number does not fit.
extern "C" __global__ void take_out(const Number* matrix, Code* codes, int stride, int n, int first, int last, Number limit,
                                    int* outside) {
    long long end = (long long)last * n, threads = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)first * n + (long long)blockIdx.x * blockDim.x + threadIdx.x; at < end; at += threads) {
        Number number = matrix[at / n * stride + at % n];
        bool there = number < limit, inside = there && fits(number);
        if (there && !inside) *outside = 1;
        codes[at] = inside ? Code(number) : NONE;
    }
}
#endif
