"""The step log as device code writes it: an event has the device's clock in nanoseconds, and a multiprocessor."""

from __future__ import annotations

from antidiag.kernels.cuda.structs import Struct

EVENT = Struct("Event", " long long start, end; int worker, waited; ")
"""One that ends at 0 never was; for ``waited`` nanoseconds, at most 2^31 - 1, it waited for neighbours."""
