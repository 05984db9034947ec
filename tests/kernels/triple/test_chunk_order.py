"""The order in which the cells of a chunk of three sequences are computed."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels.triple.chunk_order import ChunkOrder, steps_formula


@pytest.mark.parametrize("layered", [True, False])
@pytest.mark.parametrize("shape", [(4, 4, 6), (1, 1, 1), (3, 5, 2), (7, 2, 9)])
def test_every_cell_comes_after_those_it_needs(layered: bool, shape: tuple[int, int, int]) -> None:
    order = ChunkOrder(layered, *shape)
    assert (
        order.step_widths.sum() == order.cell_count
        and len(order.step_widths) == order.step_count
        and order.step_widths.min() > 0
    )
    for cell in np.ndindex(*shape):
        assert all(order.cell_steps[source] < order.cell_steps[cell] for source in order.source_cells(cell))


def test_counts_are_the_paper_s() -> None:
    s, letters = 47, 1406
    assert ChunkOrder(True, s, s, letters + 1).step_count == (2 * s - 1) * (letters + 1)
    assert ChunkOrder(False, s, s, letters + 1).step_count == 2 * s + letters - 1
    assert steps_formula(ChunkOrder(True, 32, 32, 154)) == "(2 \u00d7 32 \u2212 1) \u00d7 154 = 9,702"
    assert steps_formula(ChunkOrder(False, 32, 32, 154)) == "2 \u00d7 32 + 153 \u2212 1 = 216"
    assert steps_formula(ChunkOrder(True, 3, 5, 10)).endswith("= 70") and steps_formula(
        ChunkOrder(False, 3, 5, 10)
    ).endswith("= 16")
