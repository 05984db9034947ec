"""Answers as text for terminals, and as HTML and SVG for notebooks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.text import format_count
from antidiag.kernels.trees.tree_layout import TreeShape, lay_out_tree

WIDTH = 60
"""Columns of an alignment in a line of text."""
NAME_WIDTH = 16
"""Letters of a name that stand before a row of text."""
HTML_ROWS, HTML_COLUMNS = 40, 240
"""Rows and columns of an alignment that a notebook shows."""
MATRIX_ROWS = 8
"""Rows and columns of a matrix that text shows."""
SVG_TAXA = 60
"""Leaves of a tree, and rows of a matrix, up to which a picture has names."""
PICTURE_CELLS = 64
"""Rows and columns of the picture of a matrix; each cell of a larger matrix is a mean."""
BASES = {"A": "#9fd39f", "C": "#9fbfe8", "G": "#f2cd86", "T": "#eea6a0", "U": "#eea6a0"}
RESIDUE_GROUPS = {
    "ILVAM": "#f6c3bd",
    "FWY": "#f7d58a",
    "KRH": "#a9b8f0",
    "DE": "#f09a9a",
    "STNQ": "#a8dca8",
    "PG": "#e5b3e5",
    "C": "#e8e08a",
}
RESIDUES = {letter: colour for letters, colour in RESIDUE_GROUPS.items() for letter in letters}


def pair_text(
    rows: Sequence[str],
    marks: str,
    start: tuple[int, int],
    names: Sequence[str],
    number_letters: Callable[[int, int, int], tuple[int, int]],
) -> str:
    """Return two rows with the match line between them, in lines of 60 columns with positions from 1.

    ``number_letters(side, start, end)`` are the numbers of the first and the last of some letters of a row.
    """
    if not marks:
        return f"{names[0]} x {names[1]}: the best local alignment is empty"
    shown = [_fit_name(name) for name in names]
    margin = max(map(len, shown))
    digits = max(len(str(max(number_letters(side, start[side], start[side] + len(marks))))) for side in (0, 1))
    at, lines = list(start), []
    for first in range(0, len(marks), WIDTH):
        pieces = [row[first : first + WIDTH] for row in rows]
        ends = [here + len(piece) - piece.count("-") for here, piece in zip(at, pieces, strict=True)]
        numbers = [number_letters(side, at[side], ends[side]) for side in (0, 1)]
        block = [
            f"{name:{margin}} {low:{digits}} {piece} {high}"
            for name, piece, (low, high) in zip(shown, pieces, numbers, strict=True)
        ]
        block.insert(1, f"{'':{margin}} {'':{digits}} {marks[first : first + WIDTH]}".rstrip())
        lines.append("\n".join(block))
        at = ends
    return "\n\n".join(lines)


def alignment_text(names: Sequence[str], letters: np.ndarray, rows: int) -> str:
    """Return the first rows and columns of an alignment, and what is left out."""
    count, columns = letters.shape
    shown = [_fit_name(name) for name in names[:rows]]
    margin = max(map(len, shown), default=0)
    lines = [f"{name:{margin}} {letters[row, :WIDTH].tobytes().decode()}" for row, name in enumerate(shown)]
    left = [format_count(count - rows, "more row")] if count > rows else []
    left += [format_count(columns - WIDTH, "more column")] if columns > WIDTH else []
    return "\n".join([*lines, f"... {' and '.join(left)}"] if left else lines)


def alignment_html(names: Sequence[str], rows: Sequence[bytes], protein: bool, more: int = 0) -> str:
    """Return an alignment with a background for each letter."""
    colours = RESIDUES if protein else BASES
    lines = [
        f"<tr><th style='text-align:left;padding-right:1em'>{escape(_fit_name(name))}</th>"
        f"<td style='white-space:pre'>{_coloured_letters(row[:HTML_COLUMNS].decode(), colours)}</td></tr>"
        for name, row in zip(names, rows, strict=False)
    ]
    columns = max(map(len, rows), default=0)
    left = [format_count(more, "more row")] if more > 0 else []
    left += [format_count(columns - HTML_COLUMNS, "more column")] if columns > HTML_COLUMNS else []
    note = f"<p>... {' and '.join(left)}</p>" if left else ""
    return f"<table style='font-family:monospace;border-collapse:collapse'>{''.join(lines)}</table>{note}"


def rows_html(rows: Sequence[tuple[str, str]]) -> str:
    """Return labelled texts as a table."""
    lines = (
        f"<tr><th style='text-align:left'>{escape(label)}</th>"
        f"<td style='text-align:left;white-space:pre-wrap;font-family:monospace'>{escape(text)}</td></tr>"
        for label, text in rows
    )
    return f"<table>{''.join(lines)}</table>"


def tree_svg(tree: Tree) -> str:
    """Return a tree as SVG, the root on the left; with names where there are few leaves."""
    layout = lay_out_tree(tree, TreeShape.RECTANGULAR)
    leaves = max(len(tree.leaves), 1)
    step, width = max(4.0, min(18.0, 1400 / leaves)), 420.0
    x = 6 + width * layout.x / (float(layout.x.max()) or 1.0)
    y = 12 + step * (layout.y - float(layout.y.min()))
    lines = []
    for node in range(1, len(tree)):
        parent = tree.parents[node]
        lines.append(f"M{x[parent]:.1f} {y[parent]:.1f}V{y[node]:.1f}H{x[node]:.1f}")
    named = leaves <= SVG_TAXA
    labels = [
        f"<text x='{x[leaf] + 5:.1f}' y='{y[leaf] + 4:.1f}'>{escape(tree.names[leaf])}</text>"
        for leaf in (tree.leaves.tolist() if named else [])
    ]
    right = width + 20 + (7.5 * max(map(len, tree.taxa), default=0) if named else 0)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{right:.0f}' height='{y.max() + 12:.0f}' "
        f"font-family='sans-serif' font-size='12'><path d='{''.join(lines)}' fill='none' stroke='currentColor'/>"
        f"<g fill='currentColor'>{''.join(labels)}</g></svg>"
    )


def matrix_text(names: Sequence[str], values: np.ndarray) -> str:
    """Return the first rows and columns of a matrix with the names, and what is left out."""
    shown = [_fit_name(name) for name in names[:MATRIX_ROWS]]
    margin = max(map(len, shown), default=0)
    lines = [
        f"{name:{margin}} " + " ".join(f"{value:8.4f}" for value in values[row, :MATRIX_ROWS].tolist())
        for row, name in enumerate(shown)
    ]
    more = len(names) - MATRIX_ROWS
    return "\n".join([*lines, f"... {format_count(more, 'more taxon', 'more taxa')}"] if more > 0 else lines)


def matrix_svg(names: Sequence[str], values: np.ndarray) -> str:
    """Return a matrix as a grid of greys, 0 white and the largest value black."""
    count = len(names)
    borders = np.unique(np.linspace(0, count, min(count, PICTURE_CELLS) + 1).astype(int))
    sums = np.add.reduceat(np.add.reduceat(np.asarray(values, float), borders[:-1], 0), borders[:-1], 1)
    sizes = np.diff(borders)
    means = sums / np.outer(sizes, sizes)
    shades = (255 * (1 - means / (float(means.max()) or 1.0))).astype(int)
    side = max(6, min(18, 400 // max(len(sizes), 1)))
    cells = [
        f"<rect x='{side * j}' y='{side * i}' width='{side}' height='{side}' fill='rgb({v},{v},{v})'/>"
        for i, row in enumerate(shades.tolist())
        for j, v in enumerate(row)
    ]
    edge = side * len(sizes)
    named = count <= min(SVG_TAXA, len(sizes))
    labels = [
        f"<text x='{edge + 5}' y='{side * (row + 0.75):.1f}'>{escape(name)}</text>"
        for row, name in enumerate(names if named else [])
    ]
    right = edge + 10 + (7 * max(map(len, names), default=0) if named else 0)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{right}' height='{edge}' font-family='sans-serif' "
        f"font-size='{max(side - 4, 6)}'>{''.join(cells)}<g fill='currentColor'>{''.join(labels)}</g></svg>"
    )


def _coloured_letters(row: str, colours: dict[str, str]) -> str:
    """Return letters as HTML, each with its background."""
    return "".join(
        f"<span style='background:{colours[letter]};color:#000'>{letter}</span>"
        if letter in colours
        else escape(letter)
        for letter in row
    )


def _fit_name(name: str) -> str:
    """Return a name of at most 16 letters; of a longer one the beginning and the end."""
    return name if len(name) <= NAME_WIDTH else f"{name[:9]}...{name[-4:]}"
