"""One line of words about a cell of the matrix."""

from __future__ import annotations

from antidiag.app.kit import result_text
from antidiag.app.kit.plane.picture import Picture
from antidiag.app.kit.plane.profiles import ProfilePlane
from antidiag.kernels.pairwise.model import PairProblem

Cell = tuple[int, int]


def cell_text(picture: Picture, cell: Cell, values: tuple[str, str, str] | None) -> str:
    """Place, H, E and F where they are known, letters, whether the path goes through the cell, and whose cell it is."""
    parts = [f"cell ({cell[0]:,}, {cell[1]:,})"]
    if values:
        parts += [f"{name} {value}" for name, value in zip("HEF", values, strict=True)]
    parts += [letters(picture.problem, cell), *path_text(picture, cell), *_pieces(picture, cell)]
    return "   ".join(parts)


def path_text(picture: Picture, cell: Cell) -> list[str]:
    """Whether the path goes through the cell, where there is a path."""
    if picture.path is None:
        return []
    point = picture.path.point_at(cell)
    return ["not on the path" if point is None else f"on the path, after column {point:,}"]


def _pieces(picture: Picture, cell: Cell) -> list[str]:
    """The pieces of the matrix that a cell is in: 'strip 3, chunk 12', and whether it was computed again."""
    cuts, (row, column) = picture.cuts, cell[:: 1 if picture.strip_axis else -1]
    if not (row and column):
        return []
    found = []
    if cuts.strip:
        found.append(f"strip {(column - 1) // cuts.strip:,}")
    if cuts.chunk:
        found.append(f"chunk {(row - 1) // cuts.chunk:,}")
    for name, size in (("tile", cuts.tile), ("block", cuts.block)):
        if size:
            found.append(f"{name} ({(cell[0] - 1) // size:,}, {(cell[1] - 1) // size:,})")
    words = [", ".join(found)] if found else []
    return [*words, "computed again"] if picture.recomputed_at(cell) else words


def letters(problem: PairProblem | ProfilePlane, cell: Cell) -> str:
    """The two letters, or columns, that meet in a cell."""
    if isinstance(problem, ProfilePlane):
        return f" {result_text.DOT} ".join(problem.text(axis, place) for axis, place in enumerate(cell))
    found = (
        chr(sequence.letters[place - 1]) if place else f"before {sequence.name}"
        for sequence, place in zip(problem.sequences, cell, strict=True)
    )
    return f" {result_text.DOT} ".join(found)
