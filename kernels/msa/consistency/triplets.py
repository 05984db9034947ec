"""Which nodes of a guide tree are aligned together with their parents, three groups at once."""

from __future__ import annotations

import numpy as np


def together(joins: np.ndarray) -> dict[int, int]:
    """Of some joins (their numbers) the join below that is made with it, one of the two that make its children.

    From the leaves on each join takes the later of the two, which is the nearest to it, unless that has taken one
    itself. ``joins`` int32 (n - 1, 2): the nodes that join s makes node n + s of.
    """
    n, found = len(joins) + 1, dict[int, int]()
    for made, children in enumerate(joins.tolist()):
        below = [child - n for child in sorted(children, reverse=True) if child >= n and child - n not in found]
        if below:
            found[made] = below[0]
    return found
