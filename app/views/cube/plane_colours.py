"""Colours of the planes of H."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from antidiag.app.kit.cube import colour_map

LOW_SHARE = 20  # percentile of H with the darkest colour, because H falls without limit far from the path
SAMPLED_ROWS = 512  # about so many rows of a plane are sampled for the lower end of the colours
SHEET = 1024  # about so many pixels per side of a plane in the picture of the cube


@dataclass(frozen=True, eq=False)
class ColouredPlanes:
    """Planes of H across some axes, rows downwards, in one range of colours.

    ``colour_levels`` are the values of H at both ends of the colours; ``scale_to_tones`` (uint8) the whole planes;
    ``sheets`` (ARGB, uint32) their pixels in the picture of the cube, thinned.
    """

    values: Mapping[int, np.ndarray]
    levels: tuple[int, int]
    tones: Mapping[int, np.ndarray]
    sheets: Mapping[int, np.ndarray]


def colour_planes(planes: Mapping[int, np.ndarray]) -> ColouredPlanes:
    """Colour planes of H, given by axis."""
    found = colour_levels(planes)
    palette = colour_map.pack_argb(colour_map.colour_table())
    turned = {axis: plane if axis == 2 else plane.T for axis, plane in planes.items()}
    shades = {axis: scale_to_tones(plane, found) for axis, plane in turned.items()}
    return ColouredPlanes(turned, found, shades, {axis: palette[_thin_plane(shade)] for axis, shade in shades.items()})


def colour_levels(planes: Mapping[int, np.ndarray]) -> tuple[int, int]:
    """Return the values of H at both ends of the colours."""
    if not planes:
        return 0, 1
    low = min(int(np.percentile(plane[:: 1 + plane.shape[0] // SAMPLED_ROWS], LOW_SHARE)) for plane in planes.values())
    return low, max(int(plane.max()) for plane in planes.values())


def scale_to_tones(values: np.ndarray, between: tuple[int, int]) -> np.ndarray:
    """Return values as uint8, 0 at the lower and 255 at the upper level."""
    low, high = between
    share = (values - low).astype(np.float32) / max(high - low, 1)
    return np.rint(255 * np.clip(share, 0, 1)).astype(np.uint8)


def _thin_plane(shade: np.ndarray) -> np.ndarray:
    down, across = (1 + size // SHEET for size in shade.shape)
    return np.ascontiguousarray(shade[::down, ::across])
