// Arrays of the device and shared memory of its blocks, both with pages behind them that cannot be touched.
#pragma once

#include <stddef.h>

#include <string>

namespace cuda_on_cpu {

constexpr unsigned char UNSET = 0xCB;        // bytes that no kernel has written yet
constexpr size_t STATIC_SHARED_BYTES = 48 << 10;

std::string describe(const void* address);   // where it is, from the nearest array

class SharedMemory {
  public:
    unsigned char* fixed = nullptr;          // static __shared__ variables
    unsigned char* dynamic = nullptr;        // ends where it cannot be touched

    SharedMemory() = default;
    SharedMemory(SharedMemory&& other) noexcept;
    SharedMemory& operator=(SharedMemory&&) = delete;
    ~SharedMemory();
    void resize(size_t dynamic_bytes);
    void forget();                           // a new block finds nothing of the last one

  private:
    void release();
    size_t bytes = 0, mapped = 0;
};

}  // namespace cuda_on_cpu
