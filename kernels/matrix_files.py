"""Files of substitution matrices in the NCBI text format, with errors that name the line."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.scoring import SubstitutionMatrix, make_matrix, matrix_names, named_matrix
from antidiag.kernels.text import parse_real

MATRIX_FILE_BYTES = 1 << 20
"""Larger files are no matrices."""


def load_matrix(name_or_path: str) -> SubstitutionMatrix:
    """Return the matrix of a file if a file of this name exists, else a built-in matrix.

    Raises InputError if the file cannot be read or holds no matrix, ParameterError for an unknown name.
    """
    try:
        path = Path(name_or_path).expanduser()
        found = path.is_file()
        if path.is_dir() and name_or_path.upper() not in map(str.upper, matrix_names()):
            raise InputError(f"{name_or_path}: this is a folder; give a file or the name of a built-in matrix")
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"{name_or_path}: cannot read the matrix: {error}") from error
    return matrix_from_file(path) if found else named_matrix(name_or_path)


def matrix_from_file(path: Path) -> SubstitutionMatrix:
    """Read a matrix in the NCBI text format.

    Lines that start with # are comments; the first other line names the letters of the columns
    (second sequence), and each further line is a letter of the first sequence and its scores. The
    rows may be in any order, and the matrix need not be symmetric. Raises InputError, which names the line.
    """
    lines = _matrix_lines(path)
    if not lines:
        raise InputError(f"{path}: no matrix found; the file needs a header line of letters and a row for each letter")
    header, letters = lines[0][0], _header_letters(path, *lines[0])
    rows: dict[str, list[float]] = {}
    for number, words in lines[1:]:
        letter = words[0].upper()
        if letter not in letters:
            raise InputError(f"{path}, line {number}: the header (line {header}) has no letter {words[0]!r}")
        if letter in rows:
            raise InputError(f"{path}, line {number}: second row for letter {letter}; remove one of them")
        rows[letter] = _row_scores(path, number, words, len(letters))
    missing = [letter for letter in letters if letter not in rows]
    if missing:
        raise InputError(f"{path}: no row for {', '.join(missing)}, which the header (line {header}) names; add one")
    values = np.array([rows[letter] for letter in letters])
    return make_matrix(path.name, "".join(letters), values, str(path.absolute()))


def _matrix_lines(path: Path) -> list[tuple[int, list[str]]]:
    """Return number and words of every line that is neither empty nor a comment."""
    try:
        with open(path, "rb") as handle:
            data = handle.read(MATRIX_FILE_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot read the matrix: {error.strerror}") from error
    if len(data) > MATRIX_FILE_BYTES or b"\0" in data:
        raise InputError(f"{path}: the file is too large or binary; give a substitution matrix in the NCBI text format")
    text = data.decode("utf-8-sig", "replace").replace(",", " ")
    numbered = ((number, line.split("#")[0].split()) for number, line in enumerate(text.splitlines(), 1))
    return [(number, words) for number, words in numbered if words]


def _header_letters(path: Path, number: int, words: list[str]) -> list[str]:
    letters = [word.upper() for word in words]
    for letter in letters:
        if len(letter) != 1 or not letter.isascii() or letter.isdigit():
            raise InputError(f"{path}, line {number}: {letter!r} is not a letter; the first line must list the letters")
        if letters.count(letter) > 1:
            raise InputError(f"{path}, line {number}: the header lists letter {letter} twice; remove one of them")
    return letters


def _row_scores(path: Path, number: int, words: list[str], count: int) -> list[float]:
    if len(words) - 1 != count:
        raise InputError(
            f"{path}, line {number}: row {words[0]} has {len(words) - 1} scores, but the header lists {count} letters"
        )
    scores = []
    for column, word in enumerate(words[1:], 1):
        try:
            scores.append(parse_real(word))
        except ValueError:
            raise InputError(
                f"{path}, line {number}: {word!r} (score {column} of row {words[0]}) is not a number"
            ) from None
        if not np.isfinite(scores[-1]):
            raise InputError(f"{path}, line {number}: score {column} of row {words[0]} is {word}; it must be finite")
    return scores
