"""To import this is to have what every run needs: all that Numba can compile, which takes half a second of the first
call, and the modules of all methods and of what tries them."""

from importlib import import_module

from numba.core.registry import cpu_target

import antidiag.kernels.cpu.jit  # noqa: F401  # what the project adds to Numba
from antidiag.kernels import trials
from antidiag.kernels.registry import METHODS

cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
for method in METHODS:
    trials.of(method.problem)
    if "cpu" in method.backends:
        import_module(method.backends["cpu"].partition(":")[0])
