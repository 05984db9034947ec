// REAL, the type in which distances are kept.
//
// Computes: nothing.
// Threads: none.
// Memory: DOUBLE is a compile-time constant: 8 bytes a distance where it is set, else 4.

#if DOUBLE
using REAL = double;
#else
using REAL = float;
#endif
