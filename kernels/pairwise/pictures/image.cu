// Pictures of the matrix: the greatest H of every pixel, and rows and columns that are kept to start again from.
//
// Recurrence: that of StripedScore (value_lane.cuh), swept as in sweep.cuh.
//
// Threads: a warp a strip, as in strip.cuh. A lane keeps the greatest H of each of its columns since the last band of
//     rows ended; at the end of a band, neighbouring columns of the same pixel are combined, and raise it by one atomic
//     maximum.
//
// Memory: all values of a lane are in registers; pixels, kept rows and kept columns are in global memory.
//
// Needs strip.cuh, sweep.cuh and value_lane.cuh. Compile-time: those of strip.cuh; PACKED is 0.

constexpr int VALUES = TWO_PIECES ? 3 : 2;               // kept of a cell: H, and a gap state for each piece of gap costs

struct Lane : ValueLane {
    static constexpr int FIELDS = IMAGE_A_COLUMN * R + IMAGE_A_LANE;
    static constexpr bool KEEPS = true;
    int greatest[R];
    int band, band_end;              // the band that the lane is in, and its last row
    int left, n;                     // columns left of the lane's first one; columns
    int column_place;                // where the strip's right boundary is kept, or -1
    Picture picture;

    __device__ __forceinline__ void place(int strip, int lane) {
        left = (strip * LANES + lane) * R;
        column_place = picture.column_places[strip];
    }

    __device__ __forceinline__ void begin(const Strip& problem) {
        begin_values(problem, left);
#pragma unroll
        for (int c = 0; c < R; ++c) greatest[c] = MINUS_INFINITY;
        band = 0, band_end = picture.bands[0].last_row;
    }

    template <class F>
    __device__ __forceinline__ void visit(F&& keep_value) {
        visit_values(keep_value);
#pragma unroll
        for (int c = 0; c < R; ++c) keep_value(greatest[c]);
        keep_value(band), keep_value(band_end);
    }

    // Stores a cell of kept column `column_place`; the values of a column, from row 0 on, are adjacent.
    __device__ __forceinline__ void leave(int, int at_row, Edge edge) {
        if (column_place < 0) return;
        int* column = picture.columns + VALUES * static_cast<long long>(column_place) * picture.height + at_row;
        column[0] = edge.h, column[picture.height] = edge.k;
#if TWO_PIECES
        column[2 * picture.height] = edge.k2;
#endif
    }

    // Returns the end of the first band that ends below a row; bands are sorted.
    __device__ __forceinline__ int kept_after(int row) const {
        int low = 0, high = picture.band_count;
        while (low < high) {
            int middle = (low + high) / 2;
            if (picture.bands[middle].last_row > row) high = middle;
            else low = middle + 1;
        }
        return low < picture.band_count ? picture.bands[low].last_row : 1 << 30;
    }

    template <bool MASKED, bool ENDING>
    __device__ __forceinline__ void compute(
        const Strip& problem, const Scores& scores, Edge in, int at_row) {
        next_row(problem, scores, in, [&](int c) { greatest[c] = max(greatest[c], h[c]); });
        if (ENDING && at_row == band_end) end_band();
    }

    __device__ void end_band() {
        const Band ended = picture.bands[band];
        int* row = picture.image + static_cast<long long>(ended.pixel_row) * picture.width;
        int pixel = -1, value = 0;
#pragma unroll
        for (int c = 0; c < R; ++c) {
            int column = left + c + 1, at = ended.pixel_row >= 0 && column <= n ? picture.pixel_columns[column] : -1;
            if (at != pixel) {
                if (pixel >= 0) atomicMax(row + pixel, value);
                pixel = at, value = greatest[c];
            }
            value = max(value, greatest[c]);
            greatest[c] = MINUS_INFINITY;
        }
        if (pixel >= 0) atomicMax(row + pixel, value);
        if (ended.place >= 0) keep_row(picture.rows + VALUES * static_cast<long long>(ended.place) * (n + 1));
        band_end = ++band < picture.band_count ? picture.bands[band].last_row : 0;
    }

    __device__ void keep_row(int* values) {
#pragma unroll
        for (int c = 0; c < R; ++c)
            if (left + c < n) {
                values[left + c + 1] = h[c], values[n + 1 + left + c + 1] = g[c];
#if TWO_PIECES
                values[2 * (n + 1) + left + c + 1] = g2[c];
#endif
            }
    }
};

extern "C" __global__ void matrix_image(
    STRIP_PARAMETERS(pair), BOUNDARY_PARAMETERS(boundary), int* state, Event* log, unsigned* ticket,
    SLICE_PARAMETERS(slice), PICTURE_PARAMETERS(shown)) {
    Lane lane;
    lane.n = pair_n, lane.picture = PICTURE_OF(shown);
    sweep(lane, STRIP_OF(pair), BOUNDARY_OF(boundary), SLICE_OF(slice), state, log, ticket);
}
