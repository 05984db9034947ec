// TROPSCALPRODVITERBI (Hanif 2014, algorithm 5.1).
//
// Recurrence: row[k + 1][state] = min over before of  row[k][before] + S[letter k][before][state],
//             S[symbol][before][state] = T[before][state] + E[symbol][before], made beforehand for each symbol
// Threads:    make_sums: a block per (before, symbol); scalar_products: one block for all rows. A thread per state, or every
//             blockDim.x-th state.
// Memory:     S is [symbol][before][state] and rows are [letter][state] in global memory; the current row is shared.

// A row of S.
extern "C" __global__ void make_sums(const Number* transitions, const Number* emissions, Number* sums, int states) {
    long long at = ((long long)blockIdx.y * states + blockIdx.x) * states;
    Number emission = emissions[(long long)blockIdx.y * states + blockIdx.x];
    for (int s = threadIdx.x; s < states; s += blockDim.x)
        sums[at + s] = min(transitions[(long long)blockIdx.x * states + s] + emission, infinite());
}

// Rows `first` + 1 to `last`, from row `first`.
extern "C" __global__ void __launch_bounds__(1024)
scalar_products(const Number* sums, const unsigned char* seen, Number* rows, int states, int first, int last) {
    extern __shared__ __align__(16) unsigned char memory[];
    Number* row = reinterpret_cast<Number*>(memory);
    for (int s = threadIdx.x; s < states; s += blockDim.x) row[s] = rows[(long long)first * states + s];
    __syncthreads();
    for (int k = first; k < last; k++) {
        Number* next = rows + (long long)(k + 1) * states;
        for (int s = threadIdx.x; s < states; s += blockDim.x) {
            const Number* column = sums + (long long)seen[k] * states * states + s;
            Number best = infinite();
#pragma unroll 8
            for (int before = 0; before < states; before++, column += states) best = step(best, row[before], __ldg(column));
            next[s] = best;
        }
        __syncthreads();
        for (int s = threadIdx.x; s < states; s += blockDim.x) row[s] = next[s];
        __syncthreads();
    }
}
