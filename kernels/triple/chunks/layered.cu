// LAYERED, phase 1 (000, section 4.1): the score, and what the alignments keep. Needs sweep.cuh, compiled with LAYERED = 1.

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) layered(
    CUBE_PARAMETERS(of), FACES_PARAMETERS(of), SLICE_PARAMETERS(slice), unsigned* ticket, int* last_cell, Event* log) {
    static_assert(LAYERED == 1, "the order of the steps");
    sweep(CUBE_OF(of), FACES_OF(of), SLICE_OF(slice), ticket, last_cell, log);
}
