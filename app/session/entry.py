"""A result in the list, and what the user did to pictures; without Qt, as files of sessions are read without one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from antidiag.kernels.model import Result


@dataclass(frozen=True, eq=False)
class Entry:
    """A result in the list; ``options`` and ``parameters`` are what the user had set, for doing it again.

    ``edits`` is what the user did to the picture of it, by the id of the view: plain values and frozen data of the
    engine, which a session file keeps; where its size is another now, ``summary`` says it. ``name``, ``tags`` and
    ``note`` are the user's own words.
    """

    result: Result
    options: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    edits: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""


DataEdits = Mapping[int, Mapping[str, Any]]
"""Of data, by their numbers, what the user did to their pictures, as in `Entry`."""


def edited_summary(edits: Mapping[str, Any]) -> str:
    """How large something is that the user edited, as a view says it; "" where that is as it came."""
    return next((kept["summary"] for kept in edits.values() if isinstance(kept, Mapping) and "summary" in kept), "")
