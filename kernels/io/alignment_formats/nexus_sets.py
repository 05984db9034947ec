r"""Sets of columns as NEXUS writes them: "1-3 7", "4-.\3", "all", names of other sets."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

ITEM = re.compile(r"(\d{1,18}|all|\.|[^\s\\-]+)(?:\s*-\s*(\d{1,18}|\.))?(?:\s*\\\s*(\d{1,18}))?\s*+", re.IGNORECASE)


def parse_columns(text: str, count: int, known: Mapping[str, np.ndarray]) -> np.ndarray | None:
    """Return the columns of a set, from 0, of an alignment of ``count`` columns.

    ``known`` are other sets by name in lower case. None where the text names anything else.
    """
    chosen = np.zeros(count, bool)
    at = 0
    text = text.replace(",", " ").replace("\x01", " ").strip()
    while at < len(text):
        item = ITEM.match(text, at)
        if item is None:
            return None
        at = item.end()
        first, last, step = item.groups()
        if first.lower() in known and last is None:
            chosen[known[first.lower()][:: int(step or 1)]] = True
            continue
        if first.lower() == "all":
            first, last = "1", "."
        start, end = (count if part == "." else int(part) if part.isdigit() else 0 for part in (first, last or first))
        if not 1 <= start <= end <= count or step == "0":
            return None
        chosen[start - 1 : end : int(step or 1)] = True
    return np.flatnonzero(chosen)
