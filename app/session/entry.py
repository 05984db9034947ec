"""An entry of the list of results and the user's edits of pictures. No Qt: session files are read without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from antidiag.kernels.model import Result


@dataclass(frozen=True, eq=False)
class Entry:
    """A result in the list; ``options`` and ``parameters`` are what the user had set, to repeat the run.

    ``edits`` holds the user's edits of its pictures, by the id of the view: plain values and frozen data of the
    engine, which a session file stores; ``summary`` in them gives the new size of an edited alignment or tree.
    ``views`` holds what the user has set in its views, as plain values by the id of the view: visible part, selection,
    tracks, colours. ``name``, ``tags`` and ``note`` are written by the user.
    """

    result: Result
    options: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    edits: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""
    views: dict[str, Any] = field(default_factory=dict)


DataEdits = Mapping[int, Mapping[str, Any]]
"""The user's edits of the pictures of data, by the number of the datum, as in `Entry`."""


def edited_summary(edits: Mapping[str, Any]) -> str:
    """Return the summary of an edited result or datum; "" if its size was not changed."""
    return next((kept["summary"] for kept in edits.values() if isinstance(kept, Mapping) and "summary" in kept), "")
