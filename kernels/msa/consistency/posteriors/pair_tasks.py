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


def list_pair_tasks(lengths: np.ndarray, cells: int = 1) -> list[PairTask]:
    """List all pairs of at least ``cells`` cells as tasks, those of the shortest sequence first."""
    order = [int(x) for x in np.argsort(lengths, kind="stable") if lengths[x]]
    made = []
    for place, x in enumerate(order):
        beside = [y for y in order[place + 1 :] if lengths[x] * lengths[y] >= cells]
        for first in range(0, len(beside), LANES):
            others = tuple(beside[first : first + LANES])
            made.append(PairTask(x, others, int(lengths[x] * lengths[list(others)].sum())))
    return made


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
