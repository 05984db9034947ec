"""The event that device code writes for the step log: nanoseconds of the device's clock, and a multiprocessor."""

from __future__ import annotations

from antidiag.kernels.cuda.structs import DeviceStruct

EVENT = DeviceStruct("Event", " long long start, end; int worker, waited; ")
"""An event with end 0 was never written. ``waited``: nanoseconds, at most 2^31 - 1, of waiting for neighbours."""
