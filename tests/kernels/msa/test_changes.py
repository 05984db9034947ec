"""What a refinement changed: going back through it comes to every alignment that there was."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.io.aligned_sequences import GAP
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.msa import refinement_changes
from antidiag.kernels.msa.consistency.given_alignment_trials import insert_random_gaps
from antidiag.kernels.msa.consistency.groups.group_aligner import GroupAligner
from antidiag.kernels.msa.refinement_changes import BOTH, FIRST, SECOND, RefinementChange, RefinementChanges
from antidiag.kernels.msa.trials import generate_family


def execute(method_id: str, data: list[object], **options: object) -> Result:
    method = registry.find_method(method_id)
    problem = method.problem_type.make_problem(data, options)
    result = engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False)
    result.check(problem)
    return result


def stands(aligner: GroupAligner) -> np.ndarray:
    """Where letters stand, bool."""
    found = np.zeros((aligner.count, int(aligner.places.max()) + 1), bool)
    found[np.repeat(np.arange(aligner.count), aligner.lengths), aligner.places] = True
    return found


@pytest.mark.slow
def test_every_alignment_on_the_way_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[np.ndarray] = []
    change = GroupAligner._record_change

    def noted(self: GroupAligner, groups, merged, before, columns):  # type: ignore[no-untyped-def]
        seen.append(before.copy())
        return change(self, groups, merged, before, columns)

    monkeypatch.setattr(GroupAligner, "_record_change", noted)
    rows = insert_random_gaps(generate_family(7, 30), np.random.default_rng(2))
    empty = Sequence("empty", b"", rows.type)
    result = execute("msa-refine", [rows])
    made, there = result.answer.changes, result.answer.alignment.letters != GAP
    assert len(made) == len(seen) > 1 and made.rows == 7 and made.earlier == 0
    lengths = there.sum(axis=1)
    for number in range(len(made) - 1, -1, -1):
        there = refinement_changes.undo_change(there, made[number])
        np.testing.assert_array_equal(there.sum(axis=1), lengths)
        np.testing.assert_array_equal(refinement_changes.column_owners(there, made[number].first), made[number].before)
        np.testing.assert_array_equal(np.nonzero(there)[1], seen[number])
    before, after = made.expected.T
    assert (after >= before).all()
    with_empty = execute("msa", [*generate_family(6, 30), empty], refinement_seed=3).answer.changes
    assert with_empty.rows == 7 and not any(with_empty[k].first[6] for k in range(len(with_empty)))


def test_what_stands_beside_others_moved() -> None:
    before = np.array([BOTH, FIRST, SECOND, BOTH], np.uint8)
    after = np.array([BOTH, BOTH, BOTH], np.uint8)
    first, second = refinement_changes.changed_columns(before, after)
    assert first.tolist() == [False, True, True, False] and second.tolist() == [False, True, False]
    same, _ = refinement_changes.changed_columns(before, before)
    assert not same.any()


def test_the_last_changes_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refinement_changes, "MOST_CHANGES", 2)
    rows = np.array([True, False, True])
    made = RefinementChanges.keep_last(
        [RefinementChange(rows, np.full(k, BOTH, np.uint8), (k, k + 1.0)) for k in range(1, 5)], 3
    )
    assert len(made) == 2 and made.earlier == 2
    assert made[0].before.size == 3 and made[1].before.size == 4 and made[1].expected == (4, 5)
    np.testing.assert_array_equal(made[0].first, rows)
    assert len(RefinementChanges.keep_last([], 3)) == 0
