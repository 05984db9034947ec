"""Pairs of profiles as whole numbers for compiled code; many pairs at once, their columns side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from typing import Any, NamedTuple

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import InputError, ParameterError, ScoreOverflow
from antidiag.kernels.profiles.column_scores.pair_batch import ProfilePairBatch
from antidiag.kernels.profiles.column_scores.scoring import (
    FACTOR_LIMIT,
    FREQUENCY_UNITS,
    GLOBAL,
    LEAST_ODDS,
    LINEAR,
    LOCAL,
    LOG_BITS,
    LOG_TABLE,
    LOGARITHM,
    ODDS_LIMIT,
    ROOT,
    SCORE_UNITS,
    SEMI_GLOBAL,
    ColumnScore,
    ColumnScoring,
    EncodedProfiles,
    ProfileGaps,
    ProfileSpan,
    background_frequencies,
    finish_scores,
    letter_scores,
    mix_pseudocounts,
)
from antidiag.kernels.profiles.profile import Profile
from antidiag.kernels.scoring import SCORE_LIMIT

TOGETHER = 1 << 13
"""Minimum columns that are worth a thread."""
COMPILED = 1 << 11
"""Columns from which on compiled code is worth loading."""

Pair = tuple[Profile, Profile]


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


def encode_pair(first: Profile, second: Profile, scoring: ColumnScoring, span: ProfileSpan) -> EncodedProfiles:
    """Encode a pair; InputError for two alphabets or no columns, ScoreOverflow beyond 32 bits."""
    return encode_pairs([(first, second)], scoring, span)[0]


def encode_pairs(
    pairs: Sequences[Pair], scoring: ColumnScoring, span: ProfileSpan, check: Callable[[], None] = lambda: None
) -> list[EncodedProfiles]:
    """Encode many pairs on all cores, in their order; ``check`` raises if the user cancels."""
    return [one for part in _encode_portions(pairs, scoring, span, check) for one in part.split_pairs()]


def encode_batch(
    pairs: Sequences[Pair], scoring: ColumnScoring, span: ProfileSpan, check: Callable[[], None] = lambda: None
) -> ProfilePairBatch:
    """Encode pairs over one alphabet as one batch."""
    return ProfilePairBatch.concatenate_batches(_encode_portions(pairs, scoring, span, check))


def _encode_portions(
    pairs: Sequences[Pair], scoring: ColumnScoring, span: ProfileSpan, check: Callable[[], None]
) -> list[ProfilePairBatch]:
    """Encode pairs in portions."""
    for first, second in pairs:
        if not (len(first) and len(second)):
            raise InputError(f"{(second if len(first) else first).name} has no columns; use profiles with columns")
        if first.alphabet != second.alphabet:
            raise InputError(
                f"{first.name} has the alphabet {first.alphabet} and {second.name} {second.alphabet}; use profiles of "
                "one sequence type"
            )

    def made(portion: list[Pair]) -> ProfilePairBatch:
        check()
        return _encode_portion(portion, scoring, span)

    # Few portions for many columns: their Python code runs on one thread at a time.
    columns = sum(len(first) + len(second) for first, second in pairs)
    return workers.map_on_threads(made, list(_split_pairs(pairs, max(TOGETHER, columns // workers.count_processors()))))


def _split_pairs(pairs: Sequences[Pair], limit: int) -> Iterator[list[Pair]]:
    """Split pairs over one alphabet into portions of at most ``most`` columns."""
    portion: list[Pair] = []
    columns = 0
    for pair in pairs:
        own = len(pair[0]) + len(pair[1])
        if portion and (columns + own > limit or pair[0].alphabet != portion[0][0].alphabet):
            yield portion
            portion, columns = [], 0
        portion.append(pair)
        columns += own
    if portion:
        yield portion


class _ProfileSide(NamedTuple):
    """Profiles one after another, each followed by a blank column: float64 (symbols, all).

    Profiles begin at ``starts`` and have ``sizes`` columns with the blank one, which stands at ``blanks``; int64.
    """

    profiles: list[Profile]
    frequencies: np.ndarray
    starts: np.ndarray
    sizes: np.ndarray
    blanks: np.ndarray

    @classmethod
    def join_profiles(cls, profiles: list[Profile], pseudocounts: float) -> _ProfileSide:
        """Join profiles, with letters of the background added."""
        sizes = np.array([len(one) + 1 for one in profiles], np.int64)
        ends = np.cumsum(sizes)
        frequencies: np.ndarray = np.zeros((len(profiles[0].alphabet), int(ends[-1])))
        for one, end in zip(profiles, ends.tolist(), strict=True):
            frequencies[:, end - 1 - len(one) : end - 1] = mix_pseudocounts(one, pseudocounts)
        frequencies[-1, ends - 1] = 1
        return cls(profiles, frequencies, ends - sizes, sizes, ends - 1)

    def repeat_per_column(self, numbers: np.ndarray) -> np.ndarray:
        """Repeat one number of each profile for all of its columns."""
        return np.repeat(numbers, self.sizes, axis=-1)

    def largest_per_profile(self, numbers: np.ndarray) -> np.ndarray:
        """Return the largest absolute value of each profile's columns; int64."""
        both = np.atleast_2d(numbers)
        sizes = np.maximum(both.max(axis=0).astype(np.int64), -both.min(axis=0).astype(np.int64))
        return np.maximum.reduceat(sizes, self.starts)

    def separate_profiles(self, numbers: np.ndarray) -> np.ndarray:
        """Return 16-bit numbers (symbols, all) profile after profile, symbol by symbol."""
        if numbers.shape[1] >= COMPILED:
            from antidiag.kernels.profiles.column_scores.cpu_counts import separate_profiles

            found: np.ndarray = np.empty(numbers.size, np.int16)
            separate_profiles(np.ascontiguousarray(numbers), self.starts, self.sizes, found)
            return found
        ends = (self.blanks + 1).tolist()
        return np.concatenate(
            [numbers[:, start:end].reshape(-1) for start, end in zip(self.starts.tolist(), ends, strict=True)]
        )

    def drop_blank_columns(self, numbers: np.ndarray) -> np.ndarray:
        """Return the numbers of all columns except blank ones."""
        wanted: np.ndarray = np.ones(len(numbers), bool)
        wanted[self.blanks] = False
        return numbers[wanted]


class _ColumnCosts(NamedTuple):
    """Costs of opening and of extending a gap opposite columns, int32; 0 for blank columns."""

    opens: np.ndarray
    extends: np.ndarray


def _encode_portion(pairs: list[Pair], scoring: ColumnScoring, span: ProfileSpan) -> ProfilePairBatch:
    """Encode some pairs over one alphabet."""
    specific = scoring.kind is ColumnScore.PSSM
    first = _ProfileSide.join_profiles([pair[0] for pair in pairs], scoring.pseudocounts)
    second = _ProfileSide.join_profiles([pair[1] for pair in pairs], 0.0 if specific else scoring.pseudocounts)
    rows, columns, scales = _product_factors(first, second, scoring)
    squares = [np.einsum("sc,sc->c", one, one, dtype=np.int32) for one in (rows, columns)]
    powers = np.rint(np.log2(FREQUENCY_UNITS * scales)).astype(np.int64)
    shifts, origins = powers - int(np.log2(SCORE_UNITS)), powers << LOG_BITS
    kind = {ColumnScore.EUCLIDEAN: ROOT, ColumnScore.LOG_AVERAGE: LOGARITHM}.get(scoring.kind, LINEAR)
    common: dict[str, Any] = {
        "table": LOG_TABLE,
        "kind": kind,
        "factor": round(SCORE_UNITS * np.log(2) / scoring.nats),
        "offset": round(scoring.offset * scoring.units),
        "mode": {ProfileSpan.GLOBAL: GLOBAL, ProfileSpan.LOCAL: LOCAL, ProfileSpan.SEMI_GLOBAL: SEMI_GLOBAL}[span],
        "by_column": scoring.gaps is ProfileGaps.COLUMN,
    }

    def blank_scores(side: _ProfileSide, own: int, others: _ProfileSide) -> np.ndarray:
        """Of columns with the blank one of the profile that each is aligned to."""
        left, right = (rows, columns) if own == 0 else (columns, rows)
        products = (left.astype(np.int64) * side.repeat_per_column(right[:, others.blanks])).sum(axis=0)
        both = squares[own].astype(np.int64) + side.repeat_per_column(squares[1 - own][others.blanks])
        return finish_scores(
            kind, products, both, side.repeat_per_column(shifts), side.repeat_per_column(origins), common["factor"]
        )

    if scoring.gaps is ProfileGaps.COLUMN:
        costs = [
            _ColumnCosts(_limit_costs(side, np.zeros(len(scores))), _limit_costs(side, -scores))
            for side, scores in ((first, blank_scores(first, 0, second)), (second, blank_scores(second, 1, first)))
        ]
    else:
        costs = [_affine_costs(side, scoring) for side in (first, second)]
    side = (
        (first.largest_per_profile(rows) if specific else second.largest_per_profile(columns))
        if kind == LINEAR
        else 0 * shifts
    )
    _refuse_overflow(
        pairs, scoring, _largest_scores(kind, side, shifts, common), [(first, costs[0]), (second, costs[1])]
    )
    return ProfilePairBatch(
        first.sizes - 1,
        second.sizes - 1,
        shifts,
        origins,
        first.separate_profiles(rows),
        second.separate_profiles(columns),
        squares[0],
        squares[1],
        first.drop_blank_columns(costs[0].opens),
        first.drop_blank_columns(costs[0].extends),
        second.drop_blank_columns(costs[1].opens),
        second.drop_blank_columns(costs[1].extends),
        **common,
    )


def _product_factors(
    first: _ProfileSide, second: _ProfileSide, scoring: ColumnScoring
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return both factors of the products, and for each pair the scale of the factor that is no frequency."""
    alphabet, same = first.profiles[0].alphabet, np.ones(len(first.profiles))
    if scoring.kind is ColumnScore.EUCLIDEAN:
        return round_frequencies(first.frequencies), round_frequencies(second.frequencies), FREQUENCY_UNITS * same
    if scoring.kind is ColumnScore.PSSM:
        odds = _score_log_odds(alphabet, first.frequencies, scoring)
        scales = np.array(
            [choose_scale(one) for one in np.maximum.reduceat(np.abs(odds).max(axis=0), first.starts).tolist()]
        )
        return _to_int16(np.rint(odds * first.repeat_per_column(scales))), round_frequencies(second.frequencies), scales
    assert scoring.matrix is not None
    values = letter_scores(alphabet, scoring.matrix, scoring.blank)
    if scoring.kind is ColumnScore.LOG_AVERAGE:
        with np.errstate(over="ignore"):
            values = np.exp(values * scoring.nats)
    most = float(np.abs(values).max(initial=0))
    scale = choose_scale(most, ODDS_LIMIT if scoring.kind is ColumnScore.LOG_AVERAGE else FACTOR_LIMIT)
    return (
        round_frequencies(first.frequencies),
        _mean_scores(values * (scale / FREQUENCY_UNITS), round_frequencies(second.frequencies)),
        scale * same,
    )


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
    """Return the largest power of two that keeps numbers up to ``most`` within a limit; ParameterError if none does."""
    if not np.isfinite(largest) or largest > limit:
        raise ParameterError(f"scores of {largest:g} are too large for columns; {limit:,} is the most")
    return float(2.0 ** min(np.floor(np.log2(limit / largest)) if largest > 0 else 0.0, 12.0))


def _to_int16(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, np.int16)


def _affine_costs(side: _ProfileSide, scoring: ColumnScoring) -> _ColumnCosts:
    """Return gap costs that are equal everywhere, or scaled by factors of the columns."""
    if scoring.gaps is ProfileGaps.POSITION:
        opens, extends = 1 - side.frequencies[-1], 1 - side.frequencies[-1]
        for one, start, end in zip(side.profiles, side.starts.tolist(), side.blanks.tolist(), strict=True):
            if one.open_factors is not None:
                opens[start:end] = one.open_factors
            if one.extend_factors is not None:
                extends[start:end] = one.extend_factors
    else:
        opens = extends = np.ones(side.frequencies.shape[1])
    costs = (
        np.rint(cost * scoring.units * own) for cost, own in ((scoring.gap_open, opens), (scoring.gap_extend, extends))
    )
    return _ColumnCosts(*(_limit_costs(side, one) for one in costs))


def _limit_costs(side: _ProfileSide, costs: np.ndarray) -> np.ndarray:
    """Return costs in 32 bits; those beyond the limit of scores stay beyond it and are refused next."""
    found = np.minimum(costs, SCORE_LIMIT).astype(np.int32)
    found[side.blanks] = 0
    return found


def _largest_scores(kind: int, factors: np.ndarray, shifts: np.ndarray, common: Mapping[str, int]) -> np.ndarray:
    """Return the largest absolute score of two columns of each pair, int64; ``factors`` are the largest scores."""
    found = {
        LINEAR: (factors * FREQUENCY_UNITS >> shifts) + 1,
        ROOT: 0 * shifts + int(np.sqrt(2.0) * FREQUENCY_UNITS) + 1,
        LOGARITHM: 0 * shifts + ((24 << LOG_BITS) * common["factor"] >> LOG_BITS),
    }
    return abs(common["offset"]) + found[kind]


def _refuse_overflow(
    pairs: list[Pair], scoring: ColumnScoring, largest_score: np.ndarray, sides: list[tuple[_ProfileSide, _ColumnCosts]]
) -> None:
    """Raise ScoreOverflow if scores could leave 32 bits; ``most`` are the largest scores of two columns."""
    opening, extending = (
        np.maximum(*(side.largest_per_profile(costs[which]) for side, costs in sides)) for which in (0, 1)
    )
    columns = sides[0][0].sizes + sides[1][0].sizes
    # As Python numbers, since scores times columns may exceed 64 bits.
    if float((columns * np.maximum(largest_score, extending).astype(float) + opening).max()) < SCORE_LIMIT / 2:
        return
    for (first, second), count, score, opens in zip(
        pairs, columns.tolist(), np.maximum(largest_score, extending).tolist(), opening.tolist(), strict=True
    ):
        bound = count * score + opens
        if bound >= SCORE_LIMIT:
            raise ScoreOverflow(
                f"scores of {first.name} and {second.name} could reach {bound:,} units of 1/{scoring.units:,}, beyond "
                f"the limit of {SCORE_LIMIT:,}; use smaller scores and gap costs, or fewer columns"
            )
