"""The quantities of the papers' tables, as values of measured points.

A quantity is the name of a phase, one of the names below, a phase, the total or the rate "with transfers", or anything
else that a point has (`points.QUANTITIES`, what its method counts).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from antidiag.kernels.experiments.point_data.points import MeasuredPoint, TimedRun, spread_of

TOTAL = "total"
WITH_TRANSFERS = " with transfers"
TOTAL_WITH_TRANSFERS = TOTAL + WITH_TRANSFERS
RATE_WITH_TRANSFERS = "gcups" + WITH_TRANSFERS
WHOLE_CALL = "whole call"
WHOLE_TIMES = (TOTAL, TOTAL_WITH_TRANSFERS, WHOLE_CALL)
"""Quantities that are the time of all work; each is at least as long as the one before."""
MEANINGS = {
    TOTAL: "total is the time of all phases, without compilation and transfers",
    WITH_TRANSFERS: "with transfers counts every copy between host and GPU too, in both directions",
    WHOLE_CALL: "whole call is the time of phases, transfers and allocation, without compilation",
    "transfer": "transfer is the time of every copy between host and GPU, in both directions",
}
"""What the quantities are that count or leave out transfers."""
COUNTING_TRANSFERS = (WITH_TRANSFERS, WHOLE_CALL, "transfer")


def point_quantity(point: MeasuredPoint, name: str) -> float | None:
    """Return the median of a quantity of a point, times in ms; None if the point has no such quantity."""
    if name == RATE_WITH_TRANSFERS:
        time_ms = point_quantity(point, TOTAL_WITH_TRANSFERS)
        return point.cells / time_ms / 1e6 if time_ms else None
    found = spread_of(value for run in point.runs if (value := _run_quantity(run, name)) is not None)
    return found.median if found else point.median_value(name)


def point_share(point: MeasuredPoint, name: str, parts: Mapping[str, Sequence[str]]) -> float | None:
    """Return the percentage of the time of one of ``parts``, which lists the phases of each; None without a time."""
    times = {part: sum(point_quantity(point, phase) or 0.0 for phase in phases) for part, phases in parts.items()}
    return 100 * times[name] / sum(times.values()) if sum(times.values()) else None


def computing_quantity(name: str) -> str:
    """Return the quantity without transfers, which a serial program on the CPU has in place of this one."""
    return TOTAL if name == WHOLE_CALL else name.removesuffix(WITH_TRANSFERS)


def explain_quantities(names: Sequence[str]) -> tuple[str, ...]:
    """Return what quantities with these names count, where their names do not say it."""
    return tuple(text for key, text in MEANINGS.items() if any(_is_kind(name, key) for name in names))


def counts_transfers(name: str) -> bool:
    """Return whether a quantity counts transfers between host and GPU."""
    return any(_is_kind(name, key) for key in COUNTING_TRANSFERS)


def _is_kind(name: str, key: str) -> bool:
    return name.endswith(key) if key == WITH_TRANSFERS else name == key


def _run_quantity(run: TimedRun, name: str) -> float | None:
    if name.endswith(WITH_TRANSFERS):
        computing = _run_quantity(run, name.removesuffix(WITH_TRANSFERS))
        return None if computing is None else computing + run.transfer_ms
    if name == WHOLE_CALL:
        return run.compute_ms + run.transfer_ms + run.other_ms
    if name == TOTAL:
        return run.compute_ms
    return run.phase_times.get(name, run.times_ms.get(name))
