// Threads of the device are fibres: each has a stack, and a change from one to another saves six registers.
#pragma once

#include <stddef.h>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace cuda_on_cpu {

class Context {
  public:
    void prepare(char* stack, size_t bytes, void (*entry)());
    static void change(Context& from, Context& to);

  private:
#if defined(__x86_64__)
    void* stack_pointer;
#else
    ucontext_t context;
#endif
};

constexpr size_t STACK_BYTES = 128 << 10;

char* take_stack();                          // the lowest byte; a page below it cannot be touched
void give_stack_back(char* stack);
void give_all_stacks_back();
size_t stack_start(char* stack);             // bytes of a stack that are used, less than STACK_BYTES
bool overflows_a_stack(const void* address); // whether it is in such a page

}  // namespace cuda_on_cpu
