// Rows of Viterbi, many pieces of the sequence at a time:
//
//   row[k + 1] = (row[k] + E[letter k]) x T   over (min, +)
//
// A team of WIDTH threads works on PER pieces together, a thread a state (or every WIDTH-th state), so that a number of T
// that was loaded serves PER pieces. What is multiplied lies in shared memory as [state][piece], and is read by all
// threads of the team at once. Two barriers a letter. With SHARED, rows of T are brought to shared memory, all of them
// or `height` at a time; else T is read through the read-only cache (the texture path).
//
// Rows are kept up to a constant: with NORMALISE, the least number of what was multiplied is taken from the new row.
// Two rows that differ by a constant then have the same successor, number for number, which is how `correct` sees that
// the rest of a piece is right already.
//
// Piece p belongs to group p / repeat, which has letters (p / repeat) length and on; the rows of the first piece of
// every group are stored. A launch does letters `offset` to `offset + count` of every piece.

extern __shared__ __align__(16) unsigned char shared_memory[];

struct Sizes { int states, pieces, steps, length, repeat, offset, count, height; };

__device__ __forceinline__ Number saturated(Number sum) { return min(sum, infinite()); }

struct __align__(PER * sizeof(Number)) Together { Number of[PER]; };

// PER numbers for every state: the rows, and rows plus emissions. Returns the part of T that follows them.
__device__ __forceinline__ Number* lay_out(int states, Together*& row, Together*& ready) {
    Together* all = reinterpret_cast<Together*>(shared_memory);
    int team = threadIdx.x / WIDTH;
    row = all + team * states;
    ready = all + (TEAMS + team) * states;
    return reinterpret_cast<Number*>(all + 2 * TEAMS * states);
}

__device__ __forceinline__ void bring(Number* slab, const Number* transitions, int first, int last, int states) {
    for (int at = threadIdx.x; at < (last - first) * states; at += blockDim.x)
        slab[at] = transitions[(long long)first * states + at];
}

extern "C" __global__ void advance(const Number* transitions, const Number* emissions, const unsigned char* seen,
                                   Number* current, int* active, Number* rows, int correct, Sizes sizes) {
    __shared__ int same[2][TEAMS][PER];
    Together *row, *ready;
    int states = sizes.states, team = threadIdx.x / WIDTH, x = threadIdx.x % WIDTH;
    Number* slab = lay_out(states, row, ready);
    int turns = (states + WIDTH - 1) / WIDTH, piece = (blockIdx.x * TEAMS + team) * PER;
    int first[PER], last[PER];
    bool working[PER];
#pragma unroll
    for (int q = 0; q < PER; q++) {
        int p = piece + q, begin = p / sizes.repeat * sizes.length;
        first[q] = begin + sizes.offset;
        last[q] = min(min(begin + sizes.length, sizes.steps), first[q] + sizes.count);
        working[q] = p < sizes.pieces && first[q] < last[q] && active[p];
        for (int s = x; s < states; s += WIDTH)
            row[s].of[q] = working[q] ? current[(long long)p * states + s] : infinite();
    }
    if (SHARED && sizes.height >= states) bring(slab, transitions, 0, states, states);
    for (int done = 0; done < sizes.count; done++) {
        bool more = false;
#pragma unroll
        for (int q = 0; q < PER; q++) {
            bool now = working[q] && first[q] + done < last[q];
            more |= now;
            const Number* emission = emissions + (now ? (long long)seen[first[q] + done] * states : 0);
            for (int s = x; s < states; s += WIDTH)
                ready[s].of[q] = now ? saturated(row[s].of[q] + emission[s]) : infinite();
            if (x == 0) same[done & 1][team][q] = 1;
        }
        if (!__syncthreads_or(more)) break;
        for (int turn = 0; turn < turns; turn++) {
            int s = turn * WIDTH + x;
            Number best[PER], least[PER];
#pragma unroll
            for (int q = 0; q < PER; q++) best[q] = least[q] = infinite();
            for (int from = 0; from < states; from += sizes.height) {
                int to = min(from + sizes.height, states);
                if (SHARED && sizes.height < states) {
                    __syncthreads();
                    bring(slab, transitions, from, to, states);
                    __syncthreads();
                }
                if (s >= states) continue;
                const Number* column = SHARED ? slab + s : transitions + (long long)from * states + s;
                for (int before = from; before < to; before++, column += states) {
                    Number cost = SHARED ? *column : __ldg(column);
                    Together left = ready[before];
#pragma unroll
                    for (int q = 0; q < PER; q++) {
                        best[q] = step(best[q], left.of[q], cost);
                        least[q] = min(least[q], left.of[q]);
                    }
                }
            }
            if (s >= states) continue;
#pragma unroll
            for (int q = 0; q < PER; q++) {
                if (!working[q] || first[q] + done >= last[q]) continue;
                Number value = NORMALISE && best[q] < infinite() ? best[q] - least[q] : best[q];
                row[s].of[q] = value;
                if (rows != nullptr && (piece + q) % sizes.repeat == 0) {
                    Number* kept = rows + (long long)(first[q] + done + 1) * states + s;
                    if (correct && *kept != value) same[done & 1][team][q] = 0;
                    *kept = value;
                }
            }
        }
        __syncthreads();
        if (correct) {
#pragma unroll
            for (int q = 0; q < PER; q++)
                if (working[q] && first[q] + done < last[q] && same[done & 1][team][q]) {
                    working[q] = false;
                    if (x == 0) active[piece + q] = 0;
                }
        }
    }
#pragma unroll
    for (int q = 0; q < PER; q++)
        if (working[q])
            for (int s = x; s < states; s += WIDTH) current[(long long)(piece + q) * states + s] = row[s].of[q];
}

// Before a round of corrections, a block a piece: a piece starts again where the end of the piece before is not what it
// started from.
extern "C" __global__ void prepare(const Number* ends, Number* used, Number* current, int* active, int states) {
    int p = blockIdx.x;
    long long own = (long long)p * states;
    bool differs = false;
    if (p > 0)
        for (int s = threadIdx.x; s < states; s += blockDim.x) {
            Number start = ends[own - states + s];
            differs |= start != used[own + s];
            used[own + s] = current[own + s] = start;
        }
    differs = __syncthreads_or(differs);
    if (threadIdx.x == 0) active[p] = differs;
}

// After a round: the new ends of the pieces that were changed to their end; `changed` counts them.
extern "C" __global__ void settle(const Number* current, const int* active, Number* ends, int* changed, int states) {
    int p = blockIdx.x;
    if (!active[p]) return;
    for (int s = threadIdx.x; s < states; s += blockDim.x)
        ends[(long long)p * states + s] = current[(long long)p * states + s];
    if (threadIdx.x == 0) atomicAdd(changed, 1);
}

// A level of the tree of products, block (node, row): products of pairs; the last one without a partner goes up as it is.
extern "C" __global__ void join(const Number* below, Number* above, int nodes, int states) {
    long long size = (long long)states * states;
    int node = blockIdx.x, r = blockIdx.y;
    const Number* left = below + 2 * node * size + (long long)r * states;
    const Number* right = below + (2 * node + 1) * size;
    for (int s = threadIdx.x; s < states; s += blockDim.x) {
        Number best = infinite();
        if (2 * node + 1 < nodes)
            for (int k = 0; k < states; k++) best = step(best, left[k], right[(long long)k * states + s]);
        else
            best = left[s];
        above[node * size + (long long)r * states + s] = best;
    }
}

// Down the tree, a block a node of the lower level: a left child starts where its parent does, a right one after its
// left sibling.
extern "C" __global__ void descend(const Number* starts, const Number* level, Number* below, int states) {
    int node = blockIdx.x;
    long long size = (long long)states * states;
    const Number* start = starts + (long long)(node / 2) * states;
    for (int s = threadIdx.x; s < states; s += blockDim.x) {
        Number best = infinite();
        if (node % 2)
            for (int k = 0; k < states; k++)
                best = step(best, start[k], level[(node - 1) * size + (long long)k * states + s]);
        else
            best = start[s];
        below[(long long)node * states + s] = best;
    }
}
