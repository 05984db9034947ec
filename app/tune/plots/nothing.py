"""What stands in the place of lines where there are none: why, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from antidiag.app.tune.plots import series
from antidiag.app.tune.plots.settings import PlotSettings
from antidiag.kernels.experiments.points import Point

AXIS = "Choose an axis at the left, such as the strip width s over 32:1024:*2, and start the sweep"


def why_no_lines(measured: Sequence[Point], filtered: Sequence[Point], settings: PlotSettings) -> str:
    """Why none of the points that were measured is on the plot, ``filtered`` those that the filter lets through."""
    if not measured:
        return "No point was measured: Table says why."
    if not filtered:
        return "No point has all words of the filter at the upper right: take some away."
    if settings.quantity == series.SPEEDUP and not settings.baseline:
        return "Speedups are over a baseline: choose one above."
    if not series.values(filtered, settings.quantity, settings.over):
        return f"No point has this quantity, {settings.label}: choose another one above."
    if settings.x:
        return f"{settings.x} has no numbers to be an axis: choose another one above, or turn to Parallel or Table."
    if len(filtered) == 1:
        return f"One point makes no line. {AXIS}. All of this point stands at the right."
    return f"These points differ by no number. {AXIS}; or compare them in Phases and Table."
