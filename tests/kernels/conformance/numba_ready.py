"""Importing this module loads what every run needs: Numba's types and functions, all methods and what tries them.

Numba takes half a second for its first compilation, whatever is compiled.
"""

from importlib import import_module

import numba

from antidiag.kernels import trials
from antidiag.kernels.registry import METHODS

numba.njit(lambda number: number + 1)(1)
for method in METHODS:
    trials.load_trials(method.problem_type)
    if "cpu" in method.backends:
        import_module(method.backends["cpu"].partition(":")[0])
