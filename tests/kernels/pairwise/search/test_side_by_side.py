"""The walkthrough of sequences side by side: sorting by length saves instructions, and lanes that ended wait."""

from __future__ import annotations

import pytest

from antidiag.kernels.errors import InputError
from antidiag.kernels.pairwise.search.walkthroughs.side_by_side import (
    AS_GIVEN,
    SIDE_BY_SIDE,
    SORTED,
    count_instructions,
    order_sequences,
)


def test_sequences_are_sorted_the_longest_first():
    assert order_sequences([2, 5, 3, 5], SORTED) == [1, 3, 2, 0]
    assert order_sequences([2, 5, 3, 5], AS_GIVEN) == [0, 1, 2, 3]


def test_sorting_saves_the_columns_of_the_longest_of_each_register():
    lengths = [9, 1, 8, 2, 7, 3]
    assert count_instructions(lengths, 2, AS_GIVEN) == 9 + 8 + 7
    assert count_instructions(lengths, 2, SORTED) == 9 + 7 + 2
    assert count_instructions(lengths, 16, SORTED) == count_instructions(lengths, 16, AS_GIVEN) == 9


@pytest.mark.parametrize(("order", "columns"), [(SORTED, 8 + 3), (AS_GIVEN, 7 + 8)])
def test_each_step_is_an_instruction_and_its_idle_lanes_wait(order, columns):
    play = SIDE_BY_SIDE.make_animation({"order": order})
    assert len(play) == 7 * columns
    for step, cells in zip(play.steps, play.step_cells, strict=True):
        busy = {play.cell_worker(cell) for cell in cells}
        assert busy.isdisjoint(step.waiting) and len(busy) + len(step.waiting) == 16
    assert "Sorted by length: 77 instructions" in play.steps[-1].text
    assert "In the order of the file: 105 instructions" in play.steps[-1].text


def test_one_lane_is_one_sequence_after_another():
    play = SIDE_BY_SIDE.make_animation({"lanes": 1})
    assert len(play) == int(play.main_cells.sum()) and set(play.busy_workers.tolist()) == {1}


def test_a_database_that_is_too_large_is_refused():
    with pytest.raises(InputError, match="too large"):
        SIDE_BY_SIDE.make_animation({"query": "ACGT" * 20, "sequences": ", ".join(["ACGTACGT"] * 20)})
