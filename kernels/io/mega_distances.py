"""MEGA distances: '#mega', statements from '!' to ';', a line '#name' for each taxon, and one triangle of numbers."""

from __future__ import annotations

import re

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.mega import DISTANCES, HEAD, SETTING
from antidiag.kernels.io.alignment_formats.nexus_text import COMMENT_MARK, mask_comments
from antidiag.kernels.io.alignment_formats.raw_alignment import SourceLine
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.distance_tables import complete_matrix, is_distance
from antidiag.kernels.text import format_count, quote_text

STATEMENT = re.compile(r"^[ \t]*!([^;]*)(;|\Z)", re.MULTILINE)
LOWER, UPPER = "LowerLeft", "UpperRight"


def looks_like_mega_distances(start: bytes) -> bool:
    """Return whether a text begins as distances of MEGA do."""
    return HEAD.match(start) is not None and DISTANCES.search(start) is not None


def parse_mega_distances(raw: str, source: str, name: str) -> DistanceMatrix:
    """Return the matrix; standard errors in brackets are left out, as comments are. InputError names the line."""
    text = mask_comments(raw).replace(COMMENT_MARK, " ")
    taxa, lines = _split_lines(STATEMENT.sub(_blank_statement, text), source)
    layout = _check_format(" ".join(found[1] for found in STATEMENT.finditer(text)), len(taxa), source)
    rows = [(row, columns) for row, columns in enumerate(_triangle_columns(layout, len(taxa))) if columns]
    if len(lines) != len(rows):
        raise InputError(
            f"{source}: {format_count(len(lines), 'row')} of distances and {len(taxa):,} lines '#name'; correct the "
            "names or the matrix"
        )
    for (row, columns), (place, words) in zip(rows, lines, strict=True):
        if len(words) != len(columns):
            count = format_count(len(words), "distance")
            place.refuse(f"{count} of {quote_text(taxa[row])}, not {len(columns):,} as DataFormat={layout} says")
    values = np.full((len(taxa), len(taxa)), np.nan)
    for (row, columns), (place, words) in zip(rows, lines, strict=True):
        for column, word in zip(columns, words, strict=True):
            if not is_distance(word):
                both = f"{quote_text(taxa[row])} and {quote_text(taxa[column])}"
                place.refuse(f"{quote_text(word)} is no distance of {both}; give a number")
            values[row, column] = float(word)
    return complete_matrix(taxa, values, source, name)


def _blank_statement(found: re.Match[str]) -> str:
    """Return the line ends of a statement; all of one that has no end."""
    return "\n" * found[0].count("\n") if found[2] else found[0]


def _check_format(said: str, taxa: int, source: str) -> str:
    """Return the triangle that the statements name; InputError for another one or another number of taxa."""
    settings = {key.lower(): value.strip('"') for key, value in SETTING.findall(said)}
    layout, count = settings.get("dataformat", LOWER), settings.get("ntaxa", str(taxa))
    if layout.lower() not in (LOWER.lower(), UPPER.lower()):
        raise InputError(f"{source}: DataFormat={quote_text(layout)} is not known here; use {LOWER} or {UPPER}")
    if count != str(taxa):
        raise InputError(f"{source}: NTaxa={quote_text(count)} in !Format, and {taxa:,} lines '#name'; correct either")
    return LOWER if layout.lower() == LOWER.lower() else UPPER


def _triangle_columns(layout: str, taxa: int) -> list[range]:
    """Return the columns of which each row of a triangle has a distance."""
    return [range(row) if layout == LOWER else range(row + 1, taxa) for row in range(taxa)]


def _split_lines(text: str, source: str) -> tuple[list[str], list[tuple[SourceLine, list[str]]]]:
    """Return the names, and the words of each line of the matrix that has some, with its place."""
    taxa: list[str] = []
    rows: list[tuple[SourceLine, list[str]]] = []
    for number, line in enumerate(text.split("\n"), 1):
        place, words = SourceLine(source, number), line.strip()
        if words.startswith("!"):
            place.refuse("this statement has no ';'; add it")
        elif words.startswith("#") and number > 1:
            taxa.append(words[1:].strip() or place.refuse("'#' without a name; give each taxon as #name"))
        elif words and number > 1:
            rows.append((place, words.split()))
    return taxa, rows
