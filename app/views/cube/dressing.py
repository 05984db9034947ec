"""Planes of H as pixels; large ones are dressed on a thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from antidiag.app.kit.cube import colours

LOW_SHARE = 20
"""Per cent of the cells whose H gets the darkest colour: far from the path H falls without end."""
LOOKED_AT = 512
"""Rows of a plane, about, from which the lower end of the colours is told."""
SHEET = 1024
"""Pixels, about, along a side of a plane in the picture of the cube."""


@dataclass(frozen=True, eq=False)
class Dressed:
    """Planes of H across some axes, rows downwards, in one range of colours.

    ``levels``: the values of H between which colours are spread; ``tones`` (uint8) are the whole planes; ``sheets``
    (ARGB, uint32) as many of their pixels as the picture of the cube has room for.
    """

    values: Mapping[int, np.ndarray]
    levels: tuple[int, int]
    tones: Mapping[int, np.ndarray]
    sheets: Mapping[int, np.ndarray]


def dressed(planes: Mapping[int, np.ndarray]) -> Dressed:
    """Planes of H across i, j, k, as ``slices.Values.plane`` has them, as pixels."""
    found = levels(planes)
    palette = colours.argb(colours.lut())
    turned = {axis: plane if axis == 2 else plane.T for axis, plane in planes.items()}
    shades = {axis: tones(plane, found) for axis, plane in turned.items()}
    return Dressed(turned, found, shades, {axis: palette[_thinned(shade)] for axis, shade in shades.items()})


def levels(planes: Mapping[int, np.ndarray]) -> tuple[int, int]:
    """The values of H between which colours are spread."""
    if not planes:
        return 0, 1
    low = min(int(np.percentile(plane[:: 1 + plane.shape[0] // LOOKED_AT], LOW_SHARE)) for plane in planes.values())
    return low, max(int(plane.max()) for plane in planes.values())


def tones(values: np.ndarray, between: tuple[int, int]) -> np.ndarray:
    """Values as uint8, 0 at the lower and 255 at the upper level."""
    low, high = between
    share = (values - low).astype(np.float32) / max(high - low, 1)
    return np.rint(255 * np.clip(share, 0, 1)).astype(np.uint8)


def _thinned(shade: np.ndarray) -> np.ndarray:
    down, across = (1 + size // SHEET for size in shade.shape)
    return np.ascontiguousarray(shade[::down, ::across])
