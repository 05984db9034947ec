"""What is open when the window has started."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from app import actions
from app.settings import Settings
from app.workbench import Workbench
from kernels.registry.samples import Sample, sample

FIRST_SAMPLE = "mitochondria"


def start_with(window: Workbench, paths: Iterable[str | Path]) -> None:
    """What is open at the start: the files named, else what was open last, else a sample."""
    paths = list(paths)
    if paths:
        window.loader.open_paths(paths)
    elif not (window.settings.flag("restore", True) and actions.open_autosaved(window)) and not _seen(window.settings):
        window.loader.open_sample(_first_sample())
    window.settings.put("seen", True)


def _seen(settings: Settings) -> bool:
    return settings.flag("seen", False)


def _first_sample() -> Sample:
    """The pair that shows most."""
    return sample(FIRST_SAMPLE)
