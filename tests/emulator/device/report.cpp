// Who waits where: what a developer needs to know of a launch that cannot go on.
#include <dlfcn.h>

#include <cstdio>
#include <map>
#include <tuple>

#include "state.h"

namespace cuda_on_cpu {

std::string in_kernel(void* place) {
    Dl_info found, own;
    if (!place || !dladdr(place, &found) || !dladdr(reinterpret_cast<void*>(state.launch->call), &own)) return "";
    if (found.dli_fbase != own.dli_fbase) return "";
    char text[64];
    // A place is behind the call that waits.
    std::snprintf(text, sizeof text, " {%tx}", static_cast<char*>(place) - static_cast<char*>(found.dli_fbase) - 1);
    return text;
}

std::string named(const Thread& thread) {
    char text[240];
    const uint3 block = thread.block, index = thread.index;
    std::snprintf(text, sizeof text, "kernel %s, block (%u, %u, %u), thread (%u, %u, %u)", state.launch->name, block.x,
                  block.y, block.z, index.x, index.y, index.z);
    return text;
}

std::string waiting() {
    std::map<std::tuple<std::string, unsigned, void*>, std::vector<const Fibre*>> groups;
    for (const Warp& warp : state.warps)
        for (unsigned lane = 0; lane < 32; ++lane) {
            if (warp.ended >> lane & 1u) continue;
            const Fibre& fibre = warp.fibres[lane];
            groups[{fibre.waits_for ? fibre.waits_for : "memory (polling)", fibre.mask, fibre.place}].push_back(&fibre);
        }
    std::string text;
    for (const auto& [reason, members] : groups) {
        const auto& [name, mask, place] = reason;
        char of_mask[32] = "";
        if (mask) std::snprintf(of_mask, sizeof of_mask, " of mask %08x", mask);
        text += "\n  " + std::to_string(members.size()) + " wait for " + name + of_mask + in_kernel(place) +
                ", the first is " + named(*members[0]);
    }
    return text;
}

}  // namespace cuda_on_cpu
