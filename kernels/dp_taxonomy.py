"""The four classes of dynamic programming, and the class of a problem (thesis, section 6.1).

A recurrence is serial if a level depends only on the level before it, and monadic if every alternative has one
recursive term. The classes are those of A. Grama, A. Gupta, G. Karypis and V. Kumar, *Introduction to Parallel
Computing* (2003).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class DpClass:
    """A class of dynamic programming with its definition and what can be computed in parallel."""

    id: str
    name: str
    abbreviation: str
    serial: bool
    monadic: bool
    meaning: str
    parallelism: str


@dataclass(frozen=True, slots=True)
class ExampleCell:
    """A cell of a dependency picture, x to the right and y down, with its role for the ``wanted`` cell."""

    x: int
    y: int
    label: str
    role: Literal["wanted", "needed", "other"] = "other"


@dataclass(frozen=True, slots=True)
class DependencyArrow:
    """A dependency between two cells, by number; arrows of one ``term`` belong to one alternative."""

    source: int
    target: int
    term: int


@dataclass(frozen=True, slots=True)
class DependencyPicture:
    """The cells on which one cell depends, in a small example."""

    nodes: tuple[ExampleCell, ...]
    arrows: tuple[DependencyArrow, ...]
    note: str


@dataclass(frozen=True, slots=True)
class DpClassification:
    """The class of a problem with its recurrence and the reason; ``borderline`` problems are listed last."""

    dp_class: DpClass
    recurrence: str
    explanation: str
    picture: DependencyPicture
    is_borderline: bool = False


SMDP = DpClass(
    id="smdp",
    name="serial monadic",
    abbreviation="SMDP",
    serial=True,
    monadic=True,
    meaning="A level depends only on the level before it, and every alternative has one recursive term.",
    parallelism="All cells of a level are independent. A level is a vector times a matrix, so levels can be "
    "combined as products of matrices, in any bracketing.",
)
NMDP = DpClass(
    id="nmdp",
    name="non-serial monadic",
    abbreviation="NMDP",
    serial=False,
    monadic=True,
    meaning="A cell depends on several earlier levels, and every alternative has one recursive term.",
    parallelism="The cells of a wavefront (an antidiagonal or a plane) are independent, and so are the tiles of a "
    "wavefront of tiles.",
)
SPDP = DpClass(
    id="spdp",
    name="serial polyadic",
    abbreviation="SPDP",
    serial=True,
    monadic=False,
    meaning="A level depends only on the level before it, and an alternative combines several recursive terms.",
    parallelism="All cells of a level are independent. Several levels are a product of matrices, tile by tile.",
)
NPDP = DpClass(
    id="npdp",
    name="non-serial polyadic",
    abbreviation="NPDP",
    serial=False,
    monadic=False,
    meaning="A cell depends on many earlier levels, and an alternative combines several recursive terms.",
    parallelism="All intervals of one length are independent, and so are the alternatives of an interval. Alternatives "
    "between finished tiles are a product of matrices; the others follow a wavefront.",
)
DP_CLASSES = (SMDP, NMDP, SPDP, NPDP)


def make_dependency_picture(
    wanted: tuple[int, int],
    terms: Iterable[Iterable[tuple[int, int]]],
    cells: dict[tuple[int, int], str],
    note: str,
) -> DependencyPicture:
    """Return a picture of labelled cells (x, y); each of ``terms`` are the cells of one alternative of ``wanted``."""
    alternatives = [tuple(term) for term in terms]
    needed = {cell for term in alternatives for cell in term}
    numbers = {cell: number for number, cell in enumerate(cells)}

    def role(cell: tuple[int, int]) -> Literal["wanted", "needed", "other"]:
        return "wanted" if cell == wanted else "needed" if cell in needed else "other"

    nodes = tuple(ExampleCell(*cell, label, role(cell)) for cell, label in cells.items())
    arrows = tuple(
        DependencyArrow(numbers[cell], numbers[wanted], term)
        for term, joined in enumerate(alternatives)
        for cell in joined
    )
    return DependencyPicture(nodes, arrows, note)


def draw_alignment_table(letter: str, note: str) -> DependencyPicture:
    """Return the picture of a cell of an alignment's table, which needs three neighbours."""
    cells = {(j, i): f"{letter}[{i}, {j}]" for i in range(3) for j in range(3)}
    return make_dependency_picture((2, 2), [[(1, 1)], [(2, 1)], [(1, 2)]], cells, note)
