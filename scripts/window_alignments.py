"""What opening a large alignment in the window takes, and how long the window does not answer meanwhile, offscreen.

    make bench-gui ARGS=--large
    python scripts/window_alignments.py big.fasta --where

Of every file: the time from the wish to open it to the first picture and to all tracks, by the clock and of processors,
with the session saved beside it; the most memory meanwhile, in bytes a letter; the longest blocks of the event loop,
as in window_blocks.py, also while the alignment is edited by a key and removed, and with --figures while figures of it
are written.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path
from typing import Any

from window_blocks import Scenes, measured

LOOK_S = 0.05


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--figures", action="store_true", help="also figures of each, of what is seen and of all of it")
    parser.add_argument("--where", action="store_true", help="tell the stacks of long blocks")
    chosen = parser.parse_args()
    with measured(Alignments, chosen.where) as (scenes, folder):
        for path in chosen.files:
            scenes.open_alignment(path, folder if chosen.figures else None)
    return 0


class Alignments(Scenes):
    """What a user does with a large alignment at first."""

    def open_alignment(self, path: Path, figures: Path | None = None) -> None:
        """Open it, edit it and remove it, and before that write ``figures`` of it to a folder."""
        window, seen = self.window, Seen()

        def there() -> bool:
            seen.look()
            view = window.viewer.current
            if seen.picture is None and getattr(view, "picture", None) is not None:
                view.canvas.viewport().repaint()
                seen.picture = seen.now()
            return seen.picture is not None and view.sharp

        self.until(f"opening {path.name}", there, partial(window.loader.open_paths, [path]), 0)
        assert seen.picture is not None
        (picture, of_picture), (tracks, of_tracks), view = seen.picture, seen.now(), window.viewer.current
        print(f"{path.name}: {view.alignment.summary}; first picture {picture:.2f} s ({of_picture:.2f} s of "
              f"processors), all tracks {tracks:.2f} s ({of_tracks:.2f} s), memory at most "
              f"{seen.most / view.alignment.letters.size:.2f} bytes a letter", flush=True)  # fmt: skip
        if figures is not None:
            self._draw(path.name, view, figures)
        self._edit(f"editing {path.name}", view)
        self.until(f"removing {path.name}", lambda: True, self._remove, 1.0)

    def _edit(self, part: str, view: Any) -> None:
        """Gaps by a key, with a moment between them, and undo."""
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest

        ready = lambda: not view.commands.busy and view.sharp  # noqa: E731
        for _ in range(3):
            self.until(part, ready, lambda: QTest.keyClick(view.canvas, Qt.Key.Key_Space), 0.1)
        self.until(f"{part}, undo", ready, view.undo, 0.1)

    def _draw(self, name: str, view: Any, folder: Path) -> None:
        """A figure of what is seen, and of all in blocks of columns, in every format."""
        from antidiag.app.kit.figures import export

        ready = lambda: not view.exporter.writing.busy  # noqa: E731
        for kind in (".png", ".svg", ".pdf"):
            export.ask_save_path = lambda *_, kind=kind: folder / f"figure{kind}"
            for save, of in ((view.exporter.save_picture, "what is seen"), (view.exporter.save_wrapped, "all")):
                self.until(f"{kind} of {of} of {name}", ready, save, 0.1)

    def _remove(self) -> None:
        self.window.session.remove_data(range(len(self.window.session.state.data)))


class Seen:
    """What is seen while a file is opened: ``picture``, when the first one was there, and the ``most`` memory."""

    def __init__(self) -> None:
        import psutil

        self._process = psutil.Process()
        self._began, self._worked = time.perf_counter(), time.process_time()
        self._before, self._looked = self._process.memory_info().rss, 0.0
        self.picture: tuple[float, float] | None = None
        self.most = 0

    def now(self) -> tuple[float, float]:
        """Seconds by the clock and of processors since the file was wanted."""
        return time.perf_counter() - self._began, time.process_time() - self._worked

    def look(self) -> None:
        """Look at the memory now and then."""
        if (now := time.perf_counter()) - self._looked > LOOK_S:
            self.most, self._looked = max(self.most, self._process.memory_info().rss - self._before), now


if __name__ == "__main__":
    raise SystemExit(main())
