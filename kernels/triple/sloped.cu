// SLOPED, phase 1 (000, section 4.2): the score, and what the alignments keep. Needs sweep.cuh, compiled with LAYERED = 0.

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) sloped(
    SWEEP_ARGUMENTS, int first, int last, unsigned* ticket, int* last_cell, Event* log) {
    static_assert(LAYERED == 0, "the order of the steps");
    sweep(CUBE_OF_ARGUMENTS, FACES_OF_ARGUMENTS, {first, last}, ticket, last_cell, log);
}
