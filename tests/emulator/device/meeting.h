// Warp-wide operations: the lanes of a mask leave a value each, and the last one to arrive computes all results.
#pragma once

#include "runtime.h"

namespace cuda_on_cpu {

struct Meeting {
    unsigned mask, arrived;
    Operation operation;
};

struct Meetings {
    int count = 0;                   // disjoint masks, and so at most one a lane, unless the kernel is wrong
    Meeting open[32];
    uint64_t given[32], result[32];
    int argument[32], width[32];

    Meeting& join(unsigned mask, Operation operation);
    unsigned complete(Meeting& meeting);                 // the lanes that may go on
    unsigned complete_without(unsigned ended);           // the same, for one that waits only for these lanes; or 0
};

const char* name_of(Operation operation);

}  // namespace cuda_on_cpu
