"""The step log as device code writes it: an event has the device's clock in nanoseconds, and a multiprocessor."""

from __future__ import annotations

from kernels.cuda.structs import Struct

EVENT = Struct("Event", " long long start, end; int worker, unused; ")
"""One that ends at 0 never was."""
