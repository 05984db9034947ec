// Computes: `steps` launches of small_step (measured.cu), each after the one before: dynamic parallelism.
//
// Threads: one thread launches; each launch has `blocks` blocks of `threads` threads.
//
// Memory: `numbers`, one int per launched thread. Compiled as relocatable code and linked with the device runtime.

extern "C" __global__ void launch_steps(int* numbers, int steps, int blocks, int threads) {
    for (int step = 0; step < steps; ++step) small_step<<<blocks, threads>>>(numbers);
}
