"""Distance matrix files: PHYLIP and NPY, in and out; tables with a head of names, lines of pairs, NEXUS
and MEGA, in.

A PHYLIP matrix begins with the number of taxa; then every taxon has a record: its name, and distances to all taxa
(square), to those before it (lower triangle) or to those after it (upper triangle), the triangles with or without the
0 on the diagonal. A name is a word (relaxed) or fills ten characters (strict). A record begins on a line of its own and
may continue on further lines.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import (
    distance_tables,
    line_blocks,
    mega_distances,
    nexus_distances,
    number_tables,
    packed_files,
)
from antidiag.kernels.io.distance_matrix import DistanceMatrix, make_distance_matrix, numbered_names
from antidiag.kernels.io.files import write_lines
from antidiag.kernels.io.number_tables import NPY
from antidiag.kernels.io.unique_names import make_names_unique
from antidiag.kernels.method import DataKind
from antidiag.kernels.monitor import Monitor

BOM = b"\xef\xbb\xbf"
SUFFIXES = (".phy", ".phylip", ".dist", ".mat", ".npy")


def is_distance_file(path: Path, head: bytes) -> bool:
    """Return whether a file holds a distance matrix, by its first bytes."""
    if head.startswith(NPY):
        return not number_tables.holds_matrix(path, head)
    if nexus_distances.HEAD.match(head.removeprefix(BOM)):
        return path.is_file() and nexus_distances.holds_only_distances(_read_text(path, Monitor()))
    if mega_distances.looks_like_mega_distances(head.removeprefix(BOM)):
        return True
    first, _, rest = line_blocks.normalise_line_ends(head.lstrip()).partition(b"\n")
    if first.strip().isdigit():
        return bool(rest.strip()) and (not rest.lstrip().startswith(b">") or _has_numbers(rest, first))
    if distance_tables.looks_like_table(path, head):
        return packed_files.format_suffix(path) in SUFFIXES or not distance_tables.looks_like_weights(path, head)
    return distance_tables.looks_like_pairs(path, head, SUFFIXES)


def _has_numbers(rows: bytes, count: bytes) -> bool:
    """Return whether the first row is a name and ``count`` numbers, or fewer where the rows are cut in it."""
    line, end, _ = rows.lstrip().partition(b"\n")
    numbers = line.split()[1:] if end else line.split()[1:-1]
    try:
        found = len(list(map(float, numbers)))
        return found == int(count) if end else found > 0
    except ValueError:
        return False


@packed_files.reads_each_file
def read_distances(path: str | Path, monitor: Monitor | None = None) -> list[DistanceMatrix]:
    """Read the distance matrix of a file: PHYLIP, a table with a head of names, lines of two names and a distance, the
    DISTANCES block of NEXUS, MEGA, or NPY.

    An NPY file holds a square array; the names stand one a line in a file beside it with the suffix .names, or are
    numbers from 1. InputError names file and line, or file and taxa.
    """
    path, monitor = Path(path), monitor or Monitor()
    if line_blocks.read_head(path, len(NPY)) == NPY:
        return [_read_npy(path)]
    text, source, name = _read_text(path, monitor), str(path), packed_files.format_stem(path)
    if nexus_distances.HEAD.match(text):
        return [nexus_distances.parse_nexus_distances(line_blocks.decode_text(text), source, name)]
    if mega_distances.looks_like_mega_distances(text):
        return [mega_distances.parse_mega_distances(line_blocks.decode_text(text), source, name)]
    if text.strip() and not text.lstrip().split(b"\n", 1)[0].strip().isdigit():
        return [distance_tables.parse_distances(text, source, name, monitor)]
    from antidiag.kernels.io import phylip_distances as distances_text

    return [distances_text.parse_phylip(text, source, name, monitor)]


def _read_text(path: Path, monitor: Monitor) -> bytes:
    return b"".join(line_blocks.read_blocks(path, monitor)).removeprefix(BOM)


def phylip_lines(matrix: DistanceMatrix, layout: str = "square") -> Iterator[str]:
    """Yield a PHYLIP file, square or lower, with relaxed unique names in which underscores replace blanks."""
    yield f"{len(matrix)}\n"
    words = ("_".join(name.split()) or f"unnamed-{row + 1}" for row, name in enumerate(matrix.names))
    for row, word in enumerate(make_names_unique(words)):
        numbers = matrix.values[row, : row if layout == "lower" else None].tolist()
        yield " ".join([f"{word:10}", *[f"{number:.9g}" for number in numbers]]) + "\n"


def write_distances(path: str | Path, matrix: DistanceMatrix) -> None:
    """Write a matrix as PHYLIP, as a table (.csv), or as NPY with its names beside it (.npy), by the suffix."""
    path = Path(path)
    suffix = packed_files.format_suffix(path)
    if suffix != ".npy":
        write_lines(path, csv_lines(matrix) if suffix == ".csv" else phylip_lines(matrix))
        return
    number_tables.write_array(path, matrix.values)
    names = make_names_unique(" ".join(name.split()) for name in matrix.names)
    write_lines(number_tables.names_file(path), (f"{name}\n" for name in names))


def csv_lines(matrix: DistanceMatrix, separator: str = ",") -> Iterator[str]:
    """Yield the lines of a table with the names in its first row and column."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(["", *matrix.names])
    for name, values in zip(matrix.names, matrix.values, strict=True):
        writer.writerow([name, *(f"{value:.9g}" for value in values.tolist())])
        yield text.getvalue()
        text.seek(0)
        text.truncate()


def _read_npy(path: Path) -> DistanceMatrix:
    values = number_tables.map_array(path)
    if values.ndim != 2 or values.dtype.kind not in "fiu":
        raise InputError(
            f"{path}: the array has type {values.dtype} and shape {values.shape}; a distance matrix is square, "
            "of numbers; "
            "a matrix to multiply is named .matrix.npy"
        )
    beside = number_tables.names_file(path)
    names = _read_names(beside) if beside.is_file() else numbered_names(len(values))
    return make_distance_matrix(names, np.array(values), packed_files.format_stem(path), str(path))


def _read_names(path: Path) -> tuple[str, ...]:
    """Return the lines of a file of names."""
    data = b"".join(line_blocks.read_blocks(path, Monitor()))
    try:
        return tuple(data.decode("utf-8-sig").splitlines())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line:,}: this line is not UTF-8; save the file as UTF-8") from None


def _generate_distances(count: int, random: np.random.Generator) -> DistanceMatrix:
    from antidiag.kernels.io.random_distances import (
        random_distance_matrix,  # compiled: not for a program that only starts
    )

    return random_distance_matrix(count, random)


DISTANCE_MATRIX = DataKind(
    id="distance-matrix",
    label="distance matrix",
    plural="distance matrices",
    type=DistanceMatrix,
    claims_file=is_distance_file,
    read=read_distances,
    suffixes=(*SUFFIXES, ".tsv", ".csv", ".tab", ".nex", ".meg"),
    generate=_generate_distances,
)
