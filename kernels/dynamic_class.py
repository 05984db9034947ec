"""The four classes of dynamic programming, and what says to which of them a problem belongs (003, section 6.1).

A recurrence is serial where a level needs the level before alone, and monadic where an alternative has one recursive
term. The classes go back to A. Grama, A. Gupta, G. Karypis and V. Kumar, *Introduction to Parallel Computing* (2003).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class DynamicClass:
    """One of the four; ``meaning`` says what defines it, ``parallelism`` what can be computed at a time."""

    id: str
    name: str
    abbreviation: str
    serial: bool
    monadic: bool
    meaning: str
    parallelism: str


@dataclass(frozen=True, slots=True)
class Node:
    """A cell of a picture: x to the right, y down; what it is to the ``wanted`` cell."""

    x: int
    y: int
    label: str
    role: Literal["wanted", "needed", "other"] = "other"


@dataclass(frozen=True, slots=True)
class Arrow:
    """From a cell that is needed to one that needs it, by their numbers; arrows of one ``term`` are added up."""

    source: int
    target: int
    term: int


@dataclass(frozen=True, slots=True)
class Picture:
    """Which cells one cell needs, in a small example."""

    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    note: str


@dataclass(frozen=True, slots=True)
class Placement:
    """The class of a problem, its recurrence, and why it belongs there; ``borderline`` members are told last."""

    cls: DynamicClass
    recurrence: str
    why: str
    picture: Picture
    borderline: bool = False


SMDP = DynamicClass(
    "smdp", "serial monadic", "SMDP", True, True,
    "A level needs the level before it alone, and every alternative has one recursive term.",
    "All cells of a level are independent. A level is a row times a matrix, so that levels can be joined as products "
    "of matrices, in any bracketing.",
)  # fmt: skip
NMDP = DynamicClass(
    "nmdp", "non-serial monadic", "NMDP", False, True,
    "A cell needs several earlier levels, and every alternative has one recursive term.",
    "The cells of a wave (an antidiagonal, or a plane) are independent. Tiles of cells make waves of their own.",
)  # fmt: skip
SPDP = DynamicClass(
    "spdp", "serial polyadic", "SPDP", True, False,
    "A level needs the level before it alone, and an alternative joins several recursive terms.",
    "All cells of a level are independent. Several levels at a time are a product of matrices, tile by tile.",
)  # fmt: skip
NPDP = DynamicClass(
    "npdp", "non-serial polyadic", "NPDP", False, False,
    "A cell needs many earlier levels, and an alternative joins several recursive terms.",
    "The parts of one length are independent, and the alternatives of a part too. Between finished tiles they are a "
    "product of matrices; what is left follows a wave.",
)  # fmt: skip
CLASSES = (SMDP, NMDP, SPDP, NPDP)


def picture(wanted: tuple[int, int], terms: Iterable[Iterable[tuple[int, int]]], cells: dict[tuple[int, int], str],
             note: str) -> Picture:  # fmt: skip
    """A picture of ``cells`` (x, y) and their labels; ``terms`` are what each alternative of the wanted cell joins."""
    alternatives = [tuple(term) for term in terms]
    needed = {cell for term in alternatives for cell in term}
    numbers = {cell: number for number, cell in enumerate(cells)}

    def role(cell: tuple[int, int]) -> Literal["wanted", "needed", "other"]:
        return "wanted" if cell == wanted else "needed" if cell in needed else "other"

    nodes = tuple(Node(*cell, label, role(cell)) for cell, label in cells.items())
    arrows = tuple(
        Arrow(numbers[cell], numbers[wanted], term) for term, joined in enumerate(alternatives) for cell in joined
    )
    return Picture(nodes, arrows, note)
