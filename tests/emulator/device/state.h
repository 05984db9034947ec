// The launch that runs: its threads, warps and blocks, those that are resident.
#pragma once

#include <string>
#include <vector>

#include "device_memory.h"
#include "fibre.h"
#include "meeting.h"
#include "runtime.h"
#include "scheduler.h"

namespace cuda_on_cpu {

struct Block;
struct Warp;

// Random numbers (splitmix64, Steele, Lea and Flood 2014): an order is drawn at every change of threads.
class Dice {
  public:
    using result_type = uint64_t;
    static constexpr uint64_t min() { return 0; }
    static constexpr uint64_t max() { return ~0ull; }

    void seed(uint64_t number) { sum = number; }
    uint64_t operator()() {
        uint64_t bits = sum += 0x9E3779B97F4A7C15;
        bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9;
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EB;
        return bits ^ bits >> 31;
    }
    unsigned below(unsigned end) { return ((*this)() >> 32) * end >> 32; }

  private:
    uint64_t sum = 0;
};

struct Fibre : Thread {
    Context context;
    char* stack = nullptr;                   // null before it starts
    Warp* warp = nullptr;
    unsigned lane = 0;
    const char* waits_for = nullptr;         // null: it can run
    unsigned mask = 0;                       // of what it waits for
    void* place = nullptr;                   // in the kernel, where it waits or polled
};

struct Warp {
    Block* block;
    unsigned number;                         // among all that are resident
    unsigned ready, ended, at_barrier;       // lanes; those that a small block lacks have ended
    unsigned last;                           // the lane that ran last
    Fibre* fibres;
    Meetings meetings;
};

struct Block {
    Warp* warps;
    unsigned threads, arrived;               // that have not ended; that wait at the barrier
    Barrier kind;
    unsigned votes;
    int outcome;
    SharedMemory shared;
};

struct State {
    const Launch* launch = nullptr;
    unsigned launch_number = 0;
    size_t static_shared = 0;                // bytes of the variables that the launch has used
    unsigned warps_a_block, threads_a_block;
    unsigned long long blocks_begun, blocks_in_grid;
    std::vector<unsigned long long> order;   // of blocks, where it is random
    std::vector<Fibre> fibres;
    std::vector<Warp> warps;
    std::vector<Block> blocks;
    std::vector<uint64_t> runnable;          // a bit for every warp that has a ready lane
    Dice dice;
    long quiet_polls;                        // since memory was written or a thread ended

    bool shuffled() const { return launch->seed != 0; }
};

extern State state;

inline Fibre& running() { return *static_cast<Fibre*>(current); }

// What the scheduler does for threads that wait.
void wake(Warp& warp, unsigned lanes);
void wait_for(const char* what, unsigned mask, void* place);
void poll(void* place);
void release(Block& block);                  // all threads at its barrier

// Reports.
std::string in_kernel(void* place);          // " {1a2b}", an offset that Python turns into file and line; or nothing
std::string named(const Thread& thread);
std::string waiting();                       // who waits for what

}  // namespace cuda_on_cpu
