"""Where a picture of a result is computed: on the GPU that ran, or on the CPU where that cannot be."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import MemoryRefused

Made = TypeVar("Made")


def made_on(gpu: str, work: Callable[[int | None], Made]) -> tuple[Made, bool]:
    """What ``work(number of the GPU, or None)`` makes; and whether the CPU made it in the place of the GPU of this
    name, because that is not here or has too little memory, as views then say. Without a name it is the CPU's turn."""
    device = devices.numbered(gpu)
    if device is not None:
        with suppress(MemoryRefused):
            return work(device), False
    return work(None), bool(gpu)


def by_the_cpu(gpu: str) -> str:
    """What a legend says where the CPU made a picture in the place of a GPU."""
    return f"by the CPU: {gpu} is not here or has too little memory"
