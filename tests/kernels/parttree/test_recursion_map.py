"""The recursion as a map: groups are ranges of places, and distances are those of plain counters."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels.parttree import reference, trials
from antidiag.kernels.parttree.problem import PartTreeAnswer
from antidiag.kernels.parttree.reference import PartTreeTextbook
from antidiag.kernels.parttree.splitting.recursion_map import make_recursion_map, measure_distances
from antidiag.kernels.trials import RandomChooser


@pytest.mark.parametrize("seed", range(6))
def test_groups_are_the_sequences_below_their_references(seed: int) -> None:
    problem = trials.draw_problem(RandomChooser(seed), 60)
    answer = reference.build_part_tree(problem)
    answer.check(problem)
    found = make_recursion_map(answer)
    if found is None:
        assert len(answer.tree.taxa) == 1 or len({one.letters for one in problem.sequences}) == 1
        return
    assert sorted(found.order.tolist()) == sorted(
        {one.letters: at for at, one in reversed(list(enumerate(problem.sequences)))}.values()
    )
    for split, (level, pivot, size, _, kept) in enumerate(found.splits.tolist()):
        low, high = found.place_range(split)
        members, own = found.order[low:high].tolist(), found.own_references(split).tolist()
        assert high - low == size and pivot in members and set(own) <= set(members)
        assert found.members(split)[: len(own)].tolist() == own
        assert sorted(found.members(split).tolist()) == sorted(members)
        assert found.distance_counts(split) == (size, kept * kept, kept * (size - kept))
        for place in (low, high - 1):
            at = found.reference_at(level, place + 0.5)
            assert at is not None and found.references[at, 0] == split
    assert found.reference_at(0, found.size) is None and found.reference_at(len(found.bands), 0) is None


def test_a_reference_is_in_the_group_that_joined_it() -> None:
    problem = trials.draw_problem(RandomChooser(11), 80)
    found = make_recursion_map(reference.build_part_tree(problem))
    assert found is not None
    for at, (_, sequence, joined, _) in enumerate(found.references.tolist()):
        start = int(found.starts[at])
        assert sequence in found.order[start : start + joined]


def test_distances_of_a_tile_are_those_of_plain_counters() -> None:
    problem = trials.draw_problem(RandomChooser(5))
    book, count = PartTreeTextbook(problem), len(problem.sequences)
    rows, columns = np.arange(0, count, 2), np.arange(count)[::-1]
    expected = [[book.distance(i, j) for j in columns.tolist()] for i in rows.tolist()]
    np.testing.assert_array_equal(measure_distances(problem, rows, columns), expected)


def test_an_answer_without_references_has_no_map() -> None:
    answer = reference.build_part_tree(trials.draw_problem(RandomChooser(1)))
    assert make_recursion_map(PartTreeAnswer(answer.tree, answer.splits)) is None
