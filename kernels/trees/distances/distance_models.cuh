// Distances of two rows of an alignment from counts of columns, as on the CPU to the last bit.
//
// Computes: the models of column_distances.py; MODEL is a compile-time constant, one of ModelNumber. The logarithm is
//   that of natural_log.py. No product is fused with a sum: everything is written with operations that round.
// Threads: every function works on the values of the thread that calls it.
// Memory: counts are in registers, the constants of the model are parameters of the kernel.

__device__ __forceinline__ double plus(double a, double b) { return __dadd_rn(a, b); }
__device__ __forceinline__ double minus(double a, double b) { return __dsub_rn(a, b); }
__device__ __forceinline__ double times(double a, double b) { return __dmul_rn(a, b); }

__device__ __forceinline__ double natural_log(double number) {
    const long long bits = __double_as_longlong(number), shift = (bits - LOG_OFFSET) >> 52;
    const double f = minus(__longlong_as_double(bits - shift * (1ll << 52)), 1.0), k = (double)shift;
    const double s = __ddiv_rn(f, plus(2.0, f)), z = times(s, s), w = times(z, z);
    const double odd = times(z, plus(LOG_1, times(w, plus(LOG_3, times(w, plus(LOG_5, times(w, LOG_7)))))));
    const double even = times(w, plus(LOG_2, times(w, plus(LOG_4, times(w, LOG_6)))));
    const double half = times(times(0.5, f), f);
    const double low = plus(times(s, plus(half, plus(even, odd))), times(k, LN2_LOW));
    return minus(times(k, LN2_HIGH), minus(minus(half, low), f));
}

constexpr double NO_NUMBER = 1e300;   // where a logarithm does not exist: beyond every distance, and so are its multiples

// -factor x log(number), or NO_NUMBER.
__device__ __forceinline__ double minus_log(double factor, double number) {
    return number > 0.0 ? times(-factor, natural_log(number)) : NO_NUMBER;
}

__device__ __forceinline__ double minor_of(const double (&F)[4][4], int row, int i, int j) {
    return minus(times(F[row][i], F[row + 1][j]), times(F[row][j], F[row + 1][i]));
}

__device__ __forceinline__ double determinant(const double (&F)[4][4]) {
    double total = times(minor_of(F, 0, 0, 1), minor_of(F, 2, 2, 3));
    total = minus(total, times(minor_of(F, 0, 0, 2), minor_of(F, 2, 1, 3)));
    total = plus(total, times(minor_of(F, 0, 0, 3), minor_of(F, 2, 1, 2)));
    total = plus(total, times(minor_of(F, 0, 1, 2), minor_of(F, 2, 0, 3)));
    total = minus(total, times(minor_of(F, 0, 1, 3), minor_of(F, 2, 0, 2)));
    return plus(total, times(minor_of(F, 0, 2, 3), minor_of(F, 2, 0, 1)));
}

// det F / root of the product of its sums; a base that is in neither row counts as one column of its own.
__device__ inline double determinant_ratio(const int* joint) {
    double F[4][4], G[4][4], rows[4] = {0, 0, 0, 0}, columns[4] = {0, 0, 0, 0};
#pragma unroll
    for (int entry = 0; entry < 16; ++entry) {
        const int row = entry / 4, column = entry % 4;
        F[row][column] = G[column][row] = (double)joint[entry];
        rows[row] = plus(rows[row], F[row][column]);
        columns[column] = plus(columns[column], F[row][column]);
    }
#pragma unroll
    for (int base = 0; base < 4; ++base)
        if (plus(rows[base], columns[base]) == 0.0) F[base][base] = G[base][base] = rows[base] = columns[base] = 1.0;
    double roots[4];
#pragma unroll
    for (int base = 0; base < 4; ++base) roots[base] = __dsqrt_rn(times(rows[base], columns[base]));
    const double product = times(times(roots[0], roots[1]), times(roots[2], roots[3]));
    return product > 0.0 ? __ddiv_rn(times(0.5, plus(determinant(F), determinant(G))), product) : 0.0;
}

// The distance of a pair, before it is bounded; `counts` has COUNTERS numbers, see columns.cu. `n` is at least 1.
__device__ __forceinline__ double corrected_distance(const int* counts, double n, const Model& model) {
    const double second = (double)counts[1];
    if (MODEL == P) return __ddiv_rn(second, n);
    if (MODEL == JUKES_CANTOR) {
        const double whole = times(model.k2, n);
        return minus_log(model.k1, __ddiv_rn(minus(whole, times(model.k3, second)), whole));
    }
    if (MODEL == KIMURA_PROTEIN) {
        const double square = times(times(5.0, n), n);
        const double kept = minus(minus(square, times(times(5.0, n), second)), times(second, second));
        return minus_log(1.0, __ddiv_rn(kept, square));
    }
    if (MODEL == SKETCH) {
        const double alike = max(minus(minus(n, second), times(model.k2, n)), 0.5);
        return minus_log(model.k1, __ddiv_rn(times(2.0, alike), plus(minus(n, times(model.k2, n)), alike)));
    }
    if (MODEL == LOGDET) return minus_log(0.25, determinant_ratio(counts));
    const double within = (double)counts[2];
    if (MODEL == KIMURA) {
        const double first = minus_log(0.5, __ddiv_rn(minus(minus(n, times(2.0, within)), second), n));
        const double rest = minus_log(0.25, __ddiv_rn(minus(n, times(2.0, second)), n));
        return plus(first, rest);
    }
    const double below = (double)counts[3], q = __ddiv_rn(second, n);
    const double purine = times(__ddiv_rn(minus(within, below), n), model.one);
    const double pyrimidine = times(__ddiv_rn(below, n), model.two);
    const double first = minus_log(model.k1, minus(minus(1.0, purine), times(q, model.purines)));
    const double next = minus_log(model.k2, minus(minus(1.0, pyrimidine), times(q, model.pyrimidines)));
    return plus(plus(first, next), minus_log(model.k3, minus(1.0, times(q, model.both))));
}

// The distance of a pair; `is_stated` where no model has it. See distances_of_columns in column_distances.py.
__device__ __forceinline__ double column_distance(const int* counts, int common, const Model& model, bool& is_stated) {
    const double found = corrected_distance(counts, (double)max(common, 1), model);
    is_stated = common == 0 || !(found <= SATURATED);
    return is_stated ? (MODEL == P ? 1.0 : SATURATED) : max(found, 0.0) + 0.0;
}
