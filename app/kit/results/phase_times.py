"""Time and computed cells of each phase of a run. No Qt here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from antidiag.app.kit.cube import cube_chunks
from antidiag.kernels.model import Result

NOT_COMPUTING = ("compilation", "transfer")  # times that do not count as computing


@dataclass(frozen=True)
class PhaseTime:
    """A phase: its time, its share of the times of its kind, and its computed cells (0 if unknown)."""

    name: str
    time_ms: float
    share: float
    cells: int
    apart: bool

    @property
    def gcups(self) -> float:
        """Billions of cells per second in this phase."""
        return self.cells / self.time_ms / 1e6 if self.time_ms else 0.0


def list_phase_times(result: Result) -> tuple[PhaseTime, ...]:
    """Return all phases in the order of the run, then compilation and transfers."""
    cells = _computed_cells(result)
    times = sorted(result.times_ms.items(), key=lambda item: item[0] in NOT_COMPUTING)
    totals = {
        apart: sum(time for name, time in times if (name in NOT_COMPUTING) == apart) or 1.0 for apart in (True, False)
    }
    return tuple(
        PhaseTime(name, time, time / totals[name in NOT_COMPUTING], cells.get(name, 0), name in NOT_COMPUTING)
        for name, time in times
    )


def phase_colour(name: str, names: Sequence[str], palette: Sequence[str]) -> str:
    """Return the colour of a phase: numbered phases use the palette in order, others follow."""
    number = name.removeprefix("phase ")
    if name != number and number.isdigit():
        return palette[(int(number) - 1) % len(palette)]
    others = [other for other in names if not other.startswith("phase ")]
    return palette[(3 + others.index(name)) % len(palette)]


def _computed_cells(result: Result) -> Mapping[str, int]:
    """Return the cells computed by each phase, from the step log."""
    if cube_chunks.is_triple(result):
        return _computed_cube_cells(result)
    events = result.steps.ordered_events()
    areas = (events["row_end"] - events["row_start"]) * (events["column_end"] - events["column_start"])
    found = {f"phase {phase}": int(areas[events["phase"] == phase].sum()) for phase in set(events["phase"].tolist())}
    if "phase 1" in result.times_ms:
        found.setdefault("phase 1", result.problem.cells)
    return found


def _computed_cube_cells(result: Result) -> Mapping[str, int]:
    """Count all cells for phase 1 of a cube, because its windows cut layers that others cut too."""
    boxes = cube_chunks.collect_chunks(result).recomputed_boxes
    sizes = boxes[:, 1::2] - np.maximum(boxes[:, 0::2], 1)  # border cells are not computed
    return {"phase 1": result.problem.cells, "phase 3": int(np.prod(np.maximum(sizes, 0), axis=1).sum())}
