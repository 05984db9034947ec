"""Pairs of profiles in whole numbers, as compiled code aligns them: many at once, their columns side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from typing import Any, NamedTuple

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import InputError, ParameterError, ScoreOverflow
from antidiag.kernels.profiles.many import Many
from antidiag.kernels.profiles.profile import Profile
from antidiag.kernels.profiles.scoring import (
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
    Encoded,
    Gaps,
    Span,
    background,
    finished,
    letter_scores,
    with_pseudocounts,
)
from antidiag.kernels.scoring import SCORE_LIMIT

TOGETHER = 1 << 13
"""Columns at least that are worth a thread."""
COMPILED = 1 << 11
"""Columns from which on it is worth to load what is compiled."""

Pair = tuple[Profile, Profile]


def whole(frequencies: np.ndarray) -> np.ndarray:
    """Frequencies (symbols, columns) as numbers of 1/2048 that sum to 2048 in every column, int16.

    What rounding down leaves goes to the symbols that lost most, of equal ones the first of the alphabet. The last
    digits of floating-point numbers, which differ with weights of the same shares, say nothing here.
    """
    symbols = len(frequencies)
    if frequencies.shape[1] >= COMPILED:
        from antidiag.kernels.profiles.cpu_counts import rounded  # loads Numba, which few columns do not need

        shares: np.ndarray = np.empty(frequencies.shape, np.int16)
        rounded(np.ascontiguousarray(frequencies, np.float64), FREQUENCY_UNITS, shares)
        return shares
    exact = np.round(frequencies * FREQUENCY_UNITS, 6)
    found = np.floor(exact)
    left = (FREQUENCY_UNITS - found.sum(axis=0)).astype(np.int64)
    # What each lost, in 10^-6, and of equal ones the first: whole numbers, all different, which sort fast.
    lost = np.rint((exact - found) * 1e6) * symbols - np.arange(symbols)[:, None]
    order = np.sort(np.ascontiguousarray(lost.T, np.int32), axis=1)
    least = order[np.arange(len(order)), np.clip(symbols - left, 0, symbols - 1)]
    return (found + ((lost >= least) & (left > 0))).astype(np.int16)


def encode(first: Profile, second: Profile, scoring: ColumnScoring, span: Span) -> Encoded:
    """The problem in whole numbers; InputError for profiles over two alphabets or without columns, ScoreOverflow
    beyond 32 bits."""
    return encode_all([(first, second)], scoring, span)[0]


def encode_all(
    pairs: Sequences[Pair], scoring: ColumnScoring, span: Span, check: Callable[[], None] = lambda: None
) -> list[Encoded]:
    """The same of many pairs, in their order, by all cores; ``check`` raises where the user wants to stop."""
    return [one for part in _encoded(pairs, scoring, span, check) for one in part.each()]


def encode_together(
    pairs: Sequences[Pair], scoring: ColumnScoring, span: Span, check: Callable[[], None] = lambda: None
) -> Many:
    """The same of one pair or more, all over one alphabet, one behind the other."""
    return Many.joined(_encoded(pairs, scoring, span, check))


def _encoded(pairs: Sequences[Pair], scoring: ColumnScoring, span: Span, check: Callable[[], None]) -> list[Many]:
    """The same in portions."""
    for first, second in pairs:
        if not (len(first) and len(second)):
            raise InputError(f"{(second if len(first) else first).name} has no columns; give profiles of one at least")
        if first.alphabet != second.alphabet:
            raise InputError(
                f"{first.name} has the alphabet {first.alphabet} and {second.name} {second.alphabet}; give profiles of "
                "one kind of sequence"
            )

    def made(portion: list[Pair]) -> Many:
        check()
        return _portion(portion, scoring, span)

    # Portions are few where there are many columns: what Python does of each, one thread does at a time.
    columns = sum(len(first) + len(second) for first, second in pairs)
    return workers.each(made, list(_portions(pairs, max(TOGETHER, columns // workers.cores()))))


def _portions(pairs: Sequences[Pair], most: int) -> Iterator[list[Pair]]:
    """Pairs that are made at a time, of so many columns at most, all over one alphabet."""
    portion: list[Pair] = []
    columns = 0
    for pair in pairs:
        own = len(pair[0]) + len(pair[1])
        if portion and (columns + own > most or pair[0].alphabet != portion[0][0].alphabet):
            yield portion
            portion, columns = [], 0
        portion.append(pair)
        columns += own
    if portion:
        yield portion


class _Side(NamedTuple):
    """Profiles one after another, each with a blank column behind its own: float64 (symbols, all). Theirs begin at
    ``starts``, are ``sizes`` with the blank one, which are at ``blanks``; int64."""

    profiles: list[Profile]
    frequencies: np.ndarray
    starts: np.ndarray
    sizes: np.ndarray
    blanks: np.ndarray

    @classmethod
    def of(cls, profiles: list[Profile], pseudocounts: float) -> _Side:
        sizes = np.array([len(one) + 1 for one in profiles], np.int64)
        ends = np.cumsum(sizes)
        frequencies: np.ndarray = np.zeros((len(profiles[0].alphabet), int(ends[-1])))
        for one, end in zip(profiles, ends.tolist(), strict=True):
            frequencies[:, end - 1 - len(one) : end - 1] = with_pseudocounts(one, pseudocounts)
        frequencies[-1, ends - 1] = 1
        return cls(profiles, frequencies, ends - sizes, sizes, ends - 1)

    def spread(self, numbers: np.ndarray) -> np.ndarray:
        """A number of each profile for all of its columns."""
        return np.repeat(numbers, self.sizes, axis=-1)

    def most(self, numbers: np.ndarray) -> np.ndarray:
        """The largest, in size, of each profile's columns; int64."""
        both = np.atleast_2d(numbers)
        sizes = np.maximum(both.max(axis=0).astype(np.int64), -both.min(axis=0).astype(np.int64))
        return np.maximum.reduceat(sizes, self.starts)

    def apart(self, numbers: np.ndarray) -> np.ndarray:
        """Numbers of 16 bits (symbols, all): those of a profile, symbol by symbol, behind those of the one before."""
        if numbers.shape[1] >= COMPILED:
            from antidiag.kernels.profiles.cpu_counts import apart

            found: np.ndarray = np.empty(numbers.size, np.int16)
            apart(np.ascontiguousarray(numbers), self.starts, self.sizes, found)
            return found
        ends = (self.blanks + 1).tolist()
        return np.concatenate(
            [numbers[:, start:end].reshape(-1) for start, end in zip(self.starts.tolist(), ends, strict=True)]
        )

    def without_blanks(self, numbers: np.ndarray) -> np.ndarray:
        """Those of all columns but the blank ones."""
        wanted: np.ndarray = np.ones(len(numbers), bool)
        wanted[self.blanks] = False
        return numbers[wanted]


class _Gaps(NamedTuple):
    """Costs of opening and of extending a gap opposite columns, int32; 0 for blank ones."""

    opens: np.ndarray
    extends: np.ndarray


def _portion(pairs: list[Pair], scoring: ColumnScoring, span: Span) -> Many:
    """Some pairs over one alphabet."""
    specific = scoring.kind is ColumnScore.PSSM
    first = _Side.of([pair[0] for pair in pairs], scoring.pseudocounts)
    second = _Side.of([pair[1] for pair in pairs], 0.0 if specific else scoring.pseudocounts)
    rows, columns, scales = _factors(first, second, scoring)
    squares = [np.einsum("sc,sc->c", one, one, dtype=np.int32) for one in (rows, columns)]
    powers = np.rint(np.log2(FREQUENCY_UNITS * scales)).astype(np.int64)
    shifts, origins = powers - int(np.log2(SCORE_UNITS)), powers << LOG_BITS
    kind = {ColumnScore.EUCLIDEAN: ROOT, ColumnScore.LOG_AVERAGE: LOGARITHM}.get(scoring.kind, LINEAR)
    common: dict[str, Any] = {
        "table": LOG_TABLE,
        "kind": kind,
        "factor": round(SCORE_UNITS * np.log(2) / scoring.nats),
        "offset": round(scoring.offset * scoring.units),
        "mode": {Span.GLOBAL: GLOBAL, Span.LOCAL: LOCAL, Span.SEMI_GLOBAL: SEMI_GLOBAL}[span],
        "by_column": scoring.gaps is Gaps.COLUMN,
    }

    def blank_scores(side: _Side, own: int, others: _Side) -> np.ndarray:
        """Of columns with the blank one of the profile that each is aligned to."""
        left, right = (rows, columns) if own == 0 else (columns, rows)
        products = (left.astype(np.int64) * side.spread(right[:, others.blanks])).sum(axis=0)
        both = squares[own].astype(np.int64) + side.spread(squares[1 - own][others.blanks])
        return finished(kind, products, both, side.spread(shifts), side.spread(origins), common["factor"])

    if scoring.gaps is Gaps.COLUMN:
        costs = [_Gaps(_costs(side, np.zeros(len(scores))), _costs(side, -scores)) for side, scores in
                 ((first, blank_scores(first, 0, second)), (second, blank_scores(second, 1, first)))]  # fmt: skip
    else:
        costs = [_affine(side, scoring) for side in (first, second)]
    side = (first.most(rows) if specific else second.most(columns)) if kind == LINEAR else 0 * shifts
    _refuse_overflow(pairs, scoring, _most(kind, side, shifts, common), [(first, costs[0]), (second, costs[1])])
    return Many(
        first.sizes - 1, second.sizes - 1, shifts, origins, first.apart(rows), second.apart(columns),
        squares[0], squares[1], first.without_blanks(costs[0].opens), first.without_blanks(costs[0].extends),
        second.without_blanks(costs[1].opens), second.without_blanks(costs[1].extends), **common,
    )  # fmt: skip


def _factors(first: _Side, second: _Side, scoring: ColumnScoring) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both factors of the products, and for each pair how many units of the one that is no frequency are 1."""
    alphabet, same = first.profiles[0].alphabet, np.ones(len(first.profiles))
    if scoring.kind is ColumnScore.EUCLIDEAN:
        return whole(first.frequencies), whole(second.frequencies), FREQUENCY_UNITS * same
    if scoring.kind is ColumnScore.PSSM:
        odds = _log_odds(alphabet, first.frequencies, scoring)
        scales = np.array(
            [scale_of(one) for one in np.maximum.reduceat(np.abs(odds).max(axis=0), first.starts).tolist()]
        )
        return _int16(np.rint(odds * first.spread(scales))), whole(second.frequencies), scales
    assert scoring.matrix is not None
    values = letter_scores(alphabet, scoring.matrix, scoring.blank)
    if scoring.kind is ColumnScore.LOG_AVERAGE:
        with np.errstate(over="ignore"):
            values = np.exp(values * scoring.nats)
    most = float(np.abs(values).max(initial=0))
    scale = scale_of(most, ODDS_LIMIT if scoring.kind is ColumnScore.LOG_AVERAGE else FACTOR_LIMIT)
    return whole(first.frequencies), _means(values * (scale / FREQUENCY_UNITS), whole(second.frequencies)), scale * same


def _means(values: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Values (symbols, symbols) of the letters of columns (int16, symbols x columns), rounded to int16.

    Symbol by symbol: how a product of matrices rounds its sums may depend on their sizes, and on who computes it.
    """
    if shares.shape[1] >= COMPILED:
        from antidiag.kernels.profiles.cpu_counts import means

        found: np.ndarray = np.empty(shares.shape, np.int16)
        means(values, shares, found)
        return found
    sums = np.zeros(shares.shape)
    for own, share in zip(values.T, shares, strict=True):
        sums += own[:, None] * share
    return _int16(np.rint(sums))


def _log_odds(alphabet: str, frequencies: np.ndarray, scoring: ColumnScoring) -> np.ndarray:
    """Position-specific scores of columns, float64 (symbols, columns), in units of ``nats``.

    Blanks of the profile score as they do in sums of pairs: ``blank`` with a letter, 0 with a blank.
    """
    letters = frequencies[:-1]
    share = letters.sum(axis=0)
    odds = np.divide(letters, share * background(alphabet)[:, None], out=np.ones_like(letters), where=share > 0)
    scores = share * np.log(np.maximum(odds, LEAST_ODDS)) / scoring.nats + (1 - share) * scoring.blank
    blank = scoring.blank * share[None, :]
    return np.vstack([scores, blank])


def scale_of(most: float, limit: int = FACTOR_LIMIT) -> float:
    """The largest power of two that keeps all numbers within a limit, of which the greatest is given; ParameterError
    where none does."""
    if not np.isfinite(most) or most > limit:
        raise ParameterError(f"scores of {most:g} are too large for columns; {limit:,} is the most")
    return float(2.0 ** min(np.floor(np.log2(limit / most)) if most > 0 else 0.0, 12.0))


def _int16(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, np.int16)


def _affine(side: _Side, scoring: ColumnScoring) -> _Gaps:
    """Gaps that cost the same everywhere, or by factors of the columns."""
    if scoring.gaps is Gaps.POSITION:
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
    return _Gaps(*(_costs(side, one) for one in costs))


def _costs(side: _Side, costs: np.ndarray) -> np.ndarray:
    """In 32 bits. Costs beyond the limit of scores are refused next; what 32 bits cannot hold must stay beyond it."""
    found = np.minimum(costs, SCORE_LIMIT).astype(np.int32)
    found[side.blanks] = 0
    return found


def _most(kind: int, factors: np.ndarray, shifts: np.ndarray, common: Mapping[str, int]) -> np.ndarray:
    """The largest score of two columns of each pair, in size, where ``factors`` are the largest that are no
    frequencies; int64."""
    found = {
        LINEAR: (factors * FREQUENCY_UNITS >> shifts) + 1,
        ROOT: 0 * shifts + int(np.sqrt(2.0) * FREQUENCY_UNITS) + 1,
        LOGARITHM: 0 * shifts + ((24 << LOG_BITS) * common["factor"] >> LOG_BITS),
    }
    return abs(common["offset"]) + found[kind]


def _refuse_overflow(
    pairs: list[Pair], scoring: ColumnScoring, most: np.ndarray, sides: list[tuple[_Side, _Gaps]]
) -> None:
    """ScoreOverflow where scores could leave 32 bits; ``most`` is of two columns of each pair."""
    opening, extending = (np.maximum(*(side.most(costs[which]) for side, costs in sides)) for which in (0, 1))
    columns = sides[0][0].sizes + sides[1][0].sizes
    # As Python's numbers: most scores times columns may leave 64 bits.
    if float((columns * np.maximum(most, extending).astype(float) + opening).max()) < SCORE_LIMIT / 2:
        return
    for (first, second), count, score, opens in zip(
        pairs, columns.tolist(), np.maximum(most, extending).tolist(), opening.tolist(), strict=True
    ):
        bound = count * score + opens
        if bound >= SCORE_LIMIT:
            raise ScoreOverflow(
                f"scores of {first.name} and {second.name} could reach {bound:,} units of 1/{scoring.units:,}, beyond "
                f"the limit of {SCORE_LIMIT:,}; use smaller scores and gap costs, or fewer columns"
            )
