"""Texts about cells and chunks of the cube."""

from __future__ import annotations

import re

import numpy as np

from antidiag.app import texts as app_texts
from antidiag.app.kit.cube.cube_chunks import CubeChunks
from antidiag.app.kit.results import result_text
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.model import Result
from antidiag.kernels.triple.model import Cell, TripleProblem

MOST_NAME = 20  # letters of a sequence name at an edge of the cube
CELL_HINT = "Type a cell as i, j, k; or start, end"


def parse_cell(text: str, lengths: Cell) -> Cell:
    """Return the cell that ``text`` names; raise ParameterError if it names none."""
    word = text.strip().lower()
    if word in ("start", "end"):
        return (0, 0, 0) if word == "start" else lengths
    parts = [part for part in re.split(r"[,;\s]+", word.strip("()")) if part]
    if len(parts) != 3 or not all(re.fullmatch(r"\d[\d_]*", part) for part in parts):
        raise ParameterError(CELL_HINT)
    i, j, k = (int(part.replace("_", "")) for part in parts)
    for name, place, length in zip("ijk", (i, j, k), lengths, strict=True):
        if place > length:
            raise ParameterError(f"{name} = {place:,} is outside: cells go from 0 to {length:,}")
    return i, j, k


def edge_labels(result: Result | None) -> tuple[str, str, str]:
    """Return the labels of the edges, such as 'i  HBA_HUMAN'."""
    if result is None:
        return "", "", ""
    i, j, k = (result_text.shorten_name(sequence.name, MOST_NAME) for sequence in result.problem.sequences)
    return f"i  {i}", f"j  {j}", f"k  {k}"


def cell_text(problem: TripleProblem, cell: Cell, h: int | None, point: int | None, has_path: bool, chunk: int) -> str:
    """Describe a cell: position, H where it is known, letters, chunk, and whether it is on the path."""
    parts = [f"cell ({', '.join(f'{place:,}' for place in cell)})"]
    if h is not None:
        parts.append(f"H {result_text.format_number(problem.scoring.unscale_score(h))}")
    parts.append(letters_text(problem, cell))
    parts.append(f"chunk {chunk:,}")
    if has_path:
        parts.append("not on the path" if point is None else f"on the path, after column {point:,}")
    return "   ".join(parts)


def letters_text(problem: TripleProblem, cell: Cell) -> str:
    """Return the last letter of each sequence before a cell."""
    found = (
        f"{chr(sequence.letters[place - 1])}{place:,}" if place else f"before {result_text.shorten_name(sequence.name)}"
        for sequence, place in zip(problem.sequences, cell, strict=True)
    )
    return f" {result_text.DOT} ".join(found)


def point_at(path: np.ndarray | None, cell: Cell) -> int | None:
    """Return how many alignment columns end before a cell on the path; None for other cells."""
    if path is None:
        return None
    point = int(np.searchsorted(path.sum(axis=1), sum(cell)))
    return point if point < len(path) and tuple(path[point].tolist()) == tuple(cell) else None


def nearest_point(path: np.ndarray, cell: Cell) -> int:
    """Return the index of the point of the path nearest to a cell."""
    return int(np.abs(path - np.array(cell)).sum(axis=1).argmin())


def chunk_text(found: CubeChunks, number: int, worker_name: str) -> str:
    """Describe a chunk: position, cells, worker, times, and the share that phase 3 recomputed."""
    box = found.chunk_box(number)
    parts = [
        f"chunk {number:,}",
        f"row {found.rows[number] + 1:,}, column {found.columns[number] + 1:,}",
        f"cells i {box[0]:,}\u2013{box[1] - 1:,}, j {box[2]:,}\u2013{box[3] - 1:,}",
    ]
    start, end = found.chunk_times_ns[number].tolist()
    if end >= 0:
        parts.append(f"{worker_name} {found.worker_of_chunk[number]}")
        parts.append(f"{start / 1e6:,.3f} to {end / 1e6:,.3f} ms ({app_texts.format_duration((end - start) / 1e6)})")
    if found.recompute_events.size:
        cells = count_cells(found.recomputed_boxes[found.box_chunks == number])
        share = cells / count_cells(box[None, :])
        parts.append(f"phase 3 recomputed {100 * share:.0f} % of it" if cells else "not on the path")
    return "   ".join(parts)


def count_cells(boxes: np.ndarray) -> int:
    """Return the number of cells in boxes, given as rows of six bounds."""
    return int(np.prod(boxes[:, 1::2] - boxes[:, 0::2], axis=1).sum())


def grid_text(found: CubeChunks) -> str:
    """Return a text such as '25 chunks of 32 x 32 x 154 cells'."""
    if found.count == 1:
        return "one chunk"
    i, j, k = (*(min(found.grid.s, size) for size in found.grid.cells[:2]), found.grid.cells[2])
    boxes = f", in {found.grid.boxes:,} subchunks each" if found.grid.boxes > 1 else ""
    return f"{found.count:,} chunks of {i:,} {result_text.TIMES} {j:,} {result_text.TIMES} {k:,} cells{boxes}"
