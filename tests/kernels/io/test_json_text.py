"""JSON in pieces is the JSON of the whole."""

from __future__ import annotations

import json

import numpy as np
import pytest

from antidiag.kernels.io import json_text


@pytest.mark.parametrize("array", [np.arange(6).reshape(2, 3) / 7, np.arange(3), np.zeros((0, 0)), np.zeros((1, 0))])
def test_arrays_are_written_row_by_row(array: np.ndarray) -> None:
    data = {"names": ["a", "b\n\u00e9"], "distances": array, "found": {"cells": 5, "none": None}}
    pieces = list(json_text.json_pieces(data))
    assert json.loads("".join(pieces)) == {**data, "distances": array.tolist()}
    assert len(pieces) <= json_text.count_json_pieces(data)


def test_plain_data_are_as_json_has_them() -> None:
    data = {"method": "x", "times_ms": {"phase 1": 0.5}, "notes": [], "path": [[1, 2], [3]]}
    assert "".join(json_text.json_pieces(data)) == json.dumps(data, indent=1) + "\n"
