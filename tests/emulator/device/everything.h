// What stands before every translated source; compiled once.
#include "cuda_on_cpu.h"
#include "ptx.h"
#include "launch.h"
