// What threads wait for: barriers of a block and meetings of lanes. The last to arrive wakes the others.
#include <chrono>
#include <cstring>

#include "state.h"

namespace cuda_on_cpu {

namespace {

struct Word {
    char* address;
    unsigned bytes;
    char value[8];
};
std::vector<Word> hidden;                    // stored and not seen yet, a place once at most
constexpr size_t MOST_HIDDEN = 64;

void show(size_t index) {
    const Word& word = hidden[index];
    std::memcpy(word.address, word.value, word.bytes);
    hidden[index] = hidden.back();
    hidden.pop_back();
    wrote();
}

}  // namespace

void store_later(void* address, const void* value, unsigned bytes, unsigned bytes_a_word) {
    for (unsigned at = 0; at < bytes; at += bytes_a_word) {
        Word word = {static_cast<char*>(address) + at, bytes_a_word, {}};
        (void)*static_cast<volatile char*>(word.address);        // a place beyond an array is reported here
        std::memcpy(word.value, static_cast<const char*>(value) + at, bytes_a_word);
        for (size_t index = 0; index < hidden.size(); ++index)
            if (hidden[index].address == word.address) show(index--);
        hidden.push_back(word);
    }
    if (!state.shuffled()) show_all();
    while (hidden.size() > MOST_HIDDEN) show(state.dice.below(hidden.size()));
}

void show_some() {
    for (unsigned count = state.dice.below(4); count > 0 && !hidden.empty(); --count) show(state.dice.below(hidden.size()));
}

void show_all() {
    while (!hidden.empty()) show(hidden.size() - 1);
}

void yield() { poll(__builtin_return_address(0)); }

void wrote() { state.quiet_polls = 0; }

long long clock_ns() {
    poll(__builtin_return_address(0));
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void fail(const char* message) { fail_at(message, __builtin_return_address(0)); }

void release(Block& block) {
    block.outcome = block.kind == COUNT ? block.votes : block.kind == AND ? block.votes == block.arrived : block.votes > 0;
    block.arrived = block.votes = 0;
    for (unsigned index = 0; index < state.warps_a_block; ++index) {
        Warp& warp = block.warps[index];
        if (warp.at_barrier) wake(warp, warp.at_barrier);
        warp.at_barrier = 0;
    }
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
    Meetings& meetings = warp.meetings;
    if (!(mask >> me.lane & 1u))
        fail_at(std::string(name_of(operation)) + " by a lane that is not in its mask", __builtin_return_address(0));
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
        if (state.shuffled()) poll(__builtin_return_address(0));
    }
    return meetings.result[me.lane];
}

void* SharedVariable::of_block(size_t bytes, size_t alignment) {
    if (launch != state.launch_number) {
        launch = state.launch_number;
        place = (state.static_shared + alignment - 1) / alignment * alignment;
        state.static_shared = place + bytes;
    }
    if (place + bytes > STATIC_SHARED_BYTES)
        fail_at("static shared memory of more than 48 KiB", __builtin_return_address(0));
    return running().warp->block->shared.fixed + place;
}

void* dynamic_shared() { return running().warp->block->shared.dynamic; }

}  // namespace cuda_on_cpu

// g++ calls it in every basic block of a source that polls volatile variables: no loop keeps others from running. Python
// calls functions of such a source, too, while no thread runs.
extern "C" void __sanitizer_cov_trace_pc() {
    static int blocks = 0;
    if (++blocks % 256 == 0 && cuda_on_cpu::current) cuda_on_cpu::poll(__builtin_return_address(0));
}
