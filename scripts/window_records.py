"""How long the window does not answer while it has very many records: the longest blocks of its event loop, offscreen,
while a file of a million is opened, the table is scrolled, another method is chosen, rows are deleted and come back,
results arrive, are looked at in every view, and are deleted.

    make bench-gui
    python scripts/window_records.py --records 1000000 --where

The records are some thousands of different proteins, each under many names, so that the runs take a minute and their
trees and alignments have as many rows as there are records. Printed is as in window_blocks.py.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from window_blocks import ALLOWED_MS, Scenes, measured

DIFFERENT, LENGTHS = 20_000, (30, 50)
METHODS = ("parttree", "msa-parttree", "lcs-single-linkage", "parttree")
"""Those that are chosen, one after another."""
RUNS: tuple[tuple[str, dict[str, Any]], ...] = (("parttree", {}), ("msa-parttree", {"guide": "parttree"}))
"""Methods that are run, and what is set."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--where", action="store_true", help="tell the stacks of long blocks")
    parser.add_argument("--only", default="", help="of the runs those of this method alone")
    chosen = parser.parse_args()
    with measured(Many, chosen.where) as (scenes, folder):
        scenes.open_many(make(folder / "many.fasta", chosen.records), chosen.records)
        scenes.edit()
        for method, options in RUNS:
            if chosen.only in method:
                scenes.run_one(method, options)
        scenes.delete_result()
    return 0


def make(path: Path, records: int, different: int = DIFFERENT, lengths: tuple[int, int] = LENGTHS) -> Path:
    """Proteins, each under many names where fewer are ``different``."""
    import numpy as np

    random = np.random.default_rng(1)
    letters = np.frombuffer(b"ACDEFGHIKLMNPQRSTVWY", np.uint8)
    kinds = [letters[random.integers(0, 20, size)].tobytes() for size in random.integers(*lengths, different)]
    with open(path, "wb") as target:
        target.writelines(
            b">record_%d\n%s\n" % (number, kinds[kind])
            for number, kind in enumerate(random.integers(0, different, records).tolist())
        )
    return path


class Many(Scenes):
    """What a user does with very many records."""

    patience_s = 600

    def until(self, part: str, ready: Any, begin: Any, more_s: float = 0.3) -> None:
        """As in `Scenes`; long blocks are told at once, in case that the rest does not come to its end."""
        before = self.blocks.longest.get(part, (0.0, 0.0))
        super().until(part, ready, begin, more_s)
        found = self.blocks.longest[part]
        if found != before and max(found) > ALLOWED_MS:
            print(f"{part}: {found[0]:.0f} ms, {found[1]:.0f} of a processor", flush=True)

    def open_many(self, path: Path, records: int) -> None:
        session = self.window.session
        self.until("opening", lambda: len(session.state.sequences) == records and self._planned(),
                   lambda: self.window.loader.open_paths([path]), 2.0)  # fmt: skip

    def _planned(self) -> bool:
        return not self.window.planner.busy

    def edit(self) -> None:
        """Scrolling, choosing methods, selecting, deleting, and back."""
        window, table = self.window, self.window.sequences.table
        bar = table.verticalScrollBar()
        for place in range(20):
            self.until("scrolling the table", lambda: True, partial(bar.setValue, place * bar.maximum() // 20), 0.05)
        for method in METHODS:
            self.until("choosing a method", self._planned, partial(self._choose, method), 0.5)
        self.until("selecting all", lambda: True, table.selectAll, 1.5)
        self.until("selecting a row", lambda: True, partial(table.selectRow, 7), 0.5)
        for part, begin in (
            ("deleting a row", window.sequences.delete),
            ("undo", window.undoing.undo),
            ("redo", window.undoing.redo),
            ("undo", window.undoing.undo),
        ):
            self.until(part, self._planned, begin, 0.7)
        self.until("selecting all", lambda: True, table.selectAll, 1.5)
        self.until("deleting all", self._planned, window.sequences.delete, 0.7)
        self.until("undo of deleting all", self._planned, window.undoing.undo, 0.7)

    def _choose(self, method: str) -> None:
        self.window.method.choose(next(one for one in self.window.methods if one.id == method))

    def run_one(self, method: str, options: dict[str, Any]) -> None:
        from antidiag.app.kit.view_protocols import GradualView

        window, before = self.window, len(self.window.session.entries)
        self._choose(method)
        window.method.options.set_values(options)
        window.method.options.changed.emit()
        self.until("choosing a method", self._planned, lambda: None, 0.5)
        done = lambda: len(window.session.entries) > before or self._failed()  # noqa: E731
        self.until(f"{method}, the job", done, window.run, 2.0)
        print(f"{method} {window.session.entries[0].result.times_ms}, {window.viewer.tabs_shown()}", flush=True)
        for name in window.viewer.tabs_shown():
            self.until(f"{method}, {name}", lambda: self._sharp(GradualView), partial(window.viewer.turn_to, name), 1.0)
            self._wheel(f"{method}, {name}, zooming")

    def _failed(self) -> bool:
        wrong = [job.error for job in self.window.queue.jobs if job.error]
        assert not wrong, wrong
        return False

    def _wheel(self, part: str) -> None:
        """A few notches of the wheel over a view, with Ctrl."""
        from PySide6.QtCore import QPoint, QPointF, Qt
        from PySide6.QtGui import QWheelEvent
        from PySide6.QtWidgets import QAbstractScrollArea, QGraphicsView

        view = self.window.viewer.tabs.currentWidget()
        areas = [one for one in (view, *view.findChildren(QAbstractScrollArea)) if isinstance(one, QAbstractScrollArea)]
        areas = [one for one in areas if one.isVisible()]
        if not areas:
            return
        target = max(areas, key=lambda one: (isinstance(one, QGraphicsView), one.width() * one.height())).viewport()
        for turn in (120, 120, 120, -120):
            place = QPointF(target.rect().center())
            event = QWheelEvent(place, target.mapToGlobal(place), QPoint(), QPoint(0, turn), Qt.MouseButton.NoButton,
                                Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
            self.until(part, lambda: True, partial(self.qt.sendEvent, target, event), 0.2)

    def delete_result(self) -> None:
        window, session = self.window, self.window.session
        count = len(session.entries)
        self.until("deleting a result", lambda: len(session.entries) == count - 1, window.results.delete, 1.0)
        self.until("undo of deleting a result", lambda: len(session.entries) == count, window.undoing.undo, 1.0)
        self.until("another result is shown", lambda: True, lambda: session.show(session.entries[-1]), 1.0)


if __name__ == "__main__":
    raise SystemExit(main())
