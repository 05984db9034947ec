"""Opens the first data when the window starts, and loads slow modules afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QTimer

from antidiag.app import file_actions, views
from antidiag.app.kit import ask
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.session import autosave
from antidiag.app.session.data_loader import SESSION_SUFFIX
from antidiag.app.settings import FIRST_SAMPLE_SOURCES, Settings
from antidiag.app.workbench import Workbench
from antidiag.kernels.registry.samples import BundledSample, find_sample

FIRST_SAMPLE = "mitochondria"
POLL_MS, SOON_MS = 100, 20


def start_with(window: Workbench, paths: Iterable[str | Path]) -> None:
    """Open the last session and the named files; at the very first start without files, open a sample.

    A named session replaces the last one. A last session that is not reopened is set aside and appears under
    File > Open recent.
    """
    files = [Path(path) for path in paths]
    wanted = window.settings.flag("restore", True) and not any(file.suffix == SESSION_SUFFIX for file in files)
    restored = wanted and file_actions.open_autosaved(window)
    window.autosave.kept.connect(lambda path: _report_kept_session(window, Path(path)))
    window.autosave.failed.connect(lambda text: window.jobs.show_message(text, error=True))
    if not wanted and (kept := autosave.set_aside()):
        _report_kept_session(window, kept)
    ask.remember_folder(files)
    if files:
        window.loader.open_paths(files)
    elif not restored and not _has_started_before(window.settings):
        sample = _first_sample()
        window.settings.put(FIRST_SAMPLE_SOURCES, {"sources": list(map(str, sample.paths))})
        window.loader.open_sample(sample)
    window.settings.put("seen", True)


def load_the_rest(window: Workbench) -> LatestTask:
    """Load on a thread what the window did without so far, and what the first result would wait for."""
    rest = LatestTask(window, failed=_raise_error)
    rest.request(lambda monitor: views.preload_views())
    return rest


def load_after_start(window: Workbench) -> None:
    """Look for GPUs and interrupted runs once the last session is open; load the rest once its run is planned.

    Done at the same time, these threads would slow the window down.
    """
    _call_when_ready(window, lambda: not window.opening, lambda: _look_and_load(window))


def _look_and_load(window: Workbench) -> None:
    window.look_around()
    quiet = lambda: not (window.opening or window.device.is_looking or window.planner.busy)  # noqa: E731
    _call_when_ready(window, quiet, lambda: load_the_rest(window))


def _call_when_ready(window: Workbench, ready: Callable[[], bool], do: Callable[[], object]) -> None:
    """Call ``do`` as soon as ``ready()`` is true."""
    if ready():
        do()
    else:
        QTimer.singleShot(SOON_MS, window, lambda: _call_when_ready(window, ready, do))


def _raise_error(error: Exception) -> None:
    """Raise an unexpected error, which the error hook shows."""
    raise error


def _report_kept_session(window: Workbench, kept: Path) -> None:
    window.settings.add_recent(str(kept))
    _say_when_idle(window, f"The last session is kept: File > Open recent > {kept.name}.")


def _say_when_idle(window: Workbench, text: str) -> None:
    """Show a message after all jobs of the start are done, so that it stays visible."""

    def say() -> None:
        if window.queue.active:
            QTimer.singleShot(POLL_MS, window, say)
        else:
            window.jobs.show_message(text)

    QTimer.singleShot(POLL_MS, window, say)


def _has_started_before(settings: Settings) -> bool:
    return settings.flag("seen", False)


def _first_sample() -> BundledSample:
    """Return the sample of the first start."""
    return find_sample(FIRST_SAMPLE)
