// LAYERED, phase 1 (Li et al. 2014, section 4.1). Needs sweep.cuh, compiled with LAYERED = 1.
//
// Recurrence: H'(i, j, k) = max over the seven cells before it (linear.cuh, affine.cuh)
// Threads:    a block per chunk, layer by layer, and in a layer by antidiagonals (cube.cuh).
// Memory:     faces of chunks in global memory, rings of faces in shared memory (cube.cuh).

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) layered(
    CUBE_PARAMETERS(of), FACES_PARAMETERS(of), SLICE_PARAMETERS(slice), unsigned* ticket, int* last_cell, Event* log) {
    static_assert(LAYERED == 1, "the order of the steps");
    sweep(CUBE_OF(of), FACES_OF(of), SLICE_OF(slice), ticket, last_cell, log);
}
