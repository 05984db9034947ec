"""Where the letters of a structure without crossing pairs are in the plane, so that nothing lies over anything else.

Stems are ladders, and what a pair encloses beyond its stem is a loop: a circle, clockwise from the 5' letter of the
pair. What hangs on a loop keeps to a sector of its own around the middle of the circle, and stays beyond the line
through the pair that the loop hangs on. A circle is as large as that takes, so no two parts can meet, on any level.
Lengths are in steps from letter to letter.
"""

from __future__ import annotations

from cmath import pi
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import asin, atan2, cos, hypot, sin, sqrt

import numpy as np

WIDE, STEP = 1.5, 1.0
"""Between the two letters of a pair, and between two pairs of a stem or two letters of a loop."""
AROUND, CLEAR = 0.5, 0.9
"""Room around a letter, and between what hangs on a loop and the line through the loop's own pair."""
GROWTH = 1.06
"""How much larger a circle is tried where one is too small."""
CROWDED = (0.0, 0.4, 0.8)
"""Shares of the spare room of a circle that are tried beside its own pair, so that what hangs on it stands upwards."""


@dataclass
class Loop:
    """A stem of ``pairs`` (first and last letter, outer ones first) and the circle at its end.

    The whole structure is a loop without a stem. ``singles`` are letters on the circle, ``inner`` the loops that hang
    on it; ``items`` both, in their order. In a frame with the outer pair on the x axis and its stem upwards, ``places``
    are the letters of stem and circle, ``hull`` some points around all that hangs here; ``seats`` are the place and
    direction of each inner loop there.
    """

    pairs: list[tuple[int, int]]
    items: list[int | Loop] = field(default_factory=list)
    places: dict[int, complex] = field(default_factory=dict)
    hull: list[complex] = field(default_factory=list)
    seats: list[tuple[complex, complex]] = field(default_factory=list)

    @property
    def inner(self) -> list[Loop]:
        return [item for item in self.items if isinstance(item, Loop)]


def laid_out(partners: np.ndarray) -> np.ndarray:
    """The place of each letter, float64 (n, 2); ``partners`` as in a FoldingAnswer. y grows upwards."""
    found = np.zeros((partners.size, 2))
    if not partners.size:
        return found
    loops = _loops(partners.tolist())
    for loop in reversed(loops):
        _fit(loop)
    waiting = [(loops[0], 0j, 1 + 0j)]
    while waiting:
        loop, place, turn = waiting.pop()
        for letter, at in loop.places.items():
            there = place + at * turn
            found[letter] = there.real, there.imag
        seats = zip(loop.inner, loop.seats, strict=True)
        waiting += [(inner, place + at * turn, direction * turn) for inner, (at, direction) in seats]
    return found - found.mean(axis=0)


def _loops(partners: Sequence[int]) -> list[Loop]:
    """The whole, then all loops in it, each before those that hang on it."""
    found = [Loop([])]
    waiting = [(found[0], 0, len(partners))]
    while waiting:
        loop, letter, end = waiting.pop()
        while letter < end:
            partner = partners[letter]
            if partner < 0:
                loop.items.append(letter)
                letter += 1
                continue
            inner = Loop([(letter, partner)])
            while partners[inner.pairs[-1][0] + 1] == inner.pairs[-1][1] - 1 > inner.pairs[-1][0] + 1:
                inner.pairs.append((inner.pairs[-1][0] + 1, inner.pairs[-1][1] - 1))
            loop.items.append(inner)
            found.append(inner)
            waiting.append((inner, inner.pairs[-1][0] + 1, inner.pairs[-1][1]))
            letter = partner + 1
    return found


def _fit(loop: Loop) -> None:
    """Places in the loop's own frame, when those of all that hangs on it are known."""
    neck = STEP if len(loop.pairs) == 1 else 0.0  # one pair alone stands off the circle that it hangs on
    for number, (first, last) in enumerate(loop.pairs):
        height = neck + number * STEP
        loop.places[first], loop.places[last] = complex(-WIDE / 2, height), complex(WIDE / 2, height)
    top = neck + (len(loop.pairs) - 1) * STEP if loop.pairs else 0.0
    elements = len(loop.items) + 1
    around = STEP * elements + WIDE * (len(loop.inner) + bool(loop.pairs))
    radius = max(around / (2 * pi), 0.55 * WIDE, 0.8 * STEP)
    while not any(_try(loop, radius, top, crowded) for crowded in CROWDED):
        radius *= GROWTH


def _try(loop: Loop, radius: float, top: float, crowded: float) -> bool:
    """Lay out the circle with this radius; False where what hangs on it has no room."""
    half, step = asin(WIDE / 2 / radius), 2 * asin(min(STEP / 2 / radius, 1.0))
    rise = sqrt(radius**2 - WIDE**2 / 4)
    own = half if loop.pairs else step / 2
    middle = complex(0, top + rise) if loop.pairs else 0j
    angles = _angles(loop, (own, half), step, rise, crowded)
    if angles is None:
        return False
    seats, hull = [], [complex(place) for place in loop.places.values()]
    places = {}
    for item, angle in zip(loop.items, angles, strict=True):
        outwards = complex(-sin(angle), -cos(angle))
        if not isinstance(item, Loop):
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
    loop.seats, loop.hull = seats, _around(hull)
    return True


def _angles(loop: Loop, halves: tuple[float, float], step: float, rise: float, crowded: float) -> list[float] | None:
    """The angle of each item on the circle, clockwise from the loop's own pair, or None where they have no room.

    ``halves`` are half of what the loop's own pair takes, and half of what any pair does; ``step`` is from letter to
    letter, ``rise`` from the middle to a pair.
    """
    own, half = halves
    at, singles = 0.0, 0
    reach, edge = own, own  # of the last pair: what hangs on it, and the pair itself
    least, gaps = [], []
    for item in [*loop.items, None]:
        if isinstance(item, int):
            singles += 1
            continue
        left, right = _reach(item, rise) if item else (own, own)
        narrow = edge + (singles + 1) * step + (half if item else own)
        least.append(max(narrow, reach + left))
        gaps.append(singles)
        at, singles, reach, edge = at + least[-1], 0, right, half
    if at > 2 * pi:
        return None
    beside = (2 * pi - at) * crowded / 2
    spare = (2 * pi - at) * (1 - crowded) / (len(loop.items) - len(loop.inner) + len(gaps))
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


def _reach(loop: Loop, rise: float) -> tuple[float, float]:
    """The angles to either side that a loop takes, seen from the middle of the circle that it hangs on."""
    left = right = 0.0
    for point in loop.hull:
        far = hypot(point.real, point.imag + rise)
        angle, room = atan2(point.real, point.imag + rise), asin(min(AROUND / far, 1.0))
        left, right = max(left, room - angle), max(right, room + angle)
    return left, right


def _around(points: list[complex]) -> list[complex]:
    """The corners of the convex hull (Andrew's monotone chain)."""
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
