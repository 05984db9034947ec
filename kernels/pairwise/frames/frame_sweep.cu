// Phase 1 of frame alignment: a protein against segments of the bases.
//
// Recurrence: (i amino acids, j bases, t the codon that ends at base j)
//     E(i, j) = max(E(i-1, j), H(i-1, j) - opening) - extend
//     F(i, j) = max(F(i, j-3), H(i, j-3) - opening) - extend
//     H(i, j) = max(max(H(i-1, j-3), H(i-1, j-2) - shift, H(i-1, j-4) - shift) + c(a_i, t), E, F, and 0 where LOCAL)
//
// Threads: a warp a segment; segments are independent, see segments.py. A lane has R amino acids; it is at base t - lane
//     at step t, and passes H and E of its last amino acid to the next lane. A strip of 32 R amino acids goes over the
//     whole segment, then the next strip does.
//
// Memory: scores of a strip in shared memory; H and E of a strip's last amino acid in global memory (`border`), where
//     the next strip's values replace them once they were read. Every lane leaves its best end in `ends`.
//
// Compile-time: LOCAL; R and CODONS (cuda_sources.py).

constexpr int STRIP = LANES * R;

struct Above {                       // H and E of the row above, at this base
    int h, e;
};

struct FrameLane {
    int h[R][4], f[R][3];            // H of the last four bases, and F of the last three, the latest first
    int above[4];                    // H of the row above, of the last four bases
    int best[R], at[R];              // greatest H of each row and the first base that has it
    Above out;

    __device__ __forceinline__ void begin() {
#pragma unroll
        for (int r = 0; r < R; ++r) {
#pragma unroll
            for (int k = 0; k < 4; ++k) h[r][k] = MINUS_INFINITY;
#pragma unroll
            for (int k = 0; k < 3; ++k) f[r][k] = MINUS_INFINITY;
            best[r] = MINUS_INFINITY, at[r] = 0;
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) above[k] = MINUS_INFINITY;
        out = {MINUS_INFINITY, MINUS_INFINITY};
    }

    __device__ __forceinline__ void advance(const FramePair& pair, Above in, const int* scores, int base) {
        int last[4] = {above[0], above[1], above[2], above[3]};
        Above upper = in;
#pragma unroll
        for (int k = 3; k > 0; --k) above[k] = above[k - 1];
        above[0] = in.h;
#pragma unroll
        for (int r = 0; r < R; ++r) {
            const int shifted = max(last[1], last[3]) - pair.shift;
            const int pairs = max(last[2], shifted) + scores[r];
            const int up = max(upper.e, upper.h - pair.opening) - pair.extend;
            const int on = max(f[r][2], h[r][2] - pair.opening) - pair.extend;
            int value = max(max(pairs, up), max(on, LOCAL ? 0 : MINUS_INFINITY));
            if (value > best[r]) best[r] = value, at[r] = base;
#pragma unroll
            for (int k = 0; k < 4; ++k) last[k] = h[r][k];
#pragma unroll
            for (int k = 3; k > 0; --k) h[r][k] = h[r][k - 1];
            h[r][0] = value;
            f[r][2] = f[r][1], f[r][1] = f[r][0], f[r][0] = on;
            upper = {value, up};
        }
        out = upper;
    }
};

// The scores of a strip's amino acids with all codons; amino acids beyond the last one score as a missing codon.
__device__ __forceinline__ void load_scores(const FramePair& pair, int strip, int lane, int* scores) {
    __syncwarp();
    for (int place = lane; place < CODONS * STRIP; place += LANES) {
        const int row = strip * STRIP + place % STRIP;
        scores[place] = pair.table[(row < pair.m ? pair.rows[row] * CODONS : 0) + place / STRIP];
    }
    __syncwarp();
}

extern "C" __global__ void frame_sweep(
    FRAME_PAIR_PARAMETERS(pair), const FrameSegment* segments, int count, long long width, int2* border, int4* ends,
    Event* log) {
    extern __shared__ __align__(16) unsigned char memory[];
    const FramePair pair = FRAME_PAIR_OF(pair);
    const int lane = threadIdx.x % LANES, warps = blockDim.x / LANES, warp = threadIdx.x / LANES;
    const int segment = blockIdx.x * warps + warp;
    if (segment >= count) return;
    const long long began = nanoseconds();
    const FrameSegment own = segments[segment];
    const int bases = static_cast<int>(own.last - own.first);
    const unsigned char* places = pair.places + own.strand * (pair.n + 1) + own.first;
    int2* cells = border + segment * width;
    int* scores = reinterpret_cast<int*>(memory) + warp * CODONS * STRIP;
    const int strips = (pair.m + STRIP - 1) / STRIP;
    for (int strip = 0; strip < strips; ++strip) {
        load_scores(pair, strip, lane, scores);
        FrameLane state;
        state.begin();
        // The last step of lane l is bases + l; a base is read a step before it is needed.
        int codon = lane == 0 ? places[0] : 0;
        for (int t = 0; t <= bases + LANES - 1; ++t) {
            Above in{__shfl_up_sync(WARP, state.out.h, 1), __shfl_up_sync(WARP, state.out.e, 1)};
            const int base = t - lane;
            const bool inside = base >= 0 && base <= bases;
            if (lane == 0 && inside) {
                if (strip == 0) in = {0, MINUS_INFINITY};
                else in = {cells[base].x, cells[base].y};
            }
            if (inside) {
                const int* words = scores + codon * STRIP + lane * R;
                state.advance(pair, in, words, base);
                if (lane == LANES - 1) cells[base] = make_int2(state.out.h, state.out.e);
            }
            const int next = base + 1;
            codon = next >= 0 && next <= bases ? places[next] : 0;
        }
        __syncwarp();
        int4 best = make_int4(MINUS_INFINITY, 0, 0, 0);
#pragma unroll
        for (int r = 0; r < R; ++r) {
            const int row = strip * STRIP + lane * R + r + 1;
            const bool counts = LOCAL ? row <= pair.m : row == pair.m;
            if (counts && state.best[r] > best.x) best = make_int4(state.best[r], row, state.at[r], 0);
        }
        ends[(static_cast<long long>(segment) * strips + strip) * LANES + lane] = best;
    }
    if (lane == 0) log[segment] = {began, nanoseconds(), multiprocessor(), 0};
}
