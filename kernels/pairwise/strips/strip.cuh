// What every striped kernel shares. One warp computes one strip.
//
// Recurrence: gap states are shifted by the opening cost so that each is one add-max:
//     T = max(diagonal + score, G - open - extend, [0])      G: vertical, one a column
//     H = max(T, K - open - extend)                          K: horizontal, runs along the row
//     K = max(K - extend, T)          G = max(G - extend, H)
//     K runs over T instead of H: equal, because opening never gains, and one instruction shorter a cell.
//     With TWO_PIECES, G2 and K2 are the gap states of the second piece of gap costs: T is at least G2 - open2 - extend2,
//     U = max(T, K2 - open2 - extend2) takes the place of T in H and K, K2 = max(K2 - extend2, T), and G2 follows H as G does.
//
// Threads: a strip is s = 32 R columns; lane l holds columns l R + 1 .. l R + R of it. At step t lane l works on row
//     t - l + 1, so the warp walks the antidiagonals of its strip. H and K of a lane's last column go to the next lane
//     by a shuffle; lane 0 takes them from the left boundary and lane 31 leaves them on the right boundary.
//
// Memory: H and G of a lane's columns are in registers, the scores of the strip in shared memory, boundaries in global
//     memory.
//
// Compile-time: R columns a lane, LOCAL (floor at 0), TOP_FREE and LEFT_FREE (paths start anywhere on row 0, column 0),
// BOTTOM_FREE and RIGHT_FREE (they end anywhere on the last row, the last column), WIDE (scores beyond one byte), BATCH boundary cells
// handed over at a time (8, 16 or 32), PACKED (packed_lane.cuh: the second part of a lane's columns is a row behind),
// TWO_PIECES (gap_pieces.cuh).
//
// Needs gap_pieces.cuh.

#if WIDE
constexpr int SCORES_A_WORD = 1;                         // scores need all of 32 bits
#else
constexpr int SCORES_A_WORD = 4;
#endif
constexpr int PARTS = PACKED ? 2 : 1;
constexpr int PART_COLUMNS = R / PARTS;
constexpr int PART_WORDS = (PART_COLUMNS + SCORES_A_WORD - 1) / SCORES_A_WORD;
constexpr int WORDS = PARTS * PART_WORDS;
constexpr int VECTOR = PART_WORDS % 4 == 0 ? 4 : PART_WORDS % 2 == 0 ? 2 : 1;
constexpr int PROFILE_STRIDE = WORDS * LANES * 4;        // bytes a letter
constexpr int PAD_SCORE = -1;                            // columns beyond n never raise a score

__device__ __forceinline__ int score_of(const Strip& problem, int letter, int column) {
    return column < problem.n ? problem.table[letter * problem.letters + problem.columns[column]] : PAD_SCORE;
}

// Profile: the score of every letter against every column of the strip,
// [letter][word / VECTOR][lane][word % VECTOR]. The lanes of a warp read different letters without bank
// conflicts, because a lane always reads its own banks.
__device__ void build_profile(const Strip& problem, int first, int lane, unsigned char* profile) {
    for (int letter = 0; letter < problem.letters; ++letter)
        for (int word = 0; word < WORDS; ++word) {
            int column = first + lane * R + word / PART_WORDS * PART_COLUMNS + word % PART_WORDS * SCORES_A_WORD;
            unsigned packed = score_of(problem, letter, column);
            if (SCORES_A_WORD == 4) {
                packed &= 0xffu;
                for (int x = 1; x < 4; ++x) packed |= (score_of(problem, letter, column + x) & 0xffu) << (8 * x);
            }
            int place = (word / VECTOR * LANES + lane) * VECTOR + word % VECTOR;
            reinterpret_cast<unsigned*>(profile + letter * PROFILE_STRIDE)[place] = packed;
        }
}

// The scores of a letter against a lane's columns; of the row before it against the second part of them.
struct Scores {
    unsigned words[WORDS];

    // `now` and `before` are the places of the letters in the profile.
    __device__ __forceinline__ void load(const unsigned char* profile, int now, int before, int lane) {
#pragma unroll
        for (int group = 0; group < WORDS / VECTOR; ++group) {
            const unsigned char* letter = profile + (group * VECTOR < PART_WORDS ? now : before);
            const unsigned* place = reinterpret_cast<const unsigned*>(letter) + (group * LANES + lane) * VECTOR;
            if constexpr (VECTOR == 4) {
                uint4 four = *reinterpret_cast<const uint4*>(place);
                words[4 * group] = four.x, words[4 * group + 1] = four.y;
                words[4 * group + 2] = four.z, words[4 * group + 3] = four.w;
            } else if constexpr (VECTOR == 2) {
                uint2 two = *reinterpret_cast<const uint2*>(place);
                words[2 * group] = two.x, words[2 * group + 1] = two.y;
            } else {
                words[group] = *place;
            }
        }
    }

    // c is a compile-time constant, so one instruction remains.
    __device__ __forceinline__ int operator[](int c) const {
        unsigned word = words[c / SCORES_A_WORD];
        if (SCORES_A_WORD == 1) return word;
        return c % 4 == 0 ? signed_byte<0>(word)
             : c % 4 == 1 ? signed_byte<1>(word)
             : c % 4 == 2 ? signed_byte<2>(word) : signed_byte<3>(word);
    }

    // The scores of column c of both parts.
    __device__ __forceinline__ int both(int c) const {
        unsigned low = words[c / 4], high = words[PART_WORDS + c / 4];
        return c % 4 == 0 ? signed_bytes<0>(low, high)
             : c % 4 == 1 ? signed_bytes<1>(low, high)
             : c % 4 == 2 ? signed_bytes<2>(low, high) : signed_bytes<3>(low, high);
    }
};

// The best score before any cell where a path may end: a local alignment may be empty.
constexpr int NO_END = LOCAL ? 0 : MINUS_INFINITY;

// Calls see(score, c) for the cells of a lane's row where paths may end on the last row or column; `score` returns H of
// its column c, and `left` columns are on its left. A loop of R comparisons is rare: one lane has the last column.
template <class Score, class See>
__device__ __forceinline__ void remember_ends(int row, int left, const Strip& problem, Score&& score, See&& see) {
    if (BOTTOM_FREE && row == problem.m) {
#pragma unroll
        for (int c = 0; c < R; ++c)
            if (left + c < problem.n) see(score(c), c);
    } else if (RIGHT_FREE && left < problem.n && problem.n <= left + R) {
#pragma unroll
        for (int c = 0; c < R; ++c)
            if (left + c + 1 == problem.n) see(score(c), c);
    }
}

// H and G above a column that is counted from 1; H of the corner in column 0.
__device__ __forceinline__ Edge above(const Strip& problem, int column) {
    if (problem.top) return edge_of(problem.top[column]);
    return even_edge(top_border(problem, column));
}

// H and K left of a row that is counted from 1.
__device__ __forceinline__ Edge beside(const Strip& problem, int row) {
    if (problem.left && row <= problem.m) return edge_of(problem.left[row - 1]);
    return even_edge(left_border(problem, row));
}

// Byte offset of a row's letter in the profile; rows are counted from 1.
__device__ __forceinline__ int profile_offset(const Strip& problem, int row) {
    return row >= 1 && row <= problem.m ? problem.rows[row - 1] * PROFILE_STRIDE : 0;
}

// Boundary cells pass between strips as 8 bytes: H, and K shifted left with the parity of the ring's
// round in the freed bit. A reader knows by that bit whether a cell is of this round, so no flag, no
// fence and no reset is needed. |K| < 2^30 by the problem's overflow bound. With TWO_PIECES a cell has a second such word,
// with K2 and the same bit, and is of this round when both words are.
__device__ __forceinline__ unsigned long long pack(int h, int k, unsigned round) {
    unsigned low = static_cast<unsigned>(k) << 1 | round;
    return static_cast<unsigned long long>(static_cast<unsigned>(h)) << 32 | low;
}

constexpr int CELL_WORDS = TWO_PIECES ? 2 : 1;

#if TWO_PIECES
struct BoundaryCell { unsigned long long first, second; };

__device__ __forceinline__ Edge unpack(const BoundaryCell& cell) {
    return {static_cast<int>(cell.first >> 32), static_cast<int>(static_cast<unsigned>(cell.first)) >> 1,
            static_cast<int>(static_cast<unsigned>(cell.second)) >> 1};
}

__device__ __forceinline__ BoundaryCell load_cell(const unsigned long long* cells, int index) {
    return {load_shared_by_all(cells + 2 * index), load_shared_by_all(cells + 2 * index + 1)};
}

__device__ __forceinline__ BoundaryCell read_cell(const unsigned long long* cells, int index) {
    return {cells[2 * index], cells[2 * index + 1]};
}

__device__ __forceinline__ void store_cell(unsigned long long* cells, int index, const Edge& edge, unsigned round) {
    store_shared_by_all(cells + 2 * index, pack(edge.h, edge.k, round));
    store_shared_by_all(cells + 2 * index + 1, pack(0, edge.k2, round));
}

__device__ __forceinline__ bool is_of_round(const BoundaryCell& cell, unsigned round) {
    return (cell.first & 1u) == round && (cell.second & 1u) == round;
}
#else
using BoundaryCell = unsigned long long;

__device__ __forceinline__ Edge unpack(BoundaryCell cell) {
    return {static_cast<int>(cell >> 32), static_cast<int>(static_cast<unsigned>(cell)) >> 1};
}

__device__ __forceinline__ BoundaryCell load_cell(const unsigned long long* cells, int index) {
    return load_shared_by_all(cells + index);
}

__device__ __forceinline__ BoundaryCell read_cell(const unsigned long long* cells, int index) { return cells[index]; }

__device__ __forceinline__ void store_cell(unsigned long long* cells, int index, const Edge& edge, unsigned round) {
    store_shared_by_all(cells + index, pack(edge.h, edge.k, round));
}

__device__ __forceinline__ bool is_of_round(BoundaryCell cell, unsigned round) { return (cell & 1u) == round; }
#endif

// Right boundary of every strip: a ring of `capacity` rows each, filled with ones before the first round.
// Row i has index i + 30 (i + 62 where lanes work on two rows), so that the rows that lane 31 finishes at steps
// t .. t + 31, t a multiple of 32, are adjacent from t on. Every element is written in every round. A ring is longer
// than a slice, so no multiprocessor sees the value from before the first round when the second round begins.
__device__ __forceinline__ unsigned long long* cells_of(const Boundary& boundary, int strip) {
    return boundary.cells + static_cast<long long>(strip) * boundary.capacity * CELL_WORDS;
}

// An index of the ring and the parity of its round, advanced without divisions.
struct Place {
    int index;
    unsigned round;

    __device__ __forceinline__ Place(const Boundary& boundary, int step)
        : index(step % boundary.capacity), round(step / boundary.capacity & 1) {}

    __device__ __forceinline__ void advance(const Boundary& boundary, int steps) {
        index += steps;
        if (index >= boundary.capacity) index -= boundary.capacity, round ^= 1u;
    }
};

// Waits until the left strip has stored the cells that the lanes need; `early` are earlier reads of them. Adds the
// nanoseconds it took to `waited`.
__device__ __forceinline__ Edge receive(
    const unsigned long long* cells, Place place, bool wanted, BoundaryCell early, int& waited) {
    BoundaryCell cell = early;
    if (__any_sync(WARP, wanted && !is_of_round(cell, place.round))) {
        const int began = static_cast<int>(nanoseconds());
        do {
            if (wanted) cell = load_cell(cells, place.index);
        } while (__any_sync(WARP, wanted && !is_of_round(cell, place.round)));
        waited += static_cast<int>(nanoseconds()) - began;
    }
    return unpack(cell);
}
