// Device memory. An array ends where a page begins that cannot be touched, so that an access beyond it is an error and
// not a wrong number; the few bytes between, and those before the array, are looked at when it is freed.
#include "device_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <utility>

namespace cuda_on_cpu {
namespace {

constexpr size_t ALIGNMENT = 16;             // that of the widest load
constexpr unsigned char UNTOUCHED = 0xA5;

struct Allocation {
    unsigned char* pages;
    size_t usable, bytes;
    bool shared;
};

// Arrays, and dynamic shared memory of blocks; never destroyed, for others look here until the process ends.
std::map<const unsigned char*, Allocation>& allocations = *new std::map<const unsigned char*, Allocation>;
std::mutex guard;

size_t page() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

size_t whole(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

// So many usable bytes and a page behind them that is not; null where there is no memory.
unsigned char* map_fenced(size_t usable) {
    void* low = mmap(nullptr, usable + page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (low == MAP_FAILED) return nullptr;
    mprotect(static_cast<unsigned char*>(low) + usable, page(), PROT_NONE);
    return static_cast<unsigned char*>(low);
}

bool untouched(const unsigned char* from, const unsigned char* to) {
    for (; from < to; ++from)
        if (*from != UNTOUCHED) return false;
    return true;
}

}  // namespace

std::string describe(const void* address) {
    auto* place = static_cast<const unsigned char*>(address);
    char text[160];
    if (place < reinterpret_cast<const unsigned char*>(1 << 16)) {
        std::snprintf(text, sizeof text, "address %p (a null pointer)", address);
        return text;
    }
    for (const auto& [start, found] : allocations) {
        if (place < found.pages || place >= found.pages + found.usable + page()) continue;
        const long long beyond = place - (start + found.bytes), before = start - place;
        const char* side = before > 0 ? "before" : beyond >= 0 ? "beyond" : "after the start of";
        std::snprintf(text, sizeof text, "%lld bytes %s %s of %zu bytes",
                      before > 0 ? before : beyond >= 0 ? beyond : -before, side,
                      found.shared ? "the dynamic shared memory" : "an array", found.bytes);
        return text;
    }
    std::snprintf(text, sizeof text, "address %p, which is no array's", address);
    return text;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fixed(std::exchange(other.fixed, nullptr)), dynamic(other.dynamic), bytes(other.bytes), mapped(other.mapped) {}

SharedMemory::~SharedMemory() { release(); }

void SharedMemory::release() {
    if (!fixed) return;
    munmap(fixed, mapped + page());
    std::lock_guard lock(guard);
    allocations.erase(dynamic);
}

void SharedMemory::resize(size_t dynamic_bytes) {
    if (fixed && bytes == dynamic_bytes) return;
    release();
    bytes = dynamic_bytes;
    mapped = whole(STATIC_SHARED_BYTES + whole(bytes, ALIGNMENT), page());
    fixed = map_fenced(mapped);
    if (!fixed) throw std::bad_alloc();
    dynamic = fixed + mapped - whole(bytes, ALIGNMENT);
    std::lock_guard lock(guard);
    allocations[dynamic] = {fixed, mapped, bytes, true};
}

void SharedMemory::forget() { std::memset(fixed, UNSET, mapped); }

}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

extern "C" void* emulator_allocate(size_t bytes) {
    const size_t room = whole(bytes, ALIGNMENT), usable = whole(room + 64, page());
    unsigned char* low = map_fenced(usable);
    if (!low) return nullptr;
    unsigned char* start = low + usable - room;
    std::memset(low, UNTOUCHED, start - low);
    std::memset(start, UNSET, bytes);
    std::memset(start + bytes, UNTOUCHED, room - bytes);
    std::lock_guard lock(guard);
    allocations[start] = {low, usable, bytes, false};
    return start;
}

// Whether nothing was written around the array.
extern "C" int emulator_free(void* address) {
    std::lock_guard lock(guard);
    auto place = allocations.find(static_cast<unsigned char*>(address));
    const Allocation found = place->second;
    bool clean = untouched(found.pages, place->first) && untouched(place->first + found.bytes, found.pages + found.usable);
    allocations.erase(place);
    munmap(found.pages, found.usable + page());
    return clean;
}
