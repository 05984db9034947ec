"""Numbers between the graph's float64, the problem's type and whole numbers of 16 bits, compiled: what threads of the
host do on the way to a device and back."""

from __future__ import annotations

from kernels.cpu.jit import compiled


@compiled
def lessened(weights, most, numbers):
    """``numbers`` (any type, flat) become ``weights`` (float64, flat), at most ``most``, which stands for infinity."""
    for at in range(weights.size):
        weight = weights[at]
        numbers[at] = weight if weight < most else most


@compiled
def widened(codes, none, infinite, numbers):
    """``numbers`` (any type, flat) become ``codes`` (int16, flat); ``none`` among them becomes ``infinite``."""
    for at in range(codes.size):
        code = codes[at]
        numbers[at] = infinite if code == none else code
