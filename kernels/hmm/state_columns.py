"""Costs and shades of the states over a range of letters, computed away from the GUI thread. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.hmm.model import state_annotations
from antidiag.kernels.hmm.model.problem import ViterbiAnswer
from antidiag.kernels.hmm.model.state_annotations import Feature
from antidiag.kernels.hmm.sums.problem import PosteriorAnswer
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor

Span = tuple[int, int]

FADED_NATS = 20.0  # a state that costs so much more than the best state of its letter has the darkest shade
SAMPLES = 16  # sampled letters of a column, which has the shade of the best of them


@dataclass(frozen=True, eq=False)
class StateColumns:
    """Columns over letters ``first`` to ``last``, half-open: one per letter, or fewer where letters are narrow.

    ``borders`` (int64, columns + 1) are the first letters of the columns. ``shades`` (uint8, states x columns) is 255
    for the best state. ``values`` (float64, states x columns) are costs in nats, or probabilities. ``winners`` (int32,
    letters x states) are the best predecessors, if the result is a path and each letter has a column.
    """

    first: int
    last: int
    borders: np.ndarray
    shades: np.ndarray
    values: np.ndarray
    winners: np.ndarray | None = None

    @property
    def by_letter(self) -> bool:
        """Whether each column is one letter."""
        return self.borders.size - 1 == self.last - self.first

    def column_of(self, letter: int) -> int | None:
        """Return the column of a letter, or None."""
        if not self.first <= letter < self.last:
            return None
        return int(np.searchsorted(self.borders, letter, "right")) - 1


def shows_states(result: Result) -> bool:
    """Whether a result has a state for every letter."""
    return isinstance(result.answer, ViterbiAnswer | PosteriorAnswer)


def posterior_of(result: Result) -> np.ndarray | None:
    """Return the posterior probability of each state at each letter, or None for a path."""
    return result.answer.posterior if isinstance(result.answer, PosteriorAnswer) else None


def find_features(result: Result) -> tuple[Feature, ...]:
    """Return the features that the states annotate in the sequence."""
    if result.answer.states is None:
        return ()
    return state_annotations.find_features(result.problem.hmm, result.answer.states)


def column_borders(span: Span, most: int) -> np.ndarray:
    """Return the borders of at most ``most`` columns over these letters, int64."""
    first, last = span
    count = max(min(last - first, most), 1)
    return first + np.arange(count + 1, dtype=np.int64) * (last - first) // count


def compute_columns(result: Result, span: Span, most: int, monitor: Monitor) -> StateColumns:
    """Compute the shades of all states over some letters, in at most ``most`` columns; raise Cancelled if stopped."""
    borders = column_borders(span, most)
    posterior = posterior_of(result)
    if posterior is not None:
        letters = np.diff(borders)
        values = np.add.reduceat(posterior[span[0] : span[1]], borders[:-1] - span[0], axis=0) / letters[:, None]
        shades = np.rint(255 * np.clip(values, 0, 1)).astype(np.uint8)
        return StateColumns(*span, borders, shades.T.copy(), values.T)
    return _path_stretch(result, span, borders, monitor)


def _path_stretch(result: Result, span: Span, borders: np.ndarray, monitor: Monitor) -> StateColumns:
    from antidiag.kernels.hmm.model import trellis  # compiles; so it is imported on the worker's thread

    if borders.size - 1 == span[1] - span[0]:
        found = trellis.compute_trellis(result.problem, *span, monitor)
        return StateColumns(*span, borders, shade_costs(found.costs).T.copy(), found.costs.T, found.winners)
    letters, first = sample_letters(borders)
    costs = trellis.compute_costs(result.problem, letters, monitor)
    shades = np.maximum.reduceat(shade_costs(costs), first, axis=0)
    return StateColumns(*span, borders, shades.T.copy(), costs[first].T)


def sample_letters(borders: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return at most SAMPLES evenly spaced letters of each column, and the index of the first one of each column."""
    counts = np.minimum(np.diff(borders), SAMPLES)
    first = np.cumsum(counts) - counts
    inside = np.arange(counts.sum()) - np.repeat(first, counts)
    offsets = inside * np.repeat(np.diff(borders), counts) // np.repeat(counts, counts)
    return np.repeat(borders[:-1], counts) + offsets, first


def shade_costs(costs: np.ndarray) -> np.ndarray:
    """Return shades, uint8: 255 for the best state of each letter, less for higher costs, 0 if impossible."""
    best = costs.min(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        above = np.where(np.isfinite(costs), costs - best, np.inf)
    shades = np.rint(255 - 254 * np.minimum(above / FADED_NATS, 1))
    return np.where(np.isfinite(above), shades, 0).astype(np.uint8)


def path_columns(states: np.ndarray, stretch: StateColumns, count: int) -> np.ndarray:
    """Return the states that the path visits in each column; bool, (count, columns)."""
    found = np.zeros((count, stretch.borders.size - 1), bool)
    inside = states[stretch.first : stretch.last].astype(np.int64)
    columns = np.repeat(np.arange(stretch.borders.size - 1), np.diff(stretch.borders))
    found[inside, columns] = True
    return found
