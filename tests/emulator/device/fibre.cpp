#include "fibre.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>
#include <vector>

#if defined(__x86_64__)
// void cuda_on_cpu_change(void** from, void* to): what the System V calling convention has a function preserve is kept
// on the stack that is left. The floating-point control words are the same in all fibres.
asm(R"(
.text
.globl cuda_on_cpu_change
.type cuda_on_cpu_change, @function
cuda_on_cpu_change:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size cuda_on_cpu_change, .-cuda_on_cpu_change
)");
extern "C" __attribute__((visibility("hidden"))) void cuda_on_cpu_change(void** from, void* to);
#endif

namespace cuda_on_cpu {

#if defined(__x86_64__)

void Context::prepare(char* stack, size_t bytes, void (*entry)()) {
    auto* top = reinterpret_cast<void**>(stack + bytes / 16 * 16);
    *--top = nullptr;                        // where `entry` would return to: it never does
    *--top = reinterpret_cast<void*>(entry);
    for (int saved = 0; saved < 6; ++saved) *--top = nullptr;
    stack_pointer = top;
}

void Context::change(Context& from, Context& to) { cuda_on_cpu_change(&from.stack_pointer, to.stack_pointer); }

#else

void Context::prepare(char* stack, size_t bytes, void (*entry)()) {
    getcontext(&context);
    context.uc_stack.ss_sp = stack;
    context.uc_stack.ss_size = bytes;
    context.uc_link = nullptr;
    makecontext(&context, entry, 0);
}

void Context::change(Context& from, Context& to) { swapcontext(&from.context, &to.context); }

#endif

namespace {

std::vector<char*> every, unused;

size_t page() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

char* take_stack() {
    if (unused.empty()) {
        void* low = mmap(nullptr, page() + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (low == MAP_FAILED) throw std::bad_alloc();
        mprotect(low, page(), PROT_NONE);
        every.push_back(static_cast<char*>(low) + page());
        unused.push_back(every.back());
    }
    char* stack = unused.back();
    unused.pop_back();
    return stack;
}

void give_stack_back(char* stack) { unused.push_back(stack); }

void give_all_stacks_back() { unused = every; }

// Stacks start at different places of a page, so that the lanes of a warp do not compete for the same lines of a cache.
size_t stack_start(char* stack) {
    size_t number = reinterpret_cast<uintptr_t>(stack) / (page() + STACK_BYTES);
    return STACK_BYTES - number % 12 * 320;
}

bool overflows_a_stack(const void* address) {
    for (char* stack : every)
        if (address < stack && address >= stack - page()) return true;
    return false;
}

}  // namespace cuda_on_cpu
