// Sums over all paths, from forward rows and backward rows that are each known up to a factor of their own.
//
// Computes:   from  a[k] = the probability of the letters before k and of state s at k,
//             and   b[k] = the probability of the letters after k, from state s,
//             the probability of all letters, of every state at every letter, and the expected counts of Baum-Welch, letter by
//             letter from quotients in which the factors cancel.
// Threads:    a team of TEAM lanes takes the letters of its slice of `length` letters in sequence, a lane per state (or every
//             TEAM-th state). pairs: a block per tile of (i, j) and slice; add_up: a block of 32 x 8 threads per 32 numbers.
// Memory:     forward rows are [letter][state]; backward rows lie in reverse: that of letter k is row n - 1 - k. Several
//             sequences are concatenated; starts[k] marks the first letter of each, and k = n. Counts of letters are
//             [slice][symbol][state], counts of transitions [slice][i][j].

struct Letter {
    int k;
    bool works, first, last;            // whether it is a letter; whether it is first or last in its sequence
    const double* emission;
    long long forward, backward;        // where the rows begin
};

__device__ __forceinline__ int own_team() { return (blockIdx.x * blockDim.x + threadIdx.x) / TEAM; }
__device__ __forceinline__ int own_lane() { return threadIdx.x % TEAM; }

__device__ __forceinline__ Letter letter_of(int done, int length, int n, int states, const double* emissions,
                                            const unsigned char* seen, const unsigned char* starts) {
    long long k = (long long)own_team() * length + done;
    bool works = k < n;
    if (!works) k = 0;
    const double* emission = emissions + (long long)seen[k] * states;
    return {(int)k, works, starts[k] != 0, starts[k + 1] != 0, emission, k * states, (n - 1 - k) * states};
}

// The sum over the lanes of a team, in every lane.
__device__ __forceinline__ double team_sum(double own) {
#pragma unroll
    for (int apart = TEAM / 2; apart > 0; apart /= 2) own += __shfl_xor_sync(WARP, own, apart);
    return own;
}

// Rows are scaled by 2^RAISED. Half of that is taken from each factor, so that a product is not scaled twice.
__device__ __forceinline__ double half_lowered(double raised) {
    return raised * __longlong_as_double((1023LL - RAISED / 2) << 52);
}

// The logarithm of the probability of the letters of each slice, given those before it. That of letter k is
//
//   sum of a[k] e[k] / sum of a[k - 1] e[k - 1]   where a[k] is a[k - 1] e[k - 1] times T itself:
//
// the sum of a[k] is that of a[k - 1] e[k - 1] times the sums of the rows of T, which are 1 up to rounding in the model,
// and so is the sum of the initial probabilities.
extern "C" __global__ void evidence(const double* forward, const double* emissions, const unsigned char* seen,
                                    const unsigned char* starts, const double* row_sums, double initial_sum,
                                    double* logarithms, int states, int n, int length) {
    double found = 0;
    for (int done = 0; done < length; done++) {
        Letter letter = letter_of(done, length, n, states, emissions, seen, starts);
        double all = 0, emitted = 0, passed = 0;
        for (int s = own_lane(); s < states && letter.works; s += TEAM) {
            double reached = forward[letter.forward + s], emits = reached * letter.emission[s];
            all += reached;
            emitted += emits;
            passed += emits * row_sums[s];
        }
        all = team_sum(all);
        emitted = team_sum(emitted);
        passed = team_sum(passed);
        if (!letter.works) continue;
        double share = (letter.last ? emitted : passed) / (letter.first ? all / initial_sum : all);
        found += emitted > 0 ? log(share) : log(0.0);
    }
    if (own_lane() == 0) logarithms[own_team()] = found;
}

// The probability of every state at every letter, given all letters. It overwrites the forward rows.
extern "C" __global__ void posterior(double* forward, const double* backward, const double* emissions,
                                     const unsigned char* seen, const unsigned char* starts, int states, int n,
                                     int length) {
    for (int done = 0; done < length; done++) {
        Letter letter = letter_of(done, length, n, states, emissions, seen, starts);
        double joint = 0;
        for (int s = own_lane(); s < states && letter.works; s += TEAM)
            joint += half_lowered(forward[letter.forward + s]) * letter.emission[s] *
                     half_lowered(backward[letter.backward + s]);
        joint = team_sum(joint);
        for (int s = own_lane(); s < states && letter.works; s += TEAM) {
            double reached = half_lowered(forward[letter.forward + s]);
            double after = reached > 0 ? letter.emission[s] * half_lowered(backward[letter.backward + s]) / joint : 0;
            forward[letter.forward + s] = reached * after;
        }
    }
}

// Factors from which transitions are counted; they overwrite the rows: F[k] for a[k], G[k] for b[k], such that the expected
// number of transitions from i to j between letters k and k + 1 is F[k][i] T[i][j] G[k + 1][j]. The posterior is added up
// by letter in a table of `symbols` x states per slice, whose last row is for the first letters of sequences.
extern "C" __global__ void factors(double* forward, double* backward, const double* emissions,
                                   const unsigned char* seen, const unsigned char* starts, const double* row_sums,
                                   double* counts, int states, int n, int length, int symbols) {
    double* own_counts = counts + (long long)own_team() * symbols * states;
    for (int done = 0; done < length; done++) {
        Letter letter = letter_of(done, length, n, states, emissions, seen, starts);
        double all = 0, passed = 0, joint = 0;
        for (int s = own_lane(); s < states && letter.works; s += TEAM) {
            double reached = half_lowered(forward[letter.forward + s]), emits = reached * letter.emission[s];
            all += reached;
            passed += emits * row_sums[s];
            joint += emits * half_lowered(backward[letter.backward + s]);
        }
        all = team_sum(all);
        passed = team_sum(passed);
        joint = team_sum(joint);
        for (int s = own_lane(); s < states && letter.works; s += TEAM) {
            double reached = half_lowered(forward[letter.forward + s]), emission = letter.emission[s];
            double after = reached > 0 ? emission * half_lowered(backward[letter.backward + s]) / joint : 0;
            own_counts[(long long)seen[letter.k] * states + s] += reached * after;
            if (letter.first) own_counts[(symbols - 1LL) * states + s] += reached * after;
            forward[letter.forward + s] = letter.last ? 0 : reached * emission / passed;
            backward[letter.backward + s] = after * all;
        }
    }
}

// The sum of F[k][i] G[k + 1][j] over the letters of a slice, a block a tile of i and j: SIDE x SIDE threads, each with
// PER x PER sums that are SIDE apart; `first_row` is the launch's first row of tiles.
constexpr int TILE = SIDE * PER, SLAB = 16;

extern "C" __global__ void __launch_bounds__(SIDE * SIDE)
pairs(const double* forward, const double* backward, double* counts, int states, int n, int length, int first_row) {
    __shared__ double left[SLAB][TILE], right[SLAB][TILE];
    int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE, top = (first_row + blockIdx.y) * TILE;
    int begin = blockIdx.z * length, end = min(begin + length, n - 1);
    double sums[PER][PER] = {};
    for (int k = begin; k < end; k += SLAB) {
        for (int at = threadIdx.x; at < SLAB * TILE; at += SIDE * SIDE) {
            int down = at / TILE, i = top + at % TILE, j = blockIdx.x * TILE + at % TILE;
            bool there = k + down < end;
            left[down][at % TILE] = there && i < states ? forward[(long long)(k + down) * states + i] : 0;
            right[down][at % TILE] = there && j < states ? backward[(long long)(n - 2 - k - down) * states + j] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int down = 0; down < SLAB; down++)
#pragma unroll
            for (int i = 0; i < PER; i++)
#pragma unroll
                for (int j = 0; j < PER; j++) sums[i][j] += left[down][y + i * SIDE] * right[down][x + j * SIDE];
        __syncthreads();
    }
    for (int i = 0; i < PER; i++)
        for (int j = 0; j < PER; j++) {
            int row = top + y + i * SIDE, column = blockIdx.x * TILE + x + j * SIDE;
            if (row < states && column < states)
                counts[((long long)blockIdx.z * states + row) * states + column] = sums[i][j];
        }
}

// Add up `count` tables of `size` numbers, always in the same order.
extern "C" __global__ void add_up(const double* tables, double* total, int size, int count) {
    __shared__ double parts[8][LANES];
    int x = threadIdx.x % LANES, y = threadIdx.x / LANES, at = blockIdx.x * LANES + x;
    double own = 0;
    for (int table = y; table < count && at < size; table += 8) own += tables[(long long)table * size + at];
    parts[y][x] = own;
    __syncthreads();
    if (y > 0 || at >= size) return;
    for (int other = 1; other < 8; other++) own += parts[other][x];
    total[at] = own;
}
