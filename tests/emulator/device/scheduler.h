// What a launch is, and how it ends.
#pragma once

#include <string>

#include "runtime.h"

namespace cuda_on_cpu {

struct Launch {
    const char* name;
    void (*call)(void* const* arguments);
    void* const* arguments;
    dim3 grid, block;
    unsigned long long dynamic_shared;   // bytes
    unsigned resident;                   // blocks at a time
    unsigned multiprocessors;
    unsigned long long seed;             // 0: threads take turns; else their order, and that of blocks, is random
    double seconds;                      // of the CPU, after which a launch is taken for endless
};

// Runs all threads to their ends; false, and a report, where a kernel cannot go on.
bool run(const Launch& launch, std::string& report);

// Ends the launch with a report; `place` is an address in the kernel, or null.
[[noreturn]] void fail_at(const std::string& why, void* place);

// While a launch runs, an access that traps ends it with a report instead of ending the process.
void catch_signals(double seconds);
void leave_signals();

}  // namespace cuda_on_cpu
