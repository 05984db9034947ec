"""A pair of profiles as whole numbers for compiled code."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError, ScoreOverflow
from antidiag.kernels.profiles.column_scores.scoring import (
    FACTOR_LIMIT,
    FREQUENCY_UNITS,
    LEAST_ODDS,
    LINEAR,
    LOG_BITS,
    LOG_TABLE,
    LOGARITHM,
    ODDS_LIMIT,
    ROOT,
    SCORE_UNITS,
    SPAN_ENDS,
    ColumnScore,
    ColumnScoring,
    EncodedProfiles,
    ProfileGaps,
    ProfileSpan,
    background_frequencies,
    letter_scores,
    mix_pseudocounts,
    number_mode,
    score_pairs,
)
from antidiag.kernels.profiles.profile import Profile
from antidiag.kernels.scoring import NO_FREE_ENDS, SCORE_LIMIT, FreeEnds

COMPILED = 1 << 11
"""Columns from which on compiled code is worth loading."""

Costs = tuple[np.ndarray, np.ndarray]
"""Costs of opening and of extending a gap opposite each column, int32."""


def round_frequencies(frequencies: np.ndarray) -> np.ndarray:
    """Round frequencies (symbols, columns) to 1/2048, so that each column sums to 2048; int16.

    What rounding down leaves goes to the symbols that lost most, of equal ones the first of the alphabet. The last
    digits of floating-point numbers, which depend on how weights were given, do not matter.
    """
    symbols = len(frequencies)
    if frequencies.shape[1] >= COMPILED:
        from antidiag.kernels.profiles.column_scores.cpu_counts import (
            round_columns,  # loads Numba, which few columns do not need
        )

        shares: np.ndarray = np.empty(frequencies.shape, np.int16)
        round_columns(np.ascontiguousarray(frequencies, np.float64), FREQUENCY_UNITS, shares)
        return shares
    exact = np.round(frequencies * FREQUENCY_UNITS, 6)
    found = np.floor(exact)
    left = (FREQUENCY_UNITS - found.sum(axis=0)).astype(np.int64)
    # Losses in 10^-6, the first of equal ones larger: different whole numbers, which sort fast.
    lost = np.rint((exact - found) * 1e6) * symbols - np.arange(symbols)[:, None]
    order = np.sort(np.ascontiguousarray(lost.T, np.int32), axis=1)
    least = order[np.arange(len(order)), np.clip(symbols - left, 0, symbols - 1)]
    return (found + ((lost >= least) & (left > 0))).astype(np.int16)


def encode_pair(
    first: Profile, second: Profile, scoring: ColumnScoring, span: ProfileSpan, ends: FreeEnds | None = None
) -> EncodedProfiles:
    """Encode a pair, whose free ``ends`` are by default those of the span.

    Raises InputError for two alphabets or no columns, ScoreOverflow beyond 32 bits.
    """
    if not (len(first) and len(second)):
        raise InputError(f"{(second if len(first) else first).name} has no columns; use profiles with columns")
    if first.alphabet != second.alphabet:
        raise InputError(
            f"{first.name} has the alphabet {first.alphabet} and {second.name} {second.alphabet}; use profiles of "
            "one sequence type"
        )
    specific, both = scoring.kind is ColumnScore.PSSM, (first, second)
    counts = scoring.pseudocounts, 0.0 if specific else scoring.pseudocounts
    frequencies = [_add_blank_column(mix_pseudocounts(*one)) for one in zip(both, counts, strict=True)]
    rows, columns, scale = _product_factors(first.alphabet, frequencies[0], frequencies[1], scoring)
    row_bias, column_bias = (np.einsum("sc,sc->c", one, one, dtype=np.int32) for one in (rows, columns))
    power = round(np.log2(FREQUENCY_UNITS * scale))
    none: np.ndarray = np.zeros(0, np.int32)
    made = EncodedProfiles(
        rows,
        columns,
        row_bias,
        column_bias,
        none,
        none,
        none,
        none,
        table=LOG_TABLE,
        kind={ColumnScore.EUCLIDEAN: ROOT, ColumnScore.LOG_AVERAGE: LOGARITHM}.get(scoring.kind, LINEAR),
        shift=power - int(np.log2(SCORE_UNITS)),
        factor=round(SCORE_UNITS * np.log(2) / scoring.nats),
        origin=power << LOG_BITS,
        offset=round(scoring.offset * scoring.units),
        mode=number_mode(span, SPAN_ENDS.get(span, NO_FREE_ENDS) if ends is None else ends),
        by_column=scoring.gaps is ProfileGaps.COLUMN,
    )
    if made.by_column:
        m, n = made.m, made.n
        blanks = score_pairs(made, np.arange(m), np.full(m, n)), score_pairs(made, np.full(n, m), np.arange(n))
        costs = [(np.zeros(len(scores), np.int32), _limit_costs(-scores)) for scores in blanks]
    else:
        costs = [_affine_costs(*one, scoring) for one in zip(both, frequencies, strict=True)]
    (row_open, row_extend), (column_open, column_extend) = costs
    made = made._replace(row_open=row_open, row_extend=row_extend, column_open=column_open, column_extend=column_extend)
    _refuse_overflow(both, scoring, made, _largest_score(made, rows if specific else columns))
    return made


def _add_blank_column(frequencies: np.ndarray) -> np.ndarray:
    """Return frequencies, float64 (symbols, columns), with a blank column behind them."""
    blank = np.zeros((len(frequencies), 1))
    blank[-1] = 1
    return np.hstack([frequencies, blank])


def _product_factors(
    alphabet: str, first: np.ndarray, second: np.ndarray, scoring: ColumnScoring
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return both factors of the products, and the scale of the factor that is no frequency."""
    if scoring.kind is ColumnScore.EUCLIDEAN:
        return round_frequencies(first), round_frequencies(second), float(FREQUENCY_UNITS)
    if scoring.kind is ColumnScore.PSSM:
        odds = _score_log_odds(alphabet, first, scoring)
        scale = choose_scale(float(np.abs(odds).max()))
        return _to_int16(np.rint(odds * scale)), round_frequencies(second), scale
    assert scoring.matrix is not None
    values = letter_scores(alphabet, scoring.matrix, scoring.blank)
    if scoring.kind is ColumnScore.LOG_AVERAGE:
        with np.errstate(over="ignore"):
            values = np.exp(values * scoring.nats)
    most = float(np.abs(values).max(initial=0))
    scale = choose_scale(most, ODDS_LIMIT if scoring.kind is ColumnScore.LOG_AVERAGE else FACTOR_LIMIT)
    shares = round_frequencies(second)
    return round_frequencies(first), _mean_scores(values * (scale / FREQUENCY_UNITS), shares), scale


def _mean_scores(values: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Multiply scores (symbols, symbols) by shares of letters (int16, symbols x columns); int16.

    Sums run symbol by symbol: the rounding of a matrix product may depend on its size and on the library.
    """
    if shares.shape[1] >= COMPILED:
        from antidiag.kernels.profiles.column_scores.cpu_counts import mean_scores

        found: np.ndarray = np.empty(shares.shape, np.int16)
        mean_scores(values, shares, found)
        return found
    sums = np.zeros(shares.shape)
    for own, share in zip(values.T, shares, strict=True):
        sums += own[:, None] * share
    return _to_int16(np.rint(sums))


def _score_log_odds(alphabet: str, frequencies: np.ndarray, scoring: ColumnScoring) -> np.ndarray:
    """Return position-specific scores of columns, float64 (symbols, columns), in units of ``nats``.

    Blanks of the profile score as in sums of pairs: ``blank`` with a letter, 0 with a blank.
    """
    letters = frequencies[:-1]
    share = letters.sum(axis=0)
    odds = np.divide(
        letters, share * background_frequencies(alphabet)[:, None], out=np.ones_like(letters), where=share > 0
    )
    scores = share * np.log(np.maximum(odds, LEAST_ODDS)) / scoring.nats + (1 - share) * scoring.blank
    blank = scoring.blank * share[None, :]
    return np.vstack([scores, blank])


def choose_scale(largest: float, limit: int = FACTOR_LIMIT) -> float:
    """Return the largest power of two that keeps ``largest`` within a limit; ParameterError if none does."""
    if not np.isfinite(largest) or largest > limit:
        raise ParameterError(f"scores of {largest:g} are too large for columns; {limit:,} is the most")
    return float(2.0 ** min(np.floor(np.log2(limit / largest)) if largest > 0 else 0.0, 12.0))


def _to_int16(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, np.int16)


def _affine_costs(profile: Profile, frequencies: np.ndarray, scoring: ColumnScoring) -> Costs:
    """Return gap costs that are equal everywhere, or scaled by factors of the columns."""
    opens = extends = np.ones(len(profile))
    if scoring.gaps is ProfileGaps.POSITION:
        letters = 1 - frequencies[-1, :-1]
        opens = letters if profile.open_factors is None else profile.open_factors
        extends = letters if profile.extend_factors is None else profile.extend_factors
    units = scoring.units
    return (
        _limit_costs(np.rint(scoring.gap_open * units * opens)),
        _limit_costs(np.rint(scoring.gap_extend * units * extends)),
    )


def _limit_costs(costs: np.ndarray) -> np.ndarray:
    """Return costs in 32 bits; those beyond the limit of scores stay beyond it and are refused next."""
    return np.minimum(costs, SCORE_LIMIT).astype(np.int32)


def _largest(numbers: np.ndarray) -> int:
    """Return the largest absolute value."""
    return max(int(numbers.max()), -int(numbers.min()))


def _largest_score(made: EncodedProfiles, factors: np.ndarray) -> int:
    """Return the largest absolute score of two columns; ``factors`` are those that are no frequencies."""
    if made.kind == LINEAR:
        score = (_largest(factors) * FREQUENCY_UNITS >> made.shift) + 1
    elif made.kind == ROOT:
        score = int(np.sqrt(2.0) * FREQUENCY_UNITS) + 1
    else:
        score = (24 << LOG_BITS) * made.factor >> LOG_BITS
    return abs(made.offset) + score


def _refuse_overflow(
    profiles: tuple[Profile, Profile], scoring: ColumnScoring, made: EncodedProfiles, largest_score: int
) -> None:
    """Raise ScoreOverflow if scores could leave 32 bits."""
    opening = max(_largest(made.row_open), _largest(made.column_open))
    extending = max(_largest(made.row_extend), _largest(made.column_extend))
    bound = (made.m + made.n + 2) * max(largest_score, extending) + opening
    if bound >= SCORE_LIMIT:
        raise ScoreOverflow(
            f"scores of {profiles[0].name} and {profiles[1].name} could reach {bound:,} units of 1/{scoring.units:,}, "
            f"beyond the limit of {SCORE_LIMIT:,}; use smaller scores and gap costs, or fewer columns"
        )
