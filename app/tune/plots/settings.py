"""What a plot is asked to show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from antidiag.kernels.experiments.points import QUANTITIES
from antidiag.kernels.experiments.speedups import parse

SPEEDUP_LABEL = "speedup over the baseline"


@dataclass(frozen=True)
class PlotSettings:
    """The names on the axes, what is drawn, by what lines are told apart, and over what speedups are.

    ``split`` are the names that tell points apart beside the axis; ``colour`` is the one that the user chose for the
    colours, "" for all of ``split``. ``scatter``: the points are those of a search, and no lines join them. ``words``
    are what people read for the quantity where it is a model's.
    """

    x: str = ""
    y: str = ""
    quantity: str = "compute_ms"
    split: tuple[str, ...] = ()
    baseline: str = ""
    log_x: bool = False
    log_y: bool = False
    models: bool = False
    colour: str = ""
    scatter: bool = False
    words: str = ""

    @property
    def over(self) -> Mapping[str, str] | None:
        """The baseline as the laboratory selects it, or None."""
        return parse(self.baseline) if self.baseline else None

    @property
    def label(self) -> str:
        if self.quantity == "speedup":
            return SPEEDUP_LABEL
        return QUANTITIES.get(self.quantity) or self.words or self.quantity
