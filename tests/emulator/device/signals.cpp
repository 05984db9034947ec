// Accesses outside of arrays, misaligned ones, divisions by zero, an endless loop, an interrupt by the user: all end
// the launch with a report.
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

constexpr int CAUGHT[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGVTALRM, SIGINT};
constexpr int KINDS = sizeof CAUGHT / sizeof *CAUGHT;

struct sigaction before[KINDS];
stack_t stack_before;
itimerval timer_before;
alignas(16) char stack[64 << 10];
pthread_t launching;
bool caught = false, interrupted = false;

void* place_of(void* context) {
#if defined(__x86_64__) && defined(REG_RIP)
    return reinterpret_cast<char*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]) + 1;
#else
    return static_cast<void>(context), nullptr;
#endif
}

void on_signal(int signal, siginfo_t* info, void* context) {
    if (!pthread_equal(pthread_self(), launching)) {
        if (signal == SIGVTALRM) {
            pthread_kill(launching, signal);
            return;
        }
        // Not the emulator's: what was there before deals with it.
        for (int kind = 0; kind < KINDS; ++kind)
            if (CAUGHT[kind] == signal) sigaction(signal, &before[kind], nullptr);
        if (signal == SIGINT) raise(signal);
        return;
    }
    void* place = place_of(context);
    switch (signal) {
        case SIGILL: fail_at("a misaligned access, or a shift by too many bits,", place);
        case SIGFPE: fail_at("a division by zero, or of the least number by -1,", place);
        case SIGVTALRM: fail_at("an endless loop", place);
        case SIGINT:
            interrupted = true;
            fail_at("interrupted", place);
        default:
            if (overflows_a_stack(info->si_addr)) fail_at("the stack of a thread is full", place);
            fail_at("access to " + describe(info->si_addr), place);
    }
}

}  // namespace

void catch_signals(double seconds) {
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
    const auto whole = static_cast<time_t>(seconds);
    const itimerval limit = {{0, 0}, {whole, static_cast<suseconds_t>((seconds - whole) * 1e6)}};
    setitimer(ITIMER_VIRTUAL, &limit, &timer_before);
}

void leave_signals() {
    if (!caught) return;
    setitimer(ITIMER_VIRTUAL, &timer_before, nullptr);
    for (int kind = 0; kind < KINDS; ++kind) sigaction(CAUGHT[kind], &before[kind], nullptr);
    sigaltstack(&stack_before, nullptr);
    caught = false;
    if (interrupted) raise(SIGINT);          // Python raises KeyboardInterrupt
}

}  // namespace cuda_on_cpu
