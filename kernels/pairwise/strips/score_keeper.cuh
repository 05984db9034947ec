// The part of a StripedScore lane that stores special rows and columns for CheckpointedAlignment (striped_score.cu).
//
// Computes: where H and G of the next special row, and H and K of a strip's right boundary, are stored.
//
// Threads: a lane stores its own columns of a row; the last lane of a warp stores the boundary column.
//
// Memory: rows and columns in global memory (Checkpoints), whose slots are used in turn where they are few.
//
// Compile-time: CHECKPOINTS.

struct Keeper {
    static constexpr bool KEEPS = CHECKPOINTS;
    int id, left;                    // lane; columns left of its first one
    int kept_row, m, n;              // next row to keep; size of the problem
    Values* kept_column;             // where the strip's right boundary is kept, or null
    Checkpoints checkpoints;
    Values* row_place;               // where the lane's part of row kept_row goes
    int placed_row;                  // the row that this is true of
    int key_scale;                   // where scores are KEYED
#if PRUNED
    int near, far;                   // how far below H values of a warp, and below its base a boundary cell, can be
#endif

    __device__ __forceinline__ void place(int strip, int lane) {
        id = lane, left = (strip * LANES + lane) * R;
        int right = (strip + 1) * LANES * R;
        bool keeps = CHECKPOINTS && right % checkpoints.tile == 0 && right < n;
        long long place = static_cast<long long>(right / checkpoints.tile - 1) * checkpoints.height;
        kept_column = keeps ? checkpoints.columns + place : nullptr;
        placed_row = 0;
    }

    __device__ __forceinline__ void keep_cell(int at_row, Edge edge) {
        if (!CHECKPOINTS || !kept_column) return;
        int place = at_row - 1;
        if (place >= checkpoints.height) place %= checkpoints.height;        // slow, and rarely needed
        kept_column[place] = values_of(edge);
    }

    __device__ __forceinline__ int kept_after(int row) const { return multiple_after(checkpoints.tile, row); }

    // Called between two kept rows. Lanes reach a kept row one after another, and waiting strips do so along it,
    // so all but the stores is done here.
    __device__ __forceinline__ void find_row_place() {
        if (!CHECKPOINTS || placed_row == kept_row) return;
        int slot = (kept_row / checkpoints.tile - 1) % checkpoints.slots;
        row_place = checkpoints.rows + static_cast<long long>(slot) * checkpoints.width + left;
        placed_row = kept_row;
    }
};
