"""Scores of columns, and what gaps cost opposite them: how a problem says it, and as whole numbers.

Frequencies are rounded to 1/2048, so that a column is whole numbers that sum to 2048. The other factor of a score is
whole and at most 4096 in size (8192 for odds). The product of a row and a column is then whole and at most 2^24:
float32 holds every such number, so that it comes out the same in any order of sums, by any product of matrices, on any
machine. What is made of the product (shifted, its root, or its logarithm out of a table) is whole again.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.model import SequenceType
from antidiag.kernels.profiles.profile import NUCLEOTIDES, PROTEIN, Profile
from antidiag.kernels.scoring import SubstitutionMatrix
from antidiag.kernels.serialization import stored

FREQUENCY_UNITS = 2048
FACTOR_LIMIT, ODDS_LIMIT = 4096, 8192
"""Products of a column of frequencies and one of factors stay within 2^24; scores leave room for their rounding."""
SCORE_UNITS = 256
"""A score of a matrix is a whole number of 1/256; a distance of 1/2048, the unit of frequencies."""
LOG_BITS, LOG_STEPS = 14, 256
"""Logarithms are whole numbers of 2^-14, from a table of so many steps between powers of two, and straight lines."""
LEAST_ODDS = 2.0**-8
"""What a symbol that a profile does not have counts as, beside its background, in a position-specific matrix."""

LINEAR, ROOT, LOGARITHM = 0, 1, 2
"""What is made of a product: it is shifted; a distance; a logarithm."""
GLOBAL, LOCAL, SEMI_GLOBAL = 0, 1, 2

BACKGROUND = {
    PROTEIN: (.07805, .01925, .05364, .06295, .03856, .07377, .02199, .05142, .05744, .09019, .02243, .04487, .05203,
              .04264, .05129, .07120, .05841, .06441, .01330, .03216),
    NUCLEOTIDES: (.25,) * 4,
}  # fmt: skip
"""Frequencies of letters in nature: amino acids as Robinson and Robinson (1991) counted them."""


@stored("column-score")
class ColumnScore(StrEnum):
    """What two columns score."""

    EUCLIDEAN = "euclidean"
    SUM_OF_PAIRS = "sum-of-pairs"
    LOG_AVERAGE = "log-average"
    PSSM = "pssm"


@stored("profile-gaps")
class Gaps(StrEnum):
    """What a gap costs: the score of a column with a blank one, the same everywhere, or by what the column holds."""

    COLUMN = "column"
    AFFINE = "affine"
    POSITION = "position"


@stored("profile-mode")
class Span(StrEnum):
    """What is aligned: all columns; the best parts; all columns, of which the first and the last gap are free."""

    GLOBAL = "global"
    LOCAL = "local"
    SEMI_GLOBAL = "semi-global"


@stored("column-scoring")
@dataclass(frozen=True)
class ColumnScoring:
    """Column scores and gap costs.

    ``matrix`` scores letters; the Euclidean distance has none. ``blank`` is the score of a letter with a blank, 0 or
    less; two blanks score 0. ``nats`` is what a unit of the matrix stands for: ln 2 / 2 in BLOSUM62. ``offset`` is
    added to the score of two columns. ``pseudocounts`` so many letters of the background are added to every column that
    has letters; with position-specific scores to those of the first profile alone. A gap of length k costs
    gap_open + k gap_extend, 0 or more, times the factors of the columns where ``gaps`` says so.
    """

    kind: ColumnScore
    gaps: Gaps
    matrix: SubstitutionMatrix | None = None
    gap_open: float = 0.0
    gap_extend: float = 0.0
    blank: float = 0.0
    offset: float = 0.0
    pseudocounts: float = 0.0
    nats: float = float(np.log(2) / 2)

    @property
    def units(self) -> int:
        """How many units of the engine's scores are 1."""
        return FREQUENCY_UNITS if self.kind is ColumnScore.EUCLIDEAN else SCORE_UNITS

    @property
    def minimised(self) -> bool:
        """Whether a score is told as a distance, of which less is better."""
        return self.kind is ColumnScore.EUCLIDEAN and self.offset == 0

    def unscaled(self, score: int) -> int | float:
        """An engine score in the units of the matrix; a distance, where it is one, is 0 or more."""
        value = (-score if self.minimised else score) / self.units
        return int(value) if value.is_integer() else value

    def text(self) -> str:
        """For people: 'sum of pairs with BLOSUM62; a gap of length k costs 10 + 1 k'."""
        named = {
            ColumnScore.EUCLIDEAN: "Euclidean distance",
            ColumnScore.SUM_OF_PAIRS: "sum of pairs with ",
            ColumnScore.LOG_AVERAGE: "logarithm of the mean odds of ",
            ColumnScore.PSSM: "position-specific scores",
        }[self.kind]
        by = self.matrix.name if self.matrix is not None and self.kind is not ColumnScore.PSSM else ""
        opening = f"{self.gap_open:g} + " if self.gap_open else ""
        cost = {
            Gaps.COLUMN: "a gap costs the score of its columns with blanks",
            Gaps.AFFINE: f"a gap of length k costs {opening}{self.gap_extend:g} k",
            Gaps.POSITION: f"a gap of length k costs {opening}{self.gap_extend:g} k, times the factors of its columns",
        }[self.gaps]
        shifted = f" + {self.offset:g}" if self.offset else ""
        return f"{named}{by}{shifted}; {cost}"


class Encoded(NamedTuple):
    """A problem as compiled code takes it; all arrays contiguous.

    ``rows`` int16 (symbols, m + 1) and ``columns`` int16 (symbols, n + 1) are the factors of the products; the last
    column of each is that of blanks. ``row_bias`` and ``column_bias`` (int32, m + 1 and n + 1) are their squares, for
    distances. ``row_open``, ``row_extend`` (int32, m) and ``column_open``, ``column_extend`` (n) are costs of opening
    and of extending a gap opposite them. ``kind`` and ``shift`` say what is made of a product, ``factor`` and
    ``origin`` belong to logarithms, with ``table`` (int32, 257). ``offset`` is added.
    """

    rows: np.ndarray
    columns: np.ndarray
    row_bias: np.ndarray
    column_bias: np.ndarray
    row_open: np.ndarray
    row_extend: np.ndarray
    column_open: np.ndarray
    column_extend: np.ndarray
    table: np.ndarray
    kind: int
    shift: int
    factor: int
    origin: int
    offset: int
    mode: int
    by_column: bool

    @property
    def m(self) -> int:
        return self.rows.shape[1] - 1

    @property
    def n(self) -> int:
        return self.columns.shape[1] - 1

    @property
    def linear(self) -> bool:
        """Whether no gap costs anything to open."""
        return not (self.row_open.any() or self.column_open.any())


LOG_TABLE = np.rint(np.log2(1 + np.arange(LOG_STEPS + 1) / LOG_STEPS) * 2**LOG_BITS).astype(np.int32)
"""log2 of 1 to 2, in 2^-14."""


def pair_scores(made: Encoded, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Scores of columns ``i`` of the first and ``j`` of the second (from 0; the last one is blank), without the offset;
    int64, in units. In whole numbers of 64 bits, as they are defined."""
    products = (made.rows[:, i].astype(np.int64) * made.columns[:, j]).sum(axis=0)
    squares = made.row_bias[i].astype(np.int64) + made.column_bias[j] if made.kind == ROOT else None
    return finished(made.kind, products, squares, made.shift, made.origin, made.factor)


def finished(
    kind: int,
    products: np.ndarray,
    squares: np.ndarray | None,
    shift: int | np.ndarray,
    origin: int | np.ndarray,
    factor: int,
) -> np.ndarray:
    """What is made of products, int64 (see `Encoded`); of the sums of both squares too, where it is a distance."""
    if kind == LINEAR:
        return (products + ((1 << shift) >> 1)) >> shift
    if kind == ROOT:
        assert squares is not None
        return -_nearest_root(squares - 2 * products)
    return (_logarithm(products) - origin) * factor + (1 << LOG_BITS >> 1) >> LOG_BITS


def _nearest_root(squares: np.ndarray) -> np.ndarray:
    """The whole number nearest to the root of a whole number; no root lies halfway between two."""
    root = np.floor(np.sqrt(squares.astype(float))).astype(np.int64)
    return root + (squares > root * root + root)


def _logarithm(products: np.ndarray) -> np.ndarray:
    """log2 in 2^-14, int64; what is below 1 counts as 1."""
    values = np.maximum(products, 1)
    power = np.frexp(values.astype(float))[1].astype(np.int64) - 1
    mantissa = (values << (24 - power)) - (1 << 24)
    at, rest = mantissa >> 16, mantissa & 0xFFFF
    low = LOG_TABLE[at].astype(np.int64)
    high = LOG_TABLE[np.minimum(at + 1, LOG_STEPS)].astype(np.int64)
    return (power << LOG_BITS) + low + ((high - low) * rest >> 16)


def letter_scores(alphabet: str, matrix: SubstitutionMatrix, blank: float) -> np.ndarray:
    """The matrix over the alphabet, float64 (symbols, symbols), with the scores of blanks; InputError names a letter
    that the matrix does not know."""
    codes = matrix.codes[np.frombuffer(alphabet[:-1].encode("ascii"), np.uint8)]
    if (codes < 0).any():
        letter = alphabet[int(np.flatnonzero(codes < 0)[0])]
        raise InputError(f"{matrix.name}: no score of the letter {letter}; choose a matrix that knows {alphabet[:-1]}")
    values = np.full((len(alphabet), len(alphabet)), float(blank))
    values[:-1, :-1] = matrix.values[np.ix_(codes, codes)]
    values[-1, -1] = 0
    return values


def with_pseudocounts(profile: Profile, count: float) -> np.ndarray:
    """Frequencies, of letters mixed with so many of the background; the share of blanks stays as it is.

    A column has as many letters as its share of the rows, which are 1 where they are not known: the fewer letters, the
    more of the background.
    """
    if not count:
        return profile.frequencies
    rows = max(len(profile.names), 1)
    letters, blanks = profile.frequencies[:-1], profile.frequencies[-1:]
    share = 1 - blanks
    mixed = share * (rows * letters + count * background(profile.alphabet)[:, None]) / (rows * share + count)
    return np.vstack([mixed, blanks])


def background(alphabet: str) -> np.ndarray:
    """Frequencies of letters in nature; all alike in an alphabet of the user's own."""
    found = np.array(BACKGROUND.get(alphabet, (1.0,) * (len(alphabet) - 1)))
    return found / found.sum()


def nucleotides(profile: Profile) -> bool:
    """Whether the letters are those of DNA or RNA."""
    return profile.type != SequenceType.PROTEIN
