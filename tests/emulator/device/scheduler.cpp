// Runs the threads of a launch as fibres on one thread of the CPU. A thread runs until it waits for others, polls, or
// ends. Then the next lane of its warp runs, or, after a poll, the next warp; blocks are resident together as on a
// device, and another starts where one has ended. Where no thread can run, their places are the report of a deadlock.
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "state.h"

namespace cuda_on_cpu {

Thread* current = nullptr;
dim3 block_size, grid_size;
unsigned multiprocessors = 1;
State state;

namespace {

Context caller;
sigjmp_buf failure;
std::string message;
std::mutex one_launch;

[[noreturn]] void give_up(const std::string& why) {
    message = why;
    siglongjmp(failure, 1);
}

[[noreturn]] void deadlock(const char* why) {
    give_up(std::string("deadlock in kernel ") + state.launch->name + ": " + why + waiting());
}

void rest(Warp& warp, unsigned lane) {
    warp.ready &= ~(1u << lane);
    if (!warp.ready) state.runnable[warp.number / 64] &= ~(1ull << warp.number % 64);
}

Fibre* lane_after(Warp& warp, unsigned lane) {
    unsigned later = warp.ready & ~((2u << lane) - 1u);
    return warp.fibres + __builtin_ctz(later ? later : warp.ready);
}

// A ready lane of the next warp that has one, or null.
Fibre* warp_after(unsigned number) {
    const size_t words = state.runnable.size();
    uint64_t later = state.runnable[number / 64] & ~((2ull << number % 64) - 1u);
    for (size_t word = number / 64, seen = 0; seen <= words; ++seen) {
        if (later) {
            Warp& warp = state.warps[64 * word + __builtin_ctzll(later)];
            return lane_after(warp, state.shuffled() ? state.dice.below(32) : warp.last);
        }
        word = word + 1 < words ? word + 1 : 0;
        later = state.runnable[word];
    }
    return nullptr;
}

// The thread that runs when this one cannot: another lane of its warp if there is one.
Fibre* next_after(Fibre& fibre) {
    Warp& warp = *fibre.warp;
    if (state.shuffled()) {
        const unsigned drawn = state.dice.below(64);
        if (warp.ready && drawn < 32) return lane_after(warp, drawn);
        return warp_after(state.dice.below(state.warps.size()));
    }
    return warp.ready ? lane_after(warp, fibre.lane) : warp_after(warp.number);
}

void make_current(Fibre& fibre) {
    current = &fibre;
    fibre.warp->last = fibre.lane;
}

void run_threads();

void start(Fibre& fibre) {
    fibre.stack = take_stack();
    fibre.context.prepare(fibre.stack, stack_start(fibre.stack), run_threads);
}

void change(Fibre& from, Fibre& to) {
    if (&from == &to) return;
    if (!to.stack) start(to);
    make_current(to);
    Context::change(from.context, to.context);
}

uint3 block_index(unsigned long long number) {
    if (state.shuffled()) number = state.order[number];
    return {static_cast<unsigned>(number % grid_size.x), static_cast<unsigned>(number / grid_size.x % grid_size.y),
            static_cast<unsigned>(number / grid_size.x / grid_size.y)};
}

uint3 thread_index(unsigned number) {
    return {number % block_size.x, number / block_size.x % block_size.y, number / block_size.x / block_size.y};
}

// Puts the next block of the grid, if any, where one has ended.
void start_block(Block& block) {
    if (state.blocks_begun == state.blocks_in_grid) return;
    const uint3 index = block_index(state.blocks_begun++);
    const unsigned threads = state.threads_a_block;
    block.threads = threads, block.arrived = block.votes = 0;
    block.shared.forget();
    for (unsigned number = 0; number < threads; ++number) {
        Warp& warp = block.warps[number / 32];
        Fibre& fibre = warp.fibres[number % 32];
        fibre.block = index, fibre.index = thread_index(number);
        fibre.warp = &warp, fibre.lane = number % 32;
        fibre.stack = nullptr, fibre.waits_for = nullptr, fibre.mask = 0, fibre.place = nullptr;
    }
    for (unsigned number = 0; number < state.warps_a_block; ++number) {
        Warp& warp = block.warps[number];
        const unsigned lanes = std::min(32u, threads - 32 * number), there = lanes == 32 ? ~0u : (1u << lanes) - 1u;
        warp.ready = 0, warp.ended = ~there, warp.at_barrier = 0, warp.last = 31, warp.meetings.count = 0;
        wake(warp, there);
    }
}

void end_thread(Fibre& fibre) {
    Warp& warp = *fibre.warp;
    Block& block = *warp.block;
    rest(warp, fibre.lane);
    warp.ended |= 1u << fibre.lane;
    state.quiet_polls = 0;
    while (unsigned lanes = warp.meetings.complete_without(warp.ended)) wake(warp, lanes);
    if (--block.threads == 0) start_block(block);
    else if (block.arrived == block.threads) release(block);
}

bool any_thread_is_left() {
    return std::any_of(state.blocks.begin(), state.blocks.end(), [](const Block& block) { return block.threads > 0; });
}

// A fibre's life. Its stack goes to the next thread, if that has none yet.
void run_threads() {
    while (true) {
        state.launch->call(state.launch->arguments);
        Fibre& me = running();
        char* stack = me.stack;
        end_thread(me);
        Fibre* next = next_after(me);
        if (!next && any_thread_is_left()) deadlock("no thread can go on");
        if (next) make_current(*next);
        if (next && !next->stack) {
            next->stack = stack;
            continue;
        }
        give_stack_back(stack);
        Context ended;
        Context::change(ended, next ? next->context : caller);
    }
}

void place_blocks() {
    const size_t together = std::min<unsigned long long>(state.blocks_in_grid, std::max(1u, state.launch->resident));
    const size_t warps = together * state.warps_a_block;
    state.fibres.resize(std::max(state.fibres.size(), 32 * warps));
    state.warps.resize(warps);
    state.blocks.resize(together);
    state.runnable.assign(warps / 64 + 1, 0);
    for (size_t index = 0; index < warps; ++index) {
        Warp& warp = state.warps[index];
        warp.fibres = &state.fibres[32 * index], warp.number = index;
        warp.block = &state.blocks[index / state.warps_a_block];
    }
    for (size_t index = 0; index < together; ++index) {
        Block& block = state.blocks[index];
        block.warps = &state.warps[index * state.warps_a_block];
        block.shared.resize(state.launch->dynamic_shared);
        start_block(block);
    }
}

void prepare(const Launch& launch) {
    state.launch = &launch;
    ++state.launch_number;
    block_size = launch.block, grid_size = launch.grid, multiprocessors = launch.multiprocessors;
    state.threads_a_block = block_size.x * block_size.y * block_size.z;
    state.warps_a_block = (state.threads_a_block + 31) / 32;
    state.blocks_in_grid = 1ull * grid_size.x * grid_size.y * grid_size.z;
    state.blocks_begun = 0, state.static_shared = 0, state.quiet_polls = 0;
    state.dice.seed(launch.seed);
    state.order.resize(state.shuffled() ? state.blocks_in_grid : 0);
    for (size_t index = 0; index < state.order.size(); ++index) state.order[index] = index;
    std::shuffle(state.order.begin(), state.order.end(), state.dice);
    place_blocks();
}

}  // namespace

bool run(const Launch& launch, std::string& report) {
    std::lock_guard lock(one_launch);
    const bool failed = sigsetjmp(failure, 1);
    if (!failed) {
        prepare(launch);
        catch_signals(launch.seconds);
        Fibre* first = warp_after(0);
        start(*first);
        make_current(*first);
        Context::change(caller, first->context);
    }
    leave_signals();
    show_all();
    current = nullptr;
    give_all_stacks_back();
    if (failed) report = message;
    return !failed;
}

void wake(Warp& warp, unsigned lanes) {
    if (!lanes) return;
    warp.ready |= lanes;
    state.runnable[warp.number / 64] |= 1ull << warp.number % 64;
}

void wait_for(const char* what, unsigned mask, void* place) {
    Fibre& me = running();
    me.waits_for = what, me.mask = mask, me.place = place;
    rest(*me.warp, me.lane);
    Fibre* next = next_after(me);
    if (!next) deadlock("no thread can go on");
    change(me, *next);
    me.waits_for = nullptr, me.mask = 0;
}

void poll(void* place) {
    Fibre& me = running();
    me.place = place;
    // Many threads poll while few come forward.
    if (++state.quiet_polls > 20'000'000 + 100'000 * static_cast<long>(32 * state.warps.size()))
        deadlock("its threads poll, and none writes");
    change(me, *(state.shuffled() ? next_after(me) : warp_after(me.warp->number)));
}

void fail_at(const std::string& why, void* place) { give_up(why + in_kernel(place) + " in " + named(*current)); }

}  // namespace cuda_on_cpu

// Whether the launch failed; the report is for people.
extern "C" int emulator_launch(const cuda_on_cpu::Launch* launch, char* report, size_t room) {
    std::string text;
    if (cuda_on_cpu::run(*launch, text)) return 0;
    std::snprintf(report, room, "%s", text.c_str());
    return 1;
}
