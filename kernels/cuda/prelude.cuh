// Shared by every kernel: warp constants, fused add-max instructions, byte extraction, clocks.

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
