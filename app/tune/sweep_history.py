"""The menu of sweeps: active ones first, then the newest on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path

from PySide6.QtWidgets import QMenu

from antidiag.app.tune.measurement import SweepMeasurement
from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments.point_data import point_store
from antidiag.kernels.experiments.point_data.point_store import StoredPoints
from antidiag.kernels.experiments.sweeps import sweep_records
from antidiag.kernels.text import format_count

MAX_LISTED = 12
MAX_TITLE_LETTERS = 90


def fill_menu(
    menu: QMenu,
    active: Sequence[SweepMeasurement],
    show: Callable[[SweepMeasurement], None],
    open_stored: Callable[[str, StoredPoints], None],
) -> None:
    """List the active sweeps and the newest stored ones; a waiting sweep cannot be chosen."""
    menu.clear()
    for measurement in active:
        state = "waiting" if measurement.is_waiting else f"measuring, {format_count(len(measurement.points), 'point')}"
        action = menu.addAction(f"{_menu_title(measurement.title)} ({state})", partial(show, measurement))
        action.setEnabled(not measurement.is_waiting)
    if active:
        menu.addSeparator()
    files = {measurement.file for measurement in active}
    found = list(islice(((path, kept) for path, kept in _stored_sweeps() if path.stem not in files), MAX_LISTED))
    for path, kept in found:
        when = datetime.fromtimestamp(path.stat().st_mtime)
        text = (
            f"{_menu_title(sweep_records.stored_title(kept))} ({format_count(len(kept.newest_points), 'point')}, "
            f"{when:%d %b %H:%M})"
        )
        menu.addAction(text, partial(open_stored, path.stem, kept))
    if not found and not active:
        menu.addAction("None yet").setEnabled(False)


def newest_sweep() -> tuple[str, StoredPoints] | None:
    """Return the newest stored sweep and the stem of its file, or None."""
    return next(((path.stem, kept) for path, kept in _stored_sweeps()), None)


def _stored_sweeps() -> Iterator[tuple[Path, StoredPoints]]:
    files = sorted(
        point_store.experiments_folder().glob(f"*{point_store.SUFFIX}"),
        key=lambda path: path.stat().st_mtime,
        reverse=True,
    )
    for path in files:
        try:
            kept = point_store.read_points(path)
        except InputError:
            continue
        if kept.points:
            yield path, kept


def _menu_title(title: str) -> str:
    """Shorten a title for a menu, and escape &, which would mark a key."""
    text = title if len(title) <= MAX_TITLE_LETTERS else f"{title[: MAX_TITLE_LETTERS - 1]}\N{HORIZONTAL ELLIPSIS}"
    return text.replace("&", "&&")
