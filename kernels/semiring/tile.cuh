// Computes: a tile of a matrix product over a semiring, for the kernels of product.cu, indexed_product.cu and floyd.cu;
// and the kernels that pad and crop matrices. SIDE, THREADS (semiring/cuda.py) and PER are compile-time constants.
//
// Threads: 16 x 16 threads, each with PER x PER sums in registers. A thread's rows and columns come in packs of 16 bytes
// that are 16 packs apart, so that the threads of a warp read neighbouring packs:
//
//   sum (i, j) of thread (x, y): row    i / PACK * 16 PACK + y PACK + i % PACK
//                                column j / PACK * 16 PACK + x PACK + j % PACK
//
// Memory: the depth is divided into slabs of 8. A slab of a (transposed) and one of b lie in shared memory while the next
// ones come from global memory into registers: two buffers, one barrier per slab. A factor lies in global memory or, with
// TEXTURE, in a texture.

constexpr int TILE = SIDE * PER, SLAB = 8;
constexpr int PACKS = TILE * SLAB / PACK, EACH = (PACKS + THREADS - 1) / THREADS;   // of a slab, and of a thread
constexpr int DOWN = SLAB / PACK, ACROSS = TILE / PACK;                             // packs to a row of a, of b

struct Slabs {
    __align__(16) Number a[2][SLAB][TILE + PACK];
    __align__(16) Number b[2][SLAB][TILE];
};

struct Fetched { Pack left[EACH], right[EACH]; };

__device__ __forceinline__ Pack fetch(const Number* address) { return *reinterpret_cast<const Pack*>(address); }

// A position in a matrix that is bound as a texture of packs; offsets are in numbers, multiples of PACK.
struct Texture {
    cudaTextureObject_t object;
    int pack;

    __device__ __forceinline__ Texture operator+(long long numbers) const {
        return {object, pack + static_cast<int>(numbers / PACK)};
    }
    __device__ __forceinline__ Texture& operator+=(long long numbers) { return *this = *this + numbers; }
};

__device__ __forceinline__ Pack fetch(Texture at) {
    Pack pack;
    *reinterpret_cast<int4*>(&pack) = tex1Dfetch<int4>(at.object, at.pack);
    return pack;
}

__device__ __forceinline__ int place(int own, int i) { return i / PACK * SIDE * PACK + own * PACK + i % PACK; }

template <class Factor>
__device__ __forceinline__ void fetch_slab(Factor a, int a_stride, Factor b, int b_stride, Fetched& fetched) {
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int pack = threadIdx.x + e * THREADS;
        if (PACKS % THREADS && pack >= PACKS) return;
        fetched.left[e] = fetch(a + (long long)(pack / DOWN) * a_stride + pack % DOWN * PACK);
        fetched.right[e] = fetch(b + (long long)(pack / ACROSS) * b_stride + pack % ACROSS * PACK);
    }
}

__device__ __forceinline__ void keep_slab(Slabs& slabs, int buffer, const Fetched& fetched) {
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int pack = threadIdx.x + e * THREADS;
        if (PACKS % THREADS && pack >= PACKS) return;
#pragma unroll
        for (int p = 0; p < PACK; p++) slabs.a[buffer][pack % DOWN * PACK + p][pack / DOWN] = fetched.left[e].of[p];
        *reinterpret_cast<Pack*>(&slabs.b[buffer][pack / ACROSS][pack % ACROSS * PACK]) = fetched.right[e];
    }
}

__device__ __forceinline__ void load_packs(const Number* row, int own, Number (&values)[PER]) {
#pragma unroll
    for (int i = 0; i < PER; i += PACK) {
        Pack pack = *reinterpret_cast<const Pack*>(row + place(own, i));
#pragma unroll
        for (int p = 0; p < PACK; p++) values[i + p] = pack.of[p];
    }
}

// Call use(i, j, k, left, right) for all sums of the thread and all k < depth, a multiple of 8, in ascending order. All
// threads of the block have read all factors when this returns.
template <class Factor, class Use>
__device__ __forceinline__ void over_depth(Slabs& slabs, Factor a, int a_stride, Factor b, int b_stride, int depth,
                                           Use use) {
    Fetched fetched;
    fetch_slab(a, a_stride, b, b_stride, fetched);
    keep_slab(slabs, 0, fetched);
    __syncthreads();
    for (int k = 0; k < depth; k += SLAB) {
        int buffer = k / SLAB & 1;
        bool more = k + SLAB < depth;
        a += SLAB;
        b += (long long)SLAB * b_stride;
        if (more) fetch_slab(a, a_stride, b, b_stride, fetched);
#pragma unroll
        for (int s = 0; s < SLAB; s++) {
            Number rows[PER], columns[PER];
            load_packs(slabs.a[buffer][s], threadIdx.x / SIDE, rows);
            load_packs(slabs.b[buffer][s], threadIdx.x % SIDE, columns);
#pragma unroll
            for (int i = 0; i < PER; i++)
#pragma unroll
                for (int j = 0; j < PER; j++) use(i, j, k + s, rows[i], columns[j]);
        }
        if (more) keep_slab(slabs, 1 - buffer, fetched);
        __syncthreads();
    }
}

__device__ __forceinline__ void load_tile(const Number* c, int stride, Number (&sums)[PER][PER]) {
#pragma unroll
    for (int i = 0; i < PER; i++)
        load_packs(c + (long long)place(threadIdx.x / SIDE, i) * stride, threadIdx.x % SIDE, sums[i]);
}

__device__ __forceinline__ void store_tile(Number* c, int stride, const Number (&sums)[PER][PER]) {
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j += PACK) {
            Pack pack;
#pragma unroll
            for (int p = 0; p < PACK; p++) pack.of[p] = sums[i][j + p];
            Number* row = c + (long long)place(threadIdx.x / SIDE, i) * stride;
            *reinterpret_cast<Pack*>(row + place(threadIdx.x % SIDE, j)) = pack;
        }
}

// Add to sums the product of a (TILE x depth) and b (depth x TILE); factors are const Number*, or Texture.
template <class Factor>
__device__ __forceinline__ void add_product(Slabs& slabs, Factor a, int a_stride, Factor b, int b_stride, int depth,
                                            Number (&sums)[PER][PER]) {
    over_depth(slabs, a, a_stride, b, b_stride, depth,
               [&](int i, int j, int k, Number left, Number right) { sums[i][j] = step(sums[i][j], left, right); });
}

// Copy a matrix, padded to whole tiles, or back without padding; blockIdx.y is a member of a batch.
extern "C" __global__ void pad(const Number* source, int rows, int columns, Number* target, int padded_rows,
                               int padded_columns) {
    long long all = (long long)padded_rows * padded_columns, threads = (long long)gridDim.x * blockDim.x;
    source += blockIdx.y * (long long)rows * columns;
    target += blockIdx.y * all;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < all; at += threads) {
        long long i = at / padded_columns, j = at % padded_columns;
        target[at] = i < rows && j < columns ? source[i * columns + j] : zero();
    }
}

extern "C" __global__ void crop(const Number* source, int padded_columns, Number* target, int rows, int columns,
                                int padded_rows) {
    long long all = (long long)rows * columns, threads = (long long)gridDim.x * blockDim.x;
    source += blockIdx.y * (long long)padded_rows * padded_columns;
    target += blockIdx.y * all;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < all; at += threads)
        target[at] = source[at / columns * padded_columns + at % columns];
}
