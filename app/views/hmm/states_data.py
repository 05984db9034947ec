"""What the view of a path of states shows of a stretch of letters, computed away from the GUI thread. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.hmm import islands
from antidiag.kernels.hmm.islands import Feature
from antidiag.kernels.hmm.problem import ViterbiAnswer
from antidiag.kernels.hmm.sums.problem import PosteriorAnswer
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor

Span = tuple[int, int]

FADED_NATS = 20.0
"""A state this much costlier than the best one of its letter has the last shade."""


SAMPLES = 16
"""Letters of a column that are looked at; the column has the shade of the best of them."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """Columns over letters ``first`` to ``last``, half-open: one a letter, or fewer where letters are narrow.

    ``borders`` (int64, columns + 1) are the letters at which columns begin. ``shades`` (uint8, states x columns) is 255
    for the best state. ``values`` (float64, states x columns) are costs in nats, or probabilities. ``winners`` (int32,
    letters x states) is there where there is a column a letter, and the result is a path.
    """

    first: int
    last: int
    borders: np.ndarray
    shades: np.ndarray
    values: np.ndarray
    winners: np.ndarray | None = None

    @property
    def by_letter(self) -> bool:
        return self.borders.size - 1 == self.last - self.first

    def column_of(self, letter: int) -> int | None:
        """The column of a letter, where it is in here."""
        if not self.first <= letter < self.last:
            return None
        return int(np.searchsorted(self.borders, letter, "right")) - 1


def shows(result: Result) -> bool:
    """Whether a result has a state for every letter."""
    return isinstance(result.answer, ViterbiAnswer | PosteriorAnswer)


def posterior_of(result: Result) -> np.ndarray | None:
    """How probable each state is at each letter, where that is what was computed."""
    return result.answer.posterior if isinstance(result.answer, PosteriorAnswer) else None


def features_of(result: Result) -> tuple[Feature, ...]:
    """What the states stand for, as annotations of the sequence."""
    if result.answer.states is None:
        return ()
    return islands.features(result.problem.hmm, result.answer.states)


def columns_of(span: Span, most: int) -> np.ndarray:
    """Where at most ``most`` columns over these letters begin, and the end; int64."""
    first, last = span
    count = max(min(last - first, most), 1)
    return first + np.arange(count + 1, dtype=np.int64) * (last - first) // count


def stretch(result: Result, span: Span, most: int, monitor: Monitor) -> Stretch:
    """The shades of all states over some letters, in at most ``most`` columns; raises Cancelled."""
    borders = columns_of(span, most)
    posterior = posterior_of(result)
    if posterior is not None:
        letters = np.diff(borders)
        values = np.add.reduceat(posterior[span[0] : span[1]], borders[:-1] - span[0], axis=0) / letters[:, None]
        shades = np.rint(255 * np.clip(values, 0, 1)).astype(np.uint8)
        return Stretch(*span, borders, shades.T.copy(), values.T)
    return _path_stretch(result, span, borders, monitor)


def _path_stretch(result: Result, span: Span, borders: np.ndarray, monitor: Monitor) -> Stretch:
    from antidiag.kernels.hmm import trellis  # compiles; so it is imported on the worker's thread

    winners = None
    if borders.size - 1 == span[1] - span[0]:
        found = trellis.window(result.problem, *span, monitor)
        costs, winners = found.costs, found.winners
    else:
        letters, first = samples(borders)
        costs = trellis.columns(result.problem, letters, monitor)
        shades = np.maximum.reduceat(shades_of(costs), first, axis=0)
        return Stretch(*span, borders, shades.T.copy(), costs[first].T)
    return Stretch(*span, borders, shades_of(costs).T.copy(), costs.T, winners)


def samples(borders: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """At most SAMPLES letters of each column, evenly spread, ascending; and where those of each column begin."""
    counts = np.minimum(np.diff(borders), SAMPLES)
    first = np.cumsum(counts) - counts
    inside = np.arange(counts.sum()) - np.repeat(first, counts)
    letters = np.repeat(borders[:-1], counts) + inside * np.repeat(np.diff(borders), counts) // np.repeat(
        counts, counts
    )
    return letters, first


def shades_of(costs: np.ndarray) -> np.ndarray:
    """255 for the best state of each letter, less the costlier a state is, 0 where it is impossible; uint8."""
    best = costs.min(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        above = np.where(np.isfinite(costs), costs - best, np.inf)
    shades = np.rint(255 - 254 * np.minimum(above / FADED_NATS, 1))
    return np.where(np.isfinite(above), shades, 0).astype(np.uint8)


def path_columns(states: np.ndarray, stretch: Stretch, count: int) -> np.ndarray:
    """Which states the path is in, in each column; bool, (count, columns)."""
    found = np.zeros((count, stretch.borders.size - 1), bool)
    inside = states[stretch.first : stretch.last].astype(np.int64)
    columns = np.repeat(np.arange(stretch.borders.size - 1), np.diff(stretch.borders))
    found[inside, columns] = True
    return found
