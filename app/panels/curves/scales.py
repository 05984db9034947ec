"""The scales of the cost plot: quantities, ranges and ticks. No Qt widgets here."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from antidiag.app import texts, theme
from antidiag.kernels.experiments.cost_curve import CostCurve, CostPoint
from antidiag.kernels.memory import format_bytes

MAX_TICKS = 3
FACTORS = {10: (1, 2, 5), 1024: (1, 2, 5, 10, 20, 50, 100, 200, 500)}
"""Round numbers below the base of a scale."""
FLAT = 1.3
"""A scale whose ends differ by less than this factor is widened by it."""


@dataclass(frozen=True)
class CostLine:
    """A curve of a panel: name, colour, and a function for its value at a point (0: none)."""

    name: str
    colour: str
    value: Callable[[CostPoint], float]


@dataclass(frozen=True)
class CostScale:
    """A panel of the plot: title, curves, ends of its scale, and values and labels of its ticks."""

    title: str
    lines: tuple[CostLine, ...]
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def share(self, value: float) -> float:
        """Return the height of a value in the panel, from 0 to 1."""
        return math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)

    def falls(self, curve: CostCurve) -> bool:
        """Return whether the highest curve is lower at the right than at the left."""
        left, right = (max(line.value(point) for line in self.lines) for point in (curve.points[0], curve.points[-1]))
        return right < left


def make_scales(curve: CostCurve) -> tuple[CostScale, ...]:
    """Return the scales of a curve: memory; recomputed cells or work; time, if they change."""
    colours, points = theme.active(), curve.points
    memory = (
        CostLine("main", colours.accent, lambda point: point.host_bytes),
        CostLine("GPU", colours.success, lambda point: point.device_bytes),
        CostLine("disk", colours.warning, lambda point: point.disk_bytes),
    )
    used = tuple(line for line in memory if any(line.value(point) for point in points))
    title = f"{used[0].name} memory" if len(used) == 1 else "memory:"
    found = [_make_scale(title, used, points, 1024, bytes_tick)] if used else []
    if any(point.recomputed for point in points):
        recomputed = CostLine("recomputed", colours.recomputed, lambda point: 100 * point.recomputed)
        found.append(_make_scale("recomputed cells", (recomputed,), points, 10, format_percent))
    elif len({point.work for point in points}) > 1:
        work = CostLine("work", colours.recomputed, lambda point: point.work)
        found.append(_make_scale(curve.unit, (work,), points, 10, texts.format_number))
    if len({point.time_ms for point in points}) > 1:
        time = CostLine("time", colours.text, lambda point: point.time_ms)
        found.append(_make_scale("expected time", (time,), points, 10, time_tick))
    return tuple(found)


def powers_of_two(low: int, high: int) -> list[int]:
    """Return the powers of two from ``low`` to ``high``."""
    return [2**k for k in range(low.bit_length() - 1, high.bit_length()) if low <= 2**k <= high]


def format_percent(value: float) -> str:
    """Return a percentage as text, such as '0.05 %', '12 %' or '350 %'."""
    return f"{value:,.0f} %" if value >= 10 else f"{value:.2g} %"


def bytes_tick(count: float) -> str:
    """Return the label of a memory tick, such as '10 MiB'."""
    return format_bytes(round(count)).replace(".0 ", " ")


def time_tick(milliseconds: float) -> str:
    """Return the label of a time tick, such as '20 µs' or '5 ms'."""
    if milliseconds < 1:
        return f"{1000 * milliseconds:.3g} \N{MICRO SIGN}s"
    return texts.format_duration(milliseconds).replace(".0 ", " ")


def ticks_between(low: float, high: float, base: int = 10) -> list[float]:
    """Return at most MAX_TICKS round numbers in a range: 1, 2, 5, 10, ... times powers of ``base``."""
    factors = [m * 10**e for e in range(len(str(base)) - 1) for m in (1, 2, 5)]
    first, last = (math.floor(math.log(end, base)) for end in (low, high))
    found = [
        m * float(base) ** e for e in range(first, last + 1) for m in factors if low <= m * float(base) ** e <= high
    ]
    ones = next((k for k, value in enumerate(found) if f"{value / float(base) ** first:.0e}".startswith("1")), 0)
    for stride in (1, 3, 6, 9, 18):
        if len(found[ones % stride :: stride]) <= MAX_TICKS:
            return found[ones % stride :: stride]
    return found[:1]


def _round_to_two_digits(value: float, base: int) -> float:
    """Return a value rounded to two digits in its unit, a power of ``base``."""
    unit = float(base) ** math.floor(math.log(value, base))
    return float(f"{value / unit:.2g}") * unit


def _make_scale(
    title: str, lines: tuple[CostLine, ...], points: Sequence[CostPoint], base: int, text: Callable[[float], str]
) -> CostScale:
    """Make a panel whose scale contains all values with a margin."""
    found = [value for line in lines for point in points if (value := line.value(point)) > 0]
    low, high = min(found), max(found)
    if high < FLAT * low:
        low, high = low / FLAT, high * FLAT
    margin = (high / low) ** 0.08
    low, high = low / margin, high * margin
    ticks = ticks_between(low, high, base) or [_round_to_two_digits(math.sqrt(low * high), base)]
    return CostScale(title, lines, low, high, tuple((value, text(round(value, 9))) for value in ticks))
