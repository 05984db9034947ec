// Runs the threads of a launch as fibres on one thread of the CPU. A thread runs until it waits for others, polls, or
// ends. Then the next lane of its warp runs, or, after a poll, the next warp; blocks are resident together as on a
// device, and another starts where one has ended. Where no thread can run, their places are the report of a deadlock.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "device_memory.h"
#include "fibre.h"
#include "meeting.h"
#include "runtime.h"
#include "scheduler.h"

namespace cuda_on_cpu {

Thread* current = nullptr;
dim3 block_size, grid_size;
unsigned multiprocessors = 1;

namespace {

constexpr long MOST_QUIET_POLLS = 50'000'000;

struct Warp;

struct Fibre : Thread {
    Context context;
    char* stack = nullptr;                   // null before it starts
    Warp* warp = nullptr;
    unsigned lane = 0;
    const char* waits_for = nullptr;
    unsigned mask = 0;
    void* place = nullptr;                   // in the kernel, where it waits
};

struct Block;

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

// One launch.
const Launch* request;
unsigned launch_number = 0;
size_t static_shared;
unsigned long long blocks_begun, blocks_in_grid;
unsigned warps_a_block, threads_a_block;
std::vector<Fibre> fibres;
std::vector<Warp> warps;
std::vector<Block> blocks;
std::vector<uint64_t> runnable;              // a bit for every warp that has a ready lane
std::vector<unsigned long long> order;       // of blocks, where it is random
std::mt19937_64 dice;
long quiet_polls;
Context caller;
sigjmp_buf failure;
std::string message;
std::mutex one_launch;

Fibre& running() { return *static_cast<Fibre*>(current); }

bool shuffled() { return request->seed != 0; }

void wake(Warp& warp, unsigned lanes) {
    warp.ready |= lanes;
    runnable[warp.number / 64] |= 1ull << warp.number % 64;
}

void rest(Warp& warp, unsigned lane) {
    warp.ready &= ~(1u << lane);
    if (!warp.ready) runnable[warp.number / 64] &= ~(1ull << warp.number % 64);
}

Fibre* lane_after(Warp& warp, unsigned lane) {
    unsigned later = warp.ready & ~((2u << lane) - 1u);
    return warp.fibres + __builtin_ctz(later ? later : warp.ready);
}

// A ready lane of the next warp that has one, or null.
Fibre* warp_after(unsigned number) {
    const size_t words = runnable.size();
    uint64_t later = runnable[number / 64] & ~((2ull << number % 64) - 1u);
    for (size_t word = number / 64, seen = 0; seen <= words; ++seen) {
        if (later) {
            Warp& warp = warps[64 * word + __builtin_ctzll(later)];
            return lane_after(warp, shuffled() ? dice() % 32 : warp.last);
        }
        word = word + 1 < words ? word + 1 : 0;
        later = runnable[word];
    }
    return nullptr;
}

void run_threads();

void begin(Fibre& fibre, char* stack) {
    fibre.stack = stack;
    fibre.context.prepare(stack, stack_start(stack), run_threads);
}

void make_current(Fibre& fibre) {
    current = &fibre;
    fibre.warp->last = fibre.lane;
}

void change(Fibre& from, Fibre& to) {
    if (&from == &to) return;
    if (!to.stack) begin(to, take_stack());
    make_current(to);
    Context::change(from.context, to.context);
}

Fibre* next_after(Fibre& fibre) {
    Warp& warp = *fibre.warp;
    if (shuffled()) {
        if (warp.ready && dice() % 2) return lane_after(warp, dice() % 32);
        return warp_after(dice() % warps.size());
    }
    return warp.ready ? lane_after(warp, fibre.lane) : warp_after(warp.number);
}

std::string where(void* place) {
    Dl_info found;
    if (!place || !dladdr(place, &found)) return "";
    char text[64];
    // Python puts file and line there.
    std::snprintf(text, sizeof text, " {%tx}", static_cast<char*>(place) - static_cast<char*>(found.dli_fbase) - 1);
    return text;
}

std::string named(const Thread& thread) {
    char text[160];
    std::snprintf(text, sizeof text, "kernel %s, block (%u, %u, %u), thread (%u, %u, %u)", request->name, thread.block.x,
                  thread.block.y, thread.block.z, thread.index.x, thread.index.y, thread.index.z);
    return text;
}

[[noreturn]] void give_up(const std::string& why) {
    message = why;
    siglongjmp(failure, 1);
}

std::string waiting() {
    std::map<std::tuple<std::string, unsigned, void*>, std::vector<const Fibre*>> groups;
    for (const Warp& warp : warps)
        for (unsigned lane = 0; lane < 32; ++lane)
            if (~warp.ended >> lane & 1u) {
                const Fibre& fibre = warp.fibres[lane];
                groups[{fibre.waits_for ? fibre.waits_for : "others, polling", fibre.mask, fibre.place}].push_back(&fibre);
            }
    std::string text;
    for (const auto& [reason, members] : groups) {
        const auto& [name, mask, place] = reason;
        char line[200];
        std::snprintf(line, sizeof line, "\n  %zu wait for %s", members.size(), name.c_str());
        text += line;
        if (mask) std::snprintf(line, sizeof line, " of mask %08x", mask), text += line;
        text += where(place) + ", first " + named(*members[0]);
    }
    return text;
}

void wait_for(const char* what, unsigned mask, void* place) {
    Fibre& me = running();
    me.waits_for = what, me.mask = mask, me.place = place;
    rest(*me.warp, me.lane);
    Fibre* next = next_after(me);
    if (!next) give_up(std::string("deadlock in kernel ") + request->name + ": no thread can go on" + waiting());
    change(me, *next);
    me.waits_for = nullptr, me.mask = 0;
}

void release(Block& block) {
    block.outcome = block.kind == COUNT ? block.votes : block.kind == AND ? block.votes == block.arrived : block.votes > 0;
    block.arrived = block.votes = 0;
    for (unsigned index = 0; index < warps_a_block; ++index) {
        Warp& warp = block.warps[index];
        if (warp.at_barrier) wake(warp, warp.at_barrier);
        warp.at_barrier = 0;
    }
}

uint3 block_index(unsigned long long number) {
    if (shuffled()) number = order[number];
    return {static_cast<unsigned>(number % grid_size.x), static_cast<unsigned>(number / grid_size.x % grid_size.y),
            static_cast<unsigned>(number / grid_size.x / grid_size.y)};
}

// Puts the next block of the grid, if any, where one has ended.
void start_block(Block& block) {
    if (blocks_begun == blocks_in_grid) return;
    const uint3 index = block_index(blocks_begun++);
    block.threads = threads_a_block, block.arrived = block.votes = 0;
    block.shared.forget();
    for (unsigned number = 0; number < threads_a_block; ++number) {
        Warp& warp = block.warps[number / 32];
        Fibre& fibre = warp.fibres[number % 32];
        fibre.block = index;
        fibre.index = {number % block_size.x, number / block_size.x % block_size.y, number / block_size.x / block_size.y};
        fibre.lane = number % 32, fibre.warp = &warp, fibre.stack = nullptr;
        fibre.waits_for = nullptr, fibre.mask = 0, fibre.place = nullptr;
    }
    for (unsigned number = 0; number < warps_a_block; ++number) {
        Warp& warp = block.warps[number];
        unsigned lanes = std::min(32u, threads_a_block - 32 * number);
        unsigned there = lanes == 32 ? ~0u : (1u << lanes) - 1u;
        warp.ready = 0, warp.ended = ~there, warp.at_barrier = 0, warp.last = 31, warp.meetings.count = 0;
        wake(warp, there);
    }
}

void end_thread(Fibre& fibre) {
    Warp& warp = *fibre.warp;
    Block& block = *warp.block;
    rest(warp, fibre.lane);
    warp.ended |= 1u << fibre.lane;
    quiet_polls = 0;
    while (unsigned lanes = warp.meetings.complete_without(warp.ended)) wake(warp, lanes);
    if (--block.threads == 0) start_block(block);
    else if (block.arrived == block.threads) release(block);
}

// The stack of a thread that has ended goes to the next one, if that has none yet.
void run_threads() {
    while (true) {
        request->call(request->arguments);
        Fibre& me = running();
        char* stack = me.stack;
        const Warp& warp = *me.warp;
        end_thread(me);
        Fibre* next = warp.ready ? next_after(me) : warp_after(warp.number);
        if (!next && std::any_of(blocks.begin(), blocks.end(), [](const Block& block) { return block.threads > 0; }))
            give_up(std::string("deadlock in kernel ") + request->name + ": no thread can go on" + waiting());
        if (next && !next->stack) {
            next->stack = stack;
            make_current(*next);
            continue;
        }
        give_stack_back(stack);
        Context ended;
        if (next) make_current(*next);
        Context::change(ended, next ? next->context : caller);
    }
}

void prepare() {
    block_size = request->block, grid_size = request->grid, multiprocessors = request->multiprocessors;
    threads_a_block = block_size.x * block_size.y * block_size.z;
    warps_a_block = (threads_a_block + 31) / 32;
    blocks_in_grid = 1ull * grid_size.x * grid_size.y * grid_size.z;
    blocks_begun = 0, static_shared = 0, quiet_polls = 0;
    ++launch_number;
    const size_t together = std::min<unsigned long long>(blocks_in_grid, std::max(1u, request->resident));
    dice.seed(request->seed);
    order.resize(shuffled() ? blocks_in_grid : 0);
    for (size_t index = 0; index < order.size(); ++index) order[index] = index;
    std::shuffle(order.begin(), order.end(), dice);
    fibres.resize(std::max(fibres.size(), together * warps_a_block * 32));
    warps.resize(together * warps_a_block);
    blocks.resize(together);
    runnable.assign(warps.size() / 64 + 1, 0);
    for (size_t index = 0; index < warps.size(); ++index) {
        warps[index].fibres = &fibres[32 * index], warps[index].number = index;
        warps[index].block = &blocks[index / warps_a_block];
    }
    for (size_t index = 0; index < blocks.size(); ++index) {
        blocks[index].warps = &warps[index * warps_a_block];
        blocks[index].shared.resize(request->dynamic_shared);
    }
    for (Block& block : blocks) start_block(block);
}

}  // namespace

bool run(const Launch& launch, std::string& report) {
    std::lock_guard lock(one_launch);
    request = &launch;
    const bool failed = sigsetjmp(failure, 1);
    if (!failed) {
        prepare();
        catch_signals();
        Fibre* first = warp_after(0);
        begin(*first, take_stack());
        make_current(*first);
        Context::change(caller, first->context);
    }
    leave_signals();
    current = nullptr;
    give_all_stacks_back();
    if (failed) report = message;
    return !failed;
}

void fail_at(const std::string& why, void* place) {
    give_up(why + where(place) + (current ? " in " + named(*current) : ""));
}

void fail(const char* why) { fail_at(why, __builtin_return_address(0)); }

namespace {

void poll(void* place) {
    Fibre& me = running();
    me.place = place;
    if (++quiet_polls > MOST_QUIET_POLLS)
        give_up(std::string("deadlock in kernel ") + request->name + ": its threads poll, and none writes" + waiting());
    Fibre* next = shuffled() ? next_after(me) : warp_after(me.warp->number);
    change(me, *next);
}

}  // namespace

void yield() { poll(__builtin_return_address(0)); }

void wrote() { quiet_polls = 0; }

long long clock_ns() {
    poll(__builtin_return_address(0));
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int barrier(Barrier kind, int predicate) {
    Fibre& me = running();
    Block& block = *me.warp->block;
    if (block.arrived && block.kind != kind)
        fail_at("threads of a block meet at different kinds of barriers", __builtin_return_address(0));
    block.kind = kind;
    block.votes += predicate != 0;
    if (++block.arrived == block.threads) {
        release(block);
        return block.outcome;
    }
    me.warp->at_barrier |= 1u << me.lane;
    wait_for("__syncthreads", 0, __builtin_return_address(0));
    return block.outcome;
}

uint64_t meet(unsigned mask, Operation operation, uint64_t value, int argument, int width) {
    Fibre& me = running();
    Warp& warp = *me.warp;
    if (!(mask >> me.lane & 1u))
        fail_at(std::string(name_of(operation)) + " by a lane that is not in its mask", __builtin_return_address(0));
    Meetings& meetings = warp.meetings;
    Meeting& meeting = meetings.join(mask, operation);
    if (meeting.operation != operation)
        fail_at(std::string("lanes of one mask meet at ") + name_of(meeting.operation) + " and " + name_of(operation),
                __builtin_return_address(0));
    meeting.arrived |= 1u << me.lane;
    meetings.given[me.lane] = value, meetings.argument[me.lane] = argument, meetings.width[me.lane] = width;
    if (mask & ~(meeting.arrived | warp.ended)) {
        wait_for(name_of(operation), mask, __builtin_return_address(0));
    } else {
        wake(warp, meetings.complete(meeting) & ~(1u << me.lane));
        if (shuffled()) poll(__builtin_return_address(0));
    }
    return meetings.result[me.lane];
}

void* SharedVariable::of_block(size_t bytes, size_t alignment) {
    if (launch != launch_number) {
        launch = launch_number;
        place = (static_shared + alignment - 1) / alignment * alignment;
        static_shared = place + bytes;
        if (static_shared > STATIC_SHARED_BYTES) fail("static shared memory of more than 48 KiB");
    }
    return running().warp->block->shared.fixed + place;
}

void* dynamic_shared() { return running().warp->block->shared.dynamic; }

}  // namespace cuda_on_cpu

// g++ calls it in every basic block of a source that polls volatile variables: no loop keeps others from running.
extern "C" void __sanitizer_cov_trace_pc() {
    static int blocks = 0;
    if (++blocks % 256 || !cuda_on_cpu::current) return;
    cuda_on_cpu::poll(__builtin_return_address(0));
}

extern "C" int emulator_launch(const cuda_on_cpu::Launch* launch, char* report, size_t room) {
    std::string text;
    if (cuda_on_cpu::run(*launch, text)) return 0;
    std::snprintf(report, room, "%s", text.c_str());
    return 1;
}
