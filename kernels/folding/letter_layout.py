"""Layout of a structure without crossing pairs in the plane, without overlaps.

A stem is a ladder; the loop at its end is a circle, clockwise from the 5' letter of the closing pair. The parts that
hang on a loop have separate sectors of the circle and stay beyond the line through its closing pair. Each circle is
large enough for that, so no two parts overlap on any level. Lengths are in units of the distance between letters.
"""

from __future__ import annotations

from cmath import pi
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import asin, atan2, cos, hypot, sin, sqrt

import numpy as np

WIDE, STEP = 1.5, 1.0  # distance within a pair, and between pairs of a stem or letters of a loop
AROUND, CLEAR = 0.5, 0.9  # space around a letter, and between a part and the line through the closing pair
GROWTH = 1.06  # factor by which a circle that is too small is enlarged
CROWDED = (0.0, 0.4, 0.8)  # tried shares of the free arc beside the closing pair, which move parts upwards


@dataclass
class StructureLoop:
    """A stem of ``pairs`` (first and last letter, outer ones first) and the circle at its end.

    The whole structure is a loop without a stem. ``singles`` are letters on the circle, ``inner`` the loops that hang
    on it; ``items`` both, in their order. In a frame with the outer pair on the x axis and its stem upwards, ``places``
    are the letters of stem and circle, ``hull`` some points around all that hangs here; ``seats`` are the place and
    direction of each inner loop there.
    """

    pairs: list[tuple[int, int]]
    items: list[int | StructureLoop] = field(default_factory=list)
    places: dict[int, complex] = field(default_factory=dict)
    hull: list[complex] = field(default_factory=list)
    seats: list[tuple[complex, complex]] = field(default_factory=list)

    @property
    def inner_loops(self) -> list[StructureLoop]:
        """The loops enclosed by this one."""
        return [item for item in self.items if isinstance(item, StructureLoop)]


def place_letters(partners: np.ndarray) -> np.ndarray:
    """Return the position of each letter, float64 (n, 2), y upwards; ``partners`` as in a FoldingAnswer."""
    found = np.zeros((partners.size, 2))
    if not partners.size:
        return found
    loops = _find_loops(partners.tolist())
    for loop in reversed(loops):
        _fit_loop(loop)
    waiting = [(loops[0], 0j, 1 + 0j)]
    while waiting:
        loop, place, turn = waiting.pop()
        for letter, at in loop.places.items():
            there = place + at * turn
            found[letter] = there.real, there.imag
        seats = zip(loop.inner_loops, loop.seats, strict=True)
        waiting += [(inner, place + at * turn, direction * turn) for inner, (at, direction) in seats]
    return found - found.mean(axis=0)


def _find_loops(partners: Sequence[int]) -> list[StructureLoop]:
    """Return the whole structure as a loop, then all loops, each before those that hang on it."""
    found = [StructureLoop([])]
    waiting = [(found[0], 0, len(partners))]
    while waiting:
        loop, letter, end = waiting.pop()
        while letter < end:
            partner = partners[letter]
            if partner < 0:
                loop.items.append(letter)
                letter += 1
                continue
            inner = StructureLoop([(letter, partner)])
            while partners[inner.pairs[-1][0] + 1] == inner.pairs[-1][1] - 1 > inner.pairs[-1][0] + 1:
                inner.pairs.append((inner.pairs[-1][0] + 1, inner.pairs[-1][1] - 1))
            loop.items.append(inner)
            found.append(inner)
            waiting.append((inner, inner.pairs[-1][0] + 1, inner.pairs[-1][1]))
            letter = partner + 1
    return found


def _fit_loop(loop: StructureLoop) -> None:
    """Place a loop in its own frame, after all loops that hang on it."""
    neck = STEP if len(loop.pairs) == 1 else 0.0  # a stem of one pair keeps a distance from its circle
    for number, (first, last) in enumerate(loop.pairs):
        height = neck + number * STEP
        loop.places[first], loop.places[last] = complex(-WIDE / 2, height), complex(WIDE / 2, height)
    top = neck + (len(loop.pairs) - 1) * STEP if loop.pairs else 0.0
    elements = len(loop.items) + 1
    around = STEP * elements + WIDE * (len(loop.inner_loops) + bool(loop.pairs))
    radius = max(around / (2 * pi), 0.55 * WIDE, 0.8 * STEP)
    while not any(_try_radius(loop, radius, top, crowded) for crowded in CROWDED):
        radius *= GROWTH


def _try_radius(loop: StructureLoop, radius: float, top: float, crowded: float) -> bool:
    """Lay out the circle with this radius. Return False if its parts do not fit."""
    half, step = asin(WIDE / 2 / radius), 2 * asin(min(STEP / 2 / radius, 1.0))
    rise = sqrt(radius**2 - WIDE**2 / 4)
    own = half if loop.pairs else step / 2
    middle = complex(0, top + rise) if loop.pairs else 0j
    angles = _item_angles(loop, (own, half), step, rise, crowded)
    if angles is None:
        return False
    seats, hull = [], [complex(place) for place in loop.places.values()]
    places = {}
    for item, angle in zip(loop.items, angles, strict=True):
        outwards = complex(-sin(angle), -cos(angle))
        if not isinstance(item, StructureLoop):
            places[item] = middle + radius * outwards
            hull.append(places[item])
            continue
        at, turn = middle + rise * outwards, outwards / 1j
        hangs = [at + point * turn for point in item.hull]
        if loop.pairs and min(point.imag for point in hangs) < CLEAR:
            return False
        seats.append((at, turn))
        hull += hangs
    loop.places.update(places)
    loop.seats, loop.hull = seats, _convex_hull(hull)
    return True


def _item_angles(
    loop: StructureLoop, halves: tuple[float, float], step: float, rise: float, crowded: float
) -> list[float] | None:
    """Return the angle of each item on the circle, clockwise from the closing pair, or None if they do not fit.

    ``halves`` are half the angles of the closing pair and of any pair; ``step`` is the angle between letters, ``rise``
    the distance from the centre to a pair.
    """
    own, half = halves
    at, singles = 0.0, 0
    reach, edge = own, own  # of the last pair: what hangs on it, and the pair itself
    least, gaps = [], []
    for item in [*loop.items, None]:
        if isinstance(item, int):
            singles += 1
            continue
        left, right = _loop_reach(item, rise) if item else (own, own)
        narrow = edge + (singles + 1) * step + (half if item else own)
        least.append(max(narrow, reach + left))
        gaps.append(singles)
        at, singles, reach, edge = at + least[-1], 0, right, half
    if at > 2 * pi:
        return None
    beside = (2 * pi - at) * crowded / 2
    spare = (2 * pi - at) * (1 - crowded) / (len(loop.items) - len(loop.inner_loops) + len(gaps))
    found, at, edge = [], 0.0, own
    for number, (room, count) in enumerate(zip(least, gaps, strict=True)):
        last = number == len(gaps) - 1
        room += spare * (count + 1) + beside * ((number == 0) + last)
        between = room - edge - (own if last else half)
        found += [at + edge + between * (single + 1) / (count + 1) for single in range(count)]
        at, edge = at + room, half
        if not last:
            found.append(at)
    return found


def _loop_reach(loop: StructureLoop, rise: float) -> tuple[float, float]:
    """Return the angles that a loop needs on either side, seen from the centre of the circle that it hangs on."""
    left = right = 0.0
    for point in loop.hull:
        far = hypot(point.real, point.imag + rise)
        angle, room = atan2(point.real, point.imag + rise), asin(min(AROUND / far, 1.0))
        left, right = max(left, room - angle), max(right, room + angle)
    return left, right


def _convex_hull(points: list[complex]) -> list[complex]:
    """Return the corners of the convex hull (Andrew's monotone chain)."""
    order = sorted(set(points), key=lambda point: (point.real, point.imag))
    if len(order) < 3:
        return order
    sides = []
    for line in (order, order[::-1]):
        side: list[complex] = []
        for point in line:
            while len(side) > 1 and ((side[-1] - side[-2]).conjugate() * (point - side[-1])).imag <= 0:
                side.pop()
            side.append(point)
        sides += side[:-1]
    return sides
