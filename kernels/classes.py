"""The four classes of dynamic programming, and where every method belongs (003, section 6.1).

A recurrence is serial where a level needs the level before alone, and monadic where an alternative has one recursive
term. The classes go back to A. Grama, A. Gupta, G. Karypis and V. Kumar, *Introduction to Parallel Computing* (2003).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Literal

from kernels import registry
from kernels.method import Method


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
    """The class of a problem, its recurrence, and why it belongs there."""

    cls: DynamicClass
    recurrence: str
    why: str
    picture: Picture


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


def _picture(wanted: tuple[int, int], terms: Iterable[Iterable[tuple[int, int]]], cells: dict[tuple[int, int], str],
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


def _trellis() -> Picture:
    cells = {(k, state): f"M[{k}, {state + 1}]" for k in range(3) for state in range(3)}
    return _picture((2, 1), [[(1, state)] for state in range(3)], cells, "columns are letters, rows are states")


def _grid() -> Picture:
    cells = {(j, i): f"H[{i}, {j}]" for i in range(3) for j in range(3)}
    return _picture((2, 2), [[(1, 1)], [(2, 1)], [(1, 2)]], cells, "levels are antidiagonals: one and two back")


def _cube() -> Picture:
    cells = {(3 * j + 1 - k, 3 * i + k): f"H[{i}, {j}, {k}]" for i, j, k in product(range(2), repeat=3)}
    wanted = (3, 4)
    return _picture(wanted, [[cell] for cell in cells if cell != wanted], cells,
                    "a cube seen from one side; levels are planes: one to three back")  # fmt: skip


def _levels() -> Picture:
    before = {(j, i): f"d0[{i}, {j}]" for i in range(3) for j in range(3)}
    after = {(j + 4, i): f"d1[{i}, {j}]" for i in range(3) for j in range(3)}
    return _picture((6, 2), [[(2, 2)], [(0, 2), (2, 0)]], before | after,
                    "left the matrix before vertex 0 was let in, right after")  # fmt: skip


def _sides() -> Picture:
    cells = {(0, 0): "D[0, 0]", (1, 0): "D[0, 1]", (0, 1): "D[1, 0]", (1, 1): "D[1, 1]"}
    after = {(x + 3, y): label.replace("D", "D²") for (x, y), label in cells.items()}
    return _picture((4, 0), [[(0, 0), (1, 0)], [(1, 0), (1, 1)]], cells | after,
                    "the matrix of one side, two steps of the graph to an entry, is squared")  # fmt: skip


def _triangle(inner: bool) -> Picture:
    last = 4
    cells = {(j, i): f"{'N' if inner else 'C'}[{i}, {j}]" for i in range(last + 1) for j in range(i, last + 1)}
    terms = [[(k, 0), (last, k + 1)] for k in range(last)] + ([[(last - 1, 1)]] if inner else [])
    return _picture((last, 0), terms, cells, "levels are lengths of parts: all shorter ones are needed")


_VITERBI = Placement(
    SMDP, "M[k, s] = min over s' of  M[k-1, s'] + E[s', letter k] + T[s', s]",
    "The states after a letter need those before it alone, one of them at a time.", _trellis(),
)  # fmt: skip
_FORWARD = Placement(
    SMDP, "f[k, s] = sum over s' of  f[k-1, s'] e[s', letter k] t[s', s]",
    "As Viterbi, with sums for minima: the same levels, one recursive term each.", _trellis(),
)  # fmt: skip
_PLACES = {
    "viterbi": _VITERBI,
    "hmm-evaluation": _FORWARD,
    "hmm-posterior": _FORWARD,
    "hmm-learning": _FORWARD,
    "pair": Placement(
        NMDP, "H[i, j] = max(H[i-1, j-1] + s(i, j), E[i, j], F[i, j]);  E and F extend H[i, j-1] and H[i-1, j]",
        "Antidiagonals need the one before for gaps and the second before for a match; three states for affine gaps "
        "keep one recursive term, where gaps of any cost would need whole rows and columns.", _grid(),
    ),
    "triple": Placement(
        NMDP, "H[i, j, k] = max over the seven neighbours (i-a, j-b, k-c), a, b, c in {0, 1}, of  H + their score",
        "Planes of equal i + j + k need up to three planes before, one cell of them at a time.", _cube(),
    ),
    "paths": Placement(
        SPDP, "d_k[i, j] = min(d_k-1[i, j],  d_k-1[i, k] + d_k-1[k, j])",
        "Letting vertex k in needs the matrix before it alone; a path over k joins two distances.", _levels(),
    ),
    "bipartite-paths": Placement(
        SPDP, "D² [i, j] = min over k of  D[i, k] + D[k, j],  D = M1 M2 over (min, +)",
        "Every squaring needs the matrix before it alone; a path joins two distances.", _sides(),
    ),
    "folding": Placement(
        NPDP, "N[i, j] = max(N[i+1, j-1] + pair(i, j),  max over k of  N[i, k] + N[k+1, j])",
        "A part is cut in two anywhere: both pieces count, and they may be of any shorter length.", _triangle(True),
    ),
    "matrix-chain": Placement(
        NPDP, "C[i, j] = min over k of  C[i, k] + C[k+1, j] + p[i] p[k+1] p[j+1]",
        "A product is split anywhere: both factors count, and they may be of any shorter length.", _triangle(False),
    ),
}  # fmt: skip


def of(method: Method) -> Placement | None:
    """Where a method belongs; None where it is no dynamic programming, or its problem has not been placed."""
    return _PLACES.get(method.problem.id)


def members(class_id: str) -> tuple[Method, ...]:
    """The methods of a class, those of one problem together, in the order of the registry."""
    found = [method for method in registry.METHODS if (place := of(method)) and place.cls.id == class_id]
    problems = list(dict.fromkeys(method.problem.id for method in found))
    return tuple(sorted(found, key=lambda method: problems.index(method.problem.id)))
