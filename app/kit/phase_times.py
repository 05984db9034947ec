"""What each phase of a run took, and how much it computed. No Qt here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from antidiag.app.kit.cube import data
from antidiag.kernels.model import Result

APART = ("compilation", "transfer")
"""Times that are not counted as computing."""


@dataclass(frozen=True)
class PhaseTime:
    """One phase: its time, its share of all times of its kind, and the cells it computed (0 where unknown)."""

    name: str
    time_ms: float
    share: float
    cells: int
    apart: bool

    @property
    def gcups(self) -> float:
        return self.cells / self.time_ms / 1e6 if self.time_ms else 0.0


def phase_times(result: Result) -> tuple[PhaseTime, ...]:
    """All phases in the order of the run, then what is apart from them."""
    cells = _cells(result)
    times = sorted(result.times_ms.items(), key=lambda item: item[0] in APART)
    totals = {apart: sum(time for name, time in times if (name in APART) == apart) or 1.0 for apart in (True, False)}
    return tuple(
        PhaseTime(name, time, time / totals[name in APART], cells.get(name, 0), name in APART) for name, time in times
    )


def colour_of(name: str, names: Sequence[str], palette: Sequence[str]) -> str:
    """The colour of a phase: "phase 1" has the first of the palette, those without a number what follows."""
    number = name.removeprefix("phase ")
    if name != number and number.isdigit():
        return palette[(int(number) - 1) % len(palette)]
    others = [other for other in names if not other.startswith("phase ")]
    return palette[(3 + others.index(name)) % len(palette)]


def _cells(result: Result) -> Mapping[str, int]:
    """Cells computed by each phase, from the step log."""
    if data.is_triple(result):
        return _cells_of_cube(result)
    events = result.steps.array()
    areas = (events["row_end"] - events["row_start"]) * (events["column_end"] - events["column_start"])
    found = {f"phase {phase}": int(areas[events["phase"] == phase].sum()) for phase in set(events["phase"].tolist())}
    if "phase 1" in result.times_ms:
        found.setdefault("phase 1", result.problem.cells)
    return found


def _cells_of_cube(result: Result) -> Mapping[str, int]:
    """As ``_cells``, of three sequences: windows of phase 1 cut layers that others cut as well, so all count once."""
    boxes = data.chunks(result).boxes
    sizes = boxes[:, 1::2] - np.maximum(boxes[:, 0::2], 1)  # the border is no cell that is computed
    return {"phase 1": result.problem.cells, "phase 3": int(np.prod(np.maximum(sizes, 0), axis=1).sum())}
