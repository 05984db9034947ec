// Rows of words: the recurrence of the bit-parallel methods for 32 R columns of a lane.
//
// Recurrence (Myers 1999; Hyyrö 2003): D(i, j) is the distance, and neighbouring cells differ by -1, 0 or 1. For row i
//     plus, minus: D(i, j) - D(i, j-1) is 1, is -1        a bit a column; all that is kept of a row
//     rise, fall:  D(i, j) - D(i-1, j) is 1, is -1
//     zero  = (((equal & plus) + plus) ^ plus) | equal, with fall in as if bit 0 were equal
//     rise  = minus | ~(zero | plus);      fall = plus & zero
//     plus  = (fall << 1 | fall in) | ~(equal | minus | (rise << 1 | rise in))
//     minus = (rise << 1 | rise in) & (equal | minus)
//     The R words of a lane are one long word: the addition and the shifts carry from word to word. A word takes eleven
//     instructions on the arithmetic pipe for 32 cells.
//
// Threads: lane l of a warp is at row t - l at step t and takes the top bits of rise and fall of lane l - 1.
//
// Memory: registers. Boundary columns hold 32 rows of rise and fall in a word of 64 bits, row 1 in bit 0; a word of ones
//     was not written yet, for no bit is set in both.
//
// Compile-time: R, words of a lane; TOP_FREE, LEFT_FREE.

constexpr int WORDS = LANES * R;
constexpr unsigned ALL_ONES = 0xffffffffu;
constexpr unsigned long long NOT_WRITTEN = ~0ull;

// a + b, and a + b + the carry of the addition before it.
__device__ __forceinline__ unsigned add_first_word(unsigned a, unsigned b) {
    unsigned sum;
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}

__device__ __forceinline__ unsigned add_next_word(unsigned a, unsigned b) {
    unsigned sum;
    asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}

struct Crossing {                    // top bits: what the column on the right of a word takes
    unsigned rise, fall;
};

struct WordRow {
    unsigned plus[R], minus[R];

    // Row 0 or, below it, the border of a band; `first` is the first column of the lane in the strip 0.
    __device__ __forceinline__ void begin(int strip, int lane, int padding) {
#pragma unroll
        for (int r = 0; r < R; ++r) {
            int before = strip == 0 ? min(max(padding - (lane * R + r) * 32, 0), 32) : 0;
            plus[r] = TOP_FREE || before == 32 ? 0u : ALL_ONES << before;
            minus[r] = 0;
        }
    }

    // Computes the next row; see(r, detours, rises) takes the directions of every word: the cells that the diagonal
    // does not reach, and those that the row above reaches.
    template <class See>
    __device__ __forceinline__ Crossing advance(const unsigned* equal, Crossing in, See&& see) {
        unsigned sum[R], first = equal[0] | in.fall >> 31;
        sum[0] = add_first_word(first & plus[0], plus[0]);
#pragma unroll
        for (int r = 1; r < R; ++r) sum[r] = add_next_word(equal[r] & plus[r], plus[r]);
        Crossing before = in;
#pragma unroll
        for (int r = 0; r < R; ++r) {
            unsigned zero = (sum[r] ^ plus[r]) | (r == 0 ? first : equal[r]);
            unsigned rise = minus[r] | ~(zero | plus[r]), fall = plus[r] & zero, seen = equal[r] | minus[r];
            unsigned rise_in = __funnelshift_l(before.rise, rise, 1), fall_in = __funnelshift_l(before.fall, fall, 1);
            see(r, (zero | minus[r]) & ~equal[r], rise);
            plus[r] = fall_in | ~(seen | rise_in);
            minus[r] = rise_in & seen;
            before = {rise, fall};
        }
        return before;
    }
};

// Copies the match words of a strip to shared memory.
__device__ __forceinline__ void load_matches(const WordPair& pair, int strip, int lane, unsigned* equal) {
    const unsigned* from = pair.equal + static_cast<long long>(strip) * pair.letters * WORDS;
    __syncwarp();
    for (int word = lane; word < pair.letters * WORDS; word += LANES) equal[word] = from[word];
    __syncwarp();
}

// Reads the R match words of a lane, in as few loads as there are aligned words.
__device__ __forceinline__ void read_words(const unsigned* from, unsigned* words) {
    if constexpr (R % 4 == 0) {
#pragma unroll
        for (int r = 0; r < R; r += 4) {
            const uint4 four = *reinterpret_cast<const uint4*>(from + r);
            words[r] = four.x, words[r + 1] = four.y, words[r + 2] = four.z, words[r + 3] = four.w;
        }
    } else if constexpr (R % 2 == 0) {
#pragma unroll
        for (int r = 0; r < R; r += 2) {
            const uint2 two = *reinterpret_cast<const uint2*>(from + r);
            words[r] = two.x, words[r + 1] = two.y;
        }
    } else {
#pragma unroll
        for (int r = 0; r < R; ++r) words[r] = from[r];
    }
}

// The place of a row's match words; rows are counted from 0.
__device__ __forceinline__ int match_place(const WordPair& pair, int row) {
    return row >= 0 && row < pair.m ? pair.rows[row] * WORDS : 0;
}

// A boundary word, and its top bits first: row 1 of it is the top bit.
__device__ __forceinline__ Crossing unpack(unsigned long long word) {
    return {__brev(static_cast<unsigned>(word)), __brev(static_cast<unsigned>(word >> 32))};
}

__device__ __forceinline__ unsigned long long pack(Crossing rows) {
    return __brev(rows.rise) | static_cast<unsigned long long>(__brev(rows.fall)) << 32;
}

__device__ __forceinline__ Crossing left_border() { return {LEFT_FREE ? 0u : ALL_ONES, 0u}; }
