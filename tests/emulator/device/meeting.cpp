#include "meeting.h"

namespace cuda_on_cpu {
namespace {

constexpr uint64_t UNDEFINED = 0xDEADBEEFDEADBEEF;       // what the device leaves open

// The lane whose value a lane takes, within its segment of `width` lanes (PTX, shfl.sync).
int source(Operation operation, int lane, int argument, int width) {
    const int first = lane & -width, last = first + width - 1;
    int from = operation == SHUFFLE ? first + (argument & (width - 1))
             : operation == SHUFFLE_UP ? lane - argument
             : operation == SHUFFLE_DOWN ? lane + argument : lane ^ argument;
    if (operation == SHUFFLE_UP) return from < first ? lane : from;
    return from > last ? lane : from;
}

uint64_t reduced(Operation operation, uint64_t a, uint64_t b) {
    const int left = static_cast<int>(a), right = static_cast<int>(b);
    switch (operation) {
        case REDUCE_MIN: return static_cast<unsigned>(left < right ? left : right);
        case REDUCE_MAX: return static_cast<unsigned>(left > right ? left : right);
        case REDUCE_MIN_UNSIGNED: return a < b ? a : b;
        case REDUCE_MAX_UNSIGNED: return a > b ? a : b;
        case REDUCE_AND: return a & b;
        case REDUCE_OR: return a | b;
        case REDUCE_XOR: return a ^ b;
        default: return static_cast<unsigned>(left + right);
    }
}

template <class Each>
void for_lanes(unsigned lanes, Each&& each) {
    for (; lanes; lanes &= lanes - 1) each(__builtin_ctz(lanes));
}

}  // namespace

Meeting& Meetings::join(unsigned mask, Operation operation) {
    for (int index = 0; index < count; ++index)
        if (open[index].mask == mask) return open[index];
    return open[count++] = {mask, 0, operation};
}

unsigned Meetings::complete(Meeting& meeting) {
    const unsigned lanes = meeting.arrived;
    const Operation operation = meeting.operation;
    unsigned votes = 0;
    uint64_t all = given[__builtin_ctz(lanes)];
    switch (operation) {
        case SYNC: break;
        case SHUFFLE: case SHUFFLE_UP: case SHUFFLE_DOWN: case SHUFFLE_XOR:
            for_lanes(lanes, [&](int lane) {
                int from = source(operation, lane, argument[lane], width[lane]);
                result[lane] = from >= 0 && lanes >> from & 1u ? given[from] : UNDEFINED;
            });
            break;
        case BALLOT: case ANY: case ALL:
            for_lanes(lanes, [&](int lane) { votes |= static_cast<unsigned>(given[lane]) << lane; });
            all = operation == BALLOT ? votes : operation == ANY ? votes != 0 : votes == lanes;
            for_lanes(lanes, [&](int lane) { result[lane] = all; });
            break;
        case MATCH_ANY: case MATCH_ALL:
            for_lanes(lanes, [&](int lane) {
                result[lane] = 0;
                for_lanes(lanes, [&](int other) { result[lane] |= uint64_t(given[lane] == given[other]) << other; });
                if (operation == MATCH_ALL && result[lane] != lanes) result[lane] = 0;
            });
            break;
        default:
            for_lanes(lanes & (lanes - 1), [&](int lane) { all = reduced(operation, all, given[lane]); });
            for_lanes(lanes, [&](int lane) { result[lane] = all; });
    }
    meeting = open[--count];
    return lanes;
}

unsigned Meetings::complete_without(unsigned ended) {
    for (int index = 0; index < count; ++index)
        if (!(open[index].mask & ~(open[index].arrived | ended))) return complete(open[index]);
    return 0;
}

const char* name_of(Operation operation) {
    static const char* const names[] = {
        "__syncwarp", "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__ballot_sync",
        "__any_sync", "__all_sync", "__match_any_sync", "__match_all_sync", "__reduce_add_sync", "__reduce_min_sync",
        "__reduce_max_sync", "__reduce_min_sync (unsigned)", "__reduce_max_sync (unsigned)", "__reduce_and_sync",
        "__reduce_or_sync", "__reduce_xor_sync"};
    return names[operation];
}

}  // namespace cuda_on_cpu
