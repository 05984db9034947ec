"""To import this is to have Numba know all that it can compile, which takes half a second of the first call."""

from numba.core.registry import cpu_target

import kernels.cpu.jit  # noqa: F401  # what the project adds to it

cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
