"""Substitution matrices, gap costs, and the score of a finished alignment.

Scores inside the engine are 32-bit integers. A matrix with decimals (GONNET1992) is scaled by 10 or
100 together with the gap costs; ``Scoring.scale`` is that factor and results are divided by it.
"""

from __future__ import annotations

import string
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError, ScoreOverflow
from antidiag.kernels.model import Sequence
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import real

SCORE_LIMIT = 2**29
"""Scores stay below this in size, so that "minus infinity" (-2^30) stays apart when scores are added to it."""

SCALES = (1, 10, 100, 1000)
CODON_MATRICES = frozenset({"SCHNEIDER"})
NUCLEOTIDES = "ACGTRYSWKMBDHVNX"
"""Letters of DNA: the bases, the IUPAC ambiguity codes, and X for a masked base."""

UNKNOWN = 255
"""Code of a letter without a score."""

MATRIX_FILE_BYTES = 1 << 20


@stored("substitution-matrix")
@dataclass(frozen=True, eq=False)
class SubstitutionMatrix:
    """Scores for pairs of letters.

    ``values[x, y]`` is the score of ``letters[x]`` in the first sequence aligned with ``letters[y]``
    in the second; shape (len(letters), len(letters)), float64, read-only.
    """

    name: str
    letters: str
    values: np.ndarray

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SubstitutionMatrix)
            and self.letters == other.letters
            and np.array_equal(self.values, other.values)
        )

    def __hash__(self) -> int:
        return hash((self.letters, self.values.tobytes()))

    @cached_property
    def codes(self) -> np.ndarray:
        """Code of every byte, shape (256,), int16; -1 where the matrix does not know the letter.

        Lower case counts as upper case. In a matrix of nucleotides U counts as T, and T as U, where
        only one of them is known; in proteins U is selenocysteine and has no such twin.
        """
        table = np.full(256, -1, np.int16)
        for code, letter in enumerate(self.letters):
            table[ord(letter)] = code
        if set(self.letters) <= set(NUCLEOTIDES + "U*"):
            for letter, twin in (("U", "T"), ("T", "U")):
                if table[ord(letter)] < 0:
                    table[ord(letter)] = table[ord(twin)]
        for letter in string.ascii_uppercase:
            table[ord(letter.lower())] = table[ord(letter)]
        table.setflags(write=False)
        return table

    @cached_property
    def translation(self) -> bytes:
        """Code of every byte for ``bytes.translate``; UNKNOWN where the matrix does not know the letter."""
        return np.where(self.codes < 0, UNKNOWN, self.codes).astype(np.uint8).tobytes()


def matrix_names() -> tuple[str, ...]:
    """Names of the matrices that ship with Biopython and score single letters."""
    from Bio.Align import substitution_matrices

    return tuple(name for name in substitution_matrices.load() if name not in CODON_MATRICES)


def named_matrix(name: str) -> SubstitutionMatrix:
    """A substitution matrix of Biopython, by name in any case; ParameterError for an unknown one, or one of codons."""
    from Bio.Align import substitution_matrices

    known = {known_name.upper(): known_name for known_name in matrix_names()}
    if name.upper() in CODON_MATRICES:
        raise ParameterError(f"matrix {name!r} scores codons, not letters; choose another one")
    if name.upper() not in known:
        raise ParameterError(
            f"unknown matrix {name!r}: no such file, and the built-in ones are {', '.join(known.values())}"
        )
    found = substitution_matrices.load(known[name.upper()])
    return _matrix(known[name.upper()], "".join(found.alphabet), np.asarray(found, float))


def matrix_from_file(path: Path) -> SubstitutionMatrix:
    """A matrix in the NCBI text format.

    Lines that start with # are comments; the first other line names the letters of the columns
    (second sequence), and each further line is a letter of the first sequence and its scores. The
    rows may stand in any order, and the matrix need not be symmetric. InputError names the line.
    """
    lines = _matrix_lines(path)
    if not lines:
        raise InputError(f"{path}: no matrix in this file; it needs a header line of letters and a row for each letter")
    header, letters = lines[0][0], _header_letters(path, *lines[0])
    rows: dict[str, list[float]] = {}
    for number, words in lines[1:]:
        letter = words[0].upper()
        if letter not in letters:
            raise InputError(f"{path}, line {number}: row {words[0]!r} is not among the letters of line {header}")
        if letter in rows:
            raise InputError(f"{path}, line {number}: a second row for the letter {letter}; remove one")
        rows[letter] = _row_scores(path, number, words, len(letters))
    missing = [letter for letter in letters if letter not in rows]
    if missing:
        raise InputError(f"{path}: not square: no row for {', '.join(missing)}; the header in line {header} names them")
    return _matrix(path.name, "".join(letters), np.array([rows[letter] for letter in letters]))


def _matrix_lines(path: Path) -> list[tuple[int, list[str]]]:
    """Line numbers and words of all lines that are not empty or comments."""
    try:
        with open(path, "rb") as handle:
            data = handle.read(MATRIX_FILE_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot read the matrix: {error.strerror}") from error
    if len(data) > MATRIX_FILE_BYTES or b"\0" in data:
        raise InputError(
            f"{path}: not a substitution matrix, but a large or binary file; give one in the NCBI text format"
        )
    text = data.decode("utf-8-sig", "replace").replace(",", " ")
    numbered = ((number, line.split("#")[0].split()) for number, line in enumerate(text.splitlines(), 1))
    return [(number, words) for number, words in numbered if words]


def _header_letters(path: Path, number: int, words: list[str]) -> list[str]:
    letters = [word.upper() for word in words]
    for letter in letters:
        if len(letter) != 1 or not letter.isascii() or letter.isdigit():
            raise InputError(f"{path}, line {number}: {letter!r} is not one letter; the first line names the letters")
        if letters.count(letter) > 1:
            raise InputError(f"{path}, line {number}: the letter {letter} stands twice in the header; remove one")
    return letters


def _row_scores(path: Path, number: int, words: list[str], count: int) -> list[float]:
    if len(words) - 1 != count:
        raise InputError(
            f"{path}, line {number}: {len(words) - 1} scores in row {words[0]}, and the header has {count} letters"
        )
    scores = []
    for column, word in enumerate(words[1:], 1):
        try:
            scores.append(real(word))
        except ValueError:
            raise InputError(
                f"{path}, line {number}: {word!r} (score {column} of row {words[0]}) is not a number"
            ) from None
        if not np.isfinite(scores[-1]):
            raise InputError(f"{path}, line {number}: score {column} of row {words[0]} is {word}; it must be finite")
    return scores


def load_matrix(name_or_path: str) -> SubstitutionMatrix:
    """A matrix from a file where one of that name exists, else a built-in one.

    InputError where the file cannot be read or holds no matrix, ParameterError for an unknown name.
    """
    try:
        path = Path(name_or_path).expanduser()
        found = path.is_file()
        if path.is_dir() and name_or_path.upper() not in map(str.upper, matrix_names()):
            raise InputError(f"{name_or_path}: this is a folder; give a file in it, or the name of a built-in matrix")
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"{name_or_path}: cannot read the matrix: {error}") from error
    return matrix_from_file(path) if found else named_matrix(name_or_path)


def match_mismatch(match: float, mismatch: float, wildcard: str = "", nucleotides: bool = False) -> SubstitutionMatrix:
    """Letters compared as letters: N matches only N. Letters in ``wildcard`` score 0 with everything.

    With ``nucleotides`` the letters are those of DNA and RNA, and U equals T. ParameterError for a score that is not
    finite, or a wildcard that is no letter.
    """
    for name, value in (("match", match), ("mismatch", mismatch)):
        if not np.isfinite(value):
            raise ParameterError(f"{name} must be a finite number, not {value}")
    letters = NUCLEOTIDES if nucleotides else string.ascii_uppercase + "*"
    values = np.where(np.eye(len(letters), dtype=bool), float(match), float(mismatch))
    return with_wildcard(_matrix(f"match {match:+g}, mismatch {mismatch:+g}", letters, values), wildcard)


def with_wildcard(matrix: SubstitutionMatrix, wildcard: str) -> SubstitutionMatrix:
    """The matrix with every letter of ``wildcard`` scoring 0 with every letter; unknown ones are added."""
    wild = "".join(dict.fromkeys(wildcard.upper()))
    for letter in wild:
        if letter not in string.ascii_uppercase + "*":
            raise ParameterError(
                f"wildcard {letter!r} is not a letter; give letters such as N or NX, without separators"
            )
    if not wild:
        return matrix
    letters = matrix.letters + "".join(letter for letter in wild if letter not in matrix.letters)
    values = np.zeros((len(letters), len(letters)))
    values[: len(matrix.letters), : len(matrix.letters)] = matrix.values
    places = [letters.index(letter) for letter in wild]
    values[places, :] = values[:, places] = 0
    return _matrix(f"{matrix.name}, {wild} = 0", letters, values)


@stored("scoring")
@dataclass(frozen=True)
class Scoring:
    """A substitution matrix and affine gap costs.

    A gap of length k costs ``gap_open + k * gap_extend`` (001, section III); linear gaps have
    ``gap_open`` 0. Costs are in the units of the matrix and not negative. ParameterError for others, and for numbers of
    more than three decimals; ScoreOverflow for those beyond SCORE_LIMIT.
    """

    matrix: SubstitutionMatrix
    gap_open: float
    gap_extend: float

    def __post_init__(self) -> None:
        for name in ("gap_open", "gap_extend"):
            if not getattr(self, name) >= 0 or not np.isfinite(getattr(self, name)):
                raise ParameterError(f"{name} is a cost and must be 0 or more, not {getattr(self, name)}")
        if not self.scale:
            raise ParameterError(
                f"scores of {self.matrix.name} and gap costs need more than three decimals; round them"
            )
        largest = max(float(np.abs(self.matrix.values).max(initial=0)), self.gap_open, self.gap_extend) * self.scale
        if largest >= SCORE_LIMIT:
            raise ScoreOverflow(
                f"{self.text()}: a score or cost (x {self.scale}) is beyond the 32-bit limit of {SCORE_LIMIT:,}; "
                "use smaller scores and gap costs"
            )

    @cached_property
    def scale(self) -> int:
        """The factor that makes every score and cost whole; 0 where none does."""
        numbers = np.append(self.matrix.values.ravel(), [self.gap_open, self.gap_extend])
        with np.errstate(over="ignore"):
            fits = (np.allclose(numbers * scale, np.rint(numbers * scale), 0, 1e-6) for scale in SCALES)
            return next((scale for scale, whole in zip(SCALES, fits, strict=True) if whole), 0)

    @cached_property
    def scores(self) -> np.ndarray:
        """Scaled scores, int32, shape as the matrix."""
        return np.rint(self.matrix.values * self.scale).astype(np.int32)

    @property
    def open(self) -> int:
        """Scaled cost of opening a gap."""
        return round(self.gap_open * self.scale)

    @property
    def extend(self) -> int:
        """Scaled cost of every letter of a gap."""
        return round(self.gap_extend * self.scale)

    def unscaled(self, score: int) -> int | float:
        """An engine score in the units of the matrix."""
        return int(score) if self.scale == 1 else score / self.scale

    def text(self) -> str:
        """For people: 'BLOSUM62; a gap of length k costs 10 + 1 k'."""
        opening = f"{self.gap_open:g} + " if self.gap_open else ""
        return f"{self.matrix.name}; a gap of length k costs {opening}{self.gap_extend:g} k"


def _matrix(name: str, letters: str, values: np.ndarray) -> SubstitutionMatrix:
    values = np.array(values, float)
    values.setflags(write=False)
    return SubstitutionMatrix(name, letters.upper(), values)


def encode(sequence: Sequence, scoring: Scoring) -> np.ndarray:
    """Matrix codes of a sequence, uint8; InputError names the record and position of a strange letter."""
    codes = bytearray(sequence.letters).translate(scoring.matrix.translation)
    position = codes.find(UNKNOWN)
    if position >= 0:
        letter = chr(sequence.letters[position])
        raise InputError(
            f"{sequence.name}: letter {letter!r} at position {position + 1:,} has no score in {scoring.matrix.name}; "
            f"it knows {scoring.matrix.letters}. Choose another matrix, or make {letter} a wildcard"
        )
    return np.frombuffer(codes, np.uint8)


def compacted(parts: Iterable[bytes | bytearray], codes: int) -> tuple[list[int], bytes]:
    """Which of so many codes occur in any of the parts, and for `bytes.translate` the number of each among them."""
    # To look for a letter in bytes, and to translate them, takes a fifth of the time that indexing arrays does. To find
    # that it is not there all of them are read, so none is looked for beyond the greatest.
    parts = [part for part in parts if part]
    above = min(codes, 1 + max((int(np.frombuffer(part, np.uint8).max()) for part in parts), default=-1))
    present = [code for code in range(above) if any(code in part for part in parts)]
    numbers = bytearray(256)
    for number, code in enumerate(present):
        numbers[code] = number
    return present, bytes(numbers)


@stored("mode")
class Mode(StrEnum):
    """What is aligned: the best parts of the sequences (Smith-Waterman), or all of them (Needleman-Wunsch)."""

    LOCAL = "local"
    GLOBAL = "global"


def refuse_overflow(first: int, second: int, scoring: Scoring) -> None:
    """ScoreOverflow where scores of two sequences of these lengths could leave 32 bits."""
    step = max(int(np.abs(scoring.scores).max(initial=0)), scoring.extend)
    bound = (first + second + 2) * step + scoring.open
    if bound >= SCORE_LIMIT:
        raise ScoreOverflow(
            f"scores of {first:,} x {second:,} letters could reach {bound:,} in size, beyond "
            f"the 32-bit limit of {SCORE_LIMIT:,}; use smaller scores and gap costs, or shorter sequences"
        )
