// Accesses outside of arrays, misaligned ones, divisions by zero, an interrupt by the user, and a launch that takes
// minutes: all end the launch with a report.
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

#include <string>

#include "device_memory.h"
#include "fibre.h"
#include "scheduler.h"

namespace cuda_on_cpu {
namespace {

constexpr int CAUGHT[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGINT};
constexpr int KINDS = sizeof CAUGHT / sizeof *CAUGHT;

struct sigaction before[KINDS];
stack_t stack_before;
alignas(16) char stack[64 << 10];
pthread_t launching;
bool caught = false, interrupted = false;

void* place_of(void* context) {
#if defined(__x86_64__) && defined(REG_RIP)
    return reinterpret_cast<char*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]) + 1;
#else
    return context ? nullptr : nullptr;
#endif
}

void on_signal(int signal, siginfo_t* info, void* context) {
    if (!pthread_equal(pthread_self(), launching)) {     // not the emulator's: what was there before deals with it
        for (int kind = 0; kind < KINDS; ++kind)
            if (CAUGHT[kind] == signal) sigaction(signal, &before[kind], nullptr);
        if (signal == SIGINT) raise(signal);
        return;
    }
    void* place = place_of(context);
    switch (signal) {
        case SIGILL: fail_at("a misaligned access, or a shift by too many bits,", place);
        case SIGFPE: fail_at("a division by zero, or of the least number by -1,", place);
        case SIGINT:
            interrupted = true;
            fail_at("interrupted", place);
        default:
            if (overflows_a_stack(info->si_addr)) fail_at("the stack of a thread is full", place);
            fail_at("access to " + describe(info->si_addr), place);
    }
}

}  // namespace

void catch_signals() {
    launching = pthread_self();
    interrupted = false;
    stack_t own = {};
    own.ss_sp = stack, own.ss_size = sizeof stack;
    sigaltstack(&own, &stack_before);
    struct sigaction action = {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int kind = 0; kind < KINDS; ++kind) sigaction(CAUGHT[kind], &action, &before[kind]);
    caught = true;
}

void leave_signals() {
    if (!caught) return;
    for (int kind = 0; kind < KINDS; ++kind) sigaction(CAUGHT[kind], &before[kind], nullptr);
    sigaltstack(&stack_before, nullptr);
    caught = false;
    if (interrupted) raise(SIGINT);          // Python raises KeyboardInterrupt
}

}  // namespace cuda_on_cpu
