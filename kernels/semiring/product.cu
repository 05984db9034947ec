// Recurrence: c[i, j] = c[i, j] plus the sum over k of a[i, k] times b[k, j], as the semiring means them (elements.cuh).
//
// Threads: a block computes a tile of c, a thread PER x PER sums of it (tile.cuh); blockIdx.z is a member of the batch.
//
// Memory: row-major matrices in whole tiles; the members of a batch lie a_size, b_size and c_size numbers apart. With
// TEXTURE, a and b are textures of packs.

#if TEXTURE
typedef cudaTextureObject_t Matrix;
#define FACTOR(matrix) Texture{matrix, 0}
#else
typedef const Number* Matrix;
#define FACTOR(matrix) matrix
#endif

extern "C" __global__ void __launch_bounds__(THREADS, 2)
product(Matrix a, Matrix b, Number* c, int depth, int columns, long long a_size, long long b_size, long long c_size,
        int from_zero) {
    __shared__ Slabs slabs;
    auto left = FACTOR(a) + (blockIdx.z * a_size + (long long)blockIdx.y * TILE * depth);
    auto right = FACTOR(b) + (blockIdx.z * b_size + blockIdx.x * TILE);
    Number* target = c + blockIdx.z * c_size + (long long)blockIdx.y * TILE * columns + blockIdx.x * TILE;
    Number sums[PER][PER];
    if (from_zero) {
#pragma unroll
        for (int i = 0; i < PER; i++)
#pragma unroll
            for (int j = 0; j < PER; j++) sums[i][j] = zero();
    } else {
        load_tile(target, columns, sums);
    }
    add_product(slabs, left, depth, right, columns, depth, sums);
    store_tile(target, columns, sums);
}
