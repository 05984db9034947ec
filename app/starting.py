"""What is open when the window has started."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from app import actions
from app.settings import Settings
from kernels.sequences import Sample, samples

if TYPE_CHECKING:
    from app.window import Window


def start_with(window: Window, paths: Iterable[str | Path]) -> None:
    """What is open at the start: the files named, else what was open last, else a sample."""
    paths = list(paths)
    if paths:
        window.opener.open_paths(paths)
    elif not (window.settings.flag("restore", True) and actions.open_kept(window)) and not _seen(window.settings):
        window.opener.open_sample(_first_sample())
    window.settings.put("seen", True)


def _seen(settings: Settings) -> bool:
    return settings.flag("seen", False)


def _first_sample() -> Sample:
    """The pair that shows most: the mitochondria."""
    return next((sample for sample in samples() if sample.id == "mitochondria"), samples()[0])
