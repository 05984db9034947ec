"""Medians of interleaved repeats, and the peak memory of one call in a process of its own."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PATIENCE_S = 25.0
"""No repeat of a contender starts when its repeats have taken so long together."""


@dataclass(frozen=True)
class Timed:
    """Wall-clock seconds of every repeat, and what the last one returned."""

    seconds: tuple[float, ...]
    value: object

    @property
    def median_s(self) -> float:
        return statistics.median(self.seconds)

    @property
    def spread(self) -> float:
        """Largest minus smallest time, as a share of the median."""
        return (max(self.seconds) - min(self.seconds)) / self.median_s


def side_by_side(contenders: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, Timed]:
    """Every contender ``repeats`` times, in turn, so that a noisy minute is shared by all."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    values: dict[str, object] = {}
    for _ in range(repeats):
        for name, call in contenders.items():
            if sum(seconds[name]) < PATIENCE_S:
                before = time.perf_counter()
                values[name] = call()
                seconds[name].append(time.perf_counter() - before)
    return {name: Timed(tuple(seconds[name]), values[name]) for name in contenders}


def peak_bytes(arguments: Sequence[str]) -> int | None:
    """What a call adds to the peak memory of a fresh process (see bench.peak); None where that is not known."""
    if not os.path.exists("/proc/self/status"):
        return None
    command = [sys.executable, "-m", "bench.peak", *arguments]
    root = Path(__file__).resolve().parents[1]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    return int(found.stdout) if found.returncode == 0 else None
