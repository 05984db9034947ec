"""The drawing of a structure: nothing lies over anything else, whatever the structure is."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels.folding.letter_layout import STEP, WIDE, place_letters


def of(brackets: str) -> np.ndarray:
    """The partners of a dot-bracket text."""
    partners, opened = np.full(len(brackets), -1, np.int32), []
    for number, sign in enumerate(brackets):
        if sign == "(":
            opened.append(number)
        elif sign == ")":
            partners[number] = opened.pop()
            partners[partners[number]] = number
    return partners


def random_structure(n: int, seed: int) -> str:
    """Any structure: deep and flat, with stems of one pair and empty loops."""
    random, signs, depth = np.random.default_rng(seed), [], 0
    bias = random.uniform(0.2, 0.5)
    for left in range(n, 0, -1):
        if depth and (left <= depth or random.random() < bias * (signs[-1] != "(")):
            signs.append(")")
        elif left > depth + 1 and random.random() < 0.6:
            signs.append("(")
        else:
            signs.append(".")
        depth += {"(": 1, ")": -1, ".": 0}[signs[-1]]
    return "".join(signs)


def crossings(first: np.ndarray, last: np.ndarray) -> int:
    """How many of the lines meet that have no end in common."""

    def side(a, b, c):
        return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])

    a, b, c, d = first[:, None], last[:, None], first[None], last[None]
    meet = (side(a, b, c) * side(a, b, d) < -1e-9) & (side(c, d, a) * side(c, d, b) < -1e-9)
    return int(meet.sum()) // 2


CLOVERLEAF = "(((((((..((((........)))).((((.........)))).....(((((.......))))))))))))...."


@pytest.mark.parametrize(
    "brackets",
    [CLOVERLEAF, "", ".", "....", "()", "(())", "((()))....", "(...)", "()()()", "(()())", "((...)(...))",
     *(random_structure(n, seed) for seed, n in enumerate((20, 40, 80, 120, 160, 200, 240, 300)))],
)  # fmt: skip
def test_nothing_lies_over_anything_else(brackets: str) -> None:
    partners = of(brackets)
    places = place_letters(partners)
    assert places.shape == (len(brackets), 2) and np.isfinite(places).all()
    if len(brackets) < 2:
        return
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1)) + np.eye(len(brackets))
    assert apart.min() > 0.6 * STEP
    first = np.flatnonzero(partners > np.arange(partners.size))
    starts = np.concatenate([places[:-1], places[first]])
    ends = np.concatenate([places[1:], places[partners[first]]])
    assert crossings(starts, ends) == 0


def test_stems_are_ladders_and_loops_are_circles() -> None:
    partners = of(CLOVERLEAF)
    places = place_letters(partners)
    first = np.flatnonzero(partners > np.arange(partners.size))
    rungs = places[partners[first]] - places[first]
    assert np.allclose(np.hypot(*rungs.T), WIDE)
    inner = np.hypot(*(places[1:7] - places[:6]).T)
    assert np.allclose(inner, STEP)
    ring = places[48 + 4 : 48 + 4 + 9]
    middle = ring.mean(axis=0)
    far = np.hypot(*(ring - middle).T)
    assert far.max() < 1.35 * far.min()
