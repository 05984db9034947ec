"""The choice of tree nodes that are aligned together with their parents, three groups at once."""

from __future__ import annotations

import numpy as np


def choose_triplets(joins: np.ndarray) -> dict[int, int]:
    """Map joins to the join below that is made with them.

    From the leaves on, each join takes the later of its two child joins, unless that one has taken a join itself.
    ``joins`` int32 (n - 1, 2): the nodes that join s merges into node n + s.
    """
    n, found = len(joins) + 1, dict[int, int]()
    for made, children in enumerate(joins.tolist()):
        below = [child - n for child in sorted(children, reverse=True) if child >= n and child - n not in found]
        if below:
            found[made] = below[0]
    return found
