"""Saved strips of phase 1, from which an interrupted CheckpointedAlignment on the CPU continues.

A part of the store holds whole strips, up to a special column: the special columns among their right boundaries, the
special rows of the strips, and their best cells. Strips behind a special column need nothing else of those before it.
What pruning skipped is marked in all of them, so that the run may continue with other blocks, or without pruning.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase
from antidiag.kernels.cpu.workers import WORD_STRIDE
from antidiag.kernels.pairwise.strips.cpu_strips import StripRun

COLUMN = "column {}"


@dataclass
class StripCheckpoints:
    """Saves and restores the strips of phase 1; ``before_ms`` is the time that earlier runs spent on saved strips."""

    strips: StripRun
    phase: CpuPhase
    before_ms: float = 0.0
    saved_strips: int = 0

    def restore_strips(self) -> None:
        """Restore the strips that an interrupted run finished."""
        strips, monitor = self.strips, self.phase.run.monitor
        for part in monitor.store.parts(monitor.check) if monitor.store else ():
            first, end = part.facts["strips"]
            strips.bottoms[first:end], strips.best[first:end] = part.arrays["rows"], part.arrays["best"]
            if np.array_equal(part.arrays.get("cuts", ()), strips.cuts):  # else they count as computed
                strips.skipped[first:end] = part.arrays["skipped"]
            for strip in self._special_columns(first, end):
                strips.kept_columns[strip][:] = part.arrays[COLUMN.format(strip)]
            strips.progress[first * WORD_STRIDE : end * WORD_STRIDE : WORD_STRIDE] = strips.pair.rows.size
            self.before_ms = part.facts["ms"]
            strips.finished_strips = self.saved_strips = end

    def report_and_save(self) -> None:
        """Report progress, and save the strips up to the last complete special column when the store asks for it."""
        store, strips = self.phase.run.monitor.store, self.strips
        self.phase.report(strips.finished_rows)
        if store is None or not store.is_save_due:
            return
        end = max((strip + 1 for strip in strips.kept_columns if strip < self._count_finished()), default=0)
        if end <= self.saved_strips:
            return
        first, self.saved_strips = self.saved_strips, end
        columns = {COLUMN.format(strip): self._marked_column(strip) for strip in self._special_columns(first, end)}
        facts = {"strips": [first, end], "ms": self.before_ms + self.phase.elapsed_ms}
        strips.mark_skipped_rows(first, end)
        copies: dict[str, np.ndarray] = {"best": strips.best[first:end].copy()}
        if strips.bounds is not None:
            copies |= {"skipped": strips.skipped[first:end].copy(), "cuts": strips.cuts}
        store.save(facts, {"rows": strips.bottoms[first:end], **copies, **columns}, end / strips.strip_count)

    def _marked_column(self, strip: int) -> np.ndarray:
        """Return a special column with marks where blocks were skipped; a copy, which no strip is reading."""
        if self.strips.bounds is None:
            return self.strips.kept_columns[strip]
        column = self.strips.kept_columns[strip].copy()
        self.strips.mark_skipped_column(strip, 0, column)
        return column

    def _count_finished(self) -> int:
        """Return the number of finished strips, from the left."""
        unfinished = np.flatnonzero(self.strips.progress[::WORD_STRIDE] < self.strips.pair.rows.size)
        return int(unfinished[0]) if unfinished.size else self.strips.strip_count

    def _special_columns(self, first: int, end: int) -> list[int]:
        """Return the strips whose right boundary is a special column."""
        return [strip for strip in sorted(self.strips.kept_columns) if first <= strip < end]
