"""Pictures of plays for the command line, without window or screen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from antidiag.app import theme
from antidiag.app.kit.play import handout, play_figure, worksheet
from antidiag.app.kit.play.view_options import PlayLook
from antidiag.app.kit.replay import replay_picture as replay_picture
from antidiag.kernels.experiments.point_data.run_replay import RunReplay, longest_run_ns
from antidiag.kernels.registry.lectures import Lecture, SceneView
from antidiag.kernels.walkthroughs.exercises import Exercise
from antidiag.kernels.walkthroughs.shared_clock import SharedClock

FRAMES, FRAME_MS = 60, 100  # frames of a film on the measured clock after the first, and the duration of each


def save_plays(path: Path, clock: SharedClock, view: SceneView, first: int, last: int) -> None:
    """Write what the plays show from tick ``first`` to ``last``; a still picture shows the last."""
    _start_application()
    play_figure.save_plays(path, clock, create_looks(clock, view), list(range(first, last + 1)))


def save_measured_runs(path: Path, runs: Sequence[tuple[str, RunReplay]], until: float) -> None:
    """Write runs on their measured clock, up to a share of the slowest run's time."""
    _start_application()
    last = longest_run_ns(runs) * until

    def drawing(moment: int) -> play_figure.Drawing:
        return lambda painter, area: replay_picture.draw_side_by_side(painter, area, runs, last * moment / FRAMES)

    title = " and ".join(name for name, _ in runs)
    play_figure.save_drawings(path, [drawing(moment) for moment in range(FRAMES + 1)], title, milliseconds=FRAME_MS)


def save_worksheet(path: Path, exercises: Sequence[Exercise]) -> None:
    """Write a worksheet as PDF."""
    _start_application()
    worksheet.save_worksheet(path, exercises)


def save_handout(path: Path, lecture: Lecture) -> None:
    """Write the handout of a lecture as PDF or HTML."""
    _start_application()
    handout.save_handout(path, lecture)


def _start_application() -> None:
    application = QApplication.instance() or QApplication([])
    theme.apply(application, "light")  # type: ignore[arg-type] # one with widgets


def create_looks(clock: SharedClock, view: SceneView) -> list[PlayLook]:
    """Return what is shown of each play."""
    colouring: Any = view.colouring
    return [
        PlayLook(cell=view.find_cell(play), colouring=colouring, tables=view.table_numbers(play), path=view.path)
        for play in clock.plays
    ]
