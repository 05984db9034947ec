"""Dataclasses from files have values of the types that their fields declare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pytest

from antidiag.kernels.typed_fields import make_checked


@dataclass(frozen=True)
class Kind:
    whole: int = 1
    part: float = 1.0
    name: str = ""
    values: tuple[float, ...] = ()
    pair: tuple[int, int] = (0, 0)
    facts: Mapping[str, float] | None = None
    array: np.ndarray | None = None
    way: Literal["a", "b"] = "a"
    anything: Any = None


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"whole": np.int64(2), "part": 3, "values": (1, 2.5), "pair": (1, 2)},
        {"facts": {"a": 1}, "array": np.zeros(2), "way": "b", "anything": object()},
        {"facts": None, "array": None, "part": float("nan")},
    ],
)
def test_what_fits_is_made(values) -> None:
    found = make_checked(Kind, values)
    assert all(getattr(found, name) is value for name, value in values.items())


@pytest.mark.parametrize(
    "values",
    [
        {"whole": 1.5}, {"whole": True}, {"whole": "1"}, {"whole": 10**400}, {"part": "1"}, {"part": 10**400},
        {"part": None}, {"name": 1}, {"values": [1.0]}, {"values": ("a",)}, {"pair": (1,)}, {"pair": (1, 2.5)},
        {"facts": {"a": "b"}}, {"facts": {1: 1}}, {"facts": ()}, {"array": [1]}, {"way": "c"}, {"unknown": 1},
    ],
)  # fmt: skip
def test_what_does_not_fit_is_a_type_error(values) -> None:
    with pytest.raises(TypeError, match=next(iter(values))):
        make_checked(Kind, values)
