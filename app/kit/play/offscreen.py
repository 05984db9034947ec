"""Pictures of plays for the command line: no window, and no screen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QApplication

from antidiag.app import theme
from antidiag.app.kit.play import figure, worksheet
from antidiag.app.kit.play.look import Look
from antidiag.app.kit.replay import picture as replay_picture
from antidiag.app.kit.replay.data import Replay, span_ns
from antidiag.kernels.plays.clock import Clock
from antidiag.kernels.plays.exercises import Exercise
from antidiag.kernels.registry.lectures import View

FRAMES, FRAME_MS = 60, 100
"""Of a film of runs on their measured clock, beside the first, and how long each is shown."""


def save(path: Path, clock: Clock, view: View, first: int, last: int) -> None:
    """Write what the plays show from tick ``first`` to ``last``; a still picture is that of the last one."""
    _dress()
    figure.save(path, clock, looks(clock, view), list(range(first, last + 1)))


def save_measured(path: Path, runs: Sequence[tuple[str, Replay]], until: float) -> None:
    """Write runs on their measured clock, up to a share of the time of the slowest."""
    _dress()
    last = span_ns(runs) * until

    def drawing(moment: int) -> figure.Drawing:
        return lambda painter, area: replay_picture.draw_beside(painter, area, runs, last * moment / FRAMES)

    title = " and ".join(name for name, _ in runs)
    figure.save_drawings(path, [drawing(moment) for moment in range(FRAMES + 1)], title, milliseconds=FRAME_MS)


def save_worksheet(path: Path, exercises: Sequence[Exercise]) -> None:
    """Write a worksheet as PDF."""
    _dress()
    worksheet.save(path, exercises)


def _dress() -> None:
    application = QApplication.instance() or QApplication([])
    theme.apply(application, "light")  # type: ignore[arg-type] # one with widgets


def looks(clock: Clock, view: View) -> list[Look]:
    """How each play is looked at."""
    return [
        Look(cell=view.cell_in(play), colouring=view.colouring,  # type: ignore[arg-type] # it is one of them
             tables=view.table_numbers(play), path=view.path)
        for play in clock.plays
    ]  # fmt: skip
