"""How long the window does not answer while methods are chosen, and while large pictures come: the cube that is turned
to as soon as its run has ended, a matrix of the distances of thousands of sequences, and their tree; offscreen.

    make bench-gui ARGS=--blocks
    python scripts/window_views.py --leaves 2000 --where

Printed is as in window_blocks.py.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from window_blocks import measured
from window_records import Many, make

CUBES = 3
"""Cubes that are turned to, of which the first makes the view."""
LENGTHS = (80, 120)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leaves", type=int, default=2000)
    parser.add_argument("--where", action="store_true", help="tell the stacks of long blocks")
    chosen = parser.parse_args()
    with measured(Pictures, chosen.where) as (scenes, folder):
        scenes.open_three(folder)
        scenes.turn_to_cubes()
        scenes.choose_all()
        scenes.distances(folder, chosen.leaves)
        scenes.tree()
    return 0


class Pictures(Many):
    """What a user does with methods and large pictures."""

    def choose_all(self) -> None:
        """Every method once, by hand."""
        for method in self.window.methods:
            self.until("choosing every method", self._planned, partial(self.window.method.choose, method), 0.1)

    def turn_to_cubes(self) -> None:
        from antidiag.app.kit.view_protocols import GradualView

        window = self.window
        for number in range(CUBES):
            before = len(window.session.entries)
            self.until("three proteins", lambda before=before: len(window.session.entries) > before, window.run, 0)
            part = f"the cube, turned to at once, {number + 1}"
            self.until(part, lambda: self._sharp(GradualView), partial(window.viewer.turn_to, "cube"), 1.0)
            window.viewer.turn_to("summary")

    def distances(self, folder: Path, leaves: int) -> None:
        """The distances of all pairs of so many sequences, in every view."""
        self.window.session.remove(range(len(self.window.session.state.sequences)))
        path = make(folder / "leaves.fasta", leaves, leaves, LENGTHS)
        self.open_many(path, leaves)
        self.run_one("distance-full", {})

    def tree(self) -> None:
        """The tree of these distances, in every view."""
        self.until("keeping the distances", self._planned, self.window.viewer.keep.click, 0.5)
        self.run_one("nj-pruned", {})


if __name__ == "__main__":
    raise SystemExit(main())
