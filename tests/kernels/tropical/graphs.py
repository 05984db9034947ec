"""Graphs for tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from kernels.tropical.paths.graph import Graph, from_weights

SIZES = st.one_of(st.sampled_from((1, 2, 63, 64, 65)), st.integers(1, 70))


@st.composite
def graphs(draw: st.DrawFn, bipartite: bool = False, negative: bool = True) -> Graph:
    """Whole weights, many equal, zeros among them, dense or sparse; negative ones from potentials: no cycle is."""
    n = draw(SIZES)
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = random.integers(0, draw(st.sampled_from((2, 5, 1000))), (n, n)).astype(float)
    if negative and draw(st.booleans()):
        potential = random.integers(-50, 50, n)
        weights += potential[:, None] - potential
    weights[random.random((n, n)) > draw(st.sampled_from((1.0, 0.5, 2 / n)))] = np.inf
    if bipartite:
        side = random.random(n) < draw(st.sampled_from((0.5, 0.1)))
        weights[side[:, None] == side] = np.inf
    return from_weights(weights)
