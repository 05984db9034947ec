// Computes: small functions that every kernel may use: warp constants, fused add-max instructions (DPX), extraction of
// bytes, clocks, and loads and stores that all multiprocessors see. `compile.source` puts this text before every source.
//
// Threads: every function works on the values of the thread that calls it; multiply_halves is called by a whole warp.
//
// Memory: loads and stores named shared_by_all bypass the L1 cache, and a word of theirs is never torn.

constexpr int LANES = 32;
constexpr unsigned WARP = 0xffffffffu;
constexpr int MINUS_INFINITY = -(1 << 30);

// max(a + b, c) and max(a + b, c, 0): one DPX instruction on Hopper, plain instructions elsewhere.
__device__ __forceinline__ int add_max(int a, int b, int c) { return __viaddmax_s32(a, b, c); }
__device__ __forceinline__ int add_max_floor(int a, int b, int c) { return __viaddmax_s32_relu(a, b, c); }

// Two 16-bit values in a word: max(a + b, c) and max(a, b, c) of both halves; two halves as a word, and back.
__device__ __forceinline__ int add_max_halves(int a, int b, int c) { return __viaddmax_s16x2(a, b, c); }
__device__ __forceinline__ int max_halves(int a, int b, int c) { return __vimax3_s16x2(a, b, c); }
__device__ __forceinline__ int halves(int low, int high) { return __byte_perm(low, high, 0x5410); }
__device__ __forceinline__ int low_half(int word) { return static_cast<short>(word); }
__device__ __forceinline__ int high_half(int word) { return word >> 16; }

// Byte BYTE of a word, sign-extended, in one instruction (the intrinsic __byte_perm masks the sign bit
// of the selector, so the instruction is written out).
template <int BYTE>
__device__ __forceinline__ int signed_byte(unsigned word) {
    constexpr unsigned selector = 0x8880u + BYTE * 0x1111u;
    int value;
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(value) : "r"(word), "n"(selector));
    return value;
}

// Byte BYTE of two words, sign-extended to 16 bits each, that of `low` in the lower half.
template <int BYTE>
__device__ __forceinline__ int signed_bytes(unsigned low, unsigned high) {
    constexpr unsigned selector = 0xc480u + BYTE * 0x1111u;
    int value;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(value) : "r"(low), "r"(high), "n"(selector));
    return value;
}

__device__ __forceinline__ long long nanoseconds() {
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__device__ __forceinline__ int multiprocessor() {
    int id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

// An 8-byte load that always reads the memory that all multiprocessors share; such a load is never torn.
__device__ __forceinline__ unsigned long long load_shared_by_all(const unsigned long long* address) {
    unsigned long long value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
    return value;
}

__device__ __forceinline__ void store_shared_by_all(unsigned long long* address, unsigned long long value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
}

// 16 bytes at a time, of words that are each never torn: four of 4 bytes, or two of 8.
__device__ __forceinline__ int4 load_shared_by_all(const int4* address) {
    int4 value;
    asm volatile("ld.relaxed.gpu.global.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "l"(address)
                 : "memory");
    return value;
}

__device__ __forceinline__ void store_shared_by_all(int* address, int value) {
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

__device__ __forceinline__ void store_shared_by_all(int4* address, int4 value) {
    asm volatile("st.relaxed.gpu.global.v4.s32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(value.x), "r"(value.y),
                 "r"(value.z), "r"(value.w)
                 : "memory");
}

__device__ __forceinline__ ulonglong2 load_shared_by_all(const ulonglong2* address) {
    ulonglong2 value;
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(value.x), "=l"(value.y) : "l"(address) : "memory");
    return value;
}

__device__ __forceinline__ void store_shared_by_all(ulonglong2* address, ulonglong2 value) {
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(address), "l"(value.x), "l"(value.y) : "memory");
}

// The same number, which the compiler keeps in a register instead of computing it anew at every use.
__device__ __forceinline__ int kept_in_register(int value) {
    asm volatile("" : "+r"(value));
    return value;
}

// sums += rows (16 x 8) times columns (8 x 8), of 16-bit factors, by a warp: the fragments of mma.m16n8k8.
__device__ __forceinline__ void multiply_halves(float* sums, unsigned upper, unsigned lower, unsigned columns) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(upper), "r"(lower), "r"(columns));
}

// A root within some units of the last place.
__device__ __forceinline__ float rough_root(float value) {
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(value));
    return root;
}
