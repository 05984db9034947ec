"""The menu of sweeps: those that wait or are measured now, then the newest on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path

from PySide6.QtWidgets import QMenu

from antidiag.app.tune.measurement import Measurement
from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments import records, results
from antidiag.kernels.experiments.results import Kept

MOST_KEPT = 12
MOST_LETTERS = 90


def fill(
    menu: QMenu,
    active: Sequence[Measurement],
    show: Callable[[Measurement], None],
    open_kept: Callable[[str, Kept], None],
) -> None:
    """List them; what has no point yet cannot be chosen, and files without any are left out."""
    menu.clear()
    for one in active:
        state = "waiting" if one.waiting else f"measuring, {_count(len(one.points))}"
        action = menu.addAction(f"{_short(one.title)} ({state})", partial(show, one))
        action.setEnabled(not one.waiting)
    if active:
        menu.addSeparator()
    beside = {one.file for one in active}
    found = list(islice(((path, kept) for path, kept in _kept() if path.stem not in beside), MOST_KEPT))
    for path, kept in found:
        when = datetime.fromtimestamp(path.stat().st_mtime)
        text = f"{_short(records.title(kept))} ({_count(len(kept.newest))}, {when:%d %b %H:%M})"
        menu.addAction(text, partial(open_kept, path.stem, kept))
    if not found and not active:
        menu.addAction("None yet").setEnabled(False)


def newest() -> tuple[str, Kept] | None:
    """The sweep that was measured last, by the stem of its file; None where there is none yet."""
    return next(((path.stem, kept) for path, kept in _kept()), None)


def _kept() -> Iterator[tuple[Path, Kept]]:
    """Files that hold points, newest first."""
    files = sorted(results.folder().glob(f"*{results.SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in files:
        try:
            kept = results.read(path)
        except InputError:
            continue
        if kept.points:
            yield path, kept


def _short(title: str) -> str:
    """A title that fits into a menu; & would mark a key."""
    text = title if len(title) <= MOST_LETTERS else f"{title[: MOST_LETTERS - 1]}\N{HORIZONTAL ELLIPSIS}"
    return text.replace("&", "&&")


def _count(points: int) -> str:
    return f"{points:,} point{'' if points == 1 else 's'}"
