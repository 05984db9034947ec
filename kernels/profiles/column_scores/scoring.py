"""Scores of columns and gap costs, as the user states them and as whole numbers.

Frequencies are rounded to 1/2048, so a column is whole numbers that sum to 2048. The other factor of a score is whole
and at most 4096 in size (8192 for odds). The product of a row and a column is then whole and at most 2^24, which
float32 holds exactly: the result does not depend on the order of sums, the library or the machine. What follows from
the product (shifted, its root, or its logarithm by a table) is whole again.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.model import SequenceType
from antidiag.kernels.profiles.profile import NUCLEOTIDES, PROTEIN, Profile
from antidiag.kernels.scoring import FREE_ENDS, FreeEnds, Mode, SubstitutionMatrix
from antidiag.kernels.serialization import stored

FREQUENCY_UNITS = 2048
FACTOR_LIMIT, ODDS_LIMIT = 4096, 8192
"""Limits of factors: products of a column of frequencies and one of factors stay within 2^24, with space for
rounding."""
SCORE_UNITS = 256
"""Engine units of a matrix score; distances have FREQUENCY_UNITS."""
LOG_BITS, LOG_STEPS = 14, 256
"""Logarithms are whole numbers of 2^-14, interpolated in a table of LOG_STEPS steps between powers of two."""
LEAST_ODDS = 2.0**-8
"""Odds of a symbol that a profile lacks, relative to its background, in position-specific scores."""

LINEAR, ROOT, LOGARITHM = 0, 1, 2
"""What a product becomes: a shifted number, a distance, or a logarithm."""
FIRST_START, FIRST_END, SECOND_START, SECOND_END = 1, 2, 4, 8
"""Bits of the number of a mode: which ends of the profiles are free."""
GLOBAL, SEMI_GLOBAL = 0, FIRST_START | FIRST_END | SECOND_START | SECOND_END
QUERY_IN_TARGET = SECOND_START | SECOND_END
LOCAL = 16 | FIRST_START | SECOND_START
"""Numbers of modes in compiled code; device code knows these alone. Local paths begin as if the starts were free."""

BACKGROUND = {
    PROTEIN: (
        0.07805,
        0.01925,
        0.05364,
        0.06295,
        0.03856,
        0.07377,
        0.02199,
        0.05142,
        0.05744,
        0.09019,
        0.02243,
        0.04487,
        0.05203,
        0.04264,
        0.05129,
        0.07120,
        0.05841,
        0.06441,
        0.01330,
        0.03216,
    ),
    NUCLEOTIDES: (0.25,) * 4,
}
"""Background frequencies of letters: amino acids as counted by Robinson and Robinson (1991)."""


@stored("column-score")
class ColumnScore(StrEnum):
    """How two columns are scored."""

    EUCLIDEAN = "euclidean"
    SUM_OF_PAIRS = "sum-of-pairs"
    LOG_AVERAGE = "log-average"
    PSSM = "pssm"


@stored("profile-gaps")
class ProfileGaps(StrEnum):
    """What a gap costs: the score of a column with a blank one, a constant, or a cost that depends on the column."""

    COLUMN = "column"
    AFFINE = "affine"
    POSITION = "position"


@stored("profile-mode")
class ProfileSpan(StrEnum):
    """What is aligned: all columns; the best parts; all columns with free end gaps; the whole first profile with a part
    of the second, whose ends are free; all columns with the free ends that a problem names."""

    GLOBAL = "global"
    LOCAL = "local"
    SEMI_GLOBAL = "semi-global"
    QUERY_IN_TARGET = "query-in-target"
    CUSTOM = "custom"


SPAN_ENDS = {
    ProfileSpan.SEMI_GLOBAL: FREE_ENDS[Mode.OVERLAP],
    ProfileSpan.QUERY_IN_TARGET: FREE_ENDS[Mode.QUERY_IN_TARGET],
}
"""The free ends of the spans that have always the same; others have none, CUSTOM those of the problem."""


def number_mode(span: ProfileSpan, ends: FreeEnds) -> int:
    """Return the number of a span in compiled code. ``ends`` are its free ends."""
    if span is ProfileSpan.LOCAL:
        return LOCAL
    bits = (FIRST_START, FIRST_END, SECOND_START, SECOND_END)
    return sum(bit for bit, is_free in zip(bits, vars(ends).values(), strict=True) if is_free)


@stored("column-scoring")
@dataclass(frozen=True)
class ColumnScoring:
    """Column scores and gap costs.

    ``matrix`` scores letters; Euclidean distances have none. ``blank`` is the score of a letter with a blank, 0 or
    less; two blanks score 0. ``nats`` is the unit of the matrix: ln 2 / 2 for BLOSUM62. ``offset`` is added to the
    score of two columns. ``pseudocounts`` letters of the background are added to each column that has letters; for
    position-specific scores in the first profile alone. A gap of length k costs gap_open + k gap_extend, 0 or more,
    times the factors of its columns if ``gaps`` says so.
    """

    kind: ColumnScore
    gaps: ProfileGaps
    matrix: SubstitutionMatrix | None = None
    gap_open: float = 0.0
    gap_extend: float = 0.0
    blank: float = 0.0
    offset: float = 0.0
    pseudocounts: float = 0.0
    nats: float = float(np.log(2) / 2)

    @property
    def units(self) -> int:
        """Return how many engine units are a score of 1."""
        return FREQUENCY_UNITS if self.kind is ColumnScore.EUCLIDEAN else SCORE_UNITS

    @property
    def is_minimised(self) -> bool:
        """Return whether the score is shown as a distance, of which less is better."""
        return self.kind is ColumnScore.EUCLIDEAN and self.offset == 0

    def unscale_score(self, score: int) -> int | float:
        """Return an engine score in units of the matrix; distances are 0 or more."""
        value = (-score if self.is_minimised else score) / self.units
        return int(value) if value.is_integer() else value

    def describe_costs(self) -> str:
        """Describe the scoring: 'sum of pairs with BLOSUM62; a gap of length k costs 10 + 1 k'."""
        named = {
            ColumnScore.EUCLIDEAN: "Euclidean distance",
            ColumnScore.SUM_OF_PAIRS: "sum of pairs with ",
            ColumnScore.LOG_AVERAGE: "logarithm of the mean odds of ",
            ColumnScore.PSSM: "position-specific scores",
        }[self.kind]
        by = self.matrix.name if self.matrix is not None and self.kind is not ColumnScore.PSSM else ""
        opening = f"{self.gap_open:g} + " if self.gap_open else ""
        cost = {
            ProfileGaps.COLUMN: "gaps cost the scores of their columns with blanks",
            ProfileGaps.AFFINE: f"a gap of length k costs {opening}{self.gap_extend:g} k",
            ProfileGaps.POSITION: f"a gap of length k costs {opening}{self.gap_extend:g} k, times the factors of "
            "its columns",
        }[self.gaps]
        shifted = f" + {self.offset:g}" if self.offset else ""
        return f"{named}{by}{shifted}; {cost}"


class EncodedProfiles(NamedTuple):
    """A problem in the form of compiled code; all arrays are contiguous.

    ``rows`` int16 (symbols, m + 1) and ``columns`` int16 (symbols, n + 1) are the factors of products; the last column
    of each is a blank. ``row_bias`` and ``column_bias`` (int32, m + 1 and n + 1) are their squares, for distances.
    ``row_open``, ``row_extend`` (int32, m) and ``column_open``, ``column_extend`` (n) are gap costs opposite them.
    ``kind`` and ``shift`` say how a product becomes a score, ``factor`` and ``origin`` belong to logarithms, with
    ``table`` (int32, 257). ``offset`` is added.
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
        """Return the columns of the first profile."""
        return self.rows.shape[1] - 1

    @property
    def n(self) -> int:
        """Return the columns of the second profile."""
        return self.columns.shape[1] - 1

    @property
    def has_linear_gaps(self) -> bool:
        """Return whether no gap costs anything to open."""
        return not (self.row_open.any() or self.column_open.any())


LOG_TABLE = np.rint(np.log2(1 + np.arange(LOG_STEPS + 1) / LOG_STEPS) * 2**LOG_BITS).astype(np.int32)
"""log2 of 1 to 2, in units of 2^-14."""


def score_pairs(encoded: EncodedProfiles, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Score columns ``i`` of the first and ``j`` of the second profile (from 0; the last is blank), without the offset.

    Returns int64, in engine units.
    """
    products = (encoded.rows[:, i].astype(np.int64) * encoded.columns[:, j]).sum(axis=0)
    squares = encoded.row_bias[i].astype(np.int64) + encoded.column_bias[j] if encoded.kind == ROOT else None
    return finish_scores(encoded.kind, products, squares, encoded.shift, encoded.origin, encoded.factor)


def finish_scores(
    kind: int,
    products: np.ndarray,
    squares: np.ndarray | None,
    shift: int | np.ndarray,
    origin: int | np.ndarray,
    factor: int,
) -> np.ndarray:
    """Turn products into scores, int64 (see `EncodedProfiles`); distances also need the sums of both squares."""
    if kind == LINEAR:
        return (products + ((1 << shift) >> 1)) >> shift
    if kind == ROOT:
        assert squares is not None
        return -_round_root(squares - 2 * products)
    return (_fixed_point_log2(products) - origin) * factor + (1 << LOG_BITS >> 1) >> LOG_BITS


def _round_root(squares: np.ndarray) -> np.ndarray:
    """Return the whole number nearest to the root of a whole number; no root is halfway between two."""
    root = np.floor(np.sqrt(squares.astype(float))).astype(np.int64)
    return root + (squares > root * root + root)


def _fixed_point_log2(products: np.ndarray) -> np.ndarray:
    """Return log2 in 2^-14, int64; numbers below 1 count as 1."""
    values = np.maximum(products, 1)
    power = np.frexp(values.astype(float))[1].astype(np.int64) - 1
    mantissa = (values << (24 - power)) - (1 << 24)
    at, rest = mantissa >> 16, mantissa & 0xFFFF
    low = LOG_TABLE[at].astype(np.int64)
    high = LOG_TABLE[np.minimum(at + 1, LOG_STEPS)].astype(np.int64)
    return (power << LOG_BITS) + low + ((high - low) * rest >> 16)


def letter_scores(alphabet: str, matrix: SubstitutionMatrix, blank: float) -> np.ndarray:
    """Return the matrix over the alphabet with scores of blanks, float64 (symbols, symbols).

    InputError names a letter that the matrix does not know.
    """
    codes = matrix.codes[np.frombuffer(alphabet[:-1].encode("ascii"), np.uint8)]
    if (codes < 0).any():
        letter = alphabet[int(np.flatnonzero(codes < 0)[0])]
        raise InputError(f"{matrix.name}: the matrix has no scores of {letter}; choose one with {alphabet[:-1]}")
    values = np.full((len(alphabet), len(alphabet)), float(blank))
    values[:-1, :-1] = matrix.values[np.ix_(codes, codes)]
    values[-1, -1] = 0
    return values


def mix_pseudocounts(profile: Profile, count: float) -> np.ndarray:
    """Return frequencies of letters mixed with ``count`` letters of the background; shares of blanks stay.

    A column has as many letters as its share of the rows (one row if unknown): the fewer letters, the more background.
    """
    if not count:
        return profile.frequencies
    rows = max(len(profile.names), 1)
    letters, blanks = profile.frequencies[:-1], profile.frequencies[-1:]
    share = 1 - blanks
    mixed = (
        share * (rows * letters + count * background_frequencies(profile.alphabet)[:, None]) / (rows * share + count)
    )
    return np.vstack([mixed, blanks])


def background_frequencies(alphabet: str) -> np.ndarray:
    """Return the frequencies of letters in nature; uniform for other alphabets."""
    found = np.array(BACKGROUND.get(alphabet, (1.0,) * (len(alphabet) - 1)))
    return found / found.sum()


def is_nucleotide_profile(profile: Profile) -> bool:
    """Return whether the letters are those of DNA or RNA."""
    return profile.type != SequenceType.PROTEIN
