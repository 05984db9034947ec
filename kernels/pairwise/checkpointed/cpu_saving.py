"""CheckpointedAlignment on the CPU, kept on disk: what phase 1 has finished, so that a run can be continued.

A part of the store holds whole strips, up to a special column: that column and those inside the part, the special rows
of its strips, their best cells. Strips behind a special column need nothing else of those before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu.phases import PhaseClock
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.strips.cpu_sizes import WORD
from antidiag.kernels.pairwise.strips.cpu_strips import Strips

COLUMN = "column {}"


@dataclass
class Saving:
    """Saves the strips of phase 1; ``before_ms`` is what earlier runs spent on those that they had saved."""

    strips: Strips
    monitor: Monitor
    clock: PhaseClock
    before_ms: float = 0.0
    saved: int = 0

    def take_over(self) -> None:
        """Put what an interrupted run finished back into the strips."""
        strips = self.strips
        for part in self.monitor.store.parts(self.monitor.check) if self.monitor.store else ():
            first, end = part.facts["strips"]
            strips.bottoms[first:end], strips.best[first:end] = part.arrays["rows"], part.arrays["best"]
            for strip in self._special(first, end):
                strips.kept[strip][:] = part.arrays[COLUMN.format(strip)]
            strips.progress[first * WORD : end * WORD : WORD] = strips.pair.rows.size
            self.before_ms = part.facts["ms"]
            strips.done = self.saved = end

    def watching(self) -> Monitor:
        """A monitor for phase 1 that also saves: it reports on the thread that watches the workers."""
        return self.monitor if self.monitor.store is None else Monitor(self._report)

    def _report(self, done: int, total: int, phase: str) -> None:
        self.monitor.update(done, total, phase)
        store, strips = self.monitor.store, self.strips
        if store is None or not store.due:
            return
        end = max((strip + 1 for strip in strips.kept if strip < self._finished()), default=0)
        if end <= self.saved:
            return
        first, self.saved = self.saved, end
        columns = {COLUMN.format(strip): strips.kept[strip] for strip in self._special(first, end)}
        facts = {"strips": [first, end], "ms": self.before_ms + self.clock.running_ms}
        best = strips.best[first:end].copy()
        store.save(facts, {"rows": strips.bottoms[first:end], "best": best, **columns}, end / strips.count)

    def _finished(self) -> int:
        """Strips, from the left, that are finished."""
        unfinished = np.flatnonzero(self.strips.progress[::WORD] < self.strips.pair.rows.size)
        return int(unfinished[0]) if unfinished.size else self.strips.count

    def _special(self, first: int, end: int) -> list[int]:
        """Strips whose right boundary is a special column."""
        return [strip for strip in sorted(self.strips.kept) if first <= strip < end]
