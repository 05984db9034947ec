"""One line of words about a cell of the matrix."""

from __future__ import annotations

from app.views import texts
from app.views.paths import PathIndex
from kernels.model import PairProblem

Cell = tuple[int, int]


def cell_text(problem: PairProblem, path: PathIndex | None, cell: Cell, values: tuple[str, str, str] | None) -> str:
    """Place, H, E and F where they are known, letters, and whether the path goes through the cell."""
    i, j = cell
    parts = [f"cell ({i:,}, {j:,})"]
    if values:
        parts += [f"{name} {value}" for name, value in zip("HEF", values, strict=True)]
    parts.append(_letters(problem, cell))
    if path is not None:
        point = path.point_at(cell)
        parts.append("not on the path" if point is None else f"on the path, after column {point:,}")
    return "   ".join(parts)


def _letters(problem: PairProblem, cell: Cell) -> str:
    letters = (
        chr(sequence.letters[place - 1]) if place else f"before {sequence.name}"
        for sequence, place in zip(problem.sequences, cell, strict=True)
    )
    return f" {texts.DOT} ".join(letters)
