"""Numbers between the graph's float64, the problem's type and whole numbers of 16 bits, compiled: what threads of the
host do on the way to a device and back."""

from __future__ import annotations

from antidiag.kernels.cpu.carried import WORD
from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.cpu.simd import acquire, release
from antidiag.kernels.cpu.waiting import wait_for


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


@compiled
def lessen_chunks(weights, most, numbers, chunk, worker, workers, words, stop):
    """`lessened`, every ``workers``-th chunk of so many numbers; ``words`` as in kernels/cuda/whole_transfers.py."""
    for number in range(worker, -(-numbers.size // chunk), workers):
        if acquire(stop, 0) != 0:
            return
        first, last = number * chunk, min((number + 1) * chunk, numbers.size)
        lessened(weights[first:last], most, numbers[first:last])
        release(words, number * WORD, 1)


@compiled
def widen_chunks(codes, none, infinite, numbers, chunk, worker, workers, words, stop):
    """`widened`, in the same way."""
    for number in range(worker, -(-numbers.size // chunk), workers):
        if not wait_for(words, number * WORD, 1, stop):
            return
        first, last = number * chunk, min((number + 1) * chunk, numbers.size)
        widened(codes[first:last], none, infinite, numbers[first:last])
