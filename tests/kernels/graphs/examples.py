"""Graphs for tests."""

from __future__ import annotations

from hypothesis import strategies as st

from antidiag.kernels.graphs import trials
from antidiag.kernels.graphs.graph import Graph
from tests.choosing import HypothesisChooser


@st.composite
def graphs(draw: st.DrawFn, bipartite: bool = False, negative: bool = True) -> Graph:
    """Whole weights, many equal, zeros among them, dense or sparse; negative ones from potentials: no cycle is."""
    return trials.draw_graph(HypothesisChooser(draw), bipartite, negative)
