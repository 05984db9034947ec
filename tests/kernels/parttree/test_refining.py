"""What follows a first alignment: the tree of its rows is that of plain counts, and parts of it stay as they are."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun
from antidiag.kernels.io.aligned_sequences import GAP
from antidiag.kernels.msa import trials as msa_trials
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.parttree import ALIGNMENT_PROBLEM
from antidiag.kernels.parttree.progressive import refinement
from antidiag.kernels.parttree.progressive.alignment_rules import make_score_rules
from antidiag.kernels.parttree.progressive.refinement import refine_branches, tree_of_rows


def silent_phase(threads: int = 1) -> CpuPhase:
    return CpuPhase(CpuRun(threads=threads), "rows", 1, 1, 0)


def quiet(done: int, total: int) -> None:
    """Nobody hears of progress."""


def answer(problem: MsaProblem) -> MsaAnswer:
    planned = engine.plan_run(registry.find_method("msa-parttree"), problem, {"threads": 2}, "cpu")
    found = engine.execute(planned, keep_rate=False).answer
    found.check(problem)
    return found


def random_rows(count: int, columns: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    rows = random.choice(np.frombuffer(b"ACDE-", np.uint8), (count, columns))
    rows[:, 0] = ord("A")
    return rows


def textbook(rows: np.ndarray) -> list[set[frozenset[int]]]:
    """The parts that single linkage joins: the nearest two, of equal ones those whose edge has the lesser numbers."""

    def away(one: int, other: int) -> tuple[np.float32, int, int]:
        same = int(((rows[one] == rows[other]) & (rows[one] != GAP)).sum())
        letters = int((rows[one] != GAP).sum() + (rows[other] != GAP).sum())
        return np.float32(letters - 2 * same) / np.float32(same), max(one, other), min(one, other)

    parts, joined = [frozenset([row]) for row in range(len(rows))], []
    while len(parts) > 1:
        near = min((min(away(i, j) for i in one for j in two), one, two) for one, two in combinations(parts, 2))
        joined.append(set(near[1:]))
        parts = [part for part in parts if part not in near[1:]] + [near[1] | near[2]]
    return joined


@pytest.mark.parametrize("block", [3, 100])
@pytest.mark.parametrize("seed", range(3))
def test_the_tree_of_rows_is_that_of_the_textbook(seed: int, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refinement, "BLOCK", block)
    rows = random_rows(12, 20, seed)
    joins, _ = tree_of_rows(rows, silent_phase(2), quiet)
    below = [frozenset([row]) for row in range(len(rows))]
    found = []
    for one, other in joins.tolist():
        found.append({below[one], below[other]})
        below.append(below[one] | below[other])
    assert found == textbook(rows)


def test_further_passes_follow_the_tree_of_the_alignment_before() -> None:
    sequences = msa_trials.generate_family(30, 40)
    first = answer(ALIGNMENT_PROBLEM.make_problem(list(sequences), {}))
    second = answer(ALIGNMENT_PROBLEM.make_problem(list(sequences), {"passes": 2}))
    joins, _ = tree_of_rows(first.alignment.letters, silent_phase(), quiet)
    assert second.tree is not None
    given = answer(ALIGNMENT_PROBLEM.make_problem([*sequences, second.tree], {}))
    np.testing.assert_array_equal(second.alignment.letters, given.alignment.letters)
    assert len(second.tree) == 2 * len(joins) + 1


def test_both_sides_of_a_refined_branch_stay_as_they_are() -> None:
    problem = ALIGNMENT_PROBLEM.make_problem(list(msa_trials.generate_family(20, 40)), {})
    rows = answer(problem).alignment.letters
    joins, _ = tree_of_rows(rows, silent_phase(), quiet)
    for number, members in enumerate(refinement._largest_branches(joins, len(rows), 5), 1):
        rules = make_score_rules(problem, len(rows))
        before = refine_branches(rows, joins, number - 1, rules, True, silent_phase(), quiet)
        after = refine_branches(rows, joins, number, rules, True, silent_phase(), quiet)
        for side in (members, ~members):
            one, other = before[side], after[side]
            one, other = (part[:, (part != GAP).any(axis=0)] for part in (one, other))
            np.testing.assert_array_equal(one, other)


def test_branches_are_the_largest_of_the_tree() -> None:
    joins = np.array([[0, 1], [2, 3], [5, 6], [4, 7]])
    found = [set(np.flatnonzero(members).tolist()) for members in refinement._largest_branches(joins, 5, 3)]
    assert found == [{0, 1, 2, 3}, {0, 1}, {2, 3}]
