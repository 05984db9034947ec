"""What is open when the window has started."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QTimer

from app import actions, views
from app.session import autosave
from app.session.loading import SESSION_SUFFIX
from app.settings import Settings
from app.workbench import Workbench
from kernels.registry.samples import Sample, sample

FIRST_SAMPLE = "mitochondria"
POLL_MS = 100
REST = "rest"
"""The thread that loads what the window opened without."""


def start_with(window: Workbench, paths: Iterable[str | Path]) -> None:
    """What is open at the start: what was open last, and the files named; where there is neither, a sample.

    A session that is named stands in the place of the last one; that, and one that is not wanted back, is set aside,
    where File > Open recent has it.
    """
    files = [Path(path) for path in paths]
    wanted = window.settings.flag("restore", True) and not any(file.suffix == SESSION_SUFFIX for file in files)
    restored = wanted and actions.open_autosaved(window)
    if not wanted and (kept := autosave.set_aside()):
        window.settings.add_recent(str(kept))
        _say_at_last(window, f"What was open last is kept: File > Open recent > {kept.name}.")
    if files:
        window.loader.open_paths(files)
    elif not restored and not _seen(window.settings):
        window.loader.open_sample(_first_sample())
    window.settings.put("seen", True)


def load_the_rest() -> None:
    """Load on a thread what the window did without so far, and what is likely to be looked at next would wait for."""
    threading.Thread(target=_load, name=REST, daemon=True).start()


def _load() -> None:
    views.kinds()
    import kernels.io.aligned_columns  # noqa: F401 - and with it Numba


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


def _first_sample() -> Sample:
    """The pair that shows most."""
    return sample(FIRST_SAMPLE)
