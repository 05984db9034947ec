"""One line of text about a cell of the matrix."""

from __future__ import annotations

from antidiag.app.kit.plane.matrix_picture import MatrixPicture
from antidiag.app.kit.plane.profile_borders import ProfilePlane
from antidiag.app.kit.results import result_text
from antidiag.kernels.pairwise.model import PairProblem

Cell = tuple[int, int]


def describe_cell(picture: MatrixPicture, cell: Cell, values: tuple[str, str, str] | None) -> str:
    """Return place, values, letters, path and owner of a cell."""
    parts = [f"cell ({cell[0]:,}, {cell[1]:,})"]
    if values:
        parts += [f"{name} {value}" for name, value in zip("HEF", values, strict=True)]
    parts += [meeting_letters(picture.problem, cell), *describe_path(picture, cell), *_describe_pieces(picture, cell)]
    return "   ".join(parts)


def describe_path(picture: MatrixPicture, cell: Cell) -> list[str]:
    """Say whether the path passes through the cell, if there is one."""
    if picture.path is None:
        return []
    point = picture.path.point_at(cell)
    return ["not on the path" if point is None else f"on the path, after column {point:,}"]


def _describe_pieces(picture: MatrixPicture, cell: Cell) -> list[str]:
    """Return the pieces of the matrix around a cell ("strip 3, chunk 12"), and whether it was recomputed or skipped."""
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
    if picture.skipped_at(cell):
        words.append("skipped by pruning")
    return [*words, "recomputed"] if picture.recomputed_at(cell) else words


def meeting_letters(problem: PairProblem | ProfilePlane, cell: Cell) -> str:
    """Return the two letters, or columns, that meet in a cell."""
    if isinstance(problem, ProfilePlane):
        return f" {result_text.DOT} ".join(problem.describe_column(axis, place) for axis, place in enumerate(cell))
    found = [
        chr(sequence.letters[place - 1]) if place else f"before {sequence.name}"
        for sequence, place in zip(problem.sequences, cell, strict=True)
    ]
    if problem.is_reversed and cell[0]:
        found[0] += f" (complement of letter {problem.given_span(0, cell[0] - 1, cell[0])[1]:,})"
    return f" {result_text.DOT} ".join(found)
