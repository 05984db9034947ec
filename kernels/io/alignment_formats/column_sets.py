"""Sets of columns, such as NEXUS' CHARSET, as annotation of columns: 'x' in the set, '.' outside."""

from __future__ import annotations

import numpy as np

PREFIX = "charset_"
"""The beginning of the tag; the name of the set follows."""
INSIDE, OUTSIDE = "x", "."


def column_set_note(name: str, columns: np.ndarray, count: int) -> tuple[str, str]:
    """Return the annotation of a set of columns, numbers from 0, of an alignment of ``count`` columns."""
    marks = np.full(count, ord(OUTSIDE), np.uint8)
    marks[columns] = ord(INSIDE)
    return PREFIX + "_".join(name.split()), marks.tobytes().decode()


def column_sets(of_columns: tuple[tuple[str, str], ...]) -> list[tuple[str, np.ndarray]]:
    """Return the names and columns, from 0, of all sets among annotations."""
    return [
        (tag.removeprefix(PREFIX), np.flatnonzero(np.array([*marks]) == INSIDE))
        for tag, marks in of_columns
        if tag.startswith(PREFIX)
    ]


def format_columns(columns: np.ndarray) -> str:
    r"""Return columns, from 0, as NEXUS writes them, from 1: "1-3 7", or "2-20\3" for every third."""
    step = int(columns[1] - columns[0]) if columns.size > 2 else 0
    if step > 1 and (np.diff(columns) == step).all():
        return f"{columns[0] + 1}-{columns[-1] + 1}\\{step}"
    runs = np.split(columns, np.flatnonzero(np.diff(columns) != 1) + 1) if columns.size else []
    return " ".join(f"{run[0] + 1}-{run[-1] + 1}" if run.size > 1 else f"{run[0] + 1}" for run in runs)
