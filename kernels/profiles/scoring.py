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

from kernels.errors import InputError, ParameterError, ScoreOverflow
from kernels.model import SequenceType
from kernels.profiles.profile import NUCLEOTIDES, PROTEIN, Profile
from kernels.scoring import SCORE_LIMIT, SubstitutionMatrix
from kernels.serialization import stored

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


def whole(frequencies: np.ndarray) -> np.ndarray:
    """Frequencies (symbols, columns) as numbers of 1/2048 that sum to 2048 in every column, int16.

    What rounding down leaves goes to the symbols that lost most, of equal ones the first of the alphabet. The last
    digits of floating-point numbers, which differ with weights of the same shares, say nothing here.
    """
    symbols = len(frequencies)
    exact = np.round(frequencies * FREQUENCY_UNITS, 6)
    found = np.floor(exact)
    left = (FREQUENCY_UNITS - found.sum(axis=0)).astype(np.int64)
    # What each lost, in 10^-6, and of equal ones the first: whole numbers, all different, which sort fast.
    lost = np.rint((exact - found) * 1e6) * symbols - np.arange(symbols)[:, None]
    order = np.sort(np.ascontiguousarray(lost.T, np.int32), axis=1)
    least = order[np.arange(len(order)), np.clip(symbols - left, 0, symbols - 1)]
    return (found + ((lost >= least) & (left > 0))).astype(np.int16)


def encode(first: Profile, second: Profile, scoring: ColumnScoring, span: Span) -> Encoded:
    """The problem in whole numbers; InputError for profiles over two alphabets, ScoreOverflow beyond 32 bits."""
    if first.alphabet != second.alphabet:
        raise InputError(
            f"{first.name} has the alphabet {first.alphabet} and {second.name} {second.alphabet}; give profiles of one "
            "kind of sequence"
        )
    rows, columns, scale = _factors(first, second, scoring)
    kind = {ColumnScore.EUCLIDEAN: ROOT, ColumnScore.LOG_AVERAGE: LOGARITHM}.get(scoring.kind, LINEAR)
    squares = [(one.astype(np.int64) ** 2).sum(axis=0).astype(np.int32) for one in (rows, columns)]
    none: np.ndarray = np.zeros(0, np.int32)
    made = Encoded(
        rows, columns, squares[0], squares[1], none, none, none, none, LOG_TABLE, kind,
        shift=round(np.log2(FREQUENCY_UNITS * scale / SCORE_UNITS)),
        factor=round(SCORE_UNITS * np.log(2) / scoring.nats),
        origin=round(np.log2(FREQUENCY_UNITS * scale)) << LOG_BITS,
        offset=round(scoring.offset * scoring.units),
        mode={Span.GLOBAL: GLOBAL, Span.LOCAL: LOCAL, Span.SEMI_GLOBAL: SEMI_GLOBAL}[span],
        by_column=scoring.gaps is Gaps.COLUMN,
    )  # fmt: skip
    made = _with_gap_costs(first, second, scoring, made)
    _refuse_overflow(first, second, scoring, made)
    return made


def pair_scores(made: Encoded, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Scores of columns ``i`` of the first and ``j`` of the second (from 0; the last one is blank), without the offset;
    int64, in units. In whole numbers of 64 bits, as they are defined."""
    products = (made.rows[:, i].astype(np.int64) * made.columns[:, j]).sum(axis=0)
    if made.kind == LINEAR:
        return (products + ((1 << made.shift) >> 1)) >> made.shift
    if made.kind == ROOT:
        return -_nearest_root(made.row_bias[i].astype(np.int64) + made.column_bias[j] - 2 * products)
    return (_logarithm(products) - made.origin) * made.factor + (1 << LOG_BITS >> 1) >> LOG_BITS


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


def _factors(first: Profile, second: Profile, scoring: ColumnScoring) -> tuple[np.ndarray, np.ndarray, float]:
    """Both factors of the products, blanks last, and how many units of the second one are 1."""
    left, right = (with_pseudocounts(one, scoring.pseudocounts) for one in (first, second))
    blank = np.zeros((len(first.alphabet), 1))
    blank[-1] = 1
    frequencies = [np.hstack([one, blank]) for one in (left, right)]
    if scoring.kind is ColumnScore.EUCLIDEAN:
        return _int16(whole(frequencies[0])), _int16(whole(frequencies[1])), FREQUENCY_UNITS
    if scoring.kind is ColumnScore.PSSM:
        scored, scale = _scaled(_log_odds(first.alphabet, left, scoring))
        return _int16(scored), _int16(whole(np.hstack([second.frequencies, blank]))), scale
    assert scoring.matrix is not None
    values = letter_scores(first.alphabet, scoring.matrix, scoring.blank)
    if scoring.kind is ColumnScore.LOG_AVERAGE:
        with np.errstate(over="ignore"):
            values = np.exp(values * scoring.nats)
    scale = scale_of(values, ODDS_LIMIT if scoring.kind is ColumnScore.LOG_AVERAGE else FACTOR_LIMIT)
    return (
        _int16(whole(frequencies[0])),
        _int16(np.rint(values @ (whole(frequencies[1]) / FREQUENCY_UNITS) * scale)),
        scale,
    )


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
    mixed = share * (rows * letters + count * _background(profile.alphabet)[:, None]) / (rows * share + count)
    return np.vstack([mixed, blanks])


def _background(alphabet: str) -> np.ndarray:
    """Frequencies of letters in nature; all alike in an alphabet of the user's own."""
    found = np.array(BACKGROUND.get(alphabet, (1.0,) * (len(alphabet) - 1)))
    return found / found.sum()


def _log_odds(alphabet: str, frequencies: np.ndarray, scoring: ColumnScoring) -> np.ndarray:
    """A position-specific matrix of a profile, blanks last, float64 (symbols, columns + 1), in units of ``nats``.

    Blanks of the profile score as they do in sums of pairs: ``blank`` with a letter, 0 with a blank.
    """
    letters = frequencies[:-1]
    share = letters.sum(axis=0)
    odds = np.divide(letters, share * _background(alphabet)[:, None], out=np.ones_like(letters), where=share > 0)
    scores = share * np.log(np.maximum(odds, LEAST_ODDS)) / scoring.nats + (1 - share) * scoring.blank
    blank = scoring.blank * share[None, :]
    last = np.full((len(alphabet), 1), scoring.blank)
    last[-1] = 0
    return np.hstack([np.vstack([scores, blank]), last])


def scale_of(values: np.ndarray, limit: int = FACTOR_LIMIT) -> float:
    """The largest power of two that keeps all numbers within a limit; ParameterError where none does."""
    most = float(np.abs(values).max(initial=0))
    if not np.isfinite(most) or most > limit:
        raise ParameterError(f"scores of {most:g} are too large for columns; {limit:,} is the most")
    return 2.0 ** min(np.floor(np.log2(limit / most)) if most > 0 else 0.0, 12.0)


def _scaled(values: np.ndarray) -> tuple[np.ndarray, float]:
    scale = scale_of(values)
    return np.rint(values * scale), scale


def _int16(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, np.int16)


def _with_gap_costs(first: Profile, second: Profile, scoring: ColumnScoring, made: Encoded) -> Encoded:
    """Costs of opening and of extending a gap for every column, int32."""
    m, n = made.m, made.n
    if scoring.gaps is Gaps.COLUMN:
        extend = [-pair_scores(made, np.arange(m), np.full(m, n)), -pair_scores(made, np.full(n, m), np.arange(n))]
        open_costs = [np.zeros(m), np.zeros(n)]
    else:
        by_position = scoring.gaps is Gaps.POSITION
        factors = [_position_factors(one) if by_position else (np.ones(len(one)),) * 2 for one in (first, second)]
        open_costs = [np.rint(scoring.gap_open * scoring.units * one[0]) for one in factors]
        extend = [np.rint(scoring.gap_extend * scoring.units * one[1]) for one in factors]
    # Costs beyond the limit of scores are refused next; what 32 bits cannot hold must stay beyond it until then.
    costs = [np.ascontiguousarray(np.minimum(one, SCORE_LIMIT), np.int32) for one in (*open_costs, *extend)]
    return made._replace(row_open=costs[0], column_open=costs[1], row_extend=costs[2], column_extend=costs[3])


def _position_factors(profile: Profile) -> tuple[np.ndarray, np.ndarray]:
    """Of opening and of extending a gap opposite each column."""
    letters = 1 - profile.frequencies[-1]
    opens, extends = profile.open_factors, profile.extend_factors
    return letters if opens is None else opens, letters if extends is None else extends


def _refuse_overflow(first: Profile, second: Profile, scoring: ColumnScoring, made: Encoded) -> None:
    """ScoreOverflow where scores could leave 32 bits."""
    most = {
        LINEAR: (1 << 24 >> made.shift) + 1,
        ROOT: int(np.sqrt(2.0) * FREQUENCY_UNITS) + 1,
        LOGARITHM: (24 << LOG_BITS) * made.factor >> LOG_BITS,
    }[made.kind] + abs(made.offset)
    if made.kind == LINEAR:
        rows, columns = (int(np.abs(one.astype(np.int64)).max(initial=0)) for one in (made.rows, made.columns))
        factor = columns if scoring.kind is not ColumnScore.PSSM else rows
        most = (factor * FREQUENCY_UNITS >> made.shift) + 1 + abs(made.offset)
    costs = (made.row_open, made.row_extend, made.column_open, made.column_extend)
    dearest = [int(np.abs(one.astype(np.int64)).max(initial=0)) for one in costs]
    bound = (made.m + made.n + 2) * max(most, dearest[1], dearest[3]) + max(dearest[0], dearest[2])
    if bound >= SCORE_LIMIT:
        raise ScoreOverflow(
            f"scores of {first.name} and {second.name} could reach {bound:,} units of 1/{scoring.units:,}, beyond the "
            f"limit of {SCORE_LIMIT:,}; use smaller scores and gap costs, or fewer columns"
        )


def nucleotides(profile: Profile) -> bool:
    """Whether the letters are those of DNA or RNA."""
    return profile.type != SequenceType.PROTEIN
