"""What is open when the window has started."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QTimer

from antidiag.app import actions, views
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.session import autosave
from antidiag.app.session.loading import SESSION_SUFFIX
from antidiag.app.settings import Settings
from antidiag.app.workbench import Workbench
from antidiag.kernels.registry.samples import BundledSample, find_sample

FIRST_SAMPLE = "mitochondria"
POLL_MS, SOON_MS = 100, 20


def start_with(window: Workbench, paths: Iterable[str | Path]) -> None:
    """What is open at the start: what was open last, and the files named; where there is neither, a sample.

    A session that is named stands in the place of the last one; that, and one that is not wanted back, is set aside,
    where File > Open recent has it.
    """
    files = [Path(path) for path in paths]
    wanted = window.settings.flag("restore", True) and not any(file.suffix == SESSION_SUFFIX for file in files)
    restored = wanted and actions.open_autosaved(window)
    window.autosave.kept.connect(lambda path: _tell_kept(window, Path(path)))
    if not wanted and (kept := autosave.set_aside()):
        _tell_kept(window, kept)
    if files:
        window.loader.open_paths(files)
    elif not restored and not _seen(window.settings):
        window.loader.open_sample(_first_sample())
    window.settings.put("seen", True)


def load_the_rest(window: Workbench) -> LatestTask:
    """Load on a thread what the window did without so far, and what the first result would wait for."""
    rest = LatestTask(window, failed=_tell)
    rest.request(lambda monitor: views.preload_views())
    return rest


def go_on(window: Workbench) -> None:
    """Look for GPUs and interrupted runs when what was open last is there, and then load the rest, when its next run is
    planned as well: threads that run Python beside each other and a window that is filled would stop it."""
    _when(window, lambda: not window.opening, lambda: _look_and_load(window))


def _look_and_load(window: Workbench) -> None:
    window.look_around()
    quiet = lambda: not (window.opening or window.device.looking or window.planner.busy)  # noqa: E731
    _when(window, quiet, lambda: load_the_rest(window))


def _when(window: Workbench, ready: Callable[[], bool], do: Callable[[], object]) -> None:
    """Do something as soon as the window is ready for it."""
    if ready():
        do()
    else:
        QTimer.singleShot(SOON_MS, window, lambda: _when(window, ready, do))


def _tell(error: Exception) -> None:
    """An error that nobody expects is shown as all others are."""
    raise error


def _tell_kept(window: Workbench, kept: Path) -> None:
    window.settings.add_recent(str(kept))
    _say_at_last(window, f"What was open last is kept: File > Open recent > {kept.name}.")


def _say_at_last(window: Workbench, text: str) -> None:
    """Say something when all that is opened at the start is open, so that it stays to be read."""

    def say() -> None:
        if window.queue.active:
            QTimer.singleShot(POLL_MS, window, say)
        else:
            window.jobs.say(text)

    QTimer.singleShot(POLL_MS, window, say)


def _seen(settings: Settings) -> bool:
    return settings.flag("seen", False)


def _first_sample() -> BundledSample:
    """The pair that shows most."""
    return find_sample(FIRST_SAMPLE)
