"""Runs work on the GPU of a result, or on the CPU where that is impossible."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import MemoryRefused

Made = TypeVar("Made")


def run_on_gpu_or_cpu(gpu: str, work: Callable[[int | None], Made]) -> tuple[Made, bool]:
    """Return the result of ``work(GPU number or None)``, and whether the CPU replaced the named GPU. The CPU does so if
    that GPU is not in this computer or lacks memory."""
    device = devices.find_device_number(gpu)
    if device is not None:
        with suppress(MemoryRefused):
            return work(device), False
    return work(None), bool(gpu)


def cpu_note(gpu: str) -> str:
    """Return the legend text for a picture that the CPU computed instead of a GPU."""
    return f"computed by the CPU: {gpu} is missing or lacks memory"
