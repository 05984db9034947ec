// Dynamic parallelism: one thread launches small_step of measured.cu again and again, each after the one before.
// Compiled as relocatable code and linked with the device runtime.

extern "C" __global__ void launch_steps(int* numbers, int steps, int blocks, int threads) {
    for (int step = 0; step < steps; ++step) small_step<<<blocks, threads>>>(numbers);
}
