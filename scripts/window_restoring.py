"""How long the window does not answer while what was open last comes back, offscreen, as at every start.

    make bench-gui ARGS=--blocks
    python scripts/window_restoring.py --letters 1500000 --where

One process opens two genomes and closes its window; the next one is measured. With --run it has the result of two that
are not so large as well, which is shown. Printed is as in window_blocks.py.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from window_blocks import Scenes, measured, new_folder

SMALL = 25_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--letters", type=int, default=1_500_000, help="of each genome")
    parser.add_argument("--run", action="store_true", help="with a result too")
    parser.add_argument("--where", action="store_true", help="tell the stacks of long blocks")
    parser.add_argument("--fill", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.fill:
        return fill(chosen.fill, chosen.letters, chosen.run)
    folder, same = new_folder(), ["--letters", str(chosen.letters), *["--run"] * chosen.run]
    subprocess.run([sys.executable, __file__, *same, "--fill", str(folder)], check=True, stdout=subprocess.DEVNULL)
    Restored.letters = chosen.letters
    with measured(Restored, chosen.where, folder):
        pass
    return 0


def fill(folder: Path, letters: int, run: bool) -> int:
    """Open what comes back."""
    with measured(Scenes, False, folder, keep=True) as (scenes, _):
        if run:
            scenes.open_genomes(folder, SMALL)
            scenes.run_and_look("two sequences")
        scenes.open_genomes(folder, letters)
        scenes.window.close()
    return 0


class Restored(Scenes):
    """What was open last comes back."""

    letters = 0

    def start(self) -> None:
        """As the program starts."""
        from PySide6.QtCore import QTimer

        from antidiag.app.startup import load_after_start, start_with

        window = self.window

        def begin() -> None:
            QTimer.singleShot(0, window, lambda: load_after_start(window))
            start_with(window, [])

        def there() -> bool:
            found = window.session.state.sequences
            return bool(found) and window.method.run_button.isEnabled() and not window.autosave.reading

        self.until(f"restoring two sequences of {self.letters:,}", there, begin, 2.0)


if __name__ == "__main__":
    raise SystemExit(main())
