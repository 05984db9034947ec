"""New memory of the host: finding it takes longer than writing to it, and can be done beside other work."""

from __future__ import annotations

from kernels.cpu.jit import compiled


@compiled
def touch_pages(memory, page, part, worker, workers):
    """Write to every page of the ``workers``-th parts of ``memory`` (uint8, flat); ``page`` and ``part`` are bytes."""
    for first in range(worker * part, memory.size, workers * part):
        for at in range(first, min(first + part, memory.size), page):
            memory[at] = 0
