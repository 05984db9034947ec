"""JSON in pieces, so that an answer of a hundred million numbers is never one text or one list."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np


def json_pieces(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield a mapping as JSON, indented by 1; a value may be an array, whose rows take a line each."""
    yield "{"
    for number, (name, value) in enumerate(data.items()):
        yield f"{',' if number else ''}\n {json.dumps(name)}: "
        if isinstance(value, np.ndarray):
            yield from _array_rows(value)
        else:
            yield json.dumps(value, indent=1).replace("\n", "\n ")
    yield "\n}\n"


def count_json_pieces(data: Mapping[str, Any]) -> int:
    """Return how many pieces `json_pieces` yields."""
    rows = sum(len(value) + 1 if isinstance(value, np.ndarray) else 1 for value in data.values())
    return rows + len(data) + 2


def _array_rows(array: np.ndarray) -> Iterator[str]:
    for number, row in enumerate(array):
        yield f"{',' if number else '['}\n  {json.dumps(row.tolist())}"
    yield "\n ]" if len(array) else "[]"
