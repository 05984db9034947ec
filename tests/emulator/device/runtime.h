// What kernels see of the emulated device: the thread that runs now, meetings of lanes, barriers, shared memory.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "vector_types.h"

namespace cuda_on_cpu {

struct Thread {
    uint3 index, block;
};

extern Thread* current;
extern dim3 block_size, grid_size;
extern unsigned multiprocessors;

// Warp-wide operations. All lanes of a mask meet; lanes that have ended are not waited for.
enum Operation {
    SYNC, SHUFFLE, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR, BALLOT, ANY, ALL, MATCH_ANY, MATCH_ALL,
    REDUCE_ADD, REDUCE_MIN, REDUCE_MAX, REDUCE_MIN_UNSIGNED, REDUCE_MAX_UNSIGNED, REDUCE_AND, REDUCE_OR, REDUCE_XOR
};
uint64_t meet(unsigned mask, Operation operation, uint64_t value, int argument, int width);

// Barriers of a block; the result combines the predicates of all its threads.
enum Barrier { PLAIN, COUNT, AND, OR };
int barrier(Barrier kind, int predicate);

void yield();                        // lets other threads run: every load that may be a poll calls it
void wrote();                        // memory was written that others may wait for

// Weak memory. Where the order of threads is random, words stored by store_later() are seen in a random order too, some
// at every show_some(), all at show_all() and at the end of a launch.
void store_later(void* address, const void* value, unsigned bytes, unsigned bytes_a_word);
void show_some();
void show_all();
long long clock_ns();                // lets other threads run: kernels wait for times
[[noreturn]] void fail(const char* message);

// A `__shared__` variable: its place is the same in every block of a launch.
struct SharedVariable {
    unsigned launch = 0;
    size_t place = 0;
    void* of_block(size_t bytes, size_t alignment);
};
void* dynamic_shared();

// What Python sees of a kernel's parameter: its size, and 'p', 'i', 'f' or 's' for pointer, integer, float, structure.
struct Parameter {
    int size;
    char kind;
};

}  // namespace cuda_on_cpu
