"""Tasks of up to 16 pairs of sequences, whose posteriors a thread computes side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.msa.consistency.sizes import LANES


@dataclass(frozen=True)
class PairTask:
    """A sequence x and up to 16 sequences that are no shorter."""

    x: int
    others: tuple[int, ...]
    cells: int


def list_pair_tasks(lengths: np.ndarray, cells: int = 1, chosen: slice = slice(None)) -> list[PairTask]:
    """List all pairs of at least ``cells`` cells as tasks, those of the shortest sequence first; or the chosen tasks.

    A task has a sequence and up to LANES of those behind it in ascending order of their lengths.
    """
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] > 0]
    ordered = lengths[order]
    sums = np.concatenate([[0], np.cumsum(ordered)])
    first_partners = np.maximum(np.arange(1, order.size + 1), np.searchsorted(ordered, -(-cells // ordered)))
    counts = -(-(order.size - first_partners) // LANES)
    places = np.repeat(np.arange(order.size), counts)
    numbers = np.arange(places.size) - np.repeat(np.cumsum(counts) - counts, counts)
    begins = (first_partners[places] + LANES * numbers)[chosen]
    ends = np.minimum(begins + LANES, order.size)
    of_tasks = ordered[places[chosen]] * (sums[ends] - sums[begins])
    listed = zip(order[places[chosen]].tolist(), begins.tolist(), ends.tolist(), of_tasks.tolist(), strict=True)
    return [PairTask(x, tuple(order[begin:end].tolist()), cells) for x, begin, end, cells in listed]


def list_tasks_of_first(lengths: np.ndarray, first_count: int) -> list[PairTask]:
    """List as tasks all pairs that contain one of the first ``first_count`` sequences."""
    made = []
    for x in range(first_count):
        longer = [y for y in range(x + 1, lengths.size) if lengths[y] >= lengths[x]]
        shorter = [y for y in range(x + 1, lengths.size) if lengths[y] < lengths[x]]
        groups = [(x, tuple(longer[first : first + LANES])) for first in range(0, len(longer), LANES)]
        groups += [(y, (x,)) for y in shorter]
        made += [PairTask(one, others, int(lengths[one] * lengths[list(others)].sum())) for one, others in groups]
    return made
