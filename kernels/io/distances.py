"""Distance matrices: the noun, and PHYLIP and NPY files in and out.

A PHYLIP matrix begins with the number of taxa; then every taxon has a record: its name, and distances to all taxa
(square), to those before it (lower triangle) or to those after it (upper triangle), the triangles with or without
the 0 on the diagonal. A name is a word (relaxed) or fills ten characters (strict). A record begins on a line of its
own and may go on over further lines.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import line_blocks, tables
from antidiag.kernels.io.distance_matrix import BLOCK, DistanceMatrix, checked, numbered
from antidiag.kernels.io.files import write_bytes, write_lines
from antidiag.kernels.io.names import distinct
from antidiag.kernels.io.tables import NAMES_SUFFIX, NPY
from antidiag.kernels.method import DataKind
from antidiag.kernels.monitor import Monitor


def claims(path: Path, head: bytes) -> bool:
    """Whether a file holds a distance matrix, by its first bytes."""
    if head.startswith(NPY):
        return not tables.holds_matrix(path, head)
    first, _, rest = line_blocks.plain(head.lstrip()).partition(b"\n")
    return first.strip().isdigit() and bool(rest.strip()) and not rest.lstrip().startswith(b">")


def read(path: str | Path, monitor: Monitor | None = None) -> list[DistanceMatrix]:
    """The distance matrix of a PHYLIP file, plain or gzipped, or of an NPY file.

    An NPY file holds a square array; the names stand in a file beside it with the suffix .names, one a line, or are
    numbers from 1. Raises InputError that names file and line, or file and taxa.
    """
    path, monitor = Path(path), monitor or Monitor()
    if _head(path).startswith(NPY):
        return [_from_npy(path)]
    from antidiag.kernels.io import phylip as distances_text

    text = b"".join(line_blocks.blocks(path, monitor))
    return [distances_text.parse(text, str(path), _stem(path), monitor)]


def phylip(matrix: DistanceMatrix, layout: str = "square") -> Iterator[str]:
    """A PHYLIP file in pieces, square or lower; relaxed names, blanks in them made underscores, each there once."""
    yield f"{len(matrix)}\n"
    words = ("_".join(name.split()) or f"unnamed-{row + 1}" for row, name in enumerate(matrix.names))
    for row, word in enumerate(distinct(words)):
        numbers = matrix.values[row, : row if layout == "lower" else None].tolist()
        yield " ".join([f"{word:10}", *[f"{number:.9g}" for number in numbers]]) + "\n"


def write(path: str | Path, matrix: DistanceMatrix) -> None:
    """Write a matrix as PHYLIP, or as NPY with its names beside where the suffix is .npy; errors as `write_lines`."""
    path = Path(path)
    if path.suffix.lower() != ".npy":
        write_lines(path, phylip(matrix), packed=path.suffix.lower() == ".gz")
        return
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(matrix.values))
    rows = (matrix.values[at : at + BLOCK].tobytes() for at in range(0, len(matrix), BLOCK))
    write_bytes(path, chain((header.getvalue(),), rows))
    names = distinct(" ".join(name.split()) for name in matrix.names)
    write_lines(path.with_suffix(NAMES_SUFFIX), (f"{name}\n" for name in names))


def _head(path: Path) -> bytes:
    try:
        with open(path, "rb") as handle:
            return handle.read(len(NPY))
    except OSError:
        return b""


def _stem(path: Path) -> str:
    """The file's name without its suffixes of format and compression."""
    return Path(path.stem).stem if path.suffix == ".gz" else path.stem


def _from_npy(path: Path) -> DistanceMatrix:
    values = tables.mapped(path)
    if values.ndim != 2 or values.dtype.kind not in "fiu":
        raise InputError(
            f"{path}: an array of {values.dtype} and shape {values.shape}; a distance matrix is square, of numbers; "
            "a matrix to be multiplied is named .matrix.npy"
        )
    beside = path.with_suffix(NAMES_SUFFIX)
    names = numbered(len(values))
    if beside.is_file():
        names = _names(beside)
    return checked(names, np.array(values), _stem(path), str(path))


def _names(path: Path) -> tuple[str, ...]:
    """The lines of a file of names."""
    data = b"".join(line_blocks.blocks(path, Monitor()))
    try:
        return tuple(data.decode("utf-8-sig").splitlines())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line:,}: this is not UTF-8 text; save the file as UTF-8") from None


def _generate(count: int, random: np.random.Generator) -> DistanceMatrix:
    from antidiag.kernels.io.random_distances import generate  # compiled: not for a program that only starts

    return generate(count, random)


DISTANCE_MATRIX = DataKind(
    id="distance-matrix",
    label="distance matrix",
    plural="distance matrices",
    type=DistanceMatrix,
    claims=claims,
    read=read,
    suffixes=(".phy", ".phylip", ".dist", ".mat", ".npy"),
    generate=_generate,
)
