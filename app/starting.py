"""What is open when the window has started."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from app import actions
from app.session.loading import SESSION_SUFFIX
from app.settings import Settings
from app.workbench import Workbench
from kernels.registry.samples import Sample, sample

FIRST_SAMPLE = "mitochondria"


def start_with(window: Workbench, paths: Iterable[str | Path]) -> None:
    """What is open at the start: what was open last, and the files named; where there is neither, a sample.

    A session that is named stands in the place of the last one.
    """
    files = [Path(path) for path in paths]
    named = any(file.suffix == SESSION_SUFFIX for file in files)
    restored = not named and window.settings.flag("restore", True) and actions.open_autosaved(window)
    if files:
        window.loader.open_paths(files)
    elif not restored and not _seen(window.settings):
        window.loader.open_sample(_first_sample())
    window.settings.put("seen", True)


def _seen(settings: Settings) -> bool:
    return settings.flag("seen", False)


def _first_sample() -> Sample:
    """The pair that shows most."""
    return sample(FIRST_SAMPLE)
